//! The program `oshi`: arguments and exit code.

use std::ffi::OsString;
use std::io::{self, BufReader, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;
use oshi::engine::Engine;

/// A headless engine for the board games Kamisado and Kamon.
///
/// Reads commands from the standard input and answers on the standard output. The command `help`
/// lists them; protocol.md describes them.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Commands to run instead of the input, such as "position startpos" "go movetime 500".
    commands: Vec<OsString>,
}

fn main() -> ExitCode {
    let done = match Arguments::try_parse() {
        Ok(arguments) => run(arguments),
        Err(message) if message.use_stderr() => message.exit(),
        // The requested help or version.
        Err(answer) => answer.print(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // A closed stderr is not a second error.
            let _ = writeln!(io::stderr(), "Error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> io::Result<()> {
    let engine = Engine::stdio()?;
    if arguments.commands.is_empty() {
        engine.run(BufReader::new(io::stdin()))?;
    } else {
        let lines: Vec<u8> = arguments
            .commands
            .iter()
            .flat_map(|line| [line.as_encoded_bytes(), b"\n"].concat())
            .collect();
        engine.run_commands(&*lines)?;
    }
    Ok(())
}
