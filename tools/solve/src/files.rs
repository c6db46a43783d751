//! Files that are there whole whatever happens, and what may be wrong with them.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use oshi::game::quote;
use tempfile::{Builder, NamedTempFile};

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
    #[error(
        "{path}: contradicts another answer about `{position}`, in this file or in another one of the folder"
    )]
    Contradiction { path: PathBuf, position: String },
    #[error("{path}: expected a regular file, or none")]
    NoFile { path: PathBuf },
    #[error("{path}: two files of a run have this place")]
    Twice { path: PathBuf },
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
        FileError::Line {
            path: path.to_owned(),
            line,
            expected: expected.to_owned(),
            found: quote(found),
        }
    }
}

/// Makes sure, before long work, that a file can be put there. Says where it lies, links followed.
pub fn check_place(path: &Path) -> Result<PathBuf, FileError> {
    let place = follow(path);
    regular(&place)?;
    draft(&place).map_err(FileError::io(path, "write"))?;
    Ok(place)
}

/// Where the file lies to which links lead.
fn follow(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A regular file, or none: others may never end.
fn regular(path: &Path) -> Result<(), FileError> {
    let is_other = path.metadata().is_ok_and(|found| !found.is_file());
    if is_other { Err(FileError::NoFile { path: path.to_owned() }) } else { Ok(()) }
}

/// What a regular file holds.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    regular(path)?;
    fs::read(path).map_err(FileError::io(path, "read"))
}

/// A file beside another, with the name and the permissions of the one that it is to replace.
fn draft(path: &Path) -> io::Result<NamedTempFile> {
    let old = path.metadata().map(|old| old.permissions()).ok();
    if old.as_ref().is_some_and(Permissions::readonly) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let mut builder = Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(NEW_FILE));
    let file = builder.prefix(&draft_prefix(path)).suffix(DRAFT).tempfile_in(folder_of(path))?;
    old.map_or(Ok(()), |old| file.as_file().set_permissions(old))?;
    Ok(file)
}

fn draft_prefix(path: &Path) -> String {
    format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy())
}

/// How the names of drafts end.
const DRAFT: &str = ".draft";

/// Removes the drafts that killed processes have left beside a file that no other process writes.
pub fn remove_drafts(path: &Path) {
    let prefix = draft_prefix(path);
    let is_draft = |name: &str| name.starts_with(&prefix) && name.ends_with(DRAFT);
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_draft) {
            // One that stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The mode of a new file, before the umask: others may work on the same proof.
#[cfg(unix)]
const NEW_FILE: u32 = 0o666;

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Opens a file to add to, which is made if it is not there. No other process may, until this one has ended.
pub fn open_alone(path: &Path) -> Result<File, FileError> {
    regular(path)?;
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

/// Puts a file in the place of another, so that one of the two is there whole at any moment.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let place = &follow(path);
    let replace = || -> io::Result<()> {
        let mut file = draft(place)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(place)?;
        // Other systems do not open folders.
        if cfg!(unix) { File::open(folder_of(place))?.sync_all() } else { Ok(()) }
    };
    replace().map_err(FileError::io(path, "write"))
}
