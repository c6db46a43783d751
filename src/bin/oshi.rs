//! The engine as a program: arguments and exit code.

use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use clap::Parser;
use oshi::engine::Engine;

/// A headless engine for the board games Kamisado and Kamon.
///
/// Reads commands from the standard input and answers on the standard output, in the protocol that protocol.md describes; the
/// command `help` lists them.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Commands to run one after another instead, such as "position startpos" "go movetime 500".
    commands: Vec<OsString>,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody reads it, that is not a second error.
            let _ = writeln!(io::stderr(), "Error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> io::Result<()> {
    let engine = Engine::of_program()?;
    if arguments.commands.is_empty() {
        engine.run(BufReader::new(io::stdin()))?;
    } else {
        let lines: Vec<u8> = arguments.commands.iter().flat_map(|line| [line.as_encoded_bytes(), b"\n"].concat()).collect();
        engine.run_commands(&*lines)?;
    }
    Ok(())
}
