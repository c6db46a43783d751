//! Reading and printing the words of a line.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use crate::game::quote;

/// The longest span of time that may be written, in milliseconds: some 31 years, so that adding times never overflows.
pub const MAX_MILLISECONDS: u64 = 1_000_000_000_000;

/// A text as a message shows it, which may be long or unprintable: its first characters, escaped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt(String);

impl Excerpt {
    /// The excerpt of a text.
    pub fn of(text: &str) -> Excerpt {
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
pub struct Words<'a> {
    /// What follows the words read so far, without white space around it.
    pub rest: &'a str,
}

impl<'a> Words<'a> {
    /// The words of a line.
    pub fn of(line: &'a str) -> Words<'a> {
        Words { rest: line.trim() }
    }

    /// The next word, without taking it.
    pub fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// The words before the next one that `ends`, with one space between them.
    pub fn join_until(&mut self, ends: impl Fn(&str) -> bool) -> String {
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
pub fn write_words<T: Display>(
    f: &mut Formatter<'_>,
    words: impl IntoIterator<Item = T>,
) -> fmt::Result {
    words.into_iter().try_for_each(|word| write!(f, " {word}"))
}

/// Writes ` name value` if there is a value.
pub fn write_field<T: Display>(f: &mut Formatter<'_>, name: &str, value: Option<T>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

/// Writes ` name N`, the time in whole milliseconds, if there is one.
pub fn write_time(f: &mut Formatter<'_>, name: &str, time: Option<Duration>) -> fmt::Result {
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
    fn words_are_separated_by_any_white_space() {
        assert_eq!(Words::of(" \tgo  depth\t3 \r\n").collect::<Vec<_>>(), ["go", "depth", "3"]);
        assert_eq!(Words::of(" ").next(), None);
    }
}
