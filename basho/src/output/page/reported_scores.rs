//! The scores that engines reported, from Black's side, and drops of win probability.

use serde::{Serialize, Serializer};

use crate::statistics::stats::score_of_elo;
use oshi::game::Player;
use oshi::protocol::Score;

/// A probability in permille.
type Permille = u16;

const CERTAIN: Permille = 1000;

/// A move counts as an error if the mover's own win probability drops by at least this much until
/// their next move.
const ERROR_DROP: Permille = 200;

/// A score reported with a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportedScore {
    /// Black's win probability, draws counted half.
    pub probability: Permille,
    /// The score: `+85` in hundredths, `#5` if Black wins in 5 own moves, `#-5` if White does.
    pub score: String,
}

impl ReportedScore {
    /// Reads a recorded score, which is from the mover's side. `None` unless it is `cp N` or `mate
    /// N`.
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

/// Probability and score of each move, separated by commas: `642+85,,1000#5`.
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

/// A move after which the mover's own win probability was much lower.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ScoreDrop {
    /// Number of the move in the game, from 1.
    pub ply: usize,
    /// Black's win probability, as the mover reported it with this move.
    pub from: Permille,
    /// Black's win probability as the mover reported it with their next move, or the result.
    pub to: Permille,
}

/// The errors of a game. `scores` holds number, player and reported score of each move. `result` is
/// Black's result, if the rules ended the game.
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
    /// How much the player's win probability dropped; negative if it rose.
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
    fn converts_scores_to_blacks_side() {
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
    fn marks_moves_before_a_drop_as_errors() {
        use Player::{Black, White};
        let game = [
            (Black, Some("cp 0")),
            (White, Some("cp 300")),
            (Black, Some("cp -400")),
            (White, Some("cp 350")),
        ];
        assert_eq!(drops_of(&game, None), [(1, 500, 91)], "White's own probability did not drop");
        assert_eq!(
            drops_of(&game, Some(1000)),
            [(1, 500, 91), (4, 118, 1000)],
            "the result is the last word"
        );
        assert_eq!(drops_of(&game, Some(0)), [(1, 500, 91)]);
    }

    #[test]
    fn marks_no_errors_without_scores() {
        use Player::{Black, White};
        assert_eq!(drops_of(&[(Black, None), (White, None)], Some(0)), []);
        assert_eq!(
            drops_of(&[(Black, Some("cp 400")), (White, None), (Black, None)], Some(0)),
            [(1, 909, 0)]
        );
    }
}
