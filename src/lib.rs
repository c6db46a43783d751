//! `oshi`: a headless engine for the board games Kamisado and Kamon, and `basho`, its tournament runner.
//!
//! The arrows between the modules run one way: [`games`] → [`game`], [`draw`] → [`game`], [`search`] → [`game`],
//! [`protocol`] → [`game`] (how it quotes a text), [`engine`] → all of these, [`sheet`] → [`games`],
//! [`runner`] → [`protocol`], [`games`], [`sheet`]; [`lines`] → nothing, for all who read lines. The runner and the sheets stand behind
//! the feature `basho`, which is on by default.

pub mod draw;
pub mod engine;
pub mod game;
pub mod games;
pub mod lines;
pub mod perft;
pub mod protocol;
// Process groups and waits on pipes are Unix's own.
#[cfg(all(feature = "basho", unix))]
pub mod runner;
pub mod search;
#[cfg(feature = "basho")]
pub mod sheet;
