//! The tournament runner: plays engines against each other over their pipes, referees by the rules, and says which is
//! stronger.
//!
//! It knows an engine only through the [`protocol`](oshi::protocol), never through its search. [`config`] says what is
//! played; [`play`] plays it; [`records`] stores the games, checks and counts them; [`statistics`] evaluates them; [`output`] presents them.
//! The arrows run one way: [`config`] → [`statistics`], [`openings`] → [`config`], [`records`] → all of these and [`record`],
//! [`output`] → [`records`], [`play`] → [`output`].

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod config;
mod digest;
pub mod openings;
pub mod output;
pub mod output_file;
pub mod stderr_tail;
// Process groups and waits on pipes are Unix's own.
#[cfg(unix)]
pub mod play;
pub mod printable;
pub mod record;
pub mod records;
pub mod shard;
pub mod sheet;
pub mod statistics;
