//! The stop file of a folder. The process that watches all shards writes it once they have decided;
//! the process that plays in the folder looks for it.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;

use super::folder::{RecordError, STOP};
use crate::output_file;
use crate::printable::one_line;
use oshi::text::{self, Lines};

/// Maximum length of a reason, in bytes.
const MAX_REASON_LENGTH: u64 = 1 << 10;

/// Reason of the stop, possibly empty; `None` if there is no stop file.
pub fn read(dir: &Path) -> Option<String> {
    let path = dir.join(STOP);
    let mut reason = Vec::new();
    match text::open_regular(&path).map(|file| Lines::of_file(file.take(MAX_REASON_LENGTH))) {
        // Even a dangling link stops the tournament. Only its reason is unreadable.
        Err(_) => path.symlink_metadata().ok().map(drop)?,
        Ok(lines) => drop(lines.and_then(|mut lines| lines.read(&mut reason, usize::MAX))),
    }
    Some(String::from_utf8_lossy(&reason).into_owned())
}

/// Message of a stopped tournament.
pub fn sentence(dir: &Path, reason: &str) -> String {
    let colon = if reason.is_empty() { "" } else { ": " };
    format!("Stopped by {}{colon}{}", dir.join(STOP).display(), one_line(reason))
}

/// Writes the stop file. A folder that does not exist is created, so that a later process finds the
/// file.
///
/// # Errors
/// [`RecordError::Io`].
pub fn write(dir: &Path, reason: &str) -> Result<(), RecordError> {
    fs::create_dir_all(dir).map_err(RecordError::io(dir))?;
    let path = dir.join(STOP);
    let opened = output_file::open(&path, File::options().write(true).create(true).truncate(true));
    let written = opened.and_then(|mut file| file.write_all(format!("{reason}\n").as_bytes()));
    written.map_err(RecordError::io(&path))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn reads_stop_file_of_any_kind() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("deep").join("part");
        assert_eq!(read(&dir), None);
        write(&dir, "H1 was accepted").unwrap();
        assert_eq!(read(&dir).as_deref(), Some("H1 was accepted"));
        fs::write(dir.join(STOP), "").unwrap();
        assert_eq!(read(&dir).as_deref(), Some(""), "as `touch` makes it");
        fs::write(dir.join(STOP), vec![b'x'; 1 << 20]).unwrap();
        assert_eq!(read(&dir).unwrap().len() as u64, MAX_REASON_LENGTH);
        fs::remove_file(dir.join(STOP)).unwrap();
        fs::create_dir(dir.join(STOP)).unwrap();
        assert_eq!(read(&dir).as_deref(), Some(""));
        fs::remove_dir(dir.join(STOP)).unwrap();
        symlink("nowhere", dir.join(STOP)).unwrap();
        assert_eq!(read(&dir).as_deref(), Some(""));
        assert_eq!(sentence(&dir, ""), format!("Stopped by {}", dir.join(STOP).display()));
        assert!(sentence(&dir, "H1\n").ends_with("stop: H1\\n"));
    }
}
