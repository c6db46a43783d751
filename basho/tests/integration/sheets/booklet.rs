//! Score sheets of the worked examples in the published rules.

use basho::sheet::Sheet;
use oshi::games::language::Language;
use oshi::games::notation::Form;

use super::{print, read};

/// The sheet of a game without its headers.
fn body(start: &str, moves: &str, form: Form) -> String {
    let moves = moves.split_whitespace().map(str::to_owned).collect();
    let sheet = Sheet::of_moves(start.to_owned(), moves).unwrap();
    let text = print(&sheet, form, Language::English);
    assert_eq!(read(&text).as_ref(), Ok(&sheet));
    text.split_once("\n\n").unwrap().1.to_owned()
}

#[test]
fn prints_refill_before_next_round() {
    let line = "3L3B/1v6/6l1/2O5/b3PR1o/1Y1p4/6GV/g1r2y2 w v 0-0 3";
    let left = "\
Round 1, 0-0
    | Black | White
  1 |       | Violet Ahead 1 Orange

White wins the round, far row: Violet, Sumo, +1, 0-1
  2 |       | Refill Left

Round 2, 0-1
Black: G R Y P B O L V
White: B L O R P Y G +V
    | Black | White

To be continued
";
    assert_eq!(body(line, "h2h1 left", Form::Words), left);
    let right = body(line, "h2h1 right", Form::Symbols);
    assert!(
        right.contains(
            "  2 |       | →\n\nRound 2, 0-1\nBlack: V L B O P G R Y\nWhite: +V G Y R P O B L\n"
        ),
        "{right}"
    );
}

#[test]
fn prints_each_pass_of_a_chain() {
    let line = "O1VPYL1B/8/8/8/Gg6/yR6/8/b1r1pvlo b p 0-0 1";
    let expected = "\
Round 1, 0-0
    | Black | White
  1 | P↑1G  | G0Y
  2 | Y0L   | L↑1Y
  3 | Y0L   |

To be continued
";
    assert_eq!(body(line, "e1e2 0000 0000 f8f7 0000", Form::Symbols), expected);
    assert!(
        body(line, "e1e2 0000", Form::Words)
            .contains("  1 | Pink Ahead 1 Green | Green 0 Yellow\n")
    );
}

#[test]
fn prints_tower_that_wins_by_deadlock() {
    let expected = "\
Round 1, 0-0
    | Black             | White
  1 | Green Ahead 1 Red |

White wins the round, deadlock: Red, Sumo, +1, 0-1
";
    assert!(
        body("OLVPY1GB/8/8/8/8/6lR/6o1/b1rypv1g b g 0-0 3", "h1h2", Form::Words)
            .starts_with(expected)
    );
}

#[test]
fn prints_each_pushed_tower_and_extra_turn() {
    let line = "+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 5-3 7";
    let expected = "\
Round 1, 5-3
    | Black                                                          | White
  1 | Orange Ahead 1 Violet, Pink Back 1 Brown, Violet Back 1 Orange |
  2 | Orange Ahead 1 Brown, Pink Back 1 Orange, Violet Back 1 Red    |
  3 | Red Ahead 5 Brown                                              |

Black wins the round, far row: Red, Double Sumo, +2, 7-3
Black wins the match, 7-3
";
    assert_eq!(body(line, "d2d3 d3d4 h3h8", Form::Words), expected);
    assert!(body(line, "d2d3", Form::Symbols).contains("  1 | O↑1V,P↓1B,V↓1O |\n"));
}

#[test]
fn prints_fourth_tooth_of_marathon() {
    let line = "OLV1Y+R+GB/3+++g4/8/+++P7/8/8/8/++b1++r+ypvlo b g 14-9 15";
    let expected = "Black wins the round, far row: Green, fourth tooth, +8, 22-9\nBlack wins the \
                    match, 22-9\n";
    assert!(body(line, "d7d8", Form::Words).ends_with(expected));
}
