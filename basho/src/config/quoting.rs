//! Splits a command line into words, with the quoting of shells and fastchess.
//!
//! Unlike a shell, it keeps a backslash unless a quote or white space follows, so that `C:\nets`
//! stays intact. The available crates drop such backslashes and do not report where an unmatched
//! quote is.

use crate::printable::one_line;

/// An unmatched quote.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unmatched `{mark}` at character {at} of `{}`; expected another one", one_line(.line))]
pub struct UnmatchedQuote {
    /// The quote character.
    pub mark: char,
    /// Position in the line, in characters from 1.
    pub at: usize,
    /// The whole line.
    pub line: String,
}

/// Splits a line at white space.
///
/// Single and double quotes keep white space in a word. Outside single quotes a backslash escapes a
/// quote; outside all quotes it also escapes white space.
///
/// # Errors
/// [`UnmatchedQuote`] if a quote is never closed.
pub fn split(line: &str) -> Result<Vec<String>, UnmatchedQuote> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut open: Option<(usize, char)> = None;
    let mut characters = (1..).zip(line.chars()).peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        let is_escape = character == '\\'
            && match open {
                Some((_, mark)) => mark == '"' && next == Some('"'),
                None => next.is_some_and(|next| matches!(next, '"' | '\'') || next.is_whitespace()),
            };
        match open {
            _ if is_escape => {
                word.get_or_insert_default().extend(characters.next().map(|(_, escaped)| escaped))
            }
            Some((_, mark)) if character == mark => open = None,
            Some(_) => word.get_or_insert_default().push(character),
            None if matches!(character, '"' | '\'') => {
                open = Some((at, character));
                word.get_or_insert_default();
            }
            None if character.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    match open {
        Some((at, mark)) => Err(UnmatchedQuote { mark, at, line: line.to_owned() }),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_at_white_space_outside_of_quotes() {
        let cases: [(&str, &[&str]); 12] = [
            ("", &[]),
            ("  a \t b\n", &["a", "b"]),
            (r#"argv --net "/data/my nets/a""#, &["argv", "--net", "/data/my nets/a"]),
            (r#"--net='/my nets/a' b"#, &["--net=/my nets/a", "b"]),
            (r#"a"b c"'d e'f"#, &["ab cd ef"]),
            (r#""" ''"#, &["", ""]),
            (r#""it's" '"x"'"#, &["it's", "\"x\""]),
            (r#"say \"x y\""#, &["say", "\"x", "y\""]),
            (r#""say \"x y\"""#, &["say \"x y\""]),
            (r"my\ nets/a", &["my nets/a"]),
            (
                r#"C:\nets\a "C:\my nets\a" 'C:\my nets\' "\\server\x""#,
                &[r"C:\nets\a", r"C:\my nets\a", r"C:\my nets\", r"\\server\x"],
            ),
            ("# a#b $HOME *", &["#", "a#b", "$HOME", "*"]),
        ];
        for (line, words) in cases {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
    }

    #[test]
    fn names_place_of_unmatched_quote() {
        let error = |line| split(line).unwrap_err().to_string();
        assert_eq!(
            error("ü \"a b"),
            "unmatched `\"` at character 3 of `ü \"a b`; expected another one"
        );
        assert_eq!(error("it's"), "unmatched `'` at character 3 of `it's`; expected another one");
        assert!(split("\"a\\\"").is_err());
    }

    proptest! {
        #[test]
        fn keeps_words_in_single_quotes(words in proptest::collection::vec("[^']{0,8}", 0..5)) {
            let line = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&line).unwrap(), words);
        }

        #[test]
        fn splits_plain_lines_at_white_space(line in "[^'\"\\\\]{0,40}") {
            prop_assert_eq!(split(&line).unwrap(), line.split_whitespace().collect::<Vec<_>>());
        }
    }
}
