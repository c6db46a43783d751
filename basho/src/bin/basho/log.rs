//! The log: all lines to and from engines.

use std::fs::File;
use std::io::{self, Write, stderr};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use basho::output_file;
use basho::records::folder::{RecordError, check_output};

/// Why something of the log's file is missing.
static FAILURE: Mutex<Option<RecordError>> = Mutex::new(None);

/// Logs to a file, if one is given, or to stderr, if that is asked for.
pub fn begin(is_verbose: bool, path: Option<&Path>) -> Result<(), RecordError> {
    // If nobody reads what goes to stderr, that is not an error.
    let logs =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).log_internal_errors(false);
    match path {
        Some(path) => {
            check_output(path)?;
            let opened = output_file::open(path, File::options().append(true).create(true));
            let file =
                opened.map_err(|source| RecordError::Io { path: path.to_owned(), source })?;
            logs.with_ansi(false)
                .with_writer(Mutex::new(LogFile { path: path.into(), file }))
                .init();
        }
        None if is_verbose => logs.with_writer(stderr).init(),
        None => {}
    }
    Ok(())
}

/// The first error of writing the log's file, if any; to be asked once, at the end.
pub fn failure() -> Option<RecordError> {
    FAILURE.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A file that remembers that it is not complete.
struct LogFile {
    path: Box<Path>,
    file: File,
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).inspect_err(|error| {
            let source = error
                .raw_os_error()
                .map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
            let failure = RecordError::Io { path: self.path.to_path_buf(), source };
            FAILURE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
