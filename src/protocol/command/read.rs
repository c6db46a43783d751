//! Parsers of the parts of a command.

use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::protocol::error::ParseCommandError;
use crate::protocol::words::{Excerpt, Words};

/// Takes the next word, which is required.
pub fn required<'a>(
    words: &mut Words<'a>,
    after: &'static str,
    expected: &'static str,
) -> Result<&'a str, ParseCommandError> {
    words.next().ok_or(ParseCommandError::Missing { after, expected })
}

/// Takes the next word, which must be one of `choices`, and returns its value.
pub fn choice<T: Copy>(
    words: &mut Words<'_>,
    command: &'static str,
    expected: &'static str,
    choices: &[(&str, T)],
) -> Result<T, ParseCommandError> {
    let word = required(words, command, expected)?;
    let chosen = choices.iter().find(|(name, _)| *name == word);
    chosen
        .map(|&(_, value)| value)
        .ok_or_else(|| ParseCommandError::unexpected(word, command, expected))
}

/// Takes the next word, which must be a number in this range.
pub fn number<T>(
    words: &mut Words<'_>,
    after: &'static str,
    range: RangeInclusive<T>,
) -> Result<T, ParseCommandError>
where
    T: FromStr + PartialOrd + Copy + Into<u64>,
{
    let word = required(words, after, "a number")?;
    word.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        ParseCommandError::Number {
            word: Excerpt::of(word),
            after,
            min: (*range.start()).into(),
            max: (*range.end()).into(),
        }
    })
}

/// Takes all other words as the text of moves, possibly empty.
pub fn any_moves(words: &mut Words<'_>) -> Vec<String> {
    words.by_ref().map(str::to_owned).collect()
}

/// Takes all other words as the text of at least one move.
pub fn moves(words: &mut Words<'_>, after: &'static str) -> Result<Vec<String>, ParseCommandError> {
    let moves = any_moves(words);
    if moves.is_empty() {
        Err(ParseCommandError::Missing { after, expected: "at least one move" })
    } else {
        Ok(moves)
    }
}
