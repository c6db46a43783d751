//! Score sheets, lists of moves and Boardspace archives: games as people write them.
//!
//! `docs/tournaments.md` holds the grammar of score sheets. A sheet is redundant: it includes the
//! colour that each tower lands on, the arrangement and the points. So a mistake shows at
//! the ply where it was made.
//!
//! ```
//! use basho::sheet::{Sheet, parse};
//! use oshi::games::language::Language;
//! use oshi::games::notation::Form;
//!
//! let start = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3".to_owned();
//! let sheet = Sheet::of_moves(start, vec!["d1d5".to_owned(), "a8a5".to_owned()])?;
//! let text = sheet.print(Form::Words, Language::German)?;
//! assert!(text.contains("1 | Gelb Geradeaus 4 Orange | Orange Geradeaus 3 Rosa"));
//! assert_eq!(parse(text.as_bytes()), [(1, Ok(sheet))]);
//! # Ok::<(), basho::sheet::GameError>(())
//! ```

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
