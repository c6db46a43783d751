//! File names and errors of a tournament's folder.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::shard::Shard;
use oshi::text::{self, Encoding};

/// An error in a tournament's folder.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// An error of the file system.
    #[error("{path}: {source}")]
    Io {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The folder for a new tournament exists already.
    #[error(
        "{0}: exists already; expected the name of a new or empty folder \
         (`basho resume` continues a tournament)"
    )]
    Exists(PathBuf),
    /// An output file would overwrite a tournament's records.
    #[error("{0}: holds a tournament's records; expected another file")]
    Reserved(PathBuf),
    /// The folder holds no tournament.
    #[error("{0}: no tournament there; expected a folder with tournament.toml and games.jsonl")]
    NoTournament(PathBuf),
    /// The folder has a manifest but no file of games.
    #[error(
        "{0}: no such file next to tournament.toml; expected the records \
         (the same tournament with `--into` begins again)"
    )]
    NoGames(PathBuf),
    /// The file of games was removed or replaced during play.
    #[error(
        "{0}: removed or replaced during play; expected it to stay; games played since are lost"
    )]
    Lost(PathBuf),
    /// The manifest is invalid.
    #[error("{path}: {message}")]
    Manifest {
        /// Path of the manifest.
        path: PathBuf,
        /// Line, key, and what was expected.
        message: String,
    },
    /// A shard of the first manifest format, which divided games differently.
    #[error(
        "{path}: shard {shard} was begun by an older basho, which divided games differently; \
         expected that version to merge it"
    )]
    OldShard {
        /// Path of the manifest.
        path: PathBuf,
        /// The shard.
        shard: Shard,
    },
    /// The folder holds another tournament.
    #[error(
        "{dir} holds another tournament: {differences}; expected the same one, or another folder"
    )]
    OtherTournament {
        /// Path of the folder.
        dir: PathBuf,
        /// For each key, the value in the folder and the requested one.
        differences: String,
    },
    /// Two folders hold parts of different tournaments.
    #[error(
        "{first} and {other} are of different tournaments: {differences}; \
         expected the same settings except shards and paths of programs"
    )]
    DifferentTournaments {
        /// The first folder.
        first: PathBuf,
        /// A folder that differs from the first.
        other: PathBuf,
        /// For each key, the values in both folders.
        differences: String,
    },
    /// Another process plays in the folder.
    #[error("{0}: another basho plays this tournament right now")]
    Locked(PathBuf),
    /// The games are not in UTF-8, so no game can be appended.
    #[error("{path}: {encoding}; expected UTF-8 to append games (`report` and `convert` read it)")]
    Encoding {
        /// Path of the file.
        path: PathBuf,
        /// Detected encoding.
        encoding: Encoding,
    },
}

impl RecordError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
        let path = path.to_owned();
        move |source| RecordError::Io { path, source }
    }
}

/// Name of the manifest.
pub(super) const MANIFEST: &str = "tournament.toml";
/// Name of the file of games.
pub const GAMES: &str = "games.jsonl";

/// Checks that an output file would not overwrite a tournament's records, not even through a link.
///
/// # Errors
/// [`RecordError::Reserved`] if it would.
pub fn check_output(file: &Path) -> Result<(), RecordError> {
    let is_kept =
        |place: PathBuf| place.file_name().is_some_and(|name| name == MANIFEST || name == GAMES);
    if file.canonicalize().is_ok_and(is_kept) {
        Err(RecordError::Reserved(file.to_owned()))
    } else {
        Ok(())
    }
}

/// Mode of a new file before the umask: other users may read records.
const NEW_FILE: u32 = 0o666;

/// A temporary file that replaces another one in the folder when it is persisted, so that readers
/// see either the old or the new content.
///
/// Dropping it removes it.
///
/// # Errors
/// The file cannot be created.
pub fn new_file(dir: &Path) -> io::Result<NamedTempFile> {
    Builder::new().permissions(Permissions::from_mode(NEW_FILE)).tempfile_in(dir)
}

/// Name of the file that stops a tournament.
pub(super) const STOP: &str = "stop";
/// Name of the folder for games in progress.
pub(super) const LIVE: &str = "live";
/// Name of the folder for the file of openings.
pub(super) const OPENINGS: &str = "openings";

/// Opens a file of a tournament's folder for reading.
pub(super) fn open(dir: &Path, path: &Path) -> Result<File, RecordError> {
    text::open_regular(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound if path.ends_with(GAMES) && dir.join(MANIFEST).exists() => {
            RecordError::NoGames(path.to_owned())
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            RecordError::NoTournament(dir.to_owned())
        }
        _ => RecordError::Io { path: path.to_owned(), source },
    })
}
