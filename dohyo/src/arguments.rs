//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::engines::{ENGINE, Engine};

/// The port if none is named and it is free.
const PORT: u16 = 8377;

/// A board in the browser for the engines of Kamisado and Kamon.
///
/// Serves a page on this machine alone, prints its address, and opens it.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Another engine to play with: a program and its arguments, such as "target/release/oshi"; may be given several times.
    #[arg(long = "engine", value_name = "CMD ARGS", value_parser = Engine::read)]
    engines: Vec<Engine>,

    /// The port; by default 8377, or the next that is free.
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Do not open the page.
    #[arg(long)]
    no_open: bool,

    /// Show the tournament in this folder of basho's, while it is played and after.
    #[arg(long, value_name = "DIR")]
    watch: Option<PathBuf>,

    /// The folder of the games; by default the one that the system has for the data of programs.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// How many milliseconds beyond its time an engine may take to answer before it is started again.
    #[arg(long, value_name = "MS", default_value_t = 5000)]
    patience: u64,
}

/// What to do.
#[derive(Debug)]
pub enum Task {
    /// Serve the page.
    Serve(Options),
    /// Be an engine.
    Think,
    /// Print the help or the version, as was asked for.
    Answer(clap::Error),
}

/// How to serve the page.
#[derive(Clone, Debug)]
pub struct Options {
    /// Other engines.
    pub engines: Vec<Engine>,
    /// The port, and whether it was named.
    pub port: (u16, bool),
    /// Whether to open the page.
    pub opens: bool,
    /// The tournament to watch.
    pub watch: Option<PathBuf>,
    /// The folder of the games, if it was named.
    pub data: Option<PathBuf>,
    /// How long an engine may take beyond its time.
    pub patience: Duration,
}

/// Reads the arguments of the program; ends it with a message where they are wrong.
pub fn read() -> Task {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.len() == 2 && words.pop().is_some_and(|word| word == ENGINE) {
        return Task::Think;
    }
    let Arguments { engines, port, no_open, watch, data, patience } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) if message.use_stderr() => message.exit(),
        Err(answer) => return Task::Answer(answer),
    };
    Task::Serve(Options {
        engines,
        port: (port.unwrap_or(PORT), port.is_some()),
        opens: !no_open,
        watch,
        data,
        patience: Duration::from_millis(patience),
    })
}
