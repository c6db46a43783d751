//! The tournament runner: plays engines against each other over their pipes, referees by the rules, and says who is
//! stronger.
//!
//! It knows an engine only through the [`protocol`](crate::protocol), never through its search. [`config`] says what is to be
//! played; [`play`] plays it; [`records`] keeps the games, and tells which of them are to be believed; [`statistics`] counts them;
//! [`output`] shows them to people.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod config;
pub mod output;
pub mod play;
pub mod records;
pub mod statistics;
