//! Splits move text into words, move numbers and results. Drops comments, separators and marks.

use crate::game::{Outcome, Player};
use crate::games::spelling::{is_arrow, is_dash, is_hyphen, is_term};

/// A token of a text with its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// Line that it begins on, from 0.
    pub line: usize,
    /// Kind with text or value.
    pub kind: Kind<'a>,
}

/// Kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind<'a> {
    /// A move, or a word of one, without marks such as `!?`.
    Word(&'a str),
    /// A move number: `12.`, `12...` or `12)`.
    Number(u32),
    /// A result: `1-0`, `0-1`, `1/2-1/2`; `None` for `*`.
    Result(Option<Outcome>),
    /// An unclosed comment, up to the end of its line.
    Unclosed(&'a str),
}

/// Splits a text into tokens.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut reader = Reader { rest: text, line: 0, tokens: Vec::new() };
    while reader.step() {}
    reader.tokens
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Reader<'a> {
    /// Reads one word, separator or comment; false at the end of the text.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        match first {
            '(' | '{' | '[' => self.comment(first),
            '#' => drop(self.take(end_of_line(self.rest))),
            ';' if is_followed_by_move(self.rest) => drop(self.take(1)),
            ';' => drop(self.take(end_of_line(self.rest))),
            _ if is_separator(first) => drop(self.take(first.len_utf8())),
            _ => self.word(),
        }
        true
    }

    /// Consumes the first `length` bytes of the rest.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.rest = rest;
        taken
    }

    fn push(&mut self, kind: Kind<'a>) {
        self.tokens.push(Token { line: self.line, kind });
    }

    fn comment(&mut self, opening: char) {
        match comment_length(self.rest, opening) {
            Some(length) => drop(self.take(length)),
            None => {
                let (line, text) = (self.line, self.take(end_of_line(self.rest)));
                self.tokens.push(Token { line, kind: Kind::Unclosed(text.trim_end()) });
            }
        }
    }

    fn word(&mut self) {
        let ends = |c: char| is_separator(c) || matches!(c, '(' | '{' | '[' | ';' | '#');
        let length = self.rest.find(ends).unwrap_or(self.rest.len());
        let word = self.take(length);
        if self.rest.starts_with('#') && is_followed_by_move(self.rest) {
            // This `#` marks a move that ends a round.
            self.take(1);
        }
        self.split_word(word);
    }

    /// Splits a word such as `1.a1a5!?`.
    fn split_word(&mut self, word: &'a str) {
        let (number, word) = split_number(word);
        if let Some(number) = number {
            self.push(Kind::Number(number));
        }
        let word = word.trim_matches(is_quotation_mark);
        if let Some(result) = read_result(word) {
            return self.push(Kind::Result(result));
        }
        let word =
            word.trim_start_matches('…').trim_end_matches(is_mark).trim_matches(is_quotation_mark);
        let is_annotation = word
            .strip_prefix('$')
            .is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_annotation && !word.is_empty() {
            self.push(Kind::Word(word));
        }
    }
}

const fn is_separator(character: char) -> bool {
    character.is_whitespace() || matches!(character, ',' | '|' | '\u{feff}')
}

/// Whether the character is a sign such as `!` or `?`, which may follow a move.
const fn is_mark(character: char) -> bool {
    matches!(character, '!' | '?' | '‼' | '⁇' | '⁈' | '⁉' | '+' | '.' | '…' | ':')
}

const fn is_quotation_mark(character: char) -> bool {
    matches!(character, '"' | '\'' | '`' | '“' | '”' | '„' | '«' | '»')
}

fn end_of_line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Length of a comment with its brackets; `None` if it is not closed. Round brackets nest.
fn comment_length(text: &str, opening: char) -> Option<usize> {
    let closing = match opening {
        '(' => ')',
        '{' => '}',
        _ => ']',
    };
    let mut depth = 0usize;
    for (at, character) in text.char_indices() {
        if character == closing {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at + closing.len_utf8());
            }
        } else if character == opening && (opening == '(' || depth == 0) {
            depth += 1;
        }
    }
    None
}

/// Whether a move or a move number follows the first character, a `;` or `#`, on the same line.
/// Then `;` separates moves and `#` is a mark; otherwise they begin a comment.
fn is_followed_by_move(text: &str) -> bool {
    let rest = text.get(1..).unwrap_or_default();
    let mut line = rest.get(..end_of_line(rest)).unwrap_or_default().trim_start();
    while let Some(opening) = line.chars().next().filter(|first| matches!(first, '(' | '{' | '['))
        && let Some(behind) = comment_length(line, opening).and_then(|length| line.get(length..))
    {
        line = behind.trim_start();
    }
    let line = line.split([';', '#', '(', '{', '[']).next().unwrap_or_default();
    let words: Vec<&str> = line.split(is_separator).filter(|word| !word.is_empty()).collect();
    words.split_first().is_some_and(|(first, behind)| begins_move(first, behind))
}

/// Whether `first`, followed by `behind`, begins a move or a move number.
fn begins_move(first: &str, behind: &[&str]) -> bool {
    let is_digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = |word: &str| is_digits(word) || split_number(word).0.is_some();
    // A comment may begin with a colour, too. In a name, a direction or a number follows.
    let is_name = || match behind {
        [] => true,
        [next, ..] if is_number(next) || has_square(next) => true,
        [next, more @ ..] => is_term(next) || more.iter().take(2).any(|word| is_term(word)),
    };
    has_square(first)
        || first == "0000"
        || first.contains(is_arrow)
        || split_number(first).0.is_some()
        || (is_dash(first) && behind.is_empty())
        // Two rows and two columns.
        || (is_digits(first) && behind.len() == 3 && behind.iter().all(|word| is_digits(word)))
        || (is_term(first.trim_end_matches(is_mark)) && is_name())
}

/// Whether a word contains a letter followed by a digit.
fn has_square(word: &str) -> bool {
    word.as_bytes().windows(2).any(|pair| matches!(pair, [b'a'..=b'z' | b'A'..=b'Z', b'0'..=b'9']))
}

/// Splits off a move number, which ends with `.`, `...`, `)` or `:`.
fn split_number(word: &str) -> (Option<u32>, &str) {
    let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (number, rest) = word.split_at_checked(digits).unwrap_or((word, ""));
    let after = rest.trim_start_matches(['.', '…', ')', ':']);
    match number.parse() {
        Ok(number) if number > 0 && digits <= 4 && after.len() < rest.len() => {
            (Some(number), after)
        }
        _ => (None, word),
    }
}

/// Reads a result; `Some(None)` for an unfinished game.
fn read_result(word: &str) -> Option<Option<Outcome>> {
    let plain: String = word.chars().map(|c| if is_hyphen(c) { '-' } else { c }).collect();
    Some(match plain.as_str() {
        "1-0" => Some(Outcome::Win(Player::Black)),
        "0-1" => Some(Outcome::Win(Player::White)),
        "1/2-1/2" | "½-½" => Some(Outcome::Draw),
        "*" => None,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let words = tokens(text).into_iter().filter_map(|token| match token.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        });
        words.collect()
    }

    #[test]
    fn drops_comments_marks_and_separators() {
        let text = "a1a5! (a (nested) one), b8b4?? {no [more]} ; a remark\n\
                    c1c4!?; d8d4 [x] $12 | 'e1e5' # d1d2\n";
        assert_eq!(words(text), ["a1a5", "b8b4", "c1c4", "d8d4", "e1e5"]);
        assert_eq!(words("a4a8# left b1b2"), ["a4a8", "left", "b1b2"]);
        assert_eq!(words("a1a5#mate in two"), ["a1a5"]);
        for comment in [
            "Yellow is called",
            "left is better",
            "3 moves later",
            "la tour",
            "a1 is empty (really)",
        ] {
            let expected = if comment.starts_with("a1") {
                vec!["a1a5", "a1", "is", "empty"]
            } else {
                vec!["a1a5"]
            };
            assert_eq!(words(&format!("a1a5 ; {comment}")), expected, "{comment}");
        }
        assert_eq!(
            words("a1a5; Pink Ahead 4 Brown; pass; left"),
            ["a1a5", "Pink", "Ahead", "4", "Brown", "pass", "left"]
        );
        for (text, count) in [
            ("B↑4P; P↑4B", 2),
            ("0 0 4 0; 7 3 3 3", 8),
            ("a1a5; --", 2),
            ("a1a5; -- a remark", 1),
            ("a1a5; (good) {really} d8d4", 2),
            ("f1f8; ←; a8a2", 3),
            ("f1f8; Placement de gauche à droite; a8a2", 7),
            ("f1f8; Aranjare de la stânga; a8a2", 6),
        ] {
            assert_eq!(words(text).len(), count, "{text}");
        }
    }

    #[test]
    fn distinguishes_numbers_results_and_passes() {
        let kinds: Vec<Kind> = tokens("1. a1a5 1...0000 12) -- 3.b1b2. 0–1 *")
            .into_iter()
            .map(|token| token.kind)
            .collect();
        let white = Kind::Result(Some(Outcome::Win(Player::White)));
        let [a1a5, pass, dashes, b1b2] = ["a1a5", "0000", "--", "b1b2"].map(Kind::Word);
        let [one, twelve, three] = [1, 12, 3].map(Kind::Number);
        assert_eq!(
            kinds,
            [one, a1a5, one, pass, twelve, dashes, three, b1b2, white, Kind::Result(None)]
        );
    }

    #[test]
    fn unclosed_comment_ends_with_its_line() {
        let tokens = tokens("{two\nlines} a1a5\n(open b1b2\nc1c2");
        let expected =
            [(1, Kind::Word("a1a5")), (2, Kind::Unclosed("(open b1b2")), (3, Kind::Word("c1c2"))];
        assert_eq!(tokens, expected.map(|(line, kind)| Token { line, kind }));
    }
}
