//! Errors of a tournament.

use super::client::StartError;
use super::process::SpawnError;
use crate::config::ConfigError;
use crate::openings::OpeningError;
use crate::records::folder::RecordError;
use crate::records::load::LoadError;

/// Why a tournament cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// The settings are invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The openings are invalid.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// An engine cannot take part.
    #[error("engine {number} ({name}): {source}")]
    Engine {
        /// Number of the engine, from 1.
        number: usize,
        /// Name of the engine.
        name: String,
        /// Reason.
        source: StartError,
    },
    /// A program cannot be run now: resources are short, or it has changed since the tournament
    /// began.
    #[error("engine {number} ({name}): {source}; {remedy}", remedy = source.remedy())]
    Program {
        /// Number of the engine, from 1.
        number: usize,
        /// Name of the engine.
        name: String,
        /// Reason.
        source: SpawnError,
    },
    /// A file of the folder cannot be read or written.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// The games of the folder cannot be loaded.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}; expected a higher limit (`ulimit -u`)")]
    Thread(std::io::Error),
}
