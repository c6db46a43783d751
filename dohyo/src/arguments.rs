//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::engines::{ENGINE, Engine};

/// Default port.
const PORT: u16 = 8377;

/// A board in the browser for engines of Kamisado and Kamon.
///
/// Serves a page on this machine only, prints its address and opens it.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Add an engine: a program and its arguments, such as "target/release/oshi". Repeatable.
    #[arg(long = "engine", value_name = "CMD ARGS", value_parser = Engine::read)]
    engines: Vec<Engine>,

    /// Port of the page [default: 8377, or the next free port].
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Do not open the page in a browser.
    #[arg(long)]
    no_open: bool,

    /// Show the basho tournament in this folder, live and after it has ended.
    #[arg(long, value_name = "DIR")]
    watch: Option<PathBuf>,

    /// Folder of the games [default: the system's folder for application data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Restart an engine that exceeds its time by this many milliseconds.
    #[arg(long, alias = "patience", value_name = "MS", default_value_t = 5000)]
    timeout: u64,
}

/// Task of the program.
#[derive(Debug)]
pub enum Task {
    /// Serve the page.
    Serve(Options),
    /// Run the built-in engine.
    RunEngine,
    /// Print the help or the version.
    Print(clap::Error),
}

/// Options of the server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Engines in addition to the built-in one.
    pub engines: Vec<Engine>,
    /// Port, and whether it was given on the command line.
    pub port: (u16, bool),
    /// Whether to open the page in a browser.
    pub opens: bool,
    /// Folder of the tournament to watch.
    pub watch: Option<PathBuf>,
    /// Data folder, if given.
    pub data: Option<PathBuf>,
    /// Time that an engine may exceed its limit by.
    pub timeout: Duration,
}

/// Reads the command line. Exits with a message if it is invalid.
pub fn read() -> Task {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.len() == 2 && words.pop().is_some_and(|word| word == ENGINE) {
        return Task::RunEngine;
    }
    let Arguments { engines, port, no_open, watch, data, timeout } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) if message.use_stderr() => message.exit(),
        Err(message) => return Task::Print(message),
    };
    Task::Serve(Options {
        engines,
        port: (port.unwrap_or(PORT), port.is_some()),
        opens: !no_open,
        watch,
        data,
        timeout: Duration::from_millis(timeout),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_old_name_of_timeout() {
        let arguments = Arguments::try_parse_from(["dohyo", "--patience", "7"]).unwrap();
        assert_eq!(arguments.timeout, 7);
    }
}
