//! The folder of a tournament: the names of its files, and the errors of reading and writing them.

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
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder of a new tournament exists already.
    #[error(
        "{0}: exists already; expected the name of a new or empty folder (`basho resume` goes on with a tournament)"
    )]
    Exists(PathBuf),
    /// Something else is to be written over the records of a tournament.
    #[error("{0}: holds a tournament's records; expected another file")]
    Reserved(PathBuf),
    /// The folder holds no tournament.
    #[error("{0}: no tournament there; expected a folder with tournament.toml and games.jsonl")]
    NoTournament(PathBuf),
    /// The folder says what is played, and has no file of games.
    #[error(
        "{0}: no such file beside tournament.toml; expected the records (the same tournament with `--into` begins them anew)"
    )]
    NoGames(PathBuf),
    /// The file of games was taken away.
    #[error(
        "{0}: taken away or replaced while games were played; expected it to stay; what was played since is lost"
    )]
    Lost(PathBuf),
    /// The manifest is damaged.
    #[error("{path}: {message}")]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Where and what.
        message: String,
    },
    /// A shard of an older version, which divided the pairs otherwise.
    #[error(
        "{path}: shard {shard} of an older basho, which gave shards other games; expected that basho to merge it with its siblings"
    )]
    OldShard {
        /// The file.
        path: PathBuf,
        /// Which shard.
        shard: Shard,
    },
    /// The folder of a tournament holds another one.
    #[error(
        "{dir} holds another tournament: {differences}; expected the same one, or another folder"
    )]
    OtherTournament {
        /// The folder.
        dir: PathBuf,
        /// Key by key, what is there, and what was asked for.
        differences: String,
    },
    /// Two folders hold parts of different tournaments.
    #[error(
        "{first} and {other} are of different tournaments: {differences}; expected the same but for the shard and the programs' paths"
    )]
    DifferentTournaments {
        /// The first folder.
        first: PathBuf,
        /// The one that differs from it.
        other: PathBuf,
        /// Key by key, what is in either.
        differences: String,
    },
    /// Another process plays in the folder.
    #[error("{0}: another basho plays this tournament right now")]
    Locked(PathBuf),
    /// The games are in another encoding than UTF-8, so no game can be appended.
    #[error("{path}: {encoding}; expected UTF-8 to append games (`report` and `convert` read it)")]
    Encoding {
        /// The file.
        path: PathBuf,
        /// Its encoding.
        encoding: Encoding,
    },
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
/// That nothing but a tournament writes this file.
///
/// # Errors
/// [`RecordError::Reserved`]: it is, perhaps by way of a link, what a tournament keeps its records in.
pub fn check_output(file: &Path) -> Result<(), RecordError> {
    let is_kept =
        |place: PathBuf| place.file_name().is_some_and(|name| name == MANIFEST || name == GAMES);
    if file.canonicalize().is_ok_and(is_kept) {
        Err(RecordError::Reserved(file.to_owned()))
    } else {
        Ok(())
    }
}

/// The mode of a new file, before the umask: whoever reads it may be another user.
const NEW_FILE: u32 = 0o666;

/// A new file in a folder that is to take the place of another one once it is written, so that a reader sees the old text or the new one. It removes
/// itself if it does not.
///
/// # Errors
/// The system's.
pub fn new_file(dir: &Path) -> io::Result<NamedTempFile> {
    Builder::new().permissions(Permissions::from_mode(NEW_FILE)).tempfile_in(dir)
}

/// The file that says that no more games are wanted.
pub(super) const STOP: &str = "stop";
/// The folder for the games in play.
pub(super) const LIVE: &str = "live";
/// The folder for the file of openings.
pub(super) const OPENINGS: &str = "openings";

/// Opens a file of a folder to read it.
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
