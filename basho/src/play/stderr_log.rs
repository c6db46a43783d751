//! An engine's stderr: keeps its last lines, and appends its text to a file of bounded size if
//! there is one. The engine never waits for either.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::ChildStderr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::backoff;
use super::nonblocking::set_nonblocking;
use crate::output_file;
use crate::stderr_tail::{StderrTail, TailBuffer};

/// Maximum length of the file in bytes, without the notice at its end.
pub const MAX_LOG_LENGTH: u64 = 16 << 20;

/// The notice at the end of a full file.
const CUT: &str = "\n(cut off by basho: the file has reached 16 MiB)\n";

/// Maximum time to wait for a thread that is writing to a slow or locked file.
const WRITE_TIMEOUT: Duration = Duration::from_millis(500);

/// Size of one read in bytes: the capacity of a pipe.
const CHUNK: usize = 1 << 16;

/// Maximum number of reads to get the last lines of an engine that never stops writing.
const MAX_READS: usize = 32;

/// The stderr of an engine's processes, and the thread that reads it.
#[derive(Debug)]
pub struct StderrLog {
    stream: Arc<Stream>,
    thread: JoinHandle<()>,
}

#[derive(Debug)]
struct Stream {
    pipe: PipeReader,
    /// Locked from each read until its bytes are stored, so that no bytes are in flight under the
    /// lock.
    file: Mutex<Option<File>>,
    tail: Mutex<TailBuffer>,
}

/// State of a pipe after a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// There may be more to read.
    Open,
    /// Everything written so far has been read.
    Empty,
    /// All writers have closed it.
    Ended,
}

impl StderrLog {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// The file cannot be written to.
    pub fn open(path: &Path) -> io::Result<File> {
        output_file::open(path, File::options().create(true).append(true))
    }

    /// Starts to read, and to append everything to the file if there is one.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn begin(stderr: ChildStderr, file: Option<File>) -> io::Result<StderrLog> {
        let pipe = PipeReader::from(OwnedFd::from(stderr));
        set_nonblocking(pipe.as_fd())?;
        let stream = Arc::new(Stream { pipe, file: Mutex::new(file), tail: Mutex::default() });
        let shared = Arc::clone(&stream);
        let builder = thread::Builder::new().name("stderr".to_owned());
        let thread = builder.spawn(move || shared.read_to_end())?;
        Ok(StderrLog { stream, thread })
    }

    /// The last lines of everything written so far.
    pub fn stderr_tail(&self) -> StderrTail {
        self.stream.catch_up();
        self.stream.tail().stderr_tail()
    }

    /// Reads the rest after the engine's end. Does not wait for other processes that still hold the
    /// pipe open.
    pub fn finish(self) {
        if self.stream.catch_up() == State::Ended {
            backoff::poll(WRITE_TIMEOUT, || self.thread.is_finished().then_some(()));
        }
    }
}

impl Stream {
    /// Reads until all writers have closed the pipe.
    fn read_to_end(&self) {
        let mut chunk = vec![0; CHUNK];
        loop {
            let mut pipe = [PollFd::new(self.pipe.as_fd(), PollFlags::POLLIN)];
            // After a failed wait, by a signal or lack of memory, the read finds nothing.
            let _ = poll(&mut pipe, PollTimeout::NONE);
            let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            if self.read(file.as_ref(), &mut chunk) == State::Ended {
                return;
            }
        }
    }

    /// Empties the pipe, unless the thread is held up by the file.
    fn catch_up(&self) -> State {
        let mut chunk = vec![0; CHUNK];
        let try_to_read = || {
            let file = match self.file.try_lock() {
                Err(TryLockError::WouldBlock) => return None,
                Err(TryLockError::Poisoned(error)) => error.into_inner(),
                Ok(file) => file,
            };
            let mut reads = (0..MAX_READS).map(|_| self.read(file.as_ref(), &mut chunk));
            Some(reads.find(|&state| state != State::Open).unwrap_or(State::Open))
        };
        backoff::poll(WRITE_TIMEOUT, try_to_read).unwrap_or(State::Open)
    }

    /// Reads once and keeps the bytes. The caller has locked `file`.
    fn read(&self, file: Option<&File>, chunk: &mut [u8]) -> State {
        match (&self.pipe).read(chunk) {
            Ok(0) => State::Ended,
            Ok(count) => {
                let bytes = chunk.get(..count).unwrap_or_default();
                self.tail().push(bytes);
                if let Some(file) = file {
                    append(bytes, file, MAX_LOG_LENGTH);
                }
                State::Open
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => State::Open,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => State::Empty,
            Err(_) => State::Ended,
        }
    }

    fn tail(&self) -> MutexGuard<'_, TailBuffer> {
        // The bytes are consistent at every moment, even after a panic.
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends bytes until the file is full, and drops the rest.
fn append(bytes: &[u8], file: &File, longest: u64) {
    // Concurrent games may share the file: its size must not change before the write.
    let _ = file.lock();
    write_within_limit(bytes, file, longest);
    let _ = file.unlock();
}

/// Appends as much as fits. A file that cannot be written any more counts as full.
fn write_within_limit(bytes: &[u8], mut file: &File, longest: u64) {
    let Some(room) = file
        .metadata()
        .ok()
        .and_then(|file| longest.checked_sub(file.len()))
        .filter(|&room| room > 0)
    else {
        return;
    };
    let fitting = usize::try_from(room).ok().and_then(|room| bytes.get(..room)).unwrap_or(bytes);
    let _ = file.write_all(fitting);
    if fitting.len() as u64 == room {
        let _ = file.write_all(CUT.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_file_ends_with_notice_and_stops_growing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        for _ in 0..3 {
            append(&[b'x'; 30], &StderrLog::open(&path).unwrap(), 40);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "x".repeat(40) + CUT);
    }

    #[test]
    fn concurrent_writers_leave_the_notice_last() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        thread::scope(|scope| {
            for _ in 0..4 {
                let file = StderrLog::open(&path).unwrap();
                scope.spawn(move || {
                    (0..16).for_each(|_| append(&[b'x'; CHUNK], &file, (1 << 20) + 5))
                });
            }
        });
        let log = std::fs::read_to_string(&path).unwrap();
        assert!(log.ends_with(CUT) && log.len() == (1 << 20) + 5 + CUT.len(), "{}", log.len());
    }
}
