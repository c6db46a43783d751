//! Properties of every parser on arbitrary bytes, shared by property tests and the targets of
//! `fuzz/`. Each function panics if a property does not hold.

use std::fs;

use basho::config::Tournament;
use basho::record::GameRecord;
use basho::records::convert::{self, Archive, Target, TextForm};
use basho::records::manifest::Manifest;
use basho::sheet;
use oshi::draw::Draw;
use oshi::game::{Evaluator, RoundProof, Searchable};
use oshi::games::kamisado::{self, Match};
use oshi::games::kamon::Kamon;
use oshi::games::language::Language;
use oshi::games::movetext;
use oshi::games::notation::{Form, Notation};
use oshi::games::{SearchVisitor, Variant, Visitor, search_position, visit_position};
use oshi::protocol::{Command, Reply};

/// Checks that a message is short and has no control characters, even if it quotes the input.
fn check_message(message: &str) {
    assert!(!message.contains(|c: char| c.is_control() && c != '\n'), "{message:?}");
    assert!(
        message.chars().count() <= 1000,
        "a message of {} characters: {message:.200}",
        message.chars().count()
    );
}

/// A position line is rejected with a message, or all functions work on the position.
pub fn position(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match search_position(&text, Inspect) {
        Ok(()) => {}
        Err(error) => check_message(&error.to_string()),
    }
}

struct Inspect;

impl SearchVisitor for Inspect {
    type Output = ();

    fn visit<G: Searchable + Notation + Draw>(self, position: G) {
        let line = position.to_string();
        let Ok(again) = line.parse::<G>() else { panic!("cannot parse printed position {line}") };
        assert_eq!(again, position, "{line}");
        let moves = position.legal_moves();
        assert_eq!(moves.is_empty(), position.outcome().is_some(), "{line}");
        let value = G::Evaluator::default().value(&position, RoundProof::Unknown);
        assert!((0.0..=1.0).contains(&value), "{line}");
        assert!(
            !position.picture().is_empty() && position.svg(None).trim_end().ends_with("</svg>"),
            "{line}"
        );
        for mv in moves {
            assert_eq!(position.parse_move(&mv.to_string()), Ok(mv), "{line}");
            let mut next = position;
            next.play(mv);
            let after = next.to_string();
            let Ok(again) = after.parse::<G>() else {
                panic!("cannot parse {after}, printed after {mv} in {line}")
            };
            assert_eq!((again, again.hash()), (next, next.hash()), "{mv} in {line}");
        }
    }
}

/// Words are legal moves or are rejected with a message.
pub fn moves(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(2, '\n');
    let (first, rest) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    if visit_position(first, PlayOn(rest)).is_err() {
        PlayOn(&text).visit(Match::start(kamisado::Target::Marathon));
        PlayOn(&text).visit(Kamon::start());
    }
}

struct PlayOn<'a>(&'a str);

impl Visitor for PlayOn<'_> {
    type Output = ();

    fn visit<G: Notation + Draw>(self, mut position: G) {
        let reading = movetext::read(&position, &movetext::tokens(self.0));
        let mut end = position;
        for &mv in &reading.moves {
            assert!(end.legal_moves().contains(&mv));
            end.play(mv);
        }
        assert_eq!(end, reading.position);
        reading.fault.iter().for_each(|fault| check_message(&fault.error.to_string()));
        // Longer inputs test nothing more.
        for word in self.0.split_whitespace().take(500) {
            match position.parse_move(word) {
                Ok(mv) => {
                    assert!(position.legal_moves().contains(&mv));
                    assert_eq!(mv.to_string(), word);
                    position.play(mv);
                }
                Err(error) => check_message(&error.to_string()),
            }
        }
    }
}

/// A line to or from an engine is rejected with a message, or survives a round trip.
pub fn protocol(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        match Command::parse(line) {
            Ok(Some(command)) => {
                assert_eq!(Command::parse(&command.to_string()), Ok(Some(command)), "{line:?}")
            }
            Ok(None) => {}
            Err(error) => check_message(&error.to_string()),
        }
        match Reply::parse(line) {
            Ok(reply) => assert_eq!(Reply::parse(&reply.to_string()), Ok(reply), "{line:?}"),
            Err(error) => check_message(&error.to_string()),
        }
    }
}

/// Each sheet is rejected with its line, or survives a round trip in all languages.
pub fn sheets(bytes: &[u8]) {
    let lines = bytes.split(|&byte| byte == b'\n').count();
    for (line, read) in sheet::parse(bytes) {
        assert!((1..=lines).contains(&line));
        match read {
            Ok(sheet) => {
                for form in [Form::Words, Form::Symbols] {
                    for &language in Language::ALL {
                        let printed = sheet.print(form, language).unwrap();
                        let again = sheet::parse(printed.as_bytes());
                        assert!(
                            matches!(again.as_slice(), [(1, Ok(same))] if *same == sheet),
                            "{printed}\n{again:?}"
                        );
                    }
                }
            }
            Err(error) => {
                assert!((line..=lines).contains(&error.line), "{error}");
                check_message(&error.to_string());
            }
        }
    }
}

/// Each game of a file in any format is rejected with its line, or converted to all formats.
pub fn records(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n') {
        if let Ok(record) = serde_json::from_slice::<GameRecord>(line) {
            let printed = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<GameRecord>(&printed).unwrap(), record, "{printed}");
        }
    }
    // `Archive` reads files only.
    let path = std::env::temp_dir().join(format!(
        "oshi-records-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    fs::write(&path, bytes).unwrap();
    for form in [None, Some(TextForm::Jsonl), Some(TextForm::Moves), Some(TextForm::Boardspace)] {
        let archive = Archive::open(&path, form, Some(Variant::default())).unwrap();
        for game in archive.games() {
            match game {
                Ok(sheet) => {
                    for target in [
                        Target::Jsonl,
                        Target::Moves,
                        Target::Sheet(Form::Symbols, Language::English),
                    ] {
                        let _ = convert::print(&sheet, 1, target);
                    }
                }
                Err(bad) => {
                    assert!(bad.line > 0);
                    check_message(&bad.fault.to_string());
                }
            }
        }
    }
    fs::remove_file(&path).unwrap();
}

/// A tournament file or a manifest is rejected with a message, or survives a round trip.
pub fn tournament(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(mut tournament) = toml::from_str::<Tournament>(&text) {
        if tournament.resolve().is_err() {
            return;
        }
        let printed = toml::to_string(&tournament).unwrap();
        assert_eq!(toml::from_str::<Tournament>(&printed).unwrap(), tournament, "{printed}");
        if tournament.engines().is_ok() {
            let _ = tournament.schedule();
        }
    }
    if let Ok(manifest) = toml::from_str::<Manifest>(&text) {
        assert_eq!(
            toml::from_str::<Manifest>(&toml::to_string(&manifest).unwrap()).unwrap(),
            manifest
        );
    }
}
