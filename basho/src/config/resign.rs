//! Resignation on behalf of an engine: a player whose own scores have been hopeless for some moves loses without playing on.

use serde::{Deserialize, Serialize};

use oshi::game::Player;
use oshi::protocol::Score;

/// When a player resigns, in the words of fastchess's `-resign`. A player without scores never does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "ResignTable")]
pub struct Resign {
    /// How many moves of the player in a row must have such a score, 1 or more.
    movecount: u32,
    /// The score is this many centipawns below zero or worse, or a loss that is proven.
    score: u32,
    /// Whether the opponent's last moves must have scores as good as the player's are bad.
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
                "resign: expected movecount and score above 0, got movecount={movecount} score={score}"
            ));
        }
        Ok(Resign { movecount, score, twosided })
    }
}

impl Resign {
    /// Whether the player who moved last resigns after these moves, the last one first: who made each, and with which score.
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

/// A recorded score, in centipawns for the player who moves; what is proven is beyond any threshold.
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

    /// Moves by their scores, the first one first; a capital letter is White.
    fn is_due(resign: Resign, moves: &[(char, Option<&str>)]) -> bool {
        let player = |c: char| if c == 'B' { Player::Black } else { Player::White };
        resign.is_due(moves.iter().map(|&(c, score)| (player(c), score)).rev())
    }

    const RESIGN: Resign = Resign { movecount: 2, score: 600, twosided: false };

    #[test]
    fn who_has_been_hopeless_for_so_many_moves_resigns() {
        let hopeless = [('B', Some("cp -600")), ('W', Some("cp 10")), ('B', Some("mate -3"))];
        assert!(is_due(RESIGN, &hopeless));
        assert!(!is_due(RESIGN, &hopeless[2..]), "one move is not two");
        assert!(!is_due(RESIGN, &[]));
        // Only who has just moved: the other's scores may be better after this move.
        assert!(!is_due(RESIGN, &[hopeless.as_slice(), &[('W', Some("cp 0"))]].concat()));
        assert!(
            is_due(RESIGN, &[('B', Some("mate -1")), ('W', None), ('B', Some("mate 0"))]),
            "`mate 0` has lost"
        );
        // Two moves in a row of one player are two.
        assert!(is_due(RESIGN, &[('B', Some("cp -601")), ('B', Some("cp -601"))]));
    }

    #[test]
    fn one_better_or_missing_score_among_them_is_enough_to_play_on() {
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
    fn twosided_asks_the_opponent_too() {
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
