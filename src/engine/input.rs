//! Reads lines that may be too long or not UTF-8.

use std::io::{self, BufRead};

use crate::text::Lines;

/// No line may be longer, in bytes; the longest match fits many times over.
pub const MAX_LINE_BYTES: usize = 1 << 18;

/// Why a line cannot be read as text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// It is longer than [`MAX_LINE_BYTES`].
    #[error("the line is longer than {MAX_LINE_BYTES} bytes: expected a shorter one")]
    TooLong,
    /// It is not UTF-8.
    #[error("byte {at} of the line is not UTF-8: expected text")]
    NotUtf8 {
        /// The first invalid byte, from 1.
        at: usize,
    },
}

/// A line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its text; of a line that cannot be read, as much of it as shows the command that it begins with.
    pub text: String,
    /// Why it cannot be obeyed.
    pub error: Option<LineError>,
}

/// Reads up to the next line end, or to the end of the input; `None` at the end.
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

    /// Reads all lines through a small buffer, so that every line is read in pieces.
    fn lines(input: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(BufReader::with_capacity(3, input)).unwrap();
        std::iter::from_fn(|| read_line(&mut lines).unwrap()).collect()
    }

    fn line(text: &str, error: Option<LineError>) -> Line {
        Line { text: text.to_owned(), error }
    }

    #[test]
    fn the_longest_line_is_read_and_of_a_longer_one_its_beginning() {
        let longest = format!("go {}", "x".repeat(MAX_LINE_BYTES - 3));
        let input = format!("{longest}\n{longest}y\nisready\n");
        let cut = line(&longest[..64], Some(LineError::TooLong));
        assert_eq!(lines(input.as_bytes()), [line(&longest, None), cut, line("isready", None)]);
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_place() {
        let garbled = line("go \u{fffd} depth", Some(LineError::NotUtf8 { at: 4 }));
        assert_eq!(lines(b"go \xff depth\nd\n"), [garbled, line("d", None)]);
    }
}
