//! All integration tests in one program, so that they are linked once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod contract;
mod kamon;
mod perft;
mod search;
