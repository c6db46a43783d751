//! The tournament runner: plays engines against each other over their pipes, referees by the rules, and says which is
//! stronger.
//!
//! It knows an engine only through the [`protocol`](crate::protocol), never through its search. [`config`] says what is
//! played; [`play`] plays it; [`records`] stores the games and checks them; [`statistics`] evaluates them; [`output`] presents them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod config;
pub mod output;
pub mod play;
pub mod records;
pub mod statistics;
