//! Log of all lines to and from engines.

use std::fs::File;
use std::io::{self, Write, stderr};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use basho::output_file;
use basho::records::folder::{RecordError, check_output};

/// First error in writing the log file.
static WRITE_ERROR: Mutex<Option<RecordError>> = Mutex::new(None);

/// Starts logging to `path`, or to stderr if there is no path and `is_verbose` is set.
///
/// # Errors
/// [`RecordError`] if the file cannot be opened or belongs to the records of a tournament.
pub fn start(is_verbose: bool, path: Option<&Path>) -> Result<(), RecordError> {
    // A closed stderr is not an error.
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

/// Takes the first error in writing the log file, if any.
pub fn take_error() -> Option<RecordError> {
    WRITE_ERROR.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A log file that stores its first write error in [`WRITE_ERROR`].
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
            let error = RecordError::Io { path: self.path.to_path_buf(), source };
            WRITE_ERROR.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
