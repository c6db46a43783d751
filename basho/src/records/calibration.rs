//! Collects the win probabilities that engines reported in the games of a tournament.

use super::validate::Course;
use crate::record::{GameRecord, Reason};
use crate::statistics::calibration::{Calibration, QUARTERS, win_probability_of_score};
use oshi::game::Text;

/// Adds the reported win probabilities of a game to its two engines. `engines` holds all engines of
/// the tournament.
///
/// Games not ended by the rules are ignored: their results do not show who stood better. Moves of
/// the opening and moves without a score are ignored too.
pub fn count_game<G: Text>(engines: &mut [Calibration], record: &GameRecord, course: &Course<G>) {
    if record.reason != Reason::Normal || record.moves.iter().all(|played| played.score.is_none()) {
        return;
    }
    let mut position = course.start;
    let Some((opening, moves)) = course.moves.split_at_checked(record.opening.moves.len()) else {
        return;
    };
    opening.iter().for_each(|&mv| position.play(mv));
    for (index, (&mv, played)) in moves.iter().zip(&record.moves).enumerate() {
        let mover = position.turn();
        position.play(mv);
        let engine = course.engines.get(mover.index()).and_then(|&engine| engines.get_mut(engine));
        if let (Some(engine), Some(probability)) =
            (engine, played.score.as_deref().and_then(win_probability_of_score))
        {
            let result =
                record.result.winner().map_or(0.5, |winner| f64::from(u8::from(winner == mover)));
            engine.add(QUARTERS * index / moves.len(), probability, result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{first_game, played};
    use crate::record::{OpeningRecord, PlayedMove};
    use crate::sheet::GameScore;
    use oshi::game::{Game, Player};
    use oshi::games::kamisado::{Match, Target};

    /// A game of first legal moves, two of them as its opening. The winner's scores are near
    /// certainty, the loser's are even. The first move after the opening has no score.
    fn game(reason: Reason) -> (GameRecord, Course<Match>) {
        let start = Match::start(Target::Simple);
        let (mut position, mut moves, mut movers) = (start, Vec::new(), Vec::new());
        while let Some(&mv) = position.legal_moves().first() {
            movers.push(position.turn());
            moves.push(mv);
            position.play(mv);
        }
        let text = |index: usize| moves[index].to_string();
        let winner = position.outcome().and_then(|outcome| outcome.winner()).unwrap();
        let played = |index: usize| PlayedMove {
            score: (index > 2).then(|| {
                if movers[index] == winner { "cp 100000".to_owned() } else { "cp 0".to_owned() }
            }),
            ..played(&text(index))
        };
        let record = GameRecord {
            opening: OpeningRecord {
                start: "startpos".to_owned(),
                moves: (0..2).map(text).collect(),
            },
            moves: (2..moves.len()).map(played).collect(),
            reason,
            ..first_game(if winner == Player::Black {
                GameScore::BlackWins
            } else {
                GameScore::WhiteWins
            })
        };
        (record, Course { engines: [2, 0], start, moves })
    }

    #[test]
    fn counts_scores_for_the_engine_that_reported_them() {
        let (record, course) = game(Reason::Normal);
        let mut engines = [Calibration::default(); 3];
        count_game(&mut engines, &record, &course);
        let winner = record.result.winner().unwrap();
        let (won, lost) =
            (engines[course.engines[winner.index()]], engines[course.engines[(!winner).index()]]);
        assert_eq!(
            won.forecasts() + lost.forecasts(),
            record.moves.len() as u64 - 1,
            "the first move says nothing"
        );
        assert!(lost.forecasts() > 0 && engines[1].forecasts() == 0);
        assert_eq!([won, lost].map(|engine| engine.brier()), [Some(0.0), Some(0.25)]);
    }

    #[test]
    fn ignores_games_not_ended_by_the_rules() {
        for reason in Reason::ALL.iter().copied().filter(|&reason| reason != Reason::Normal) {
            let (record, course) = game(reason);
            let mut engines = [Calibration::default(); 3];
            count_game(&mut engines, &record, &course);
            assert_eq!(engines, [Calibration::default(); 3], "{reason}");
        }
    }
}
