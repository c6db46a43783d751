//! Atomic and locked files, and their errors.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use oshi::game::quote;
use tempfile::{Builder, NamedTempFile};

/// An error about one file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{path}: cannot {action} it: {source}")]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("{path}: line {line}: expected `{expected}`, found `{found}`")]
    Line { path: PathBuf, line: usize, expected: String, found: String },
    #[error("{path}: damaged file: expected {expected} bytes, found {found}")]
    Length { path: PathBuf, expected: usize, found: usize },
    #[error("{path}: damaged file: its SHA-256 differs from the one at its end")]
    Checksum { path: PathBuf },
    #[error("{path}: in use by another process")]
    Locked { path: PathBuf },
    #[error("{path}: answer contradicts another one in this folder about `{position}`")]
    Contradiction { path: PathBuf, position: String },
    #[error("{path}: expected a regular file, or none")]
    NotRegular { path: PathBuf },
    #[error("{path}: expected different files, this one is used twice")]
    UsedTwice { path: PathBuf },
    #[error("{path}: expected a new or empty folder")]
    NotEmpty { path: PathBuf },
}

impl FileError {
    /// Wraps an I/O error; `action` is a verb such as `read`.
    pub fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> FileError {
        move |source| FileError::Io { path: path.to_owned(), action, source }
    }

    /// An error about a line, numbered from 1.
    pub fn line(path: &Path, line: usize, expected: &str, found: &str) -> FileError {
        FileError::Line {
            path: path.to_owned(),
            line,
            expected: expected.to_owned(),
            found: quote(found),
        }
    }
}

/// Checks that a file can be written, before the work that it is for. Returns its path without
/// links.
pub fn check_writable(path: &Path) -> Result<PathBuf, FileError> {
    let target = resolve(path);
    check_regular(&target)?;
    draft(&target).map_err(FileError::io(path, "write"))?;
    Ok(target)
}

/// Follows links.
fn resolve(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Refuses special files: reading one may never end.
fn check_regular(path: &Path) -> Result<(), FileError> {
    let is_other = path.metadata().is_ok_and(|found| !found.is_file());
    if is_other { Err(FileError::NotRegular { path: path.to_owned() }) } else { Ok(()) }
}

/// Reads a regular file.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    check_regular(path)?;
    fs::read(path).map_err(FileError::io(path, "read"))
}

/// Creates a temporary file in the same folder, with the permissions of the file at `path`.
fn draft(path: &Path) -> io::Result<NamedTempFile> {
    let old = path.metadata().map(|old| old.permissions()).ok();
    if old.as_ref().is_some_and(Permissions::readonly) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let mut builder = Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(NEW_FILE_MODE));
    let file =
        builder.prefix(&draft_prefix(path)).suffix(DRAFT_SUFFIX).tempfile_in(folder_of(path))?;
    old.map_or(Ok(()), |old| file.as_file().set_permissions(old))?;
    Ok(file)
}

fn draft_prefix(path: &Path) -> String {
    format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy())
}

const DRAFT_SUFFIX: &str = ".draft";

/// Removes the drafts that killed processes left for this file. The caller holds its lock.
pub fn remove_drafts(path: &Path) {
    let prefix = draft_prefix(path);
    let is_draft = |name: &str| name.starts_with(&prefix) && name.ends_with(DRAFT_SUFFIX);
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_draft) {
            // A remaining draft only takes space.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Mode of a new file, before the umask. `tempfile` would hide it from other users.
#[cfg(unix)]
const NEW_FILE_MODE: u32 = 0o666;

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Opens a file for appending and locks it until this process ends. Creates it if needed.
pub fn open_locked(path: &Path) -> Result<File, FileError> {
    check_regular(path)?;
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(FileError::io(path, "write"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FileError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(FileError::io(path, "lock")(source)),
    }
}

/// Replaces a file atomically: after a crash, either the old or the new contents are complete.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let target = &resolve(path);
    let replace = || -> io::Result<()> {
        let mut file = draft(target)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(target)?;
        // Only Unix can open and sync a folder.
        if cfg!(unix) { File::open(folder_of(target))?.sync_all() } else { Ok(()) }
    };
    replace().map_err(FileError::io(path, "write"))
}
