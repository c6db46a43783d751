//! The text protocol as values: what is said to an engine and what it answers, both read and printed.
//!
//! The grammar stands in `protocol.md`. This module knows no game: a move is a word, a position a line.
#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::unwrap_used, clippy::panic)]

pub mod command;
pub mod options;
pub mod reply;

pub use command::{Command, CommandError, Go, Query, Side, Start};
pub use options::{OptionError, OptionKind, OptionLine, OptionValue};
pub use reply::{Bound, GameResult, Info, Reply, ReplyError, Response, Score, Wdl};

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use crate::game::quote;

/// The longest span of time that may be written, in milliseconds: some 31 years, so that adding times never overflows.
pub const MAX_MILLISECONDS: u64 = 1_000_000_000_000;

/// What a message shows of a text that may be long or unprintable: its first characters, escaped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt(String);

impl Excerpt {
    fn of(text: &str) -> Excerpt {
        Excerpt(quote(text))
    }
}

impl Display for Excerpt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

/// The words of a line, one by one.
#[derive(Clone)]
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn of(line: &'a str) -> Words<'a> {
        Words { rest: line.trim() }
    }

    fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// The words up to, without, the next one that `ends`, with one space between them.
    fn join_until(&mut self, ends: impl Fn(&str) -> bool) -> String {
        let mut joined = String::new();
        while let Some(word) = self.peek().filter(|word| !ends(word)) {
            if !joined.is_empty() {
                joined.push(' ');
            }
            joined.push_str(word);
            self.next();
        }
        joined
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (word, rest) = self.rest.split_once(char::is_whitespace).unwrap_or((self.rest, ""));
        self.rest = rest.trim_start();
        Some(word)
    }
}

/// Writes each word with a space before it.
fn write_words<T: Display>(f: &mut Formatter<'_>, words: impl IntoIterator<Item = T>) -> fmt::Result {
    words.into_iter().try_for_each(|word| write!(f, " {word}"))
}

/// Writes ` name value` where there is a value.
fn write_field<T: Display>(f: &mut Formatter<'_>, name: &str, value: Option<T>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

/// Writes ` name N`, the time in whole milliseconds, where there is a time.
fn write_time(f: &mut Formatter<'_>, name: &str, time: Option<Duration>) -> fmt::Result {
    write_field(f, name, time.map(|time| time.as_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_printable() {
        assert_eq!(Excerpt::of("a\u{1b}[2J\0").to_string(), "`a\\u{1b}[2J\\0`");
        let long = Excerpt::of(&"x".repeat(1_000_000)).to_string();
        assert_eq!(long, format!("`{}...`", "x".repeat(40)));
    }

    #[test]
    fn words_are_parted_by_any_white_space() {
        assert_eq!(Words::of(" \tgo  depth\t3 \r\n").collect::<Vec<_>>(), ["go", "depth", "3"]);
        assert_eq!(Words::of(" ").next(), None);
    }
}
