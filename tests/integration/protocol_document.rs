//! The engine behaves as `protocol.md` and `docs/gui.md` describe.

use oshi::protocol::{OptionKind, Reply};

use crate::support::dialogue::Dialogue;

const DOCUMENT: &str = include_str!("../../protocol.md");
const GUI_GUIDE: &str = include_str!("../../docs/gui.md");

/// Returns the transcripts of a document, each as its lines.
fn transcripts(document: &'static str) -> Vec<Vec<&'static str>> {
    document
        .split("```transcript\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().lines().collect())
        .collect()
}

/// Returns true if the line matches: `*` matches any word, a final `...` any rest.
fn matches(pattern: &str, line: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern
            .strip_suffix("...")
            .map_or(line == pattern, |beginning| line.starts_with(beginning)),
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            let word = rest.find(' ').unwrap_or(rest.len());
            word > 0 && matches(after, &rest[word..])
        }),
    }
}

fn replay(transcript: &[&str]) {
    let mut dialogue = Dialogue::begin();
    let mut skipping = false;
    for (number, line) in transcript.iter().enumerate() {
        if let Some(command) = line.strip_prefix("> ") {
            assert!(!skipping, "line {number}: `< ...` needs a line after it");
            dialogue.say(command);
            continue;
        }
        let pattern = line.strip_prefix('<').expect("expected a line that begins with `> ` or `<`");
        let pattern = pattern.strip_prefix(' ').unwrap_or(pattern);
        if pattern == "..." {
            skipping = true;
            continue;
        }
        loop {
            let line = dialogue
                .next_line()
                .unwrap_or_else(|| panic!("the output ends before `{pattern}`"));
            if matches(pattern, &line) {
                break;
            }
            assert!(
                skipping,
                "expected `{pattern}`, found `{line}` at line {number} of\n{}",
                transcript.join("\n")
            );
        }
        skipping = false;
    }
    let (rest, status) = dialogue.end();
    assert_eq!(rest, Vec::<String>::new());
    assert!(status.success());
}

#[test]
fn engine_reproduces_transcripts() {
    let transcripts_of_protocol = transcripts(DOCUMENT);
    assert!(transcripts_of_protocol.len() >= 10);
    for transcript in transcripts_of_protocol.into_iter().chain(transcripts(GUI_GUIDE)) {
        assert_eq!(transcript.last(), Some(&"> quit"));
        replay(&transcript);
    }
}

#[test]
fn matches_patterns() {
    assert!(matches("bestmove * ponder *", "bestmove a1a5 ponder b8b4"));
    assert!(!matches("bestmove *", "bestmove a1a5 ponder b8b4"));
    assert!(matches("info ...", "info depth 1"));
    assert!(matches("Legal moves: ...", "Legal moves: a1a5 a1a6"));
    assert!(matches("error: b...", "error: because of this"));
    assert!(!matches("info * ...", "remark depth 1"));
}

#[test]
fn option_table_equals_uci_listing() {
    let section = DOCUMENT.split("## Options").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<String> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(str::trim).skip(1).take(4).collect::<Vec<_>>().join(" | "))
        .collect();
    let mut dialogue = Dialogue::begin();
    dialogue.say("uci");
    let listed: Vec<String> = dialogue
        .lines_to("uciok")
        .iter()
        .filter_map(|line| match Reply::parse(line) {
            Ok(Reply::Option(option)) => Some((option.name, option.kind)),
            _ => None,
        })
        .map(|(name, kind)| match kind {
            OptionKind::Check { default } => {
                format!("`{name}` | check | `{default}` | `true` `false`")
            }
            // The maximum is lower on a machine with less memory.
            OptionKind::Spin { default, min, max } if name == "Hash" && max <= 65_536 => {
                format!("`{name}` | spin | {default} | {min} to 65536")
            }
            OptionKind::Spin { default, min, max } => {
                format!("`{name}` | spin | {default} | {min} to {max}")
            }
            OptionKind::Combo { default, choices } => {
                format!("`{name}` | combo | `{default}` | `{}`", choices.join("` `"))
            }
            OptionKind::Text { default } if default.is_empty() => {
                format!("`{name}` | string | `<empty>` | a path")
            }
            OptionKind::Text { default } => format!("`{name}` | string | `{default}` | a path"),
            OptionKind::Button => format!("`{name}` | button |  | "),
        })
        .collect();
    assert_eq!(rows, listed);
}

#[test]
fn documents_every_command() {
    let section =
        DOCUMENT.split("## Lines to the engine").nth(1).unwrap().split("\n## ").next().unwrap();
    for (form, _) in oshi::protocol::Command::USAGE {
        let word = form.split(' ').next().unwrap();
        assert!(word == "#" || section.contains(&format!("`{word}")), "{form}");
    }
}

#[test]
fn documented_positions_are_valid() {
    let section = DOCUMENT.split("## Positions").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut dialogue = Dialogue::begin();
    let lines: Vec<&str> =
        section.split('`').filter(|text| text.contains('/') && text.contains(" b ")).collect();
    assert!(lines.len() >= 4);
    for line in lines {
        assert_eq!(dialogue.answers_to(&format!("position fen {line}")), Vec::<String>::new());
        assert_eq!(dialogue.board().last().unwrap(), &format!("Fen: {line}"));
    }
}
