//! Score sheets: a game as a document that people read and write. `basho.md` holds the grammar.
//!
//! A sheet says more than its moves need (the colour each tower lands on, the arrangement, the points), so that a mistake in it
//! is found at the ply where it was made.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod boardspace;
mod error;
pub mod foreign;
mod frame;
mod game;
mod header;
mod lists;
mod parse;
mod print;
mod sgf;

pub use boardspace::{BoardspaceError, read_boardspace};
pub use error::{Problem, SheetError};
pub use game::{GameError, GameScore, Seat, Sheet};
pub use lists::{ListError, ListStart, Listed, read_lists, split_start};
pub use parse::{as_text, parse, parse_lines, starts_as_sheet};
pub use sgf::starts_as_sgf;
