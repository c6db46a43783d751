//! Games of sheets and their check by the rules.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

use oshi::game::{MoveError, Outcome, PlayError, Player, Text};
use oshi::games::notation::Notation;
use oshi::games::{PositionError, Visitor, visit_position};

/// Result of a game, with the points of Black, who opened, first.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, Display, EnumString,
)]
pub enum GameScore {
    /// Black won.
    #[serde(rename = "1-0")]
    #[strum(serialize = "1-0")]
    BlackWins,
    /// White won.
    #[serde(rename = "0-1")]
    #[strum(serialize = "0-1")]
    WhiteWins,
    /// The game was drawn.
    #[serde(rename = "1/2-1/2")]
    #[strum(serialize = "1/2-1/2")]
    Draw,
    /// The game is not over.
    #[default]
    #[serde(rename = "*")]
    #[strum(serialize = "*")]
    Unfinished,
}

impl GameScore {
    /// The winner, if any.
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
    /// Name; may be empty.
    pub name: String,
    /// Limit of time or nodes; may be empty.
    pub limit: String,
}

/// A game, which may be unfinished.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sheet {
    /// Number of the game in its tournament.
    pub game: Option<u64>,
    /// Date, in any form.
    pub date: Option<String>,
    /// Black, then White.
    pub seats: [Seat; 2],
    /// Position line of the start.
    pub start: String,
    /// The moves, in the text form of the game.
    pub moves: Vec<String>,
    /// Result.
    pub result: GameScore,
    /// Ending, unless the rules ended the game.
    pub ending: Option<String>,
}

/// Reason why a game is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GameError {
    /// The start is not a valid position.
    #[error(transparent)]
    Start(#[from] PositionError),
    /// A move is invalid.
    #[error("ply {ply}: {error}")]
    Move {
        /// Number of the ply, from 1.
        ply: usize,
        /// Reason.
        error: MoveError,
    },
    /// The result contradicts the rules.
    #[error("result {found}, but by the rules the game ended {expected}")]
    Result {
        /// The written result.
        found: GameScore,
        /// The result by the rules.
        expected: GameScore,
    },
    /// There is a result, but the game is not over.
    #[error(
        "result {found} after {plies} plies, but the game is not over; \
         expected more plies, the result `*`, or an ending"
    )]
    NotOver {
        /// The written result.
        found: GameScore,
        /// Number of plies played.
        plies: usize,
    },
}

impl Sheet {
    /// Creates a sheet without moves and names.
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

    /// Creates a sheet with these moves and the result by the rules.
    ///
    /// # Errors
    /// [`GameError`] if the start or a move is invalid, or the result contradicts them.
    pub fn of_moves(start: String, moves: Vec<String>) -> Result<Sheet, GameError> {
        let mut sheet = Sheet { moves, ..Sheet::new(start) };
        match sheet.check() {
            Err(GameError::Result { expected, .. }) => sheet.result = expected,
            checked => drop(checked?),
        }
        Ok(sheet)
    }

    /// Checks start, moves and result by the rules. Returns the name of the variant.
    ///
    /// # Errors
    /// [`GameError`] if the start or a move is invalid, or the result contradicts them.
    pub fn check(&self) -> Result<&'static str, GameError> {
        visit_position(&self.start, Check(self))?
    }

    /// Plays the moves from `start`, the parsed start. Returns the moves and the last position.
    ///
    /// # Errors
    /// [`GameError`] if a move is invalid or the result contradicts the moves.
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
