//! Why a line is refused.

use super::words::Excerpt;

/// Why a line is not a valid command.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseCommandError {
    /// The first word is not a command.
    #[error("unknown command {word}: expected one of the words that `help` lists")]
    Unknown {
        /// The word.
        word: Excerpt,
    },
    /// The line ends too early.
    #[error("the line ends after `{after}`: expected {expected}")]
    Missing {
        /// The last word of the grammar that was read.
        after: &'static str,
        /// What was expected there.
        expected: &'static str,
    },
    /// A word is not allowed there.
    #[error("unexpected {word} in `{command}`: expected {expected}")]
    Unexpected {
        /// The word.
        word: Excerpt,
        /// The command.
        command: &'static str,
        /// What was expected there.
        expected: &'static str,
    },
    /// A word is not a number, or the number is out of range.
    #[error("{word} after `{after}`: expected a whole number from {min} to {max}")]
    Number {
        /// What was given instead.
        word: Excerpt,
        /// The word before it.
        after: &'static str,
        /// The least number allowed.
        min: u64,
        /// The greatest number allowed.
        max: u64,
    },
    /// A word of `go` is repeated.
    #[error("`{word}` is repeated in `go`: expected it once")]
    Repeated {
        /// The word.
        word: &'static str,
    },
}

impl ParseCommandError {
    /// The error for a word where something else was expected.
    pub fn unexpected(
        word: &str,
        command: &'static str,
        expected: &'static str,
    ) -> ParseCommandError {
        ParseCommandError::Unexpected { word: Excerpt::of(word), command, expected }
    }
}

/// Why a line that begins as a reply is not a valid one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseReplyError {
    /// A byte that is not UTF-8, outside of free text.
    #[error("byte {at} of the line is not UTF-8: expected text")]
    NotUtf8 {
        /// The byte, from 1.
        at: usize,
    },
    /// The line does not have the form of its first word.
    #[error("malformed `{line}` line: expected {expected}")]
    Malformed {
        /// The first word.
        line: &'static str,
        /// The form it should have.
        expected: &'static str,
    },
    /// A word is not a number, or the number is out of range.
    #[error("{word} after `{after}` in an `info` line: expected a number")]
    Number {
        /// What was given instead.
        word: Excerpt,
        /// The word before it.
        after: &'static str,
    },
}
