//! The file by which a folder is told that no more games are wanted there: whoever watches all shards writes it when they have
//! decided; whoever plays there looks for it.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;

use super::folder::{RecordError, STOP};
use crate::output_file;
use crate::printable::one_line;
use oshi::text::{self, Lines};

/// More of a reason is not shown, in bytes.
const MAX_REASON_LENGTH: u64 = 1 << 10;

/// Why no more games are wanted in this folder, in a line that may be empty; `None` if they are.
pub fn read(dir: &Path) -> Option<String> {
    let path = dir.join(STOP);
    let mut reason = Vec::new();
    match text::open_regular(&path).map(|file| Lines::of_file(file.take(MAX_REASON_LENGTH))) {
        // That it is there is what counts, be it a link to nothing; what cannot be read of its reason is left out.
        Err(_) => path.symlink_metadata().ok().map(drop)?,
        Ok(lines) => drop(lines.and_then(|mut lines| lines.read(&mut reason, usize::MAX))),
    }
    Some(String::from_utf8_lossy(&reason).into_owned())
}

/// What is said where a stop is obeyed; its reason may be empty.
pub fn sentence(dir: &Path, reason: &str) -> String {
    let colon = if reason.is_empty() { "" } else { ": " };
    format!(
        "No more games are wanted, says {}{colon}{}",
        dir.join(STOP).display(),
        one_line(reason)
    )
}

/// Tells a folder that no more games are wanted there. One that does not exist is made, so that whoever comes to play there finds it.
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
    fn a_stop_is_seen_with_its_reason_whatever_it_is() {
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
        assert_eq!(
            sentence(&dir, ""),
            format!("No more games are wanted, says {}", dir.join(STOP).display())
        );
        assert!(sentence(&dir, "H1\n").ends_with("stop: H1\\n"));
    }
}
