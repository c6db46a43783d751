//! Why a tournament cannot begin or go on.

use super::client::StartError;
use super::process::SpawnError;
use crate::config::ConfigError;
use crate::openings::OpeningError;
use crate::records::folder::RecordError;
use crate::records::load::LoadError;

/// Why a tournament cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// It is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its openings are not valid.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// An engine cannot play in it.
    #[error("engine {number} ({name}): {source}")]
    Engine {
        /// Which engine, from 1.
        number: usize,
        /// Its name.
        name: String,
        /// Why not.
        source: StartError,
    },
    /// An engine's program cannot be run now, for want of resources or because it has changed since the tournament began.
    #[error("engine {number} ({name}): {source}; {remedy}", remedy = source.remedy())]
    Program {
        /// Which engine, from 1.
        number: usize,
        /// Its name.
        name: String,
        /// What is wrong.
        source: SpawnError,
    },
    /// Its folder is at fault.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// The games in its folder cannot be read.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}; expected a higher limit (`ulimit -u`)")]
    Thread(std::io::Error),
}
