//! Reads lines that may be too long or not UTF-8.

use std::io::{self, BufRead};

use crate::lines;

/// No line may be longer, in bytes; the longest match fits many times over.
pub const LONGEST_LINE: usize = 1 << 18;

/// Why a line cannot be read as text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// It is longer than [`LONGEST_LINE`].
    #[error("the line is longer than {LONGEST_LINE} bytes: expected a shorter one")]
    TooLong,
    /// It is not UTF-8.
    #[error("byte {at} of the line is not UTF-8: expected text")]
    NotText {
        /// The first invalid byte, from 1.
        at: usize,
    },
}

/// Reads up to the next line end, or to the end of the input; `None` at the end.
/// Never holds more than [`LONGEST_LINE`] bytes: the rest of a longer line is read and dropped.
///
/// # Errors
/// Reading the input fails.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, LineError>>> {
    let mut line = Vec::new();
    let Some(extent) = lines::read_line(input, &mut line, LONGEST_LINE)? else { return Ok(None) };
    if extent.is_too_long {
        return Ok(Some(Err(LineError::TooLong)));
    }
    let text = String::from_utf8(line).map_err(|error| LineError::NotText { at: error.utf8_error().valid_up_to() + 1 });
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Reads all lines through a small buffer, so that every line is read in pieces.
    fn lines(input: &[u8]) -> Vec<Result<String, LineError>> {
        let mut input = BufReader::with_capacity(3, input);
        std::iter::from_fn(|| read_line(&mut input).unwrap()).collect()
    }

    #[test]
    fn the_longest_line_is_read_and_a_longer_one_is_dropped_whole() {
        let longest = "x".repeat(LONGEST_LINE);
        let input = format!("{longest}\n{longest}y\nisready\n");
        assert_eq!(lines(input.as_bytes()), [Ok(longest), Err(LineError::TooLong), Ok("isready".into())]);
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_place() {
        assert_eq!(lines(b"go \xff\nd\n"), [Err(LineError::NotText { at: 4 }), Ok("d".into())]);
    }
}
