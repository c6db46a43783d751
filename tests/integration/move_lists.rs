//! Lists of moves in the spellings that people use, from a data file shared with basho and dohyo.

use oshi::games::movetext::read_all;
use oshi::games::notation::Notation;
use oshi::games::{Variant, Visitor};

use crate::support::dialogue::Dialogue;
use crate::support::move_lists::cases;
use crate::support::start::start_line;

/// Parses a list of moves as one game and returns its plies.
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

/// Position line and answers of the engine after a list of moves.
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
        // A case has one game, or one game per line.
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
    assert!(count >= 25, "only {count} lists");
}

#[test]
fn engine_plays_no_move_of_a_list_with_a_fault() {
    let mut engine = Dialogue::begin();
    for case in cases().iter().filter(|case| !case.faults.is_empty() && !case.text.contains('\n')) {
        let moves = case.text.strip_prefix("position startpos moves ").unwrap_or(&case.text);
        // The engine ignores results in lists.
        if case.name.starts_with("a result") {
            continue;
        }
        let (read, answers) = engine_position(&mut engine, case.variant, moves);
        let start = start_line(case.variant);
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
