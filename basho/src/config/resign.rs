//! Resignation: an engine with persistently hopeless scores loses without playing on.

use serde::{Deserialize, Serialize};

use oshi::game::Player;
use oshi::protocol::Score;

/// When an engine resigns, with the keys of fastchess's `-resign`. An engine that reports no scores
/// never resigns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "ResignTable")]
pub struct Resign {
    /// Number of consecutive moves of the player with such a score, at least 1.
    movecount: u32,
    /// Threshold in centipawns: a score of −`score` or worse, or a proven loss.
    score: u32,
    /// Whether the opponent's last scores must be at least +`score`.
    twosided: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResignTable {
    #[serde(default = "default_movecount")]
    movecount: u32,
    score: u32,
    #[serde(default)]
    twosided: bool,
}

const fn default_movecount() -> u32 {
    1
}

impl TryFrom<ResignTable> for Resign {
    type Error = String;

    fn try_from(table: ResignTable) -> Result<Resign, String> {
        let ResignTable { movecount, score, twosided } = table;
        if movecount == 0 || score == 0 {
            return Err(format!(
                "resign: expected movecount and score above 0, \
                 got movecount={movecount} score={score}"
            ));
        }
        Ok(Resign { movecount, score, twosided })
    }
}

impl Resign {
    /// Whether the player of the last move resigns. `moves` holds the player and score of each
    /// move, latest first.
    pub fn is_due<'a>(
        &self,
        moves: impl Iterator<Item = (Player, Option<&'a str>)> + Clone,
    ) -> bool {
        let Some((loser, _)) = moves.clone().next() else { return false };
        let were_all_beyond = |player: Player, sign: i64| {
            let mut scores =
                moves.clone().filter(|(mover, _)| *mover == player).map(|(_, score)| score);
            let mut is_beyond = || {
                scores
                    .next()
                    .flatten()
                    .and_then(value)
                    .is_some_and(|value| sign * value >= i64::from(self.score))
            };
            (0..self.movecount).all(|_| is_beyond())
        };
        were_all_beyond(loser, -1) && (!self.twosided || were_all_beyond(!loser, 1))
    }
}

/// A recorded score in centipawns for its player. A proven score exceeds any threshold.
fn value(score: &str) -> Option<i64> {
    const PROVEN: i64 = u32::MAX as i64;
    Some(match score.parse().ok()? {
        Score::Cp(hundredths) => hundredths.into(),
        Score::Mate(moves) => {
            if moves > 0 {
                PROVEN
            } else {
                -PROVEN
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `moves` in the order of play; `B` is Black.
    fn is_due(resign: Resign, moves: &[(char, Option<&str>)]) -> bool {
        let player = |c: char| if c == 'B' { Player::Black } else { Player::White };
        resign.is_due(moves.iter().map(|&(c, score)| (player(c), score)).rev())
    }

    const RESIGN: Resign = Resign { movecount: 2, score: 600, twosided: false };

    #[test]
    fn resigns_after_enough_hopeless_moves() {
        let hopeless = [('B', Some("cp -600")), ('W', Some("cp 10")), ('B', Some("mate -3"))];
        assert!(is_due(RESIGN, &hopeless));
        assert!(!is_due(RESIGN, &hopeless[2..]), "one move is not two");
        assert!(!is_due(RESIGN, &[]));
        // Only the player of the last move resigns: this move may change the other's scores.
        assert!(!is_due(RESIGN, &[hopeless.as_slice(), &[('W', Some("cp 0"))]].concat()));
        assert!(
            is_due(RESIGN, &[('B', Some("mate -1")), ('W', None), ('B', Some("mate 0"))]),
            "`mate 0` has lost"
        );
        // Two consecutive moves of one player count as two.
        assert!(is_due(RESIGN, &[('B', Some("cp -601")), ('B', Some("cp -601"))]));
    }

    #[test]
    fn one_better_or_missing_score_prevents_resignation() {
        for better in [Some("cp -599"), Some("cp 700"), Some("mate 3"), Some("lost"), None] {
            assert!(
                !is_due(RESIGN, &[('B', better), ('W', None), ('B', Some("cp -900"))]),
                "{better:?}"
            );
            assert!(
                !is_due(RESIGN, &[('B', Some("cp -900")), ('W', None), ('B', better)]),
                "{better:?}"
            );
        }
    }

    #[test]
    fn twosided_needs_scores_of_the_opponent() {
        let resign = Resign { movecount: 1, twosided: true, ..RESIGN };
        for (opponent, expected) in
            [(Some("cp 600"), true), (Some("mate 1"), true), (Some("cp 599"), false), (None, false)]
        {
            assert_eq!(
                is_due(resign, &[('W', opponent), ('B', Some("cp -600"))]),
                expected,
                "{opponent:?}"
            );
        }
    }
}
