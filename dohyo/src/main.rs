//! A board in the browser for engines of Kamisado and Kamon: a local server that drives the
//! engines as subprocesses over the protocol.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod analysis;
mod arguments;
mod driver;
mod engines;
mod guard;
mod hosted_game;
mod http;
mod play;
mod requests;
mod review;
mod server;
mod session;
mod signals;
mod socket;
mod store;
mod sync;
mod system;
mod views;
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    match arguments::read() {
        arguments::Task::Serve(options) => http::run(options),
        arguments::Task::RunEngine => http::run_engine(),
        arguments::Task::Print(message) => http::print_message(&message),
    }
}
