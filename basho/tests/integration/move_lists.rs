//! Lists of moves in files, as `basho convert` and `dohyo` read them.

use std::path::Path;

use basho::records::convert::{Archive, Target, TextForm, print};
use basho::records::transcript::start_line;

use crate::support::move_lists::cases;

/// The games as `position` commands without the default start, and the faults.
fn read(archive: &Archive, start: &str) -> (Vec<String>, Vec<(usize, String)>) {
    let (mut games, mut faults) = (Vec::new(), Vec::new());
    for (line, game) in archive.entries() {
        match game {
            Ok(sheet) => {
                let command = print(&sheet, 1, Target::Moves).unwrap();
                let moves = command.strip_prefix("position fen ").unwrap();
                let without_start = moves
                    .strip_prefix(start)
                    .map(|rest| rest.strip_prefix(" moves ").unwrap_or(rest));
                games.push(without_start.unwrap_or(moves).to_owned());
            }
            Err(fault) => faults.push((line, fault.to_string())),
        }
    }
    (games, faults)
}

#[test]
fn archive_reads_every_list_and_names_every_fault() {
    for case in cases() {
        let start = start_line(case.variant);
        let archive = Archive::of_text(Path::new("list"), case.text.as_bytes(), case.variant);
        assert_eq!(archive.form(), TextForm::Moves, "{}", case.name);
        let (games, faults) = read(&archive, &start);
        assert_eq!(games, case.games, "{}: {faults:?}", case.name);
        assert_eq!(faults.len(), case.faults.len(), "{}: {faults:?}", case.name);
        for ((line, message), (expected_line, expected)) in faults.iter().zip(&case.faults) {
            assert_eq!(line, expected_line, "{}: {message}", case.name);
            assert!(message.contains(expected.as_str()), "{}: {message}", case.name);
        }
    }
}

#[test]
fn reads_a_long_list_game_by_game() {
    let game = "1. g1b6 d8h4\n2. e1e6 c8c6\n3. h1g2 a8b7\n4. g2g7 h8h7\n5. f1e2 g8f7\n6. d1d8\n";
    let text = game.repeat(400);
    let archive =
        Archive::of_text(Path::new("list"), text.as_bytes(), "kamisado-simple".parse().unwrap());
    let lengths: Vec<usize> = archive.games().map(|game| game.unwrap().moves.len()).collect();
    assert_eq!(lengths, [11; 400]);
    let bad = "x y z\n".repeat(2_500);
    let archive =
        Archive::of_text(Path::new("list"), bad.as_bytes(), "kamisado-simple".parse().unwrap());
    let lines: Vec<usize> =
        archive.entries().map(|(line, game)| game.map_err(|_| line).unwrap_err()).collect();
    assert_eq!(lines, Vec::from_iter(1..=2_500));
}

#[test]
fn archive_finds_the_variant_of_a_list() {
    let text = "g2 b1 b4 a4\n\na1a5 d8d4\n";
    let archive =
        Archive::of_text(Path::new("list"), text.as_bytes(), "kamisado-long".parse().unwrap());
    let starts: Vec<String> =
        archive.games().map(|game| game.unwrap().check().unwrap().to_owned()).collect();
    assert_eq!(starts, ["kamon", "kamisado-long"]);
}

#[test]
fn keeps_result_of_unfinished_game() {
    let archive =
        Archive::of_text(Path::new("list"), b"a1a5 d8d4 1-0", "kamisado-simple".parse().unwrap());
    let sheet = archive.games().next().unwrap().unwrap();
    assert_eq!((sheet.result.to_string(), sheet.moves.len()), ("1-0".to_owned(), 2));
    assert!(sheet.ending.is_some() && sheet.check().is_ok());
}

#[test]
fn names_unsupported_formats() {
    for (text, format) in [
        ("[Event \"x\"]\n[Site \"y\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n", "a PGN file of chess"),
        ("1. d4 Nf6 2. c4 e6\n", "a PGN file of chess"),
        ("(;GM[1]FF[4]SZ[19];B[pd];W[dp])", "an SGF file of Go"),
        ("(;FF[4];B[pd])", "an SGF file of Go"),
        ("(;GM[Hex]SU[hex 0])", "an SGF file of `Hex`"),
        ("<!DOCTYPE html>\n<html><body>a1a5</body></html>\n", "a web page (HTML)"),
        ("<?xml version=\"1.0\"?>\n<svg/>\n", "an XML file"),
        ("{\n  \"games\": [],\n  \"name\": \"x\"\n}\n", "JSON, but not the record of a game"),
        ("[{\"from\": \"a1\"}, {\"to\": \"a5\"}]", "JSON, but not the record of a game"),
        ("\u{0}\u{1}\u{2}a1a5", "binary data"),
    ] {
        let archive = Archive::of_text(
            Path::new("file"),
            text.as_bytes(),
            "kamisado-standard".parse().unwrap(),
        );
        let messages: Vec<String> =
            archive.games().map(|game| game.unwrap_err().to_string()).collect();
        let [message] = messages.as_slice() else { panic!("{text:?}: {messages:?}") };
        assert!(
            message.contains(&format!("this is {format}")) && message.contains("expected"),
            "{message}"
        );
    }
}
