//! Errors of sheets.

use super::game::GameError;
use oshi::game::Player;
use oshi::games;

/// An invalid sheet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}: {problem}")]
pub struct SheetError {
    /// Line of the text, from 1.
    pub line: usize,
    /// Problem in that line.
    pub problem: Problem,
}

/// Problem in a line of a sheet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// Bytes that are not UTF-8.
    #[error("invalid UTF-8 at byte {0} of the line; expected a text in UTF-8")]
    Encoding(usize),
    /// A line that is too long.
    #[error("the line is longer than {0} bytes; expected a shorter one")]
    TooLong(usize),
    /// Text before the first sheet.
    #[error("`{found}` is not a title; expected {expected}")]
    Title {
        /// The text found.
        found: String,
        /// The titles in all languages.
        expected: String,
    },
    /// The title does not name a variant.
    #[error("unknown variant `{0}`; expected one of {names}", names = games::variant_names())]
    Variant(String),
    /// An invalid header.
    #[error(
        "`{found}` is not a header; expected one of {expected}, or a blank line before the plies"
    )]
    Header {
        /// The text found.
        found: String,
        /// All headers.
        expected: String,
    },
    /// A repeated header.
    #[error("the header `{0}` is repeated")]
    Twice(&'static str),
    /// A header has an invalid value.
    #[error("{key}: `{found}`; expected {expected}")]
    Value {
        /// The header.
        key: &'static str,
        /// The text found.
        found: String,
        /// The valid forms.
        expected: &'static str,
    },
    /// The start is invalid, or the result contradicts the plies.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The start is a position of another variant than the title's.
    #[error("the start is a position of {found}; expected {expected} as in the title")]
    OtherVariant {
        /// The variant of the start.
        found: &'static str,
        /// The variant of the title.
        expected: &'static str,
    },
    /// A row without a number, or without one or two cells.
    #[error("`{0}` is not a row of plies; expected {row}", row = ROW)]
    Row(String),
    /// A ply of the wrong player.
    #[error("ply {ply}, `{found}`, is in {player}'s column; expected a ply of {}", !*player)]
    Column {
        /// Number of the ply in the game, from 1.
        ply: usize,
        /// The text found.
        found: String,
        /// The player of the column.
        player: Player,
    },
    /// A ply that is not the name of a legal move.
    #[error("ply {ply} of {player}, `{found}`, does not fit; expected {expected}")]
    Ply {
        /// Number of the ply in the game, from 1.
        ply: usize,
        /// The player to move.
        player: Player,
        /// The text found.
        found: String,
        /// The most similar legal plies.
        expected: String,
    },
    /// A ply after the end of the game.
    #[error("ply {ply}, `{found}`, comes after the end of the game")]
    AfterEnd {
        /// Number of the ply in the game, from 1.
        ply: usize,
        /// The text found.
        found: String,
    },
    /// A line of words that contradicts the plies before it.
    #[error("`{found}` does not fit; expected {expected}")]
    Words {
        /// The text found.
        found: String,
        /// The line that follows from the plies.
        expected: String,
    },
}

/// Form of a row, for messages.
pub(super) const ROW: &str = "a row `NUMBER | BLACK'S PLY | WHITE'S PLY`";
