//! Output to the terminal. Names and messages may come from untrusted files, so control characters
//! are escaped.

use std::io::{self, ErrorKind, Write as _, stderr, stdout};
use std::sync::{Mutex, PoisonError};

use crate::printable::printable;

/// First error in writing to standard output.
static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints lines to stdout. An error is kept for [`failure`].
pub fn say(text: &str) {
    note(writeln!(stdout(), "{}", printable(text.trim_end_matches('\n'))));
}

/// Keeps an error in writing to stdout. A closed pipe is not an error.
pub fn note(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        FAILURE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Takes the first error in writing to stdout, if any. To be called once, at the end.
pub fn failure() -> Option<io::Error> {
    note(stdout().flush());
    FAILURE.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Prints lines to stderr, ignoring errors.
pub fn print_error(text: &str) {
    let _ = writeln!(stderr(), "{}", printable(text));
}
