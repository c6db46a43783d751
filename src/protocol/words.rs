//! Words of a line.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use crate::game::quote;

/// Maximum duration in milliseconds, about 31 years. Sums of durations never overflow.
pub const MAX_MILLISECONDS: u64 = 1_000_000_000_000;

/// First characters of a text, escaped, for a message: the text may be long or unprintable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt(String);

impl Excerpt {
    /// Returns the excerpt of a text.
    pub fn of(text: &str) -> Excerpt {
        Excerpt(quote(text))
    }
}

impl Display for Excerpt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

/// Iterator over the words of a line.
#[derive(Clone)]
pub struct Words<'a> {
    /// Rest of the line, without surrounding white space.
    pub rest: &'a str,
}

impl<'a> Words<'a> {
    /// Splits a line.
    pub fn of(line: &'a str) -> Words<'a> {
        Words { rest: line.trim() }
    }

    /// Returns the next word without taking it.
    pub fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Takes the words before the first one that `ends`, and joins them by single spaces.
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

/// Writes ` name value`, or nothing without a value.
pub fn write_field<T: Display>(f: &mut Formatter<'_>, name: &str, value: Option<T>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

/// Writes ` name N` with the time in whole milliseconds, or nothing without a time.
pub fn write_time(f: &mut Formatter<'_>, name: &str, time: Option<Duration>) -> fmt::Result {
    write_field(f, name, time.map(|time| time.as_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_is_short_and_printable() {
        assert_eq!(Excerpt::of("a\u{1b}[2J\0").to_string(), "`a\\u{1b}[2J\\0`");
        let long = Excerpt::of(&"x".repeat(1_000_000)).to_string();
        assert_eq!(long, format!("`{}...`", "x".repeat(40)));
    }

    #[test]
    fn splits_at_white_space() {
        assert_eq!(Words::of(" \tgo  depth\t3 \r\n").collect::<Vec<_>>(), ["go", "depth", "3"]);
        assert_eq!(Words::of(" ").next(), None);
    }
}
