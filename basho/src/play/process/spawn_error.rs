//! Errors of starting an engine process.

use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use crate::play::program;

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The program cannot be run.
    #[error("cannot run `{path}`: {source}; expected an engine program")]
    Program {
        /// Path of the program.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The path is a command line with arguments.
    #[error(
        "cannot run `{path}`: no such program; \
         expected its arguments in `args`: cmd={program} args=\"{args}\""
    )]
    CommandLine {
        /// The given path.
        path: PathBuf,
        /// Program that it begins with.
        program: String,
        /// Arguments that follow.
        args: String,
    },
    /// The working directory is not a folder.
    #[error("cannot start `{path}` in `{dir}`: expected a folder")]
    Dir {
        /// Path of the program.
        path: PathBuf,
        /// Working directory.
        dir: PathBuf,
    },
    /// The file for stderr cannot be written.
    #[error("cannot append stderr to `{path}`: {source}")]
    Stderr {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The pipes cannot be set up.
    #[error("cannot set up the pipes to `{path}`: {source}")]
    Pipes {
        /// Path of the program.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The program has changed since the tournament began.
    #[error("`{path}` has changed since the tournament began")]
    Changed {
        /// Path of the program.
        path: PathBuf,
    },
}

impl SpawnError {
    /// The error of a program that the system refuses to run.
    pub(super) fn program(path: &Path, source: io::Error) -> SpawnError {
        let text = path.to_str().filter(|_| source.kind() == io::ErrorKind::NotFound);
        match text.and_then(program::split_command) {
            Some((program, args)) => SpawnError::CommandLine {
                path: path.to_owned(),
                program: program.to_owned(),
                args: args.to_owned(),
            },
            None => SpawnError::Program { path: path.to_owned(), source },
        }
    }

    /// Whether the machine lacks a resource, so that another attempt may succeed.
    pub fn is_shortage(&self) -> bool {
        let (SpawnError::Program { source, .. }
        | SpawnError::Stderr { source, .. }
        | SpawnError::Pipes { source, .. }) = self
        else {
            return false;
        };
        let errno = source.raw_os_error().map(Errno::from_raw);
        matches!(
            errno,
            Some(Errno::EAGAIN | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS)
        )
    }

    /// Whether another attempt is pointless.
    pub const fn is_final(&self) -> bool {
        matches!(self, SpawnError::Changed { .. })
    }

    /// Advice to the user.
    pub fn remedy(&self) -> &'static str {
        match self {
            SpawnError::Changed { .. } => {
                "restore the program, or start a new tournament with the new one"
            }
            _ if self.is_shortage() => {
                "raise the limit (`ulimit -n` for open files, `ulimit -u` for processes) \
                 or lower --concurrency"
            }
            SpawnError::Dir { .. } => "restore the folder",
            SpawnError::Stderr { .. } => "make the file writable",
            SpawnError::Program { .. }
            | SpawnError::CommandLine { .. }
            | SpawnError::Pipes { .. } => "restore the program",
        }
    }
}
