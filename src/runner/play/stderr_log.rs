//! The file that an engine's stderr is appended to: its size is bounded, and the engine never waits for it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ChildStderr;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::naps::naps;

/// How long the file may get, in bytes, without its last line.
pub const LONGEST_LOG: u64 = 16 << 20;

/// The last line of a file that is full.
const CUT: &str = "\n(cut off by basho: the file has reached 16 MiB)\n";

/// A thread that writes the stderr of an engine's processes.
#[derive(Debug)]
pub struct StderrLog(JoinHandle<()>);

impl StderrLog {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// The file cannot be written to.
    pub fn open(path: &Path) -> io::Result<File> {
        OpenOptions::new().create(true).append(true).open(path)
    }

    /// Begins to write.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn begin(stderr: ChildStderr, file: File) -> io::Result<StderrLog> {
        let builder = thread::Builder::new().name("stderr".to_owned());
        builder.spawn(move || append(stderr, &file, LONGEST_LOG)).map(StderrLog)
    }

    /// Waits until everything is written, but naps at most this long: another process may still hold the pipe.
    pub fn finish(self, patience: Duration) {
        let _ = self.0.is_finished() || naps(patience).any(|()| self.0.is_finished());
    }
}

/// Appends everything that is read, until the file is full; then reads on without writing, so that no process blocks.
fn append(mut from: impl Read, file: &File, longest: u64) {
    let mut chunk = vec![0; 1 << 16];
    loop {
        let said = match from.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => chunk.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        // The file may be shared by the games that run at the same time: no other writer comes between its size and what is appended.
        let _ = file.lock();
        write_what_fits(said, file, longest);
        let _ = file.unlock();
    }
}

/// Appends as much as the file has room for. A file that cannot be written any more counts as full.
fn write_what_fits(said: &[u8], mut file: &File, longest: u64) {
    let Some(room) = file.metadata().ok().and_then(|file| longest.checked_sub(file.len())).filter(|&room| room > 0) else {
        return;
    };
    let fitting = usize::try_from(room).ok().and_then(|room| said.get(..room)).unwrap_or(said);
    let _ = file.write_all(fitting);
    if fitting.len() as u64 == room {
        let _ = file.write_all(CUT.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_full_says_so_and_grows_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        for _ in 0..3 {
            append(&[b'x'; 30][..], &StderrLog::open(&path).unwrap(), 40);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "x".repeat(40) + CUT);
    }

    #[test]
    fn several_writers_leave_the_last_word_to_the_notice() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        thread::scope(|scope| {
            for _ in 0..4 {
                let file = StderrLog::open(&path).unwrap();
                scope.spawn(move || append(io::repeat(b'x').take(1 << 20), &file, (1 << 20) + 5));
            }
        });
        let log = std::fs::read_to_string(&path).unwrap();
        assert!(log.ends_with(CUT) && log.len() == (1 << 20) + 5 + CUT.len(), "{}", log.len());
    }

    #[test]
    fn all_is_read_to_the_end_even_if_nothing_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut much = io::repeat(b'x').take(1 << 20);
        append(&mut much, &StderrLog::open(&dir.path().join("log")).unwrap(), 1);
        assert_eq!(much.limit(), 0);
    }
}
