//! The file of an engine's program, and whether it has changed.

use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::digest::digest;

/// The file of a program at some moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramFile {
    path: PathBuf,
    stamp: Stamp,
    digest: String,
}

/// Metadata that changes whenever a file is rewritten or replaced, even with the same content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl ProgramFile {
    /// The current file of a program. A name without a slash is looked up in the search path.
    ///
    /// # Errors
    /// The file does not exist or cannot be read.
    pub fn read(program: &Path) -> io::Result<ProgramFile> {
        let path = locate(program).ok_or(io::ErrorKind::NotFound)?;
        let (stamp, digest) = (stamp(&path)?, digest(&path)?);
        Ok(ProgramFile { path, stamp, digest })
    }

    /// SHA-256 of the content, in hexadecimal as `sha256sum` prints it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether the content has changed. Reads the file only if its metadata has changed. A missing
    /// file counts as unchanged.
    pub fn has_changed(&mut self) -> bool {
        match stamp(&self.path) {
            Ok(stamp) if stamp != self.stamp => {
                let is_same = digest(&self.path).is_ok_and(|digest| digest == self.digest);
                if is_same {
                    self.stamp = stamp;
                }
                !is_same
            }
            _ => false,
        }
    }
}

/// The file that the system runs for a name.
fn locate(program: &Path) -> Option<PathBuf> {
    if program.as_os_str().as_encoded_bytes().contains(&b'/') {
        return Some(program.to_owned());
    }
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Whether an executable program has this name. A name without a slash is looked up in the search
/// path.
pub fn exists(program: &Path) -> bool {
    locate(program).is_some_and(|path| is_executable(&path))
}

/// Splits a command line after its longest prefix that names a program; `None` if the whole text is
/// the path of a file.
pub fn split_command(text: &str) -> Option<(&str, &str)> {
    if Path::new(text).exists() {
        return None;
    }
    let mut ends = text.match_indices(char::is_whitespace).map(|(end, _)| text.split_at(end));
    let is_command = |(program, _): &(&str, &str)| {
        // A name from the search path may have been made absolute.
        let name = Path::new(program).file_name().unwrap_or_default();
        exists(Path::new(program)) || exists(Path::new(name))
    };
    ends.rfind(is_command).map(|(program, rest)| (program, rest.trim()))
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    let file = path.metadata()?;
    Ok(Stamp {
        device: file.dev(),
        inode: file.ino(),
        size: file.size(),
        modified: (file.mtime(), file.mtime_nsec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_changed_content_but_not_a_new_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("engine");
        let replace = |text: &str| {
            std::fs::write(dir.path().join("new"), text).unwrap();
            std::fs::rename(dir.path().join("new"), &path).unwrap();
        };
        replace("abc");
        let mut file = ProgramFile::read(&path).unwrap();
        assert_eq!(
            file.digest(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "FIPS 180-2, B.1"
        );
        assert!(!file.has_changed());
        replace("abc");
        assert!(!file.has_changed(), "rebuilt with the same content");
        replace("abd");
        assert!(file.has_changed());
        std::fs::remove_file(&path).unwrap();
        assert!(!file.has_changed(), "gone");
        replace("abc");
        assert!(!file.has_changed(), "put back");
    }

    #[test]
    fn splits_command_line_after_its_program() {
        assert_eq!(split_command("sh -c true"), Some(("sh", "-c true")));
        assert_eq!(
            split_command("/no/such/folder/sh  ./bot.sh"),
            Some(("/no/such/folder/sh", "./bot.sh"))
        );
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("my bot");
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(split_command(&format!("{path} --fast now")), Some((path, "--fast now")));
        assert_eq!(split_command("no-such-program-anywhere x"), None);
        let path = dir.path().join("sh bot");
        std::fs::write(&path, "").unwrap();
        assert_eq!(split_command(path.to_str().unwrap()), None);
    }

    #[test]
    fn finds_name_in_search_path() {
        assert!(ProgramFile::read(Path::new("sh")).is_ok());
        assert!(ProgramFile::read(Path::new("no-such-program-anywhere")).is_err());
        assert!(ProgramFile::read(Path::new("/")).is_err(), "a folder is no program");
    }
}
