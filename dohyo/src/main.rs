//! `dohyo`: a board in the browser. A local web page that drives engines as subprocesses over the protocol, like any GUI.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod analysis;
mod arguments;
mod board;
mod complete;
mod driver;
mod engines;
mod exchange;
mod export;
mod game;
mod guard;
mod hall;
mod message;
mod news;
mod orders;
mod play;
mod review;
mod server;
mod signals;
mod socket;
mod store;
mod sync;
mod tab;
mod table;
mod views;
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    match arguments::read() {
        arguments::Task::Serve(options) => server::run(options),
        arguments::Task::Think => server::think(),
        arguments::Task::Answer(answer) => server::say(&answer),
    }
}
