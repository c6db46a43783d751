//! Hand-written score sheets: accepted deviations, and messages for mistakes.

use basho::sheet::{GameScore, Sheet, parse};
use oshi::game::Player;
use oshi::games::language::Language;
use oshi::games::notation::Form;

use super::{print, read};

const SHEET: &str = "\
Score sheet: kamisado-simple
Black: Anna
White: Ben
Start: OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1
Result: *

Round 1, 0-0
Black: B G R Y P V L O
White: B G R Y P V L O
    | Black               | White
  1 | Brown Ahead 3 Yellow | Yellow Ahead 1 Blue

To be continued
";

fn rejected(from: &str, to: &str) -> String {
    assert!(SHEET.contains(from), "{from}");
    read(&SHEET.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn accepts_sheet_without_derived_lines() {
    let whole = read(SHEET).unwrap();
    assert_eq!(whole.moves, ["a1a4", "e8e7"]);
    let short =
        "SCORE SHEET:kamisado-simple\r\nblack:Anna\nWhite:  Ben\n\n1|brown  ahead 3 YELLOW|y↑1l";
    assert_eq!(read(short).as_ref(), Ok(&whole));
    assert_eq!(read(&SHEET.replace("Result: *\n", "")).as_ref(), Ok(&whole));
    let sent_by_phone = SHEET.replace("Yellow Ahead 1 Blue", "Y↑\u{fe0f}1L");
    assert_eq!(read(&sent_by_phone).as_ref(), Ok(&whole));
}

#[test]
fn continues_unfinished_sheet() {
    let text = format!("{SHEET}  2 | L↑5Y |\n");
    assert_eq!(read(&text).unwrap().moves, ["a1a4", "e8e7", "g1g6"]);
}

#[test]
fn rejects_wrong_derived_lines() {
    assert_eq!(
        rejected("Black: B G", "Black: G B"),
        "8: `Black: G B R Y P V L O` does not fit; expected `Black: B G R Y P V L O` or a row \
         `NUMBER | BLACK'S PLY | WHITE'S PLY`"
    );
    assert!(
        rejected("1, 0-0", "1, 0-1")
            .starts_with("7: `Round 1, 0-1` does not fit; expected `Round 1, 0-0` or a row")
    );
    assert!(rejected("To be continued", "White wins the match, 0-1").starts_with(
        "13: `White wins the match, 0-1` does not fit; expected `To be continued` or a row"
    ));
}

#[test]
fn names_wrong_ply_and_expected_one() {
    assert_eq!(
        rejected("Yellow Ahead 1 Blue", "Yellow Ahead 1 Pink"),
        "11: ply 2 of White, `Yellow Ahead 1 Pink`, does not fit; expected `Yellow Ahead 1 Blue`"
    );
    assert!(
        rejected("Brown Ahead 3", "Brown Ahead 7")
            .starts_with("11: ply 1 of Black, `Brown Ahead 7 Yellow`, does not fit;")
    );
    let nonsense = rejected("Brown Ahead 3 Yellow", "1-0");
    assert!(
        nonsense.contains("`1-0`, does not fit; expected `B↑1V`, ")
            && nonsense.ends_with(" or one of 94 others"),
        "{nonsense}"
    );
    assert_eq!(
        rejected("Brown Ahead 3 Yellow |", " | Brown Ahead 3 Yellow; "),
        "11: ply 1, `Brown Ahead 3 Yellow;  Yellow Ahead 1 Bl...`, is in White's column; expected \
         a ply of Black"
    );
}

#[test]
fn rejects_malformed_rows() {
    assert!(rejected("  1 |", "  x |").starts_with("11: `x | Brown Ahead 3 Yellow"));
    assert!(
        rejected("Yellow Ahead 1 Blue", "Yellow Ahead 1 Blue | Y")
            .contains("is not a row of plies; expected a row `NUMBER |")
    );
}

#[test]
fn rejects_ply_after_end_of_game() {
    let won = Sheet::of_moves(
        "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1".to_owned(),
        vec!["e4e8".to_owned()],
    )
    .unwrap();
    let text = format!("{}  2 | | Y↑1P\n", print(&won, Form::Words, Language::English));
    assert_eq!(
        read(&text).unwrap_err().to_string(),
        "13: ply 2, `Y↑1P`, comes after the end of the game"
    );
}

#[test]
fn rejects_invalid_headers() {
    assert!(rejected("Score sheet", "Score").starts_with(
        "1: `Score: kamisado-simple` is not a title; expected `Score sheet: VARIANT` or `"
    ));
    assert!(
        rejected("sheet: kamisado-simple", "sheet: chess")
            .starts_with("1: unknown variant `chess`; expected one of kamisado-simple")
    );
    assert_eq!(
        rejected("kamisado-simple", "kamon"),
        "4: the start is a position of kamisado-simple; expected kamon as in the title"
    );
    assert!(
        rejected("Black: Anna", "Blakc: Anna")
            .starts_with("2: `Blakc: Anna` is not a header; expected one of Game, Date, Black")
    );
    assert_eq!(rejected("White: Ben", "Black: Ben"), "3: the header `Black` is repeated");
    assert_eq!(
        rejected("Result: *", "Result: 2-0"),
        "5: Result: `2-0`; expected 1-0, 0-1, 1/2-1/2 or *"
    );
    assert_eq!(rejected("Black: Anna", "Game: one"), "2: Game: `one`; expected a number");
    assert!(
        rejected("Black: Anna", "Black: \"Anna")
            .starts_with("2: Black: `\\\"Anna`; expected a text, in quotes")
    );
    assert_eq!(
        rejected("0-0 1\n", "0-0 2\n"),
        "4: invalid position: target `2`, expected 1, 3, 7 or 15"
    );
    let open = SHEET.replace("Result: *", "Result: 1-0").replace("To be continued\n", "");
    assert!(
        read(&open)
            .unwrap_err()
            .to_string()
            .starts_with("5: result 1-0 after 2 plies, but the game is not over")
    );
}

#[test]
fn names_line_of_invalid_utf8_and_parses_others() {
    let bad = SHEET.replace("Anna", "An\u{1}na");
    let mut bytes: Vec<u8> = bad.bytes().map(|byte| if byte == 1 { 0xFF } else { byte }).collect();
    bytes.extend_from_slice(b"\n");
    bytes.extend_from_slice(SHEET.as_bytes());
    let sheets = parse(&bytes);
    assert_eq!(sheets.len(), 2);
    assert_eq!(
        sheets[0].1.as_ref().unwrap_err().to_string(),
        "2: invalid UTF-8 at byte 10 of the line; expected a text in UTF-8"
    );
    assert_eq!((sheets[1].0, sheets[1].1.as_ref().unwrap().seats[0].name.as_str()), (15, "Anna"));
}

#[test]
fn rejects_result_against_the_rules() {
    let mut sheet = Sheet::of_moves(
        "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1".to_owned(),
        vec!["e4e8".to_owned()],
    )
    .unwrap();
    assert_eq!(sheet.result.winner(), Some(Player::Black));
    let text = print(&sheet, Form::Words, Language::French);
    assert!(
        text.ends_with(
            "Noir gagne la manche, rangée de base adverse : Rose, Sumo, +1, 1-0\nNoir \
                        gagne la partie, 1-0\n"
        ),
        "{text}"
    );
    assert!(read(&text.replace("Résultat: 1-0", "Résultat: 0-1")).is_err());
    sheet.result = GameScore::WhiteWins;
    assert_eq!(
        sheet.check().unwrap_err().to_string(),
        "result 0-1, but by the rules the game ended 1-0"
    );
    assert!(sheet.print(Form::Words, Language::English).is_err());
}
