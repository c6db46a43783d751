//! The tables and test vectors of `docs/rules.md` and `docs/bot.md` agree with the library.

use oshi::game::{Outcome, Player, Text};
use oshi::games::kamisado::{Layout, Match, Square};
use oshi::games::kamon::{Cell, Kamon};
use oshi::games::{Variant, Visitor, visit_position};

use crate::perft::check_file;
use crate::support::start::start_line;

const RULES: &str = include_str!("../../docs/rules.md");
const BOT: &str = include_str!("../../docs/bot.md");

/// The fenced blocks of a kind, such as `perft`.
fn blocks(kind: &str) -> Vec<&'static str> {
    let fence = format!("```{kind}\n");
    RULES.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// The cells of the rows of all tables of this width.
fn rows(document: &'static str, columns: usize) -> Vec<Vec<&'static str>> {
    let lines = document.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = lines.map(|line| line.split(" | ").map(|cell| cell.trim_matches('`')).collect());
    rows.filter(|row: &Vec<&str>| row.len() == columns).collect()
}

/// Plays moves; panics at an illegal one.
fn play<G: Text>(mut position: G, moves: &str) -> G {
    for text in moves.split_whitespace() {
        position.play(position.parse_move(text).unwrap_or_else(|error| panic!("{error}")));
    }
    position
}

fn sorted(moves: impl Iterator<Item = String>) -> Vec<String> {
    let mut moves: Vec<String> = moves.collect();
    moves.sort();
    moves
}

#[test]
fn square_colours_are_those_of_the_board() {
    let rows: Vec<_> =
        rows(RULES, 9).into_iter().filter(|row| row[0].parse::<u8>().is_ok()).collect();
    assert_eq!(rows.len(), 8);
    for row in rows {
        let rank = row[0].parse::<u8>().unwrap() - 1;
        for (file, colour) in (0..8).zip(&row[1..]) {
            let square = Square::new(file, rank);
            assert_eq!(*colour, square.colour().letter().to_string(), "{square}");
        }
    }
}

#[test]
fn layouts_rename_colours_as_described() {
    for layout in Layout::ALL {
        let table = rows(RULES, 3);
        let row = table.iter().find(|row| row[0] == layout.name()).unwrap();
        let home: String =
            (0..8).map(|file| layout.rename(Square::new(file, 0).colour()).letter()).collect();
        assert_eq!(row[2], home);
        for pair in row[1].split(", ").filter(|pair| pair.contains('↔')) {
            let (one, other) = pair.split_once('↔').unwrap();
            let file = (0..8).find(|&file| letter(file) == one).unwrap();
            let renamed = layout.rename(Square::new(file, 0).colour()).letter();
            assert_eq!(renamed.to_string(), other, "{}", layout.name());
        }
    }

    fn letter(file: u8) -> String {
        Square::new(file, 0).colour().letter().to_string()
    }
}

#[test]
fn adjacency_of_kamon_is_that_of_the_cells() {
    let [table] = blocks("adjacency")[..] else { panic!("expected one adjacency table") };
    let expected: String = Cell::all()
        .map(|cell| {
            let neighbours: Vec<String> =
                cell.neighbours().iter().map(|cell| cell.to_string()).collect();
            format!("{cell}: {}\n", neighbours.join(" "))
        })
        .collect();
    assert_eq!(table, expected);
}

#[test]
fn variants_and_targets_are_those_of_the_engine() {
    struct Target;
    impl Visitor for Target {
        type Output = Option<u8>;

        fn visit<G: Text>(self, position: G) -> Option<u8> {
            position.points_to_win()
        }
    }
    let table = rows(RULES, 3);
    let listed: Vec<_> = table.iter().filter(|row| row[0].starts_with("kam")).collect();
    assert!(listed.iter().map(|row| row[0]).eq(Variant::ALL.iter().map(|variant| variant.name())));
    for (row, variant) in listed.into_iter().zip(Variant::ALL) {
        let target = row[2].split(' ').next().unwrap().parse().ok();
        assert_eq!(variant.start().visit(Target), target, "{}", row[0]);
    }
}

#[test]
fn start_positions_of_the_bot_guide_are_those_of_the_engine() {
    let expected: String = Variant::ALL
        .iter()
        .map(|variant| format!("{:<18} {}\n", variant.name(), start_line(*variant)))
        .collect();
    assert!(BOT.contains(&expected), "expected\n{expected}");
}

#[test]
fn leaf_counts_are_exact() {
    let [kamisado, kamon] = blocks("perft")[..] else { panic!("expected a block for each game") };
    check_file::<Match>(kamisado);
    check_file::<Kamon>(kamon);
}

#[test]
fn move_lists_are_complete() {
    struct Legal;
    impl Visitor for Legal {
        type Output = Vec<String>;

        fn visit<G: Text>(self, position: G) -> Vec<String> {
            sorted(position.legal_moves().into_iter().map(|mv| mv.to_string()))
        }
    }
    let [block] = blocks("legal")[..] else { panic!("expected one block of move lists") };
    for entry in block.trim().split("\n\n") {
        let (line, moves) = entry.split_once('\n').unwrap();
        let listed = sorted(moves.split_whitespace().map(str::to_owned));
        assert_eq!(visit_position(line, Legal), Ok(listed), "{line}");
    }
}

/// Plays moves, then reports the position line and the result, if the game is over.
struct After<'a>(&'a str);

impl Visitor for After<'_> {
    type Output = (String, Option<Outcome>);

    fn visit<G: Text>(self, position: G) -> Self::Output {
        let position = play(position, self.0);
        (position.to_string(), position.outcome())
    }
}

#[test]
fn single_steps_lead_to_their_positions() {
    let steps = blocks("step");
    assert!(!steps.is_empty());
    for step in steps {
        let [before, moves, after] = step.lines().collect::<Vec<_>>()[..] else {
            panic!("expected three lines in\n{step}")
        };
        assert_eq!(visit_position(before, After(moves)).unwrap().0, after, "{before} {moves}");
    }
}

#[test]
fn whole_games_end_with_their_results() {
    let games = blocks("game");
    assert!(!games.is_empty());
    for game in games {
        let (start, rest) = game.trim().split_once('\n').unwrap();
        let (moves, end) = rest.rsplit_once('\n').unwrap();
        let (result, line) = end.split_once(' ').unwrap();
        let outcome = match result {
            "1-0" => Outcome::Win(Player::Black),
            "0-1" => Outcome::Win(Player::White),
            _ => Outcome::Draw,
        };
        let found = visit_position(start, After(moves)).unwrap();
        assert_eq!(found, (line.to_owned(), Some(outcome)));
    }
}
