//! Kamisado position lines and moves from outside: what is wrong is named, and nothing that is sent panics.

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

/// Checks the error and that its message names each of these.
fn check(line: &str, expected: PositionError, named: &[&str]) {
    let found = error(line);
    let message = found.to_string();
    assert_eq!(found, expected, "{line}: {message}");
    for word in named {
        assert!(message.contains(word), "`{message}` does not name `{word}`");
    }
}

#[test]
fn a_side_that_lacks_a_tower_is_told_which() {
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
    // On another board the names are those of its colours.
    check(
        "BVLYPGRO/8/8/8/8/8/8/1rgpylvb b - 0-0 3 turned",
        missing(Player::Black, "orange"),
        &["no orange"],
    );
}

#[test]
fn two_towers_of_a_colour_are_told_which() {
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
fn more_than_three_teeth_are_told_whose() {
    let teeth =
        |teeth, most| PositionError::Teeth { player: Player::Black, colour: "green", teeth, most };
    check(
        "OLVPYRGB/8/8/8/8/8/8/b++++grypvlo b - 0-0 15",
        teeth(4, 3),
        &["Black", "green", "4 teeth", "at most 3"],
    );
    // Four teeth end the match, so they are allowed where it is over; five are not.
    assert!("OLVPYRGB/8/8/8/8/8/8/b++++grypvlo w - 15-0 15".parse::<Match>().is_ok());
    check("OLVPYRGB/8/8/8/8/8/8/b+++++grypvlo w - 15-0 15", teeth(5, 4), &["5 teeth", "at most 4"]);
    assert!(matches!(
        error(&START.replace('g', &("+".repeat(1000) + "g"))),
        PositionError::Teeth { teeth: 255, .. }
    ));
}

#[test]
fn a_target_is_1_3_7_or_15() {
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
fn both_sides_at_or_past_the_target_are_too_many() {
    for points in ["3-3", "4-3", "3-9"] {
        let line = format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - {points} 3");
        check(&line, PositionError::BothWon(3), &["both sides", "3 points"]);
    }
}

#[test]
fn a_match_that_is_over_has_nobody_called_and_the_loser_to_move() {
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
fn a_wrong_count_of_squares_is_told_with_its_rank() {
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
fn a_character_that_stands_for_nothing_is_told_with_its_rank() {
    let character = |rank, found: &str| PositionError::Character { rank, found: found.to_owned() };
    check("OLVPYRGB/8/8/8/3x4/8/8/bgrypvlo b - 0-0 3", character(4, "x"), &["rank 4", "`x`"]);
    check("OLVPYRGB/9/8/8/8/8/8/bgrypvlo b - 0-0 3", character(7, "9"), &["rank 7", "`9`"]);
    check("OLVPYRGB/0/8/8/8/8/8/bgrypvlo b - 0-0 3", character(7, "0"), &["`0`"]);
    check("OLVPYRGB/8/8/8/8/8/8/bgrypvl\u{e9} b - 0-0 3", character(1, "\u{e9}"), &["rank 1"]);
    check("OLVPYRGB/8/\u{7}8/8/8/8/8/bgrypvlo b - 0-0 3", character(6, "\\u{7}"), &["\\u{7}"]);
    // A tooth belongs to a tower.
    check("OLVPYRGB/8/8/8/8/8/8/bgrypvlo+ b - 0-0 3", character(1, "+"), &["rank 1", "`+`"]);
    check("OLVPYRGB/8+/8/8/8/8/8/bgrypvlo b - 0-0 3", character(7, "+"), &["rank 7", "`+`"]);
    check("OLVPYRGB/+8/8/8/8/8/8/bgrypvlo b - 0-0 3", character(7, "8"), &["rank 7", "`8`"]);
}

#[test]
fn a_round_that_can_never_go_on_is_deadlocked() {
    // A pair that calls each other, and a ring of four, whichever of them is called.
    for (board, calls) in [
        ("OLVPY1GB/8/8/8/8/6lR/6og/b1rypv2", vec!["w r", "b g"]),
        ("O2PY1GB/8/8/8/Lp6/gV4lR/6oy/b1r2v2", vec!["w r", "b g", "w l", "b y"]),
    ] {
        for call in calls {
            check(&format!("{board} {call} 0-0 3"), PositionError::Deadlock, &["deadlock"]);
        }
        assert!(format!("{board} b b 0-0 3").parse::<Match>().is_ok(), "others can move");
        assert!(
            format!("{board} w refill 0-0 3").parse::<Match>().is_ok(),
            "a round may end like this"
        );
    }
    // Nobody called, and all of Black's towers stand still.
    check(
        "bgrypvlo/8/8/8/8/8/8/OLVPYRGB b - 0-0 3",
        PositionError::Deadlock,
        &["no tower can ever move"],
    );
}

#[test]
fn every_other_field_is_told_by_its_name() {
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
fn the_standard_layout_may_be_named_but_is_not_printed() {
    assert_eq!(format!("{START} standard").parse::<Match>().unwrap().to_string(), START);
}

#[test]
fn a_megabyte_of_anything_is_answered_with_a_short_message() {
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
                assert!(text == " ", "only blanks may be many: {text:?}");
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
fn an_illegal_move_is_told_why() {
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
        // The colours are those of the named board.
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

/// Any text is either a position that its own line gives back, or refused with one short line.
fn check_any(text: &str) -> Result<(), TestCaseError> {
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

/// Valid lines with one to three letters replaced, copied, swapped, inserted or removed.
fn mutated_lines() -> impl Strategy<Value = String> {
    let change = (any::<Index>(), any::<Index>(), any::<char>(), 0..5);
    (valid_lines(), prop::collection::vec(change, 1..4)).prop_map(|(line, changes)| {
        let mut letters: Vec<char> = line.chars().collect();
        for (place, other, foreign, change) in changes {
            let (place, other) = (place.index(letters.len()), other.index(letters.len()));
            match change {
                0 => letters[place] = foreign,
                1 => letters[place] = letters[other],
                2 => letters.swap(place, other),
                3 => letters.insert(place, letters[other]),
                _ => drop(letters.remove(place)),
            }
        }
        letters.into_iter().collect()
    })
}

const LIKE_A_LINE: &str = "[bgrypvloBGRYPVLO1-8+/]{0,90} [bw] ([bgrypvlo-]|refill) [0-9]{1,3}-[0-9]{1,3} (1|3|7|15)( turned| mirrored)?";

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_position_panic(text in any::<String>()) {
        check_any(&text)?;
    }

    #[test]
    fn no_text_of_the_right_letters_makes_a_position_panic(text in LIKE_A_LINE) {
        check_any(&text)?;
    }

    #[test]
    fn no_mutated_line_makes_a_position_panic(text in mutated_lines()) {
        check_any(&text)?;
    }

    #[test]
    fn no_text_makes_a_move_panic(text in any::<String>(), line in valid_lines()) {
        let position: Match = line.parse().unwrap();
        prop_assert_eq!(position.parse_move(&text).is_ok(), position.legal_moves().iter().any(|mv| mv.to_string() == text));
    }

    #[test]
    fn every_move_that_is_not_legal_is_told_so(line in valid_lines(), text in "[a-h][1-8][a-h][1-8]|0000|left|right") {
        let position: Match = line.parse().unwrap();
        let legal = position.legal_moves().iter().any(|mv| mv.to_string() == text);
        match position.parse_move(&text) {
            Ok(mv) => prop_assert!(legal && mv.to_string() == text, "{} in {}", text, line),
            Err(error) => prop_assert!(!legal && matches!(error, MoveError::Illegal { .. }), "{}: {}", line, error),
        }
    }
}
