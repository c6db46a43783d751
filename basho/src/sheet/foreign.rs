//! Detects other file formats, for messages about files without games.

use serde::de::IgnoredAny;

/// A file format without games of Kamisado or Kamon.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Foreign {
    /// Bytes that are not text.
    #[error("binary data")]
    Binary,
    /// HTML.
    #[error("a web page (HTML)")]
    Html,
    /// XML of any kind.
    #[error("an XML file")]
    Xml,
    /// JSON that is not a game record.
    #[error("JSON, but not the record of a game")]
    Json,
    /// PGN of chess.
    #[error("a PGN file of chess")]
    ChessPgn,
}

/// Detects a foreign format by the beginning of a text.
pub fn by_beginning(text: &str) -> Option<Foreign> {
    let mut start =
        text.trim_start().chars().take(BEGINNING).collect::<String>().to_ascii_lowercase();
    if start.contains(|c: char| c.is_control() && !c.is_whitespace()) {
        return Some(Foreign::Binary);
    }
    if let Some(rest) = start.strip_prefix("<?xml") {
        start =
            if rest.contains("<html") { "<html".to_owned() } else { return Some(Foreign::Xml) };
    }
    let begins = |tags: &[&str]| tags.iter().any(|tag| start.starts_with(tag));
    if begins(&["<!doctype html", "<html", "<head", "<body"]) {
        Some(Foreign::Html)
    } else if begins(&["<svg", "<!"]) {
        Some(Foreign::Xml)
    } else if is_json(text) {
        Some(Foreign::Json)
    } else {
        None
    }
}

/// Number of characters that are examined.
const BEGINNING: usize = 1000;

/// Whether a text is a JSON object over several lines, or a list. Game records are objects on one
/// line.
fn is_json(text: &str) -> bool {
    let text = text.trim();
    let opens = |bracket| text.strip_prefix(bracket).map(str::trim_start);
    match (opens('{'), opens('[')) {
        (Some(inner), _) => {
            let line = text.lines().next().unwrap_or_default().trim_end();
            line == "{" && inner.starts_with(['"', '}'])
        }
        (None, Some(inner)) => {
            inner.starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
        }
        (None, None) => false,
    }
}

/// Whether a text has moves or headers of chess. Call it only for texts without games.
pub fn is_chess(text: &str) -> bool {
    const HEADERS: [&str; 5] = ["[Event ", "[Site ", "[White ", "[ECO ", "[Round "];
    let has_header = text
        .lines()
        .take(50)
        .any(|line| HEADERS.iter().any(|header| line.trim_start().starts_with(header)));
    has_header || text.split(|c: char| c.is_whitespace() || c == '.').take(200).any(is_piece_move)
}

/// Whether a word is a move of a chess piece, such as `Nf3`, `Bxc6+` or `O-O`.
fn is_piece_move(word: &str) -> bool {
    let word = word.trim_end_matches(['+', '#', '!', '?']);
    if matches!(word, "O-O" | "O-O-O") {
        return true;
    }
    let Some(squares) = word.strip_prefix(['K', 'Q', 'R', 'B', 'N']) else { return false };
    let squares = squares.replace('x', "");
    let is_short = (2..=4).contains(&squares.len());
    is_short && matches!(squares.as_bytes(), [.., b'a'..=b'h', b'1'..=b'8']) && squares.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_formats_by_their_beginning() {
        for (text, expected) in [
            ("a1a5\0", Some(Foreign::Binary)),
            ("\n<!DOCTYPE html><html>", Some(Foreign::Html)),
            ("<?xml version=\"1.0\"?>\n<html>", Some(Foreign::Html)),
            ("<?xml version=\"1.0\"?><svg>", Some(Foreign::Xml)),
            ("[{\"a\": 1}]", Some(Foreign::Json)),
            ("{\n  \"a\": 1", Some(Foreign::Json)),
            ("{\"format\":1}", None),
            ("{a remark} a1a5", None),
            ("[a remark] a1a5", None),
            ("{\na remark\n} a1a5", None),
            ("a1a5 d8d4", None),
        ] {
            assert_eq!(by_beginning(text), expected, "{text:?}");
        }
    }

    #[test]
    fn distinguishes_chess_from_lists_of_moves() {
        for text in ["1. e4 e5 2. Nf3 Nc6", "[Event \"x\"]\n\n1. e4 e5", "e4 e5 O-O"] {
            assert!(is_chess(text), "{text}");
        }
        for text in ["1. a1a5 d8d4 Blue Left 5", "B↑4P d4 e5"] {
            assert!(!is_chess(text), "{text}");
        }
    }
}
