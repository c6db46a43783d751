//! The folder of a tournament: the names of its files, and the errors of reading and writing them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::lines;

/// An error in a tournament's folder.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder of a new tournament exists already.
    #[error("{0}: exists already; expected the name of a new folder (`basho resume` goes on with a tournament)")]
    Exists(PathBuf),
    /// The folder holds no tournament.
    #[error("{0}: no tournament there; expected a folder with tournament.toml and games.jsonl")]
    NoTournament(PathBuf),
    /// The manifest is damaged.
    #[error("{path}: {message}")]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Where and what.
        message: String,
    },
    /// Another process plays in the folder.
    #[error("{0}: another basho plays this tournament right now")]
    Locked(PathBuf),
    /// A line is not the record of a game.
    #[error("{path}:{line}: {message}; expected the record of a game")]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

impl RecordError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
        let path = path.to_owned();
        move |source| RecordError::Io { path, source }
    }
}

/// The file that says what is played.
pub(super) const MANIFEST: &str = "tournament.toml";
/// The file of all games played.
pub(super) const GAMES: &str = "games.jsonl";
/// The folder for the games in play.
pub(super) const LIVE: &str = "live";
/// The folder for the file of openings.
pub(super) const OPENINGS: &str = "openings";

/// Opens a file of a folder to read it.
pub(super) fn open(dir: &Path, path: &Path) -> Result<File, RecordError> {
    lines::open_regular(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => RecordError::NoTournament(dir.to_owned()),
        _ => RecordError::Io { path: path.to_owned(), source },
    })
}
