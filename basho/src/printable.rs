//! Escapes for names and messages that come from outside.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character is invisible and controls the terminal. Bidirectional controls, which
/// reorder text, count too.
pub fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Escapes control characters, except tabs and line ends, as in JSON. Escaped records and sheets
/// keep their meaning.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_control(c) && !matches!(c, '\n' | '\t');
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// Escapes a name or message to one line: tabs and line ends, too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains(is_control) {
        true => Cow::Owned(printable(text).replace('\n', "\\n").replace('\t', "\\t")),
        false => Cow::Borrowed(text),
    }
}

/// Maximum length of a name that is shown whole, in characters.
pub const LONGEST_NAME: usize = 200;

/// Escapes a name to one line of at most [`LONGEST_NAME`] characters. Longer names lose their
/// middle, because names often differ at the end.
pub fn name(text: &str) -> Cow<'_, str> {
    let line = one_line(text);
    let length = line.chars().count();
    if length <= LONGEST_NAME {
        return line;
    }
    let side = (LONGEST_NAME - OMITTED.len()) / 2;
    let beginning = line.chars().take(side);
    Cow::Owned(beginning.chain(OMITTED.chars()).chain(line.chars().skip(length - side)).collect())
}

/// Replaces the middle of a long name. In ASCII, because some readers of the output require it.
const OMITTED: &str = "...";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_terminal_controls_only() {
        assert_eq!(
            printable("\x1b[31m\0\x07\r\x7f\u{9b}2J"),
            r"\u001b[31m\u0000\u0007\u000d\u007f\u009b2J"
        );
        assert_eq!(
            printable("a\u{202e}b\u{2066}"),
            r"a\u202eb\u2066",
            "controls that reorder text"
        );
        assert_eq!(printable("a\tb\nü 将棋 \\u001b"), "a\tb\nü 将棋 \\u001b");
    }

    #[test]
    fn one_line_escapes_line_ends_and_tabs() {
        assert_eq!(one_line("a\nb\tc\x1b"), r"a\nb\tc\u001b");
        assert_eq!(one_line("a\u{202e}"), r"a\u202e");
        assert_eq!(one_line("ü 将棋"), "ü 将棋");
    }

    #[test]
    fn shortens_long_names_in_the_middle() {
        assert_eq!(name("a\nb"), r"a\nb");
        assert_eq!(name(&"x".repeat(LONGEST_NAME)), "x".repeat(LONGEST_NAME));
        for long in [format!("ü{}ä", "x".repeat(1 << 17)), "\0".repeat(1 << 16)] {
            let shown = name(&long);
            assert!(shown.chars().count() <= LONGEST_NAME && shown.contains("..."), "{shown}");
        }
        let shown = name(&format!("ü{}ä", "x".repeat(LONGEST_NAME))).into_owned();
        assert!(shown.starts_with("üx") && shown.ends_with("xä"), "{shown}");
    }

    #[test]
    fn escaped_record_keeps_its_meaning() {
        let name = "\x1b[31m\u{9b}\x7f\r\"\\";
        let record = serde_json::to_string(name).unwrap();
        assert_eq!(serde_json::from_str::<String>(&printable(&record)).unwrap(), name);
    }
}
