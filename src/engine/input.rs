//! Lines of input, which may be too long or not UTF-8.

use std::io::{self, BufRead};

use crate::text::Lines;

/// Maximum length of a line in bytes; the longest possible match fits many times.
pub const MAX_LINE_BYTES: usize = 1 << 18;

/// Reason why a line cannot be read as text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// The line is longer than [`MAX_LINE_BYTES`].
    #[error("line too long: expected at most {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The line is not UTF-8.
    #[error("byte {at} of the line is not UTF-8: expected text")]
    NotUtf8 {
        /// Number of the first invalid byte, from 1.
        at: usize,
    },
}

/// A line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The text. An unreadable line keeps the beginning, which shows its command.
    pub text: String,
    /// The error that prevents the line from being executed.
    pub error: Option<LineError>,
}

/// Reads up to the next line end or the end of the input; returns `None` at the end.
///
/// Never holds more than [`MAX_LINE_BYTES`] bytes: the rest of a longer line is read and dropped.
///
/// # Errors
/// Reading the input fails.
pub fn read_line(lines: &mut Lines<impl BufRead>) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let Some(extent) = lines.read(&mut line, MAX_LINE_BYTES)? else { return Ok(None) };
    let text = String::from_utf8(line);
    let error = match &text {
        _ if extent.is_too_long => Some(LineError::TooLong),
        Ok(_) => None,
        Err(error) => Some(LineError::NotUtf8 { at: error.utf8_error().valid_up_to() + 1 }),
    };
    let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(Some(Line { text, error }))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Reads all lines through a small buffer, so that each line arrives in pieces.
    fn lines(input: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(BufReader::with_capacity(3, input)).unwrap();
        std::iter::from_fn(|| read_line(&mut lines).unwrap()).collect()
    }

    fn line(text: &str, error: Option<LineError>) -> Line {
        Line { text: text.to_owned(), error }
    }

    #[test]
    fn reads_longest_line_and_start_of_longer_one() {
        let longest = format!("go {}", "x".repeat(MAX_LINE_BYTES - 3));
        let input = format!("{longest}\n{longest}y\nisready\n");
        let cut = line(&longest[..64], Some(LineError::TooLong));
        assert_eq!(lines(input.as_bytes()), [line(&longest, None), cut, line("isready", None)]);
    }

    #[test]
    fn names_first_invalid_byte() {
        let garbled = line("go \u{fffd} depth", Some(LineError::NotUtf8 { at: 4 }));
        assert_eq!(lines(b"go \xff depth\nd\n"), [garbled, line("d", None)]);
    }
}
