//! What engines scores of their probabilities, from Black's side throughout, and where a probability fell.

use serde::{Serialize, Serializer};

use crate::statistics::stats::score_of_elo;
use oshi::game::Player;
use oshi::protocol::Score;

/// A probability in permille, as the page writes it.
type Permille = u16;

const CERTAIN: Permille = 1000;

/// A drop of a player's own probability by as much, from one move of theirs to the next, marks the first of them as an error.
const ERROR_DROP: Permille = 200;

/// What an engine scores with a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportedScore {
    /// Black's probability, draws counted half.
    pub probability: Permille,
    /// The score: `+85` in hundredths, `#5` where Black wins in 5 own moves, `#-5` where White does.
    pub score: String,
}

impl ReportedScore {
    /// Reads a score as a record has it: for the player who moved. `None` if it is neither `cp N` nor `mate N`.
    pub fn read(score: &str, mover: Player) -> Option<ReportedScore> {
        let sign = match mover {
            Player::Black => 1,
            Player::White => -1,
        };
        let (probability, score) = match score.parse().ok()? {
            Score::Cp(hundredths) => {
                (score_of_elo(hundredths.into()), format!("{:+}", sign * i64::from(hundredths)))
            }
            Score::Mate(moves) => {
                (if moves > 0 { 1.0 } else { 0.0 }, format!("#{}", sign * i64::from(moves)))
            }
        };
        let of_black = if mover == Player::Black { probability } else { 1.0 - probability };
        Some(ReportedScore {
            probability: (of_black * f64::from(CERTAIN)).round() as Permille,
            score,
        })
    }
}

/// Chance and score of each move, separated by commas: `642+85,,1000#5`.
pub fn as_text<S: Serializer>(
    scores: &[Option<ReportedScore>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = |scores: &Option<ReportedScore>| {
        scores
            .as_ref()
            .map(|ReportedScore { probability, score }| format!("{probability}{score}"))
            .unwrap_or_default()
    };
    serializer.serialize_str(&scores.iter().map(text).collect::<Vec<_>>().join(","))
}

/// A move after which the mover's own probability was much smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ScoreDrop {
    /// The number of the move in the game, from 1.
    pub ply: usize,
    /// Black's probability as the mover scores it with this move.
    pub from: Permille,
    /// Black's probability as the mover scores it with their next move, or the result.
    pub to: Permille,
}

/// The errors of a game. `scores` has for each move its number, its player and what was scores; `result` is Black's, for a game that the
/// rules have ended.
pub fn drops(
    scores: &[(usize, Player, Option<ReportedScore>)],
    result: Option<Permille>,
) -> Vec<ScoreDrop> {
    let mut drops = Vec::new();
    for player in Player::ALL {
        let own = scores.iter().filter(|(_, mover, _)| *mover == player);
        let mut last: Option<(usize, Permille)> = None;
        let probabilities =
            own.filter_map(|(ply, _, scores)| Some((*ply, scores.as_ref()?.probability)));
        for (ply, to) in probabilities.chain(result.map(|result| (usize::MAX, result))) {
            let drop = last.map(|(ply, from)| ScoreDrop { ply, from, to });
            drops.extend(drop.filter(|drop| drop.depth(player) >= i32::from(ERROR_DROP)));
            last = Some((ply, to));
        }
    }
    drops.sort_by_key(|drop| drop.ply);
    drops
}

impl ScoreDrop {
    /// By how much the player's probability fell; below 0 if it rose.
    fn depth(&self, player: Player) -> i32 {
        let of_black = i32::from(self.from) - i32::from(self.to);
        match player {
            Player::Black => of_black,
            Player::White => -of_black,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(score: &str, mover: Player) -> Option<(Permille, String)> {
        ReportedScore::read(score, mover).map(|scores| (scores.probability, scores.score))
    }

    #[test]
    fn scores_are_blacks_whoever_moves() {
        assert_eq!(scores("cp 0", Player::White), Some((500, "+0".to_owned())));
        assert_eq!(scores("cp 400", Player::Black), Some((909, "+400".to_owned())));
        assert_eq!(scores("cp 400", Player::White), Some((91, "-400".to_owned())));
        assert_eq!(scores("mate 3", Player::White), Some((0, "#-3".to_owned())));
        assert_eq!(scores("mate -3", Player::White), Some((1000, "#3".to_owned())));
        for nothing in ["", "cp", "cp x", "cp 1 lowerbound", "win 3", "mate 99999999999"] {
            assert_eq!(scores(nothing, Player::Black), None, "{nothing}");
        }
        assert!(scores(&format!("cp {}", i32::MIN), Player::White).is_some());
    }

    fn drops_of(
        moves: &[(Player, Option<&str>)],
        result: Option<Permille>,
    ) -> Vec<(usize, Permille, Permille)> {
        let scores: Vec<_> = (1..)
            .zip(moves)
            .map(|(ply, &(mover, score))| {
                (ply, mover, score.and_then(|score| ReportedScore::read(score, mover)))
            })
            .collect();
        drops(&scores, result).into_iter().map(|drop| (drop.ply, drop.from, drop.to)).collect()
    }

    #[test]
    fn an_error_is_a_move_after_which_the_same_engine_says_much_less() {
        use Player::{Black, White};
        let game = [
            (Black, Some("cp 0")),
            (White, Some("cp 300")),
            (Black, Some("cp -400")),
            (White, Some("cp 350")),
        ];
        assert_eq!(
            drops_of(&game, None),
            [(1, 500, 91)],
            "White's probability did not drop, whatever Black thought of it"
        );
        assert_eq!(
            drops_of(&game, Some(1000)),
            [(1, 500, 91), (4, 118, 1000)],
            "the result is the last word"
        );
        assert_eq!(drops_of(&game, Some(0)), [(1, 500, 91)]);
    }

    #[test]
    fn engines_that_say_nothing_make_no_errors_that_can_be_seen() {
        use Player::{Black, White};
        assert_eq!(drops_of(&[(Black, None), (White, None)], Some(0)), []);
        assert_eq!(
            drops_of(&[(Black, Some("cp 400")), (White, None), (Black, None)], Some(0)),
            [(1, 909, 0)]
        );
    }
}
