//! The log: warnings to stderr, and the whole dialogue if `debug` is on or a `LogFile` is set.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::output::{Output, QUIT_TIMEOUT};

/// A log that switches between stderr and a file; clones share it. It never writes to stdout,
/// which belongs to the protocol.
#[derive(Clone)]
pub struct Log {
    target: Arc<Mutex<Target>>,
    stderr: Arc<Output>,
}

#[derive(Default)]
struct Target {
    file: Option<File>,
    debug: bool,
}

impl Log {
    /// Creates a log of warnings to `stderr`. Writing to the log never blocks: text that exceeds
    /// 16 MiB unread is lost.
    ///
    /// # Errors
    /// The thread that writes the log cannot be started.
    pub fn new(stderr: impl Write + Send + 'static) -> io::Result<Log> {
        // A closed stderr must not end the engine.
        let stderr = Output::spawn("log", stderr, || {})?;
        Ok(Log { target: Arc::default(), stderr: Arc::new(stderr) })
    }

    /// Creates a log to the standard error and makes it the program's `tracing` subscriber.
    ///
    /// # Errors
    /// As [`new`](Log::new); or the program has a subscriber already.
    pub(super) fn stdio() -> io::Result<Log> {
        let log = Log::new(io::stderr())?;
        // A message about a log that cannot be written would fail in the same way.
        let subscriber =
            tracing_subscriber::fmt().with_writer(log.clone()).log_internal_errors(false);
        subscriber
            .with_max_level(Level::DEBUG)
            .with_target(false)
            // Prints the duration of each search and its stages.
            .with_span_events(FmtSpan::CLOSE)
            .try_init()
            .map_err(io::Error::other)?;
        Ok(log)
    }

    /// Waits until the log is written, or until its reader pauses for 400 ms.
    pub fn drain(&self) {
        self.stderr.drain(QUIT_TIMEOUT);
    }

    /// Switches the log of the whole dialogue to stderr on or off.
    pub fn set_debug(&self, on: bool) {
        self.target().debug = on;
    }

    /// Appends the log to the file at `path` instead of stderr. An empty path switches back.
    ///
    /// # Errors
    /// The file cannot be opened for writing, or is not a regular file. The log stays as it was.
    pub fn open(&self, path: &str) -> io::Result<()> {
        // Opening a named pipe would block until a reader opens it.
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "expected a regular file"));
        }
        let file = match path {
            "" => None,
            path => Some(OpenOptions::new().create(true).append(true).open(path)?),
        };
        self.target().file = file;
        Ok(())
    }

    fn target(&self) -> MutexGuard<'_, Target> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writer of one log event.
pub struct Writer {
    log: Log,
    is_enabled: bool,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.log.target().file {
            _ if !self.is_enabled => Ok(bytes.len()),
            Some(file) => file.write(bytes),
            None => {
                self.log.stderr.try_send(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Writer;

    fn make_writer(&'a self) -> Writer {
        Writer { log: self.clone(), is_enabled: true }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Writer {
        let target = self.target();
        let is_enabled = *event.level() <= Level::WARN || target.debug || target.file.is_some();
        Writer { log: self.clone(), is_enabled }
    }
}
