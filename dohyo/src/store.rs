//! The games on disk, one file per game. A file is replaced as a whole, so a reader finds either
//! the old game or the new one.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use basho::output_file;
use dohyo_core::complete::{self, CompleteError};
use dohyo_core::game::{Game, GameId, Timestamp};
use dohyo_core::host::{HostError, Storage};
use tempfile::Builder;

/// Lock file in the data folder. The system releases the lock when the program ends in any way.
const LOCK: &str = "lock";

/// Folder of the games in the data folder.
const GAMES: &str = "games";

/// Prefix of temporary files.
const DRAFT: &str = ".draft-";

/// A data folder that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another dohyo uses the folder. Each would overwrite the other's games.
    #[error(
        "another dohyo uses the data folder `{}`; expected another folder (`--data DIR`)",
        .0.display()
    )]
    InUse(PathBuf),
    /// The folder cannot be created or locked.
    #[error("cannot create the data folder `{}`", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// A file that is not a valid game. It is left unchanged.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct DamagedFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Fault of the file.
    pub reason: DamageReason,
}

/// A fault of a file.
#[derive(Debug, thiserror::Error)]
pub enum DamageReason {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a complete game.
    #[error(transparent)]
    Complete(#[from] CompleteError),
}

/// The folder of the games, locked for this program.
#[derive(Debug)]
pub struct Store {
    data: PathBuf,
    dir: PathBuf,
    /// Held for its lock only.
    _lock: fs::File,
}

impl Store {
    /// Opens and locks a data folder. Creates it if necessary.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(data: &Path) -> Result<Store, StoreError> {
        let dir = data.join(GAMES);
        let failed = |error| StoreError::Io(data.to_owned(), error);
        fs::create_dir_all(&dir).map_err(failed)?;
        let options = &mut fs::File::options();
        let lock =
            output_file::open(&data.join(LOCK), options.write(true).create(true).truncate(true))
                .map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => StoreError::InUse(data.to_owned()),
            fs::TryLockError::Error(error) => failed(error),
        })?;
        let store = Store { data: data.to_owned(), dir, _lock: lock };
        // Leftover temporary files are harmless.
        if let Err(error) = store.remove_drafts() {
            tracing::warn!("cannot remove unfinished files: {error}");
        }
        Ok(store)
    }

    /// Removes temporary files of a killed program. No other program can own them, because the
    /// folder is locked.
    fn remove_drafts(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            if is_draft(&entry.file_name()) && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn path(&self, id: &GameId) -> PathBuf {
        self.dir.join(format!("{id}.json"))
    }

    /// Reads all games, and returns the files that are not valid games.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn load(&self) -> io::Result<(Vec<Game>, Vec<DamagedFile>)> {
        let (mut games, mut damaged) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let name = path.file_name().and_then(OsStr::to_str);
            // Ignore other files.
            let Some(id) = name.and_then(|name| GameId::read(name.strip_suffix(".json")?)) else {
                continue;
            };
            match read(&path, id) {
                Ok(game) => games.push(game),
                Err(reason) => damaged.push(DamagedFile { path, reason }),
            }
        }
        Ok((games, damaged))
    }
}

impl Storage for Store {
    /// Writes the game's file. If it cannot be replaced, the old one is unchanged.
    fn save(&self, game: &Game, now: Timestamp) -> Result<(), HostError> {
        let mut draft = Builder::new().prefix(DRAFT).tempfile_in(&self.dir)?;
        draft.write_all(complete::write(game, now)?.as_bytes())?;
        draft.as_file().sync_data()?;
        draft.persist(self.path(&game.id)).map_err(io::Error::from)?;
        Ok(())
    }

    fn remove(&self, id: &GameId) -> Result<(), HostError> {
        match fs::remove_file(self.path(id)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => Ok(removed?),
        }
    }

    fn place(&self) -> String {
        self.data.display().to_string()
    }
}

/// Returns true for the name of a temporary file. Earlier versions used the default names of
/// `tempfile`.
fn is_draft(name: &OsStr) -> bool {
    const EARLIER: &str = ".tmp";
    let Some(name) = name.to_str() else { return false };
    let random = name.strip_prefix(DRAFT).or_else(|| name.strip_prefix(EARLIER));
    random.is_some_and(|random| {
        random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn read(path: &Path, id: GameId) -> Result<Game, DamageReason> {
    Ok(complete::read(id, &oshi::text::read(path)?)?)
}
