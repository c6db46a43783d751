//! Reports of a search as lines of the protocol.

use std::fmt::Display;
use std::time::Duration;

use crate::game::{Evaluator, Game, Outcome, RoundProof, Searchable, Text};
use crate::protocol::{Info, Reply, Score, Wdl};
use crate::search::{Line, Report, Value};

/// Greatest absolute score that is not proven, in hundredths.
const MAX_CP: f32 = 9999.0;

/// Converts a value to a score and win, draw and loss probabilities.
///
/// A win probability p scores 400·log₁₀(p / (1 − p)) hundredths, the scale of Elo ratings: 100
/// hundredths are a win probability of 64 %.
pub fn score(value: Value) -> (Score, Wdl) {
    let moves = |moves: u32| i32::try_from(moves).unwrap_or(i32::MAX);
    match value {
        Value::Win(within) => (Score::Mate(moves(within)), Wdl { win: 1000, draw: 0, loss: 0 }),
        Value::Loss(within) => (Score::Mate(-moves(within)), Wdl { win: 0, draw: 0, loss: 1000 }),
        Value::Draw => (Score::Cp(0), Wdl { win: 0, draw: 1000, loss: 0 }),
        Value::WinProbability(probability) => {
            let probability = probability.clamp(0.0, 1.0);
            let cp = (400.0 * libm::log10f(probability / (1.0 - probability)))
                .clamp(-MAX_CP, MAX_CP)
                .round() as i32;
            let win = ((probability * 1000.0).round() as u32).min(1000);
            (Score::Cp(cp), Wdl { win, draw: 0, loss: 1000 - win })
        }
    }
}

/// Returns the rate per second, or 0 if no time has passed.
pub fn per_second(count: u64, time: Duration) -> u64 {
    if time.is_zero() { 0 } else { (count as f64 / time.as_secs_f64()) as u64 }
}

/// Returns one `info` line for each line of play.
pub fn infos<M: Display>(report: &Report<M>) -> Vec<Reply> {
    let info = |(number, line): (u32, &Line<M>)| {
        Reply::Info(Info {
            depth: Some(report.depth),
            seldepth: Some(report.seldepth),
            multipv: Some(number),
            nodes: Some(report.nodes),
            nps: Some(per_second(report.nodes, report.elapsed)),
            hashfull: Some(report.hashfull),
            time: Some(report.elapsed),
            pv: line.moves.iter().map(M::to_string).collect(),
            ..value_info(line.value)
        })
    };
    (1..).zip(&report.lines).map(info).collect()
}

fn value_info(value: Value) -> Info {
    let (score, wdl) = score(value);
    Info { score: Some(score), wdl: Some(wdl), ..Info::default() }
}

/// Returns the last lines of a search before its `bestmove`.
pub fn final_infos<G: Text>(position: &G, report: &Report<G::Move>) -> Vec<Reply> {
    let Some(best) = report.lines.first() else {
        return position
            .outcome()
            .map(|outcome| final_score(position, outcome))
            .into_iter()
            .collect();
    };
    let mut replies = infos(report);
    let proven = match best.value {
        Value::Win(_) => Some("win"),
        Value::Loss(_) => Some("loss"),
        Value::Draw => Some("draw"),
        Value::WinProbability(_) => None,
    };
    replies.extend(proven.map(|result| Reply::info_string(format!("proven {result}"))));
    replies
}

/// Evaluates a position without search.
pub fn static_evaluation<G: Searchable>(position: &G) -> Reply {
    if let Some(outcome) = position.outcome() {
        return final_score(position, outcome);
    }
    let turn = position.turn();
    let black = G::Evaluator::default().value(position, RoundProof::Unknown);
    let value = Value::WinProbability(turn.relative(black));
    Reply::Info(Info { string: Some(format!("static estimate for {turn}")), ..value_info(value) })
}

/// Returns the score of a match that is over.
fn final_score<G: Game>(position: &G, outcome: Outcome) -> Reply {
    let value = match outcome {
        Outcome::Win(player) if player == position.turn() => Value::Win(0),
        Outcome::Win(_) => Value::Loss(0),
        Outcome::Draw => Value::Draw,
    };
    Reply::Info(Info { depth: Some(0), ..value_info(value) })
}

/// Returns the best move and the move to ponder on, unless the same player moves again.
pub fn best_move<G: Text>(position: &G, report: &Report<G::Move>) -> Reply {
    let best = report.best_move();
    let ponder = best.and_then(|mv| {
        let mut next = *position;
        next.play(mv);
        report.ponder_move().filter(|_| next.turn() != position.turn())
    });
    Reply::BestMove { best: best.map(|mv| mv.to_string()), ponder: ponder.map(|mv| mv.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_probabilities_on_elo_scale() {
        assert_eq!(
            score(Value::WinProbability(0.5)),
            (Score::Cp(0), Wdl { win: 500, draw: 0, loss: 500 })
        );
        assert_eq!(
            score(Value::WinProbability(10.0 / 11.0)),
            (Score::Cp(400), Wdl { win: 909, draw: 0, loss: 91 })
        );
    }

    #[test]
    fn clamps_extreme_probabilities() {
        for probability in [0.0, 1e-30, 1.0, -0.1, 1.1, f32::INFINITY] {
            let (Score::Cp(cp), wdl) = score(Value::WinProbability(probability)) else {
                panic!("not proven")
            };
            assert!((-9999..=9999).contains(&cp), "{probability}: {cp}");
            assert_eq!(wdl.win + wdl.loss, 1000);
        }
    }

    #[test]
    fn scores_proven_values_as_mate() {
        assert_eq!(score(Value::Win(3)).0, Score::Mate(3));
        assert_eq!(score(Value::Loss(2)).0, Score::Mate(-2));
        assert_eq!(score(Value::Draw), (Score::Cp(0), Wdl { win: 0, draw: 1000, loss: 0 }));
    }
}
