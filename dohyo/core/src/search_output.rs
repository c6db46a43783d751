//! An engine's output for one position, and the meaning of its scores.

use std::collections::BTreeMap;
use std::time::Duration;

use basho::statistics::stats::score_of_elo;
use oshi::game::Player;
use oshi::protocol::{Info, Score};

use crate::game::{Eval, milliseconds};

/// Rank of the best line.
pub const BEST: u32 = 1;

/// An engine's output for one position.
#[derive(Clone, Debug, Default)]
pub struct SearchOutput {
    /// Lines by rank. Ranks count from 1.
    pub lines: BTreeMap<u32, Info>,
    /// Time of the search so far.
    pub elapsed: Duration,
    /// Whether the engine reported the position as proven.
    pub is_proven: bool,
}

impl SearchOutput {
    /// Returns the best line, if it has a score.
    pub fn best(&self) -> Option<&Info> {
        self.lines.get(&BEST).filter(|info| info.score.is_some())
    }

    /// Adds a batch of lines. A batch with the best line replaces all earlier lines. Returns true
    /// if there were any lines.
    pub fn add(&mut self, batch: &mut BTreeMap<u32, Info>) -> bool {
        let is_new = !batch.is_empty();
        if batch.contains_key(&BEST) {
            self.lines.clear();
        }
        self.lines.append(batch);
        is_new
    }

    /// Returns the evaluation of the position. `turn` is the side to move.
    pub fn eval(&self, turn: Player) -> Option<Eval> {
        let info = self.best()?;
        let score = info.score?;
        Some(Eval {
            black: for_black(win_probability(info)?, turn),
            score: score.into(),
            proven: self.is_line_proven(info),
            line: info.pv.clone(),
            ms: Some(milliseconds(self.elapsed)),
            nodes: info.nodes,
        })
    }

    /// Returns true if the score of a line is proven.
    pub fn is_line_proven(&self, line: &Info) -> bool {
        matches!(line.score, Some(Score::Mate(_)))
            || self.is_proven && line.multipv.unwrap_or(BEST) == BEST
    }
}

/// Converts a win probability of the side to move to Black's, or back.
pub fn for_black(probability: f64, turn: Player) -> f64 {
    if turn == Player::Black { probability } else { 1.0 - probability }
}

/// Returns the win probability of the side to move. A draw counts half.
pub fn win_probability(info: &Info) -> Option<f64> {
    Some(match (info.score?, info.wdl) {
        (Score::Mate(moves), _) => f64::from(u8::from(moves > 0)),
        (Score::Cp(hundredths), wdl) => {
            // The numbers of an engine need not add up to 1000.
            let [win, draw, loss] =
                wdl.map_or([0.0; 3], |wdl| [wdl.win, wdl.draw, wdl.loss].map(f64::from));
            let all = win + draw + loss;
            if all > 0.0 { (win + draw / 2.0) / all } else { score_of_elo(hundredths.into()) }
        }
    })
}

/// Reads a score of a record, `cp 12` or `mate -3`, with the win probability of the side to move.
pub fn read_score(text: &str) -> Option<(Score, f64)> {
    let score = text.parse().ok()?;
    Some((score, win_probability(&Info { score: Some(score), ..Info::default() })?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_lines_do_not_replace_better_ones() {
        let mut output = SearchOutput::default();
        let mut add = |ranks: &[(u32, i32)]| {
            let info = |cp| Info { score: Some(Score::Cp(cp)), ..Info::default() };
            output.add(&mut ranks.iter().map(|&(rank, cp)| (rank, info(cp))).collect());
            (output.best().and_then(|best| best.score), output.lines.len())
        };
        assert_eq!(add(&[(1, 30)]), (Some(Score::Cp(30)), 1));
        assert_eq!(add(&[(2, 20), (3, 10)]), (Some(Score::Cp(30)), 3));
        assert_eq!(add(&[(1, 35), (2, 5)]), (Some(Score::Cp(35)), 2), "a new batch replaces all");
    }
}
