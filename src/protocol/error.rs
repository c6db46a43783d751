//! Errors of parsing a line.

use super::words::Excerpt;

/// Reason why a line is not a valid command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseCommandError {
    /// The first word is not a command.
    #[error("unknown command {word}: expected one listed by `help`")]
    Unknown {
        /// The first word.
        word: Excerpt,
    },
    /// The line ends too early.
    #[error("the line ends after `{after}`: expected {expected}")]
    Missing {
        /// The last word of the grammar in the line.
        after: &'static str,
        /// The words that may follow it.
        expected: &'static str,
    },
    /// A word is not allowed in its place.
    #[error("unexpected {word} in `{command}`: expected {expected}")]
    Unexpected {
        /// The word.
        word: Excerpt,
        /// The command.
        command: &'static str,
        /// The words allowed in its place.
        expected: &'static str,
    },
    /// A word is not a number, or the number is out of range.
    #[error("invalid number {word} after `{after}`: expected a whole number from {min} to {max}")]
    Number {
        /// The word.
        word: Excerpt,
        /// The word before it.
        after: &'static str,
        /// Smallest valid number.
        min: u64,
        /// Greatest valid number.
        max: u64,
    },
    /// A word of `go` occurs twice.
    #[error("`{word}` is repeated in `go`: expected it once")]
    Repeated {
        /// The word.
        word: &'static str,
    },
}

impl ParseCommandError {
    /// Creates the error for a word that is not allowed in its place.
    pub fn unexpected(
        word: &str,
        command: &'static str,
        expected: &'static str,
    ) -> ParseCommandError {
        ParseCommandError::Unexpected { word: Excerpt::of(word), command, expected }
    }
}

/// Reason why a line that begins like a reply is not a valid one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseReplyError {
    /// A byte outside of free text is not UTF-8.
    #[error("byte {at} of the line is not UTF-8: expected text")]
    NotUtf8 {
        /// Number of the byte, from 1.
        at: usize,
    },
    /// The line does not have the form of its first word.
    #[error("malformed `{line}` line: expected {expected}")]
    Malformed {
        /// The first word.
        line: &'static str,
        /// The form of the line.
        expected: &'static str,
    },
    /// A word is not a number, or the number is out of range.
    #[error("invalid number {word} after `{after}` in an `info` line: expected a whole number")]
    Number {
        /// The word.
        word: Excerpt,
        /// The word before it.
        after: &'static str,
    },
}
