//! `oshi`: a headless engine for the board games Kamisado and Kamon, and `basho`, its tournament runner.
//!
//! The arrows between the modules run one way: [`games`] → [`game`], [`search`] → [`game`],
//! [`protocol`] → nothing, [`engine`] → all of these.

pub mod engine;
pub mod game;
pub mod games;
pub mod perft;
pub mod protocol;
pub mod search;
