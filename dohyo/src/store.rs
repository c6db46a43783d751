//! The games on disk: a file for each, replaced as a whole at every change, so that a reader finds the old game or the new one.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use basho::output_file;
use tempfile::Builder;

use crate::complete::{self, CompleteError};
use crate::game::{Game, GameId};

/// The file in the data folder that is locked as long as a program uses it; the system frees it, however the program ends.
const LOCK: &str = "lock";

/// The folder of the games in the data folder.
const GAMES: &str = "games";

/// Prefix of the name of a draft.
const DRAFT: &str = ".draft-";

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another program uses it: each would overwrite the games of the other.
    #[error("another dohyo uses the data folder `{}`; expected that to be ended first, or another folder (`--data DIR`)", .0.display())]
    InUse(PathBuf),
    /// It cannot be made or locked.
    #[error("cannot make the data folder `{}`", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// A file that is no game; it stays where it is.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a complete game.
    #[error(transparent)]
    Complete(#[from] CompleteError),
}

/// The folder of the games.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    /// Held, not read.
    _lock: fs::File,
}

impl Store {
    /// The games of this data folder, which is nobody else's until the store is dropped.
    ///
    /// # Errors
    /// [`StoreError`]: the folder cannot be made, or another program uses it.
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
        let store = Store { dir, _lock: lock };
        // Remaining drafts are harmless.
        if let Err(error) = store.remove_drafts() {
            tracing::warn!("cannot remove the drafts of a killed program: {error}");
        }
        Ok(store)
    }

    /// Removes the drafts of a killed program. The folder is locked, so no other program uses them.
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

    /// Writes a game.
    ///
    /// # Errors
    /// The file cannot be replaced; then the old one is still there.
    pub fn save(&self, game: &Game) -> io::Result<()> {
        let mut draft = Builder::new().prefix(DRAFT).tempfile_in(&self.dir)?;
        draft.write_all(complete::write(game)?.as_bytes())?;
        draft.as_file().sync_data()?;
        draft.persist(self.path(&game.id))?;
        Ok(())
    }

    /// Removes a game. A missing file is not an error.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self, id: &GameId) -> io::Result<()> {
        match fs::remove_file(self.path(id)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Reads all games, and what is wrong with the files that are none.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn load(&self) -> io::Result<(Vec<Game>, Vec<Damage>)> {
        let (mut games, mut damages) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let id = path.file_stem().and_then(|stem| GameId::read(stem.to_str()?));
            // Ignore other files.
            let Some(id) =
                id.filter(|_| path.extension().is_some_and(|extension| extension == "json"))
            else {
                continue;
            };
            match read(&path, id) {
                Ok(game) => games.push(game),
                Err(reason) => damages.push(Damage { path, reason }),
            }
        }
        Ok((games, damages))
    }
}

/// Whether a file name is that of a draft. Earlier versions used the default names of `tempfile`.
fn is_draft(name: &OsStr) -> bool {
    const EARLIER: &str = ".tmp";
    let random = |name: &str| {
        Some(name.strip_prefix(DRAFT).or_else(|| name.strip_prefix(EARLIER))?.to_owned())
    };
    let is_random =
        |text: String| text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    name.to_str().and_then(random).is_some_and(is_random)
}

fn read(path: &Path, id: GameId) -> Result<Game, Reason> {
    Ok(complete::read(id, &oshi::text::read(path)?)?)
}
