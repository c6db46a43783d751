//! The text protocol as values: commands and replies, parsed and printed.
//!
//! The grammar is in `protocol.md`. This module knows no game: a move is a word, a position a line.
#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

mod command;
mod error;
mod level;
mod options;
mod reply;
mod words;

pub use command::{Command, Go, Query, Side, Start};
pub use error::{ParseCommandError, ParseReplyError};
pub use level::Level;
pub use options::{OptionError, OptionKind, OptionLine, OptionValue};
pub use reply::{Bound, GameResult, Info, Reply, Response, Score, Wdl};
pub use words::{Excerpt, MAX_MILLISECONDS};
