//! Lists of moves as people write them: one data file for `basho convert`, openings and the engine.

use oshi::games::movetext::read_all;
use oshi::games::notation::Notation;
use oshi::games::{Variant, Visitor};

use crate::support::dialogue::Dialogue;
use crate::support::move_lists::cases;

/// A list of moves read as one game: its plies.
struct Plies<'a>(&'a str);

impl Visitor for Plies<'_> {
    type Output = Result<String, String>;

    fn visit<G: Notation>(self, start: G) -> Self::Output {
        let (moves, _) = read_all(&start, self.0).map_err(|error| error.to_string())?;
        Ok(moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }
}

#[test]
fn reads_every_spelling_as_the_same_plies() {
    for case in cases().iter().filter(|case| case.faults.is_empty() && case.games.len() == 1) {
        assert_eq!(
            case.variant.start().visit(Plies(&case.text)),
            Ok(case.games[0].clone()),
            "{}",
            case.name
        );
    }
}

/// The position after a list of moves, and the engine's answers to it.
fn engine_position(engine: &mut Dialogue, variant: Variant, moves: &str) -> (String, Vec<String>) {
    engine.say(&format!("setoption name UCI_Variant value {}", variant.name()));
    let answers = engine.answers_to(&format!("position startpos moves {moves}"));
    (engine.board().pop().unwrap(), answers)
}

#[test]
fn engine_reads_every_spelling_that_fits_on_a_line() {
    let mut engine = Dialogue::begin();
    let mut count = 0;
    for case in cases().iter().filter(|case| case.faults.is_empty()) {
        // A list of one game, or a list per line.
        let lines: Vec<String> = match case.games.len() {
            1 => vec![case.text.replace('\n', " ")],
            _ => case.text.lines().map(str::to_owned).collect(),
        };
        let is_plain =
            |line: &String| !line.contains(['#', '/']) && !line.contains(" ; ") && !line.is_empty();
        if lines.len() != case.games.len()
            || !lines.iter().all(is_plain)
            || case.name.starts_with("starts")
        {
            continue;
        }
        for (line, plies) in lines.iter().zip(&case.games) {
            let (read, answers) = engine_position(&mut engine, case.variant, line);
            assert_eq!(answers, Vec::<String>::new(), "{}: {line}", case.name);
            assert_eq!(
                read,
                engine_position(&mut engine, case.variant, plies).0,
                "{}: {line}",
                case.name
            );
            count += 1;
        }
    }
    assert!(count >= 25, "{count} lists");
}

#[test]
fn engine_plays_no_move_of_a_list_with_a_fault() {
    let mut engine = Dialogue::begin();
    for case in cases().iter().filter(|case| !case.faults.is_empty() && !case.text.contains('\n')) {
        let moves = case.text.strip_prefix("position startpos moves ").unwrap_or(&case.text);
        // The engine ignores a result.
        if case.name.starts_with("a result") {
            continue;
        }
        let (read, answers) = engine_position(&mut engine, case.variant, moves);
        let start = case.variant.start().visit(Line);
        assert!(
            matches!(&*answers, [one] if one.starts_with("info string error: move ")),
            "{}: {answers:?}",
            case.name
        );
        assert_eq!(read, format!("Fen: {start}"), "{}", case.name);
    }
}

#[test]
fn engine_reads_moves_and_searchmoves_in_any_spelling() {
    let mut engine = Dialogue::begin();
    engine.say("position startpos");
    assert_eq!(
        engine.answers_to("moves 1. A1-A5 {a comment} Pink Ahead 4 Brown"),
        Vec::<String>::new()
    );
    engine.say("go nodes 20 searchmoves a5-b6, Brown Ahead 1 Green");
    let best = engine.line("bestmove");
    assert!(best.starts_with("bestmove a5b6") || best.starts_with("bestmove a5a6"), "{best}");
    engine.say("go nodes 20 searchmoves a5-b6 nonsense");
    let refused = engine.line("info string error");
    assert!(
        refused.starts_with("info string error: searchmoves: `nonsense` is not a move"),
        "{refused}"
    );
}

struct Line;

impl Visitor for Line {
    type Output = String;

    fn visit<G: Notation>(self, start: G) -> String {
        start.to_string()
    }
}

#[cfg(all(feature = "basho", unix))]
mod files {
    use std::path::Path;

    use oshi::runner::records::convert::{Archive, Target, TextForm, print};

    use crate::support::move_lists::cases;

    /// The games as `position` commands without the usual start, and the faults.
    fn read(archive: &Archive, start: &str) -> (Vec<String>, Vec<(usize, String)>) {
        let (mut games, mut faults) = (Vec::new(), Vec::new());
        for (line, game) in archive.entries() {
            match game {
                Ok(sheet) => {
                    let command = print(&sheet, 1, Target::Moves).unwrap();
                    let moves = command.strip_prefix("position fen ").unwrap();
                    let usual = moves
                        .strip_prefix(start)
                        .map(|rest| rest.strip_prefix(" moves ").unwrap_or(rest));
                    games.push(usual.unwrap_or(moves).to_owned());
                }
                Err(fault) => faults.push((line, fault.to_string())),
            }
        }
        (games, faults)
    }

    #[test]
    fn archive_reads_every_list_and_names_every_fault() {
        for case in cases() {
            let start = case.variant.start().visit(super::Line);
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
        let game =
            "1. g1b6 d8h4\n2. e1e6 c8c6\n3. h1g2 a8b7\n4. g2g7 h8h7\n5. f1e2 g8f7\n6. d1d8\n";
        let text = game.repeat(400);
        let archive = Archive::of_text(
            Path::new("list"),
            text.as_bytes(),
            "kamisado-simple".parse().unwrap(),
        );
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
    fn keeps_a_result_that_the_rules_have_not_brought_about() {
        let archive = Archive::of_text(
            Path::new("list"),
            b"a1a5 d8d4 1-0",
            "kamisado-simple".parse().unwrap(),
        );
        let sheet = archive.games().next().unwrap().unwrap();
        assert_eq!((sheet.result.to_string(), sheet.moves.len()), ("1-0".to_owned(), 2));
        assert!(sheet.ending.is_some() && sheet.check().is_ok());
    }

    #[test]
    fn names_the_formats_that_are_not_read() {
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
}
