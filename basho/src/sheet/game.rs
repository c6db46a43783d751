//! A game as a sheet holds it, and whether it obeys the rules.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

use oshi::game::{MoveError, Outcome, PlayError, Player, Text};
use oshi::games::notation::Notation;
use oshi::games::{PositionError, Visitor, visit_position};

/// The result of a game, as it is written: the opener's first.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, Display, EnumString,
)]
pub enum GameScore {
    /// Black, who opened, won.
    #[serde(rename = "1-0")]
    #[strum(serialize = "1-0")]
    BlackWins,
    /// White won.
    #[serde(rename = "0-1")]
    #[strum(serialize = "0-1")]
    WhiteWins,
    /// Nobody won.
    #[serde(rename = "1/2-1/2")]
    #[strum(serialize = "1/2-1/2")]
    Draw,
    /// The game was not finished.
    #[default]
    #[serde(rename = "*")]
    #[strum(serialize = "*")]
    Unfinished,
}

impl GameScore {
    /// The player who won, if anybody did.
    pub const fn winner(self) -> Option<Player> {
        match self {
            GameScore::BlackWins => Some(Player::Black),
            GameScore::WhiteWins => Some(Player::White),
            GameScore::Draw | GameScore::Unfinished => None,
        }
    }
}

impl From<Outcome> for GameScore {
    fn from(outcome: Outcome) -> GameScore {
        match outcome {
            Outcome::Win(Player::Black) => GameScore::BlackWins,
            Outcome::Win(Player::White) => GameScore::WhiteWins,
            Outcome::Draw => GameScore::Draw,
        }
    }
}

/// A player as named on a sheet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seat {
    /// The player's name; may be empty.
    pub name: String,
    /// The player's limit of time or nodes; may be empty.
    pub limit: String,
}

/// One game, whole or as far as it was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sheet {
    /// The number of the game where it is one of many.
    pub game: Option<u64>,
    /// When it was played, in any form.
    pub date: Option<String>,
    /// Black, then White.
    pub seats: [Seat; 2],
    /// The position line of the start.
    pub start: String,
    /// The moves from there, in the text form of the game.
    pub moves: Vec<String>,
    /// Who won.
    pub result: GameScore,
    /// How the game ended, if the rules did not end it.
    pub ending: Option<String>,
}

/// What is wrong with a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GameError {
    /// The start is not a valid position.
    #[error(transparent)]
    Start(#[from] PositionError),
    /// A move that the rules do not allow.
    #[error("ply {ply}: {error}")]
    Move {
        /// The number of the ply, from 1.
        ply: usize,
        /// What is wrong with it.
        error: MoveError,
    },
    /// The result is not that of the rules.
    #[error("result {found}, but by the rules the game ended {expected}")]
    Result {
        /// The result as given.
        found: GameScore,
        /// The result by the rules.
        expected: GameScore,
    },
    /// A result, although the game is not over.
    #[error(
        "result {found} after {plies} plies, but the game is not over; expected more plies, the result `*`, or how it ended"
    )]
    NotOver {
        /// The result as given.
        found: GameScore,
        /// How many plies were played.
        plies: usize,
    },
}

impl Sheet {
    /// The sheet of a game from this position, with no player named and no move played.
    pub fn new(start: String) -> Sheet {
        Sheet {
            game: None,
            date: None,
            seats: Default::default(),
            start,
            moves: Vec::new(),
            result: GameScore::Unfinished,
            ending: None,
        }
    }

    /// The sheet of a game with these moves; the result is what the rules say.
    ///
    /// # Errors
    /// [`GameError`] says what does not fit.
    pub fn of_moves(start: String, moves: Vec<String>) -> Result<Sheet, GameError> {
        let mut sheet = Sheet { moves, ..Sheet::new(start) };
        match sheet.check() {
            Err(GameError::Result { expected, .. }) => sheet.result = expected,
            checked => drop(checked?),
        }
        Ok(sheet)
    }

    /// The name of the variant that was played, if start, moves and result fit the rules.
    ///
    /// # Errors
    /// [`GameError`] says what does not fit.
    pub fn check(&self) -> Result<&'static str, GameError> {
        visit_position(&self.start, Check(self))?
    }

    /// Plays the moves of the game from `start`, its start as a position: the moves, and the last position.
    ///
    /// # Errors
    /// [`GameError`] where moves and result do not fit the rules.
    pub fn replay<G: Text>(&self, start: G) -> Result<(Vec<G::Move>, G), GameError> {
        let played = start.play_all(&self.moves);
        let (moves, position) =
            played.map_err(|PlayError { number, error }| GameError::Move { ply: number, error })?;
        self.check_result(position.outcome())?;
        Ok((moves, position))
    }

    pub(super) fn check_result(&self, outcome: Option<Outcome>) -> Result<(), GameError> {
        let found = self.result;
        match outcome.map(GameScore::from) {
            Some(expected) if expected != found => Err(GameError::Result { found, expected }),
            None if found != GameScore::Unfinished && self.ending.is_none() => {
                Err(GameError::NotOver { found, plies: self.moves.len() })
            }
            _ => Ok(()),
        }
    }
}

struct Check<'a>(&'a Sheet);

impl Visitor for Check<'_> {
    type Output = Result<&'static str, GameError>;

    fn visit<G: Notation>(self, start: G) -> Self::Output {
        self.0.replay(start).map(|_| start.variant_name())
    }
}
