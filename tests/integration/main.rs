//! All integration tests in one program, so that they are linked once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod contract;
mod perft;
mod runner_faults;
mod runner_input;
mod runner_play;
mod runner_resume;
mod runner_statistics;
mod search;
