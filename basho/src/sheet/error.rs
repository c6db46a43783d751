//! Errors of sheets.

use super::game::GameError;
use oshi::game::Player;
use oshi::games;

/// A sheet that cannot be read, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}: {problem}")]
pub struct SheetError {
    /// The line of the text, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line of a sheet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// Bytes that are not UTF-8.
    #[error("not UTF-8 from byte {0} of the line on; expected a text in UTF-8")]
    Encoding(usize),
    /// A line that is too long.
    #[error("the line is longer than {0} bytes; expected a shorter one")]
    TooLong(usize),
    /// There is something before the first sheet.
    #[error("`{found}` is not a title; expected {expected}")]
    Title {
        /// The text found.
        found: String,
        /// The titles in all languages.
        expected: String,
    },
    /// The title names no variant.
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
    /// The value of a header does not have the right form.
    #[error("{key}: `{found}`; expected {expected}")]
    Value {
        /// The header.
        key: &'static str,
        /// The text found.
        found: String,
        /// Its forms.
        expected: &'static str,
    },
    /// The start is not a valid position, or the result does not follow from the plies.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The start belongs to another variant than the title.
    #[error("the start is one of {found}, but the title says {expected}")]
    OtherVariant {
        /// The variant of the start.
        found: &'static str,
        /// The variant of the title.
        expected: &'static str,
    },
    /// A row that does not have a number and one or two cells.
    #[error("`{0}` is not a row of plies; expected {row}", row = ROW)]
    Row(String),
    /// A ply of the wrong player.
    #[error("ply {ply}, `{found}`, stands in {player}'s column; expected a ply of {}", !*player)]
    Column {
        /// The number of the ply in the game, from 1.
        ply: usize,
        /// The text found.
        found: String,
        /// In whose column.
        player: Player,
    },
    /// The first ply that does not fit: it does not name a legal move.
    #[error("ply {ply} of {player}, `{found}`, does not fit; expected {expected}")]
    Ply {
        /// The number of the ply in the game, from 1.
        ply: usize,
        /// Whose ply it is.
        player: Player,
        /// The text found.
        found: String,
        /// The most similar legal plies.
        expected: String,
    },
    /// A ply after the end.
    #[error("ply {ply}, `{found}`, comes after the end of the game")]
    AfterEnd {
        /// The number of the ply in the game, from 1.
        ply: usize,
        /// The text found.
        found: String,
    },
    /// A line that does not follow from the plies before it.
    #[error("`{found}` does not fit; expected {expected}")]
    Words {
        /// The text found.
        found: String,
        /// What would fit.
        expected: String,
    },
}

/// The form of a row.
pub(super) const ROW: &str = "a row `NUMBER | BLACK'S PLY | WHITE'S PLY`";
