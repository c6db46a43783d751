//! All output of basho to a terminal. Names and messages may come from untrusted files: control characters in them are escaped.

use std::io::{self, ErrorKind, Write as _, stderr, stdout};
use std::sync::{Mutex, PoisonError};

use crate::printable::printable;

/// The first failure of the standard output, which the whole process shares.
static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints lines. A failure is remembered for [`failure`], and the caller goes on.
pub fn say(text: &str) {
    note(writeln!(stdout(), "{}", printable(text.trim_end_matches('\n'))));
}

/// Remembers whether writing to the standard output failed. A closed pipe is not an error.
pub fn note(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        FAILURE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// The error of a failed write to the standard output, if any; to be asked once, at the end.
pub fn failure() -> Option<io::Error> {
    note(stdout().flush());
    FAILURE.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Prints lines on stderr; a failure is ignored.
pub fn print_error(text: &str) {
    let _ = writeln!(stderr(), "{}", printable(text));
}
