//! The engine: executes the commands of `protocol.md` and answers them.
//!
//! [`Engine`] runs in a program and searches on a thread of its own. [`LocalEngine`] runs where
//! there are no threads, as in a web worker. Both share one core.
#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

mod bench;
mod core;
mod error;
mod events;
mod input;
mod job;
mod local;
mod log;
mod native;
mod options;
mod output;
mod report;
mod resources;
mod session;
mod strength;
mod suggest;

pub use input::{LineError, MAX_LINE_BYTES};
pub use local::LocalEngine;
pub use log::Log;
pub use native::Engine;
