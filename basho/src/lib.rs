//! The tournament runner: plays engines against each other, referees their games and measures which
//! one is stronger.
//!
//! The runner knows an engine only through the [`protocol`](oshi::protocol). It never uses the
//! engine's search.
//!
//! | module | purpose |
//! |---|---|
//! | [`config`], [`openings`], [`shard`] | settings, start positions, parts of the schedule |
//! | [`play`] | engine processes, referee, tournament |
//! | [`record`], [`records`] | one game; the folder of a tournament |
//! | [`sheet`] | score sheets and lists of moves |
//! | [`statistics`] | scores, ratings, sequential test, calibration |
//! | [`output`] | terminal, reports, HTML page |
//!
//! Dependencies run one way: [`config`] → [`statistics`], [`openings`] → [`config`], [`records`] →
//! all of these and [`record`], [`output`] → [`records`], [`play`] → [`output`].
//!
//! On WebAssembly there are only the text forms: [`config`], [`record`], [`records::convert`],
//! [`records::transcript`], [`sheet`] and [`statistics`].

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

// Playing needs process groups and `poll` on pipes. WebAssembly gets the text forms only.
#[cfg(not(any(unix, target_family = "wasm")))]
compile_error!("basho runs on Unix only; build the engine alone with `cargo build -p oshi`");

pub mod config;
pub mod printable;
pub mod record;
pub mod records;
pub mod shard;
pub mod sheet;
pub mod statistics;
pub mod stderr_tail;

#[cfg(unix)]
mod digest;
#[cfg(unix)]
pub mod openings;
#[cfg(unix)]
pub mod output;
#[cfg(unix)]
pub mod output_file;
#[cfg(unix)]
pub mod play;
