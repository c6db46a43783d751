//! Text forms of a game: position lines, moves and pictures.

use std::fmt::Display;
use std::str::FromStr;

use super::round::RoundEnd;
use super::rules::Game;

/// Shortens invalid input for a one-line message: the first 40 characters, unprintable ones
/// escaped, then `...` if there are more.
///
/// ```
/// assert_eq!(oshi::game::quote("a1\ta9"), r"a1\ta9");
/// ```
pub fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
    let rest = if text.chars().nth(SHOWN).is_some() { "..." } else { "" };
    text.chars().take(SHOWN).flat_map(char::escape_debug).chain(rest.chars()).collect()
}

/// Why a text is not a legal move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveError {
    /// The text does not have the form of a move.
    #[error("`{text}` is not a move: expected {expected}")]
    Malformed {
        /// The text, shortened by [`quote`].
        text: String,
        /// The forms of a move.
        expected: &'static str,
    },
    /// The rules do not allow the move.
    #[error("illegal move `{text}`: {reason}")]
    Illegal {
        /// The text, shortened by [`quote`].
        text: String,
        /// The broken rule and what was expected.
        reason: String,
    },
}

/// The first move of a list that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {number} of the list: {error}")]
pub struct PlayError {
    /// Its position in the list, from 1.
    pub number: usize,
    /// The reason.
    pub error: MoveError,
}

/// A game with text forms. `Display` and `FromStr` write and read position lines and are inverse to
/// each other. `Display` of a move writes what [`read_move`](Text::read_move) reads.
///
/// ```
/// use oshi::game::Text;
/// use oshi::games::kamisado::{Match, Target};
///
/// let start = Match::start(Target::Standard);
/// let (moves, position) = start.play_all(["d1d5", "a8a7"])?;
/// assert_eq!(moves[0].to_string(), "d1d5");
/// assert_eq!(position.to_string().parse::<Match>()?, position);
///
/// let error = start.play_all(["d1d5", "h8g7"]).unwrap_err();
/// assert_eq!(error.number, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Text:
    Game<Move: Display> + Display + FromStr<Err: std::error::Error + Send + Sync>
{
    /// Description of the forms of a move, for error messages.
    const MOVE_FORMS: &'static str;

    /// Whether the game counts points.
    const COUNTS_POINTS: bool = false;

    /// Returns the points of Black and White, if the game counts points.
    fn points(&self) -> Option<[u8; 2]> {
        None
    }

    /// Returns the points that win the game, if it counts points.
    fn points_to_win(&self) -> Option<u8> {
        None
    }

    /// Whether a line, perhaps invalid, looks like a position of this game. Selects the game whose
    /// error message is shown.
    fn resembles(_line: &str) -> bool {
        true
    }

    /// Describes how the finished game ended, in words that fit after "by", such as `deadlock`.
    /// Override this if the game can end in several ways.
    fn ending(&self) -> &'static str {
        "the rules"
    }

    /// Returns the end of the round if the move from `before` to this position ended one. Override
    /// this if the game has rounds.
    fn round_end(&self, before: &Self) -> Option<RoundEnd> {
        let outcome = self.outcome().filter(|_| before.outcome().is_none())?;
        Some(RoundEnd { winner: outcome.winner(), how: self.ending(), points: None })
    }

    /// Draws the board in text with a legend. Ends with a newline. Does not contain the legal moves
    /// or the position line.
    fn picture(&self) -> String;

    /// Reads a move, legal or not. Returns `None` if the text does not have the form of a move.
    fn read_move(text: &str) -> Option<Self::Move>;

    /// Explains why the rules forbid this move here, and what they expect.
    fn why_illegal(&self, mv: Self::Move) -> String;

    /// Reads a legal move.
    ///
    /// # Errors
    /// The text does not have the form of a move, or the move is not legal.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError> {
        let mv = Self::read_move(text).ok_or_else(|| MoveError::Malformed {
            text: quote(text),
            expected: Self::MOVE_FORMS,
        })?;
        if self.legal_moves().contains(&mv) {
            Ok(mv)
        } else {
            Err(MoveError::Illegal { text: quote(text), reason: self.why_illegal(mv) })
        }
    }

    /// Plays moves from their texts. Returns the moves and the final position.
    ///
    /// # Errors
    /// A move cannot be played; [`PlayError`] names the first.
    fn play_all(
        &self,
        texts: impl IntoIterator<Item: AsRef<str>>,
    ) -> Result<(Vec<Self::Move>, Self), PlayError> {
        let (mut moves, mut position) = (Vec::new(), *self);
        for (number, text) in (1..).zip(texts) {
            let mv =
                position.parse_move(text.as_ref()).map_err(|error| PlayError { number, error })?;
            position.play(mv);
            moves.push(mv);
        }
        Ok((moves, position))
    }
}
