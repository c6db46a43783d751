//! The board without its server: games with variations, moves, reviews, import, export, and the
//! messages between a page and a server.
//!
//! This crate makes no system calls. It opens no files or sockets, starts no threads or
//! processes, and reads no clock. The traits in [`host`] provide time, tasks, engines and storage
//! to the [`lobby`]. A [`game`] gets the time as a [`game::Timestamp`], so that the same calls give
//! the same game.
//!
//! A game from moves, with a variation:
//!
//! ```
//! use dohyo_core::board;
//! use dohyo_core::game::{By, Game, GameId, Timestamp};
//! use oshi::games::StartPosition;
//!
//! let now = Timestamp::default();
//! let start = board::start(StartPosition::default());
//! let mut game = Game::new(GameId::new(1), start, Default::default(), None, now);
//! let first = game.play(game.head, "a1a5", By::Person, now)?.node;
//! // A viewer's move at the same position becomes a variation.
//! let variation = game.play(dohyo_core::game::ROOT, "b1b6", By::Viewer, now)?;
//! assert!(!variation.in_game);
//! assert_eq!(game.head, first);
//! game.promote(variation.node, now)?;
//! assert_eq!(game.main_line(), [0, variation.node]);
//! # Ok::<(), dohyo_core::game::GameError>(())
//! ```
//!
//! An exported game reads back as the same game:
//!
//! ```
//! use dohyo_core::game::{By, Game, GameId, Timestamp};
//! use dohyo_core::{board, complete};
//! use oshi::games::StartPosition;
//!
//! let now = Timestamp::default();
//! let start = board::start(StartPosition::default());
//! let mut game = Game::new(GameId::new(1), start, Default::default(), None, now);
//! game.play(game.head, "a1a5", By::Person, now)?;
//! let text = complete::write(&game, now)?;
//! let again = complete::read(GameId::new(2), &text)?;
//! assert_eq!(again.moves_to(again.head), ["a1a5"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod board;
pub mod cancel;
pub mod complete;
pub mod engine;
pub mod event;
pub mod export;
pub mod game;
pub mod host;
pub mod import;
pub mod lobby;
pub mod message;
pub mod review;
pub mod search_output;
pub mod sync;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
