//! Files that are there whole whatever happens, and what may be wrong with them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use oshi::game::quote;
use tempfile::NamedTempFile;

/// A file that is not used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{path}: cannot {action} it: {source}")]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("{path}: line {line}: expected `{expected}`, found `{found}`")]
    Line { path: PathBuf, line: usize, expected: String, found: String },
    #[error("{path}: expected {expected} bytes, found {found}: the file is damaged")]
    Length { path: PathBuf, expected: usize, found: usize },
    #[error("{path}: its SHA-256 is not the one at its end: the file is damaged")]
    Sum { path: PathBuf },
    #[error("{path}: another process works on it")]
    Locked { path: PathBuf },
    #[error("{path}: contradicts another answer about `{position}`, in this file or in another one of the folder")]
    Contradiction { path: PathBuf, position: String },
    #[error("{path}: expected a regular file, or none")]
    NoFile { path: PathBuf },
    #[error("{path}: expected a new folder, or an empty one")]
    Taken { path: PathBuf },
}

impl FileError {
    /// What failed with a file.
    pub fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> FileError {
        move |source| FileError::Io { path: path.to_owned(), action, source }
    }

    /// A line that does not say what it should.
    pub fn line(path: &Path, line: usize, expected: &str, found: &str) -> FileError {
        FileError::Line { path: path.to_owned(), line, expected: expected.to_owned(), found: quote(found) }
    }
}

/// Makes sure, before long work, that a file can be put there.
pub fn check_place(path: &Path) -> Result<(), FileError> {
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(FileError::NoFile { path: path.to_owned() });
    }
    NamedTempFile::new_in(folder_of(path)).map(drop).map_err(FileError::io(path, "write"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Opens a file to add to, which is made if it is not there. No other process may, until this one has ended.
pub fn open_alone(path: &Path) -> Result<File, FileError> {
    let file = OpenOptions::new().create(true).append(true).open(path).map_err(FileError::io(path, "write"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FileError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(FileError::io(path, "lock")(source)),
    }
}

/// Puts a file in the place of another, so that one of the two is there whole at any moment.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let folder = folder_of(path);
    let replace = || -> io::Result<()> {
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        // Other systems do not open folders.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    };
    replace().map_err(FileError::io(path, "write"))
}
