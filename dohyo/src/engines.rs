//! The engines as processes of this machine.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use basho::config::ChildProgram;
use basho::config::quoting::{self, UnmatchedQuote};
use basho::play::client::{Client, ClientError, StartError};
use basho::play::interrupt::Interrupt;
use basho::play::program;
use basho::stderr_tail::StderrTail;
use dohyo_core::host::{Answer, Connection, EngineError, Engines};
use oshi::protocol::OptionLine;

/// Argument that makes this program run as the built-in engine.
pub const ENGINE: &str = "engine";

/// Maximum number of engine processes.
const MAX_PROCESSES: usize = 8;

/// Hash table of an engine in MiB.
const HASH_MIB: u32 = 64;

/// An engine that can be chosen as a player.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Displayed name.
    pub name: String,
    program: ChildProgram,
}

impl Engine {
    /// Returns the built-in engine: this program with the argument [`ENGINE`].
    ///
    /// # Errors
    /// The system does not report the path of this program.
    pub fn own() -> std::io::Result<Engine> {
        let program = ChildProgram {
            path: std::env::current_exe()?,
            args: vec![ENGINE.to_owned()],
            dir: None,
            stderr: None,
        };
        Ok(Engine { name: "oshi".to_owned(), program })
    }

    /// Reads a program and its arguments from the command line. The path of a program without
    /// arguments needs no quotes.
    ///
    /// # Errors
    /// [`CommandError`].
    pub fn read(command: &str) -> Result<Engine, CommandError> {
        let is_program = program::exists(Path::new(command.trim()));
        let words =
            if is_program { vec![command.trim().to_owned()] } else { quoting::split(command)? };
        let mut words = words.into_iter();
        let path = PathBuf::from(words.next().ok_or(CommandError::Blank)?);
        if !program::exists(&path) {
            return Err(CommandError::NoProgram(path));
        }
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Engine {
            name,
            program: ChildProgram { path, args: words.collect(), dir: None, stderr: None },
        })
    }
}

/// An invalid engine command.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommandError {
    /// Blank command.
    #[error("no program; expected one and its arguments, such as \"target/release/oshi\"")]
    Blank,
    /// Unmatched quote.
    #[error(transparent)]
    Quote(#[from] UnmatchedQuote),
    /// Unknown program.
    #[error(
        "no program `{}`; expected an executable file or a name in the search path",
        .0.display()
    )]
    NoProgram(PathBuf),
}

/// All engines, each run as a process.
pub struct Processes {
    engines: Vec<Engine>,
    names: Vec<String>,
    timeout: Duration,
    interrupt: Interrupt,
}

impl Processes {
    /// Makes the engines available. No process runs yet.
    pub fn new(engines: Vec<Engine>, timeout: Duration) -> Processes {
        let names = engines.iter().map(|engine| engine.name.clone()).collect();
        Processes { engines, names, timeout, interrupt: Interrupt::default() }
    }
}

impl Engines for Processes {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn max_running(&self) -> usize {
        MAX_PROCESSES
    }

    fn hash_mib(&self) -> u32 {
        HASH_MIB
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    fn start(&self, engine: usize) -> Answer<'_, Result<Box<dyn Connection>, EngineError>> {
        Box::pin(async move {
            let Some(engine) = self.engines.get(engine) else {
                return Err(EngineError {
                    error: format!("no engine {engine}").into(),
                    stderr_tail: StderrTail::default(),
                });
            };
            let client = Client::start(&engine.program, self.timeout, self.interrupt.clone())
                .map_err(start_error)?;
            Ok(Box::new(Process(client)) as Box<dyn Connection>)
        })
    }

    fn interrupt(&self) {
        self.interrupt.stop_now();
    }
}

/// A running process. Its futures block, because each search has a thread of its own.
struct Process(Client);

impl Process {
    fn failed(&self, error: ClientError) -> EngineError {
        EngineError { error: error.into(), stderr_tail: self.0.stderr_tail() }
    }
}

impl Connection for Process {
    fn option(&self, name: &str) -> Option<&OptionLine> {
        self.0.option(name)
    }

    fn send<'a>(&'a mut self, lines: &'a [String]) -> Answer<'a, Result<(), EngineError>> {
        Box::pin(
            async move { self.0.send_line(&lines.join("\n")).map_err(|error| self.failed(error)) },
        )
    }

    fn receive<'a>(
        &'a mut self,
        wait: Duration,
        awaited: &'a str,
    ) -> Answer<'a, Result<Option<String>, EngineError>> {
        Box::pin(async move {
            match self.0.read_line(Instant::now() + wait, awaited) {
                Ok(line) => Ok(Some(line)),
                Err(ClientError::Stall(_)) => Ok(None),
                Err(error) => Err(self.failed(error)),
            }
        })
    }

    fn stderr_tail(&self) -> StderrTail {
        self.0.stderr_tail()
    }
}

fn start_error(error: StartError) -> EngineError {
    match error {
        StartError::Client { error, stderr_tail } => {
            EngineError { error: error.into(), stderr_tail }
        }
        other => EngineError { error: other.into(), stderr_tail: StderrTail::default() },
    }
}
