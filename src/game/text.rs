//! A game in text: position lines, moves, pictures, and what is wrong with an invalid one.

use std::fmt::Display;
use std::str::FromStr;

use super::round::RoundEnd;
use super::rules::Game;

/// A faulty text as a one-line message can show it: its first 40 characters, escaped where they do not print, and dots for the rest.
pub fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
    let rest = if text.chars().nth(SHOWN).is_some() { "..." } else { "" };
    text.chars().take(SHOWN).flat_map(char::escape_debug).chain(rest.chars()).collect()
}

/// Why a text is no legal move here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveError {
    /// The text has not the form of a move of this game.
    #[error("`{text}` is not a move: expected {expected}")]
    Malformed {
        /// What was given, its start if it is long.
        text: String,
        /// The forms a move may have.
        expected: &'static str,
    },
    /// The move is well formed, but the rules do not allow it here.
    #[error("illegal move `{text}`: {reason}")]
    Illegal {
        /// What was given, its start if it is long.
        text: String,
        /// Which rule it breaks, and what was expected instead.
        reason: String,
    },
}

/// A move of a list that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {number} of the list: {error}")]
pub struct PlayError {
    /// Its place in the list, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub error: MoveError,
}

/// A game in text: position lines (`Display` and `FromStr`, each other's inverse), moves, pictures, and how things ended.
pub trait Text:
    Game<Move: Display> + Display + FromStr<Err: std::error::Error + Send + Sync>
{
    /// The forms a move's text may have, for error messages.
    const MOVE_FORMS: &'static str;

    /// Whether it is played for points, which [`round_end`](Text::round_end) counts.
    const COUNTS_POINTS: bool = false;

    /// The points of Black and of White, in games that count points.
    fn points(&self) -> Option<[u8; 2]> {
        None
    }

    /// The points that win the game, where they are counted.
    fn points_to_win(&self) -> Option<u8> {
        None
    }

    /// Whether a line has the outline of a position of this game, so that what is wrong with it is said in the words of this game and
    /// not of another.
    fn resembles(_line: &str) -> bool {
        true
    }

    /// How a game that is over ended, in a word or two for records, that fit after "by": `deadlock`. Games that end in one way only need not say.
    fn ending(&self) -> &'static str {
        "the rules"
    }

    /// The round that ended with the move from `before` to this position, if one did. Games without rounds need not say.
    fn round_end(&self, before: &Self) -> Option<RoundEnd> {
        let outcome = self.outcome().filter(|_| before.outcome().is_none())?;
        Some(RoundEnd { winner: outcome.winner(), how: self.ending(), points: None })
    }

    /// The board as a picture in text with a legend, without the legal moves and the position line; ends with a newline.
    fn picture(&self) -> String;

    /// Reads the text form of a move, without asking whether it is legal; `None` if it has not the form of one.
    fn read_move(text: &str) -> Option<Self::Move>;

    /// Why the rules do not allow this well-formed move here, and what they expect instead.
    fn why_illegal(&self, mv: Self::Move) -> String;

    /// Parses a move and matches it against the legal ones.
    ///
    /// # Errors
    /// [`MoveError`] says whether the text or the move is at fault, and what was expected.
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

    /// Plays the moves with these texts one after the other: the moves, and where they lead.
    ///
    /// # Errors
    /// [`PlayError`] names the first that cannot be played.
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
