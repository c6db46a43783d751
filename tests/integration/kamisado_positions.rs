//! Parsing of Kamisado's position lines and moves: errors name the fault, and no input panics.

use oshi::game::{Game, MoveError, Outcome, Player, Text};
use oshi::games::kamisado::{Match, PositionError};
use proptest::prelude::*;
use proptest::sample::Index;

const START: &str = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3";
const PERFT: &str = include_str!("../data/kamisado-perft.txt");
const LAYOUTS: &str = include_str!("../data/kamisado-layouts.txt");

fn error(line: &str) -> PositionError {
    match line.parse::<Match>() {
        Ok(position) => panic!("{line} was read as {position}"),
        Err(error) => error,
    }
}

/// Checks the error of a line, and the words that its message contains.
fn check(line: &str, expected: PositionError, named: &[&str]) {
    let found = error(line);
    let message = found.to_string();
    assert_eq!(found, expected, "{line}: {message}");
    for word in named {
        assert!(message.contains(word), "`{message}` does not name `{word}`");
    }
}

#[test]
fn rejects_side_lacking_a_tower() {
    let missing = |player, colour| PositionError::NoTower { player, colour };
    check(
        "1LVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3",
        missing(Player::White, "orange"),
        &["White", "no orange"],
    );
    check(
        "OLVPYRGB/8/8/8/8/8/8/bgrypv1o b - 0-0 3",
        missing(Player::Black, "blue"),
        &["Black", "no blue"],
    );
    check("8/8/8/8/8/8/8/8 b - 0-0 3", missing(Player::Black, "brown"), &["Black", "no brown"]);
    // In another layout, errors name the colours of that layout.
    check(
        "BVLYPGRO/8/8/8/8/8/8/1rgpylvb b - 0-0 3 turned",
        missing(Player::Black, "orange"),
        &["no orange"],
    );
}

#[test]
fn rejects_two_towers_of_a_colour() {
    let two = |player, colour| PositionError::TwoTowers { player, colour };
    check(
        "OOVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3",
        two(Player::White, "orange"),
        &["White", "two orange"],
    );
    check(
        "OLVPYRGB/8/8/8/3v4/8/8/bgrypvlo b - 0-0 3",
        two(Player::Black, "violet"),
        &["Black", "two violet"],
    );
    check(
        "BVLYPGRO/8/8/8/8/8/8/oogpylvb b - 0-0 3 turned",
        two(Player::Black, "orange"),
        &["two orange"],
    );
}

#[test]
fn rejects_more_than_three_teeth() {
    let teeth =
        |teeth, most| PositionError::Teeth { player: Player::Black, colour: "green", teeth, most };
    check(
        "OLVPYRGB/8/8/8/8/8/8/b++++grypvlo b - 0-0 15",
        teeth(4, 3),
        &["Black", "green", "4 teeth", "at most 3"],
    );
    // A fourth tooth ends the match, so only a finished match may have it.
    assert!("OLVPYRGB/8/8/8/8/8/8/b++++grypvlo w - 15-0 15".parse::<Match>().is_ok());
    check("OLVPYRGB/8/8/8/8/8/8/b+++++grypvlo w - 15-0 15", teeth(5, 4), &["5 teeth", "at most 4"]);
    assert!(matches!(
        error(&START.replace('g', &("+".repeat(1000) + "g"))),
        PositionError::Teeth { teeth: 255, .. }
    ));
}

#[test]
fn rejects_targets_other_than_1_3_7_15() {
    for target in
        ["0", "2", "5", "16", "-3", "+3", "03", "3.0", "three", "99999999999999999999", "३"]
    {
        let line = format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 {target}");
        check(
            &line,
            PositionError::Target(target.to_owned()),
            &["target", target, "1, 3, 7 or 15"],
        );
    }
}

#[test]
fn rejects_two_winners() {
    for points in ["3-3", "4-3", "3-9"] {
        let line = format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - {points} 3");
        check(&line, PositionError::BothWon(3), &["both sides", "3 points"]);
    }
}

#[test]
fn finished_match_has_no_call_and_loser_to_move() {
    let over = |winner| PositionError::Over { winner };
    for (turn_and_call, points, winner, loser) in [
        ("b -", "3-0", Player::Black, "White to move"),
        ("w r", "3-0", Player::Black, "`-`"),
        ("b refill", "3-0", Player::Black, "Black has won"),
        ("w refill", "3-0", Player::Black, "`-`"),
        ("w -", "2-4", Player::White, "Black to move"),
        ("b x", "2-4", Player::White, "White has won"),
    ] {
        check(
            &format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo {turn_and_call} {points} 3"),
            over(winner),
            &[loser],
        );
    }
    for (turn, points, winner) in
        [("w", "3-0", Player::Black), ("b", "0-3", Player::White), ("w", "99-2", Player::Black)]
    {
        let line = format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo {turn} - {points} 3");
        let position: Match = line.parse().unwrap();
        assert_eq!(position.outcome(), Some(Outcome::Win(winner)), "{line}");
        assert!(position.legal_moves().is_empty() && position.to_string() == line, "{line}");
    }
}

#[test]
fn rejects_wrong_number_of_squares() {
    let length = |rank, found| PositionError::RankLength { rank, found };
    check(
        "OLVPYRG/8/8/8/8/8/8/bgrypvlo b - 0-0 3",
        length(8, 7),
        &["rank 8", "7 squares", "expected 8"],
    );
    check("OLVPYRGB/8/81/8/8/8/8/bgrypvlo b - 0-0 3", length(6, 9), &["rank 6", "9 squares"]);
    check("OLVPYRGB/8/8/8/8/8//bgrypvlo b - 0-0 3", length(2, 0), &["rank 2", "0 squares"]);
    check("OLVPYRGB/8/8/8/8/8/8/bgrypvlo1 b - 0-0 3", length(1, 9), &["rank 1"]);
    check(
        "OLVPYRGB/8/8/8/8/8/bgrypvlo b - 0-0 3",
        PositionError::Ranks(7),
        &["7 ranks", "expected 8"],
    );
    check("OLVPYRGB/8/8/8/8/8/8/8/bgrypvlo b - 0-0 3", PositionError::Ranks(9), &["9 ranks"]);
    check("startpos b - 0-0 3", PositionError::Ranks(1), &["1 ranks"]);
}

#[test]
fn rejects_unknown_characters() {
    let character = |rank, found: &str| PositionError::Character { rank, found: found.to_owned() };
    check("OLVPYRGB/8/8/8/3x4/8/8/bgrypvlo b - 0-0 3", character(4, "x"), &["rank 4", "`x`"]);
    check("OLVPYRGB/9/8/8/8/8/8/bgrypvlo b - 0-0 3", character(7, "9"), &["rank 7", "`9`"]);
    check("OLVPYRGB/0/8/8/8/8/8/bgrypvlo b - 0-0 3", character(7, "0"), &["`0`"]);
    check("OLVPYRGB/8/8/8/8/8/8/bgrypvl\u{e9} b - 0-0 3", character(1, "\u{e9}"), &["rank 1"]);
    check("OLVPYRGB/8/\u{7}8/8/8/8/8/bgrypvlo b - 0-0 3", character(6, "\\u{7}"), &["\\u{7}"]);
    // A `+` must precede a tower.
    check("OLVPYRGB/8/8/8/8/8/8/bgrypvlo+ b - 0-0 3", character(1, "+"), &["rank 1", "`+`"]);
    check("OLVPYRGB/8+/8/8/8/8/8/bgrypvlo b - 0-0 3", character(7, "+"), &["rank 7", "`+`"]);
    check("OLVPYRGB/+8/8/8/8/8/8/bgrypvlo b - 0-0 3", character(7, "8"), &["rank 7", "`8`"]);
}

#[test]
fn rejects_deadlocked_rounds() {
    // A pair of blocked towers that call each other, and a cycle of four.
    for (board, calls) in [
        ("OLVPY1GB/8/8/8/8/6lR/6og/b1rypv2", vec!["w r", "b g"]),
        ("O2PY1GB/8/8/8/Lp6/gV4lR/6oy/b1r2v2", vec!["w r", "b g", "w l", "b y"]),
    ] {
        for call in calls {
            check(&format!("{board} {call} 0-0 3"), PositionError::Deadlock, &["deadlock"]);
        }
        assert!(format!("{board} b b 0-0 3").parse::<Match>().is_ok(), "the brown tower can move");
        assert!(
            format!("{board} w refill 0-0 3").parse::<Match>().is_ok(),
            "a finished round may have any board"
        );
    }
    // A free choice, and all of Black's towers are blocked.
    check(
        "bgrypvlo/8/8/8/8/8/8/OLVPYRGB b - 0-0 3",
        PositionError::Deadlock,
        &["no tower can ever move"],
    );
}

#[test]
fn error_names_the_invalid_field() {
    let line = |fields: &str| format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo {fields}");
    for turn in ["B", "black", "x", "-"] {
        check(
            &line(&format!("{turn} - 0-0 3")),
            PositionError::Turn(turn.to_owned()),
            &["side to move", turn, "`b` or `w`"],
        );
    }
    for called in ["x", "B", "rr", "Refill", "--", "é"] {
        check(
            &line(&format!("b {called} 0-0 3")),
            PositionError::Called(called.to_owned()),
            &["called", called, "`refill`"],
        );
    }
    for points in [
        "0",
        "0:0",
        "-",
        "1-",
        "-1-0",
        "0-+1",
        "0-0-0",
        "100-0",
        "0-99999999999999999999",
        "a-b",
        "१-०",
    ] {
        check(
            &line(&format!("b - {points} 3")),
            PositionError::Points(points.to_owned()),
            &["points", points],
        );
    }
    for layout in ["upside-down", "extra", "-"] {
        check(
            &line(&format!("b - 0-0 3 {layout}")),
            PositionError::Layout(layout.to_owned()),
            &["layout", layout, "turned"],
        );
    }
    for (text, fields) in
        [("", 0), ("   ", 0), ("8", 1), (&line("b - 0-0"), 4), (&line("b - 0-0 3 mirrored 7"), 7)]
    {
        check(text, PositionError::Fields(fields), &[&format!("{fields} fields"), "target"]);
    }
}

#[test]
fn reads_standard_layout_but_does_not_print_it() {
    assert_eq!(format!("{START} standard").parse::<Match>().unwrap().to_string(), START);
}

#[test]
fn rejects_a_megabyte_with_a_short_message() {
    const MEGABYTE: usize = 1 << 20;
    for text in ["x", "8", "+", "/", "b", "B/", "+b", " ", "a ", "é", "\u{1F409}", "\0"] {
        let long = text.repeat(MEGABYTE / text.len());
        let board = |field: &str| format!("{field} b - 0-0 3");
        let rank = format!("{long}/8/8/8/8/8/8/bgrypvlo b - 0-0 3");
        let rest = |fields: &[&str]| format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo {}", fields.join(" "));
        let lines = [
            long.clone(),
            board(&long),
            rank,
            rest(&[&long, "-", "0-0", "3"]),
            rest(&["b", &long, "0-0", "3"]),
            rest(&["b", "-", &long, "3"]),
            rest(&["b", "-", "0-0", &long]),
            rest(&["b", "-", "0-0", "3", &format!("x{long}")]),
        ];
        for line in lines {
            if let Err(error) = line.parse::<Match>() {
                assert_is_one_short_line(&error.to_string());
            } else {
                assert!(text == " ", "a line of many {text:?} was accepted");
            }
        }
    }
}

fn assert_is_one_short_line(message: &str) {
    assert!(
        !message.is_empty() && message.len() < 600 && !message.contains(char::is_control),
        "{message:?}"
    );
}

#[test]
fn explains_why_a_move_is_illegal() {
    let reason = |line: &str, text: &str| match line.parse::<Match>().unwrap().parse_move(text) {
        Err(MoveError::Illegal { reason, .. }) => reason,
        other => panic!("{text} in {line}: {other:?}"),
    };
    let called = "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1";
    let blocked = "O1VPYL1B/8/8/8/Gg6/yR6/4p3/b1r2vlo w g 0-0 1";
    let refill = "3L3B/1v6/6l1/2O5/b3PR1o/1Y1p4/6G1/g1r2y1+V w refill 0-1 3";
    let over = "OLVP+pRGB/8/8/8/8/8/4Y3/bgry1vlo w - 1-0 1";
    for (line, text, expected) in [
        (called, "left", "no refill is due"),
        (called, "0000", "Black's pink tower is called and can move"),
        (called, "a1a2", "Black's pink tower on e4 is called"),
        (called, "e4e3", "the tower on e4 cannot reach e3"),
        (START, "0000", "Black opens the round and cannot pass"),
        (START, "a8a7", "Black has no tower on a8"),
        (START, "d4d5", "Black has no tower on d4"),
        (START, "a1b3", "the tower on a1 cannot reach b3"),
        (blocked, "a4a2", "White's green tower is called and blocked, only `0000` is possible"),
        (refill, "a1a2", "White owes a refill, `left` or `right`"),
        (refill, "0000", "White owes a refill, `left` or `right`"),
        (over, "e2e1", "the match is over"),
        (over, "left", "the match is over"),
        // Reasons name the colours of the layout.
        (
            "BVLYPGRO/8/8/8/o7/8/8/1rgpylvb w p 0-0 1 turned",
            "0000",
            "White's pink tower is called and can move",
        ),
    ] {
        assert_eq!(reason(line, text), expected, "{text} in {line}");
    }
    for text in [
        "", "a1", "a1a", "a1a22", "i1a1", "a9a1", "a0a1", "a1`1", "A1A2", "000", "00000", "LEFT",
        "a1é", "ａ１",
    ] {
        let found = START.parse::<Match>().unwrap().parse_move(text);
        assert!(matches!(found, Err(MoveError::Malformed { .. })), "{text}: {found:?}");
    }
}

/// Checks that a text is rejected with a short line, or parsed and printed as an equal position.
fn check_any_text(text: &str) -> Result<(), TestCaseError> {
    match text.parse::<Match>() {
        Ok(position) => {
            prop_assert_eq!(position.to_string().parse::<Match>(), Ok(position), "{}", text);
            prop_assert_eq!(
                position.legal_moves().is_empty(),
                position.outcome().is_some(),
                "{}",
                text
            );
        }
        Err(error) => assert_is_one_short_line(&error.to_string()),
    }
    Ok(())
}

fn valid_lines() -> impl Strategy<Value = &'static str> {
    let lines: Vec<&str> =
        PERFT.lines().chain(LAYOUTS.lines()).filter_map(|line| line.split(" ;").next()).collect();
    proptest::sample::select(lines)
}

/// Valid lines with one to three characters replaced, copied, swapped, inserted or removed.
fn mutated_lines() -> impl Strategy<Value = String> {
    let change = (any::<Index>(), any::<Index>(), any::<char>(), 0..5);
    (valid_lines(), prop::collection::vec(change, 1..4)).prop_map(|(line, changes)| {
        let mut letters: Vec<char> = line.chars().collect();
        for (place, other, random, change) in changes {
            let (place, other) = (place.index(letters.len()), other.index(letters.len()));
            match change {
                0 => letters[place] = random,
                1 => letters[place] = letters[other],
                2 => letters.swap(place, other),
                3 => letters.insert(place, letters[other]),
                _ => drop(letters.remove(place)),
            }
        }
        letters.into_iter().collect()
    })
}

const PLAUSIBLE_LINE: &str = concat!(
    "[bgrypvloBGRYPVLO1-8+/]{0,90} [bw] ([bgrypvlo-]|refill) ",
    "[0-9]{1,3}-[0-9]{1,3} (1|3|7|15)( turned| mirrored)?"
);

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn parses_any_text_without_panic(text in any::<String>()) {
        check_any_text(&text)?;
    }

    #[test]
    fn parses_plausible_lines_without_panic(text in PLAUSIBLE_LINE) {
        check_any_text(&text)?;
    }

    #[test]
    fn parses_mutated_lines_without_panic(text in mutated_lines()) {
        check_any_text(&text)?;
    }

    #[test]
    fn parses_any_move_text_without_panic(text in any::<String>(), line in valid_lines()) {
        let position: Match = line.parse().unwrap();
        let is_legal = position.legal_moves().iter().any(|mv| mv.to_string() == text);
        prop_assert_eq!(position.parse_move(&text).is_ok(), is_legal);
    }

    #[test]
    fn rejects_well_formed_illegal_moves(
        line in valid_lines(),
        text in "[a-h][1-8][a-h][1-8]|0000|left|right",
    ) {
        let position: Match = line.parse().unwrap();
        let is_legal = position.legal_moves().iter().any(|mv| mv.to_string() == text);
        match position.parse_move(&text) {
            Ok(mv) => prop_assert!(is_legal && mv.to_string() == text, "{text} in {line}"),
            Err(error) => {
                let is_illegal = matches!(error, MoveError::Illegal { .. });
                prop_assert!(!is_legal && is_illegal, "{line}: {error}");
            }
        }
    }
}
