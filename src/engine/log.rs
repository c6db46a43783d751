//! Where the log goes: warnings to stderr; the whole dialogue too while `debug` is on, or to the `LogFile`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use super::output::{Output, QUIT_TIMEOUT};

/// Switches between the destinations of the log; clones share it. Never writes to stdout, which belongs to the protocol.
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
    /// A log of warnings to `stderr`. What waits there for a reader stops nobody, and is lost beyond 16 MiB.
    ///
    /// # Errors
    /// The thread that writes it cannot be started.
    pub fn new(stderr: impl Write + Send + 'static) -> io::Result<Log> {
        // A stderr that nobody reads any more is no reason to do anything.
        let stderr = Output::spawn("log", stderr, || {})?;
        Ok(Log { target: Arc::default(), stderr: Arc::new(stderr) })
    }

    /// The log on the standard error to which everything in the program goes that is traced.
    ///
    /// # Errors
    /// As for [`new`](Log::new); the program logs elsewhere already.
    pub(super) fn stdio() -> io::Result<Log> {
        let log = Log::new(io::stderr())?;
        // A log that cannot be written is no reason to end, and a message about it on a closed stderr would be one.
        let subscriber =
            tracing_subscriber::fmt().with_writer(log.clone()).log_internal_errors(false);
        subscriber
            .with_max_level(Level::DEBUG)
            .with_target(false)
            .try_init()
            .map_err(io::Error::other)?;
        Ok(log)
    }

    /// Waits until all of it is written, as long as somebody reads it.
    pub fn drain(&self) {
        self.stderr.drain(QUIT_TIMEOUT);
    }

    /// Whether all that is read and written is logged to stderr.
    pub fn set_debug(&self, on: bool) {
        self.target().debug = on;
    }

    /// Appends the log to this file instead of stderr; an empty path switches back to stderr.
    ///
    /// # Errors
    /// The file cannot be opened for writing, or is not a regular file; the log goes on as before.
    pub fn open(&self, path: &str) -> io::Result<()> {
        // Opening a named pipe would wait for its reader.
        if fs::metadata(path).is_ok_and(|place| !place.is_file()) {
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

/// Writes one event to the log.
pub struct Writer {
    log: Log,
    wanted: bool,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.log.target().file {
            _ if !self.wanted => Ok(bytes.len()),
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
        Writer { log: self.clone(), wanted: true }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Writer {
        let target = self.target();
        let wanted = *event.level() <= Level::WARN || target.debug || target.file.is_some();
        Writer { log: self.clone(), wanted }
    }
}
