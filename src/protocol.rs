//! The text protocol as values: parses and prints commands and replies.
//!
//! `protocol.md` defines the grammar. This module knows no game: a move is a word, a position a
//! line.
//!
//! # Example
//! ```
//! use oshi::protocol::{Command, Go, Reply, Score};
//!
//! let command = Command::Go(Go { nodes: Some(500), ..Go::default() });
//! assert_eq!(command.to_string(), "go nodes 500");
//!
//! let Reply::Info(info) = Reply::parse("info depth 3 score mate 2 pv a1a5")? else { panic!() };
//! assert_eq!((info.score, info.pv), (Some(Score::Mate(2)), vec!["a1a5".to_owned()]));
//! # Ok::<(), oshi::protocol::ParseReplyError>(())
//! ```
#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

mod command;
mod error;
mod info;
mod level;
mod options;
mod reply;
mod words;

pub use command::{Command, Go, Query, Side, Start};
pub use error::{ParseCommandError, ParseReplyError};
pub use info::{Bound, Info, Score, Wdl};
pub use level::Level;
pub use options::{OptionError, OptionKind, OptionLine, OptionValue};
pub use reply::{GameResult, Reply, Response};
pub use words::{Excerpt, MAX_MILLISECONDS};
