//! What engines said of their chances, from Black's side throughout, and where a chance fell.

use serde::{Serialize, Serializer};

use crate::statistics::stats::score_of_elo;
use oshi::game::Player;
use oshi::protocol::Score;

/// A chance in permille, as the page writes it.
type Permille = u16;

const CERTAIN: Permille = 1000;

/// A fall of a player's own chance by as much, from one move of theirs to the next, marks the first of them as an error.
const ERROR: Permille = 200;

/// What an engine said with a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Black's chance, draws counted half.
    pub chance: Permille,
    /// The score: `+85` in hundredths, `#5` where Black wins in 5 own moves, `#-5` where White does.
    pub score: String,
}

impl Said {
    /// Reads a score as a record has it: for the player who moved. `None` if it is neither `cp N` nor `mate N`.
    pub fn read(score: &str, mover: Player) -> Option<Said> {
        let sign = match mover {
            Player::Black => 1,
            Player::White => -1,
        };
        let (chance, score) = match score.parse().ok()? {
            Score::Cp(hundredths) => {
                (score_of_elo(hundredths.into()), format!("{:+}", sign * i64::from(hundredths)))
            }
            Score::Mate(moves) => {
                (if moves > 0 { 1.0 } else { 0.0 }, format!("#{}", sign * i64::from(moves)))
            }
        };
        let of_black = if mover == Player::Black { chance } else { 1.0 - chance };
        Some(Said { chance: (of_black * f64::from(CERTAIN)).round() as Permille, score })
    }
}

/// Chance and score of each move, separated by commas: `642+85,,1000#5`.
pub fn as_text<S: Serializer>(said: &[Option<Said>], serializer: S) -> Result<S::Ok, S::Error> {
    let text = |said: &Option<Said>| {
        said.as_ref().map(|Said { chance, score }| format!("{chance}{score}")).unwrap_or_default()
    };
    serializer.serialize_str(&said.iter().map(text).collect::<Vec<_>>().join(","))
}

/// A move after which the mover's own chance was much smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Fall {
    /// The number of the move in the game, from 1.
    pub ply: usize,
    /// Black's chance as the mover said it with this move.
    pub from: Permille,
    /// Black's chance as the mover said it with their next move, or the result.
    pub to: Permille,
}

/// The errors of a game. `said` has for each move its number, its player and what was said; `result` is Black's, for a game that the
/// rules have ended.
pub fn falls(said: &[(usize, Player, Option<Said>)], result: Option<Permille>) -> Vec<Fall> {
    let mut falls = Vec::new();
    for player in Player::ALL {
        let own = said.iter().filter(|(_, mover, _)| *mover == player);
        let mut last: Option<(usize, Permille)> = None;
        let chances = own.filter_map(|(ply, _, said)| Some((*ply, said.as_ref()?.chance)));
        for (ply, to) in chances.chain(result.map(|result| (usize::MAX, result))) {
            let fall = last.map(|(ply, from)| Fall { ply, from, to });
            falls.extend(fall.filter(|fall| fall.depth(player) >= i32::from(ERROR)));
            last = Some((ply, to));
        }
    }
    falls.sort_by_key(|fall| fall.ply);
    falls
}

impl Fall {
    /// By how much the player's chance fell; below 0 if it rose.
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

    fn said(score: &str, mover: Player) -> Option<(Permille, String)> {
        Said::read(score, mover).map(|said| (said.chance, said.score))
    }

    #[test]
    fn scores_are_blacks_whoever_moves() {
        assert_eq!(said("cp 0", Player::White), Some((500, "+0".to_owned())));
        assert_eq!(said("cp 400", Player::Black), Some((909, "+400".to_owned())));
        assert_eq!(said("cp 400", Player::White), Some((91, "-400".to_owned())));
        assert_eq!(said("mate 3", Player::White), Some((0, "#-3".to_owned())));
        assert_eq!(said("mate -3", Player::White), Some((1000, "#3".to_owned())));
        for nothing in ["", "cp", "cp x", "cp 1 lowerbound", "win 3", "mate 99999999999"] {
            assert_eq!(said(nothing, Player::Black), None, "{nothing}");
        }
        assert!(said(&format!("cp {}", i32::MIN), Player::White).is_some());
    }

    fn falls_of(
        moves: &[(Player, Option<&str>)],
        result: Option<Permille>,
    ) -> Vec<(usize, Permille, Permille)> {
        let said: Vec<_> = (1..)
            .zip(moves)
            .map(|(ply, &(mover, score))| {
                (ply, mover, score.and_then(|score| Said::read(score, mover)))
            })
            .collect();
        falls(&said, result).into_iter().map(|fall| (fall.ply, fall.from, fall.to)).collect()
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
            falls_of(&game, None),
            [(1, 500, 91)],
            "White's chance did not fall, whatever Black thought of it"
        );
        assert_eq!(
            falls_of(&game, Some(1000)),
            [(1, 500, 91), (4, 118, 1000)],
            "the result is the last word"
        );
        assert_eq!(falls_of(&game, Some(0)), [(1, 500, 91)]);
    }

    #[test]
    fn engines_that_say_nothing_make_no_errors_that_can_be_seen() {
        use Player::{Black, White};
        assert_eq!(falls_of(&[(Black, None), (White, None)], Some(0)), []);
        assert_eq!(
            falls_of(&[(Black, Some("cp 400")), (White, None), (Black, None)], Some(0)),
            [(1, 909, 0)]
        );
    }
}
