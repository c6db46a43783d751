//! A board in the browser for engines of Kamisado and Kamon: a local server that drives the
//! engines as subprocesses over the protocol.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arguments;
mod engines;
mod guard;
mod http;
mod server;
mod signals;
mod socket;
mod store;
mod system;
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    match arguments::read() {
        arguments::Task::Serve(options) => http::run(options),
        arguments::Task::RunEngine => http::run_engine(),
        arguments::Task::Print(message) => http::print_message(&message),
    }
}
