//! The tournament runner: plays engines against each other over their pipes, referees by the rules, and says who is
//! stronger.
//!
//! It knows an engine only through the [`protocol`](crate::protocol), never through its search.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod audit;
pub mod board;
pub mod check;
pub mod client;
pub mod config;
pub mod convert;
pub mod descendants;
pub mod interrupt;
pub mod judge;
pub mod limit;
pub mod merge;
pub mod openings;
pub mod page;
pub mod player;
pub mod process;
pub mod program;
pub mod progress;
pub mod ratings;
pub mod record;
pub mod referee;
pub mod report;
pub mod schedule;
pub mod sprt;
pub mod stalls;
pub mod standings;
pub mod stats;
pub mod stderr_log;
pub mod terminal;
pub mod tournament;
pub mod transcript;
pub mod watch;
pub mod words;
mod workers;
