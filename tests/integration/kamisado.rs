//! Kamisado's rules one by one: the booklet's worked examples, and each rule at its edges.

use std::collections::BTreeSet;

use oshi::game::{Game, Outcome, Player, RoundEnd, Text};
use oshi::games::kamisado::{Colour, Layout, Match, Move, Square, Target};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::reference::BOARD;

fn read(line: &str) -> Match {
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn moves(position: &Match) -> Vec<String> {
    let mut moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort_unstable();
    moves
}

/// The position after these moves, each of which must be legal.
fn after(line: &str, moves: &str) -> Match {
    let mut position = read(line);
    for text in moves.split_whitespace() {
        position.play(
            position.parse_move(text).unwrap_or_else(|error| panic!("{error} in {position}")),
        );
    }
    position
}

fn line_after(line: &str, moves: &str) -> String {
    after(line, moves).to_string()
}

/// Whose turn it is, and the called tower's letter or `-`.
fn called(position: &Match) -> (Player, char) {
    (position.turn(), position.called().map_or('-', Colour::letter))
}

fn swap_case(letter: char) -> char {
    if letter.is_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
}

/// Black's brown Sumo on a2 with these towers ahead of it on a3, a4 … and the other fifteen on their home squares.
/// A Sumo's line may hold White's O, L, V, P and Black's g, r, y.
fn line_ahead(pusher: &str, ahead: &[&str]) -> String {
    let away = |letter: char| !ahead.iter().any(|tower| tower.ends_with(letter)) && letter != 'b';
    let home = |row: &str| {
        row.chars().map(|letter| if away(letter) { letter } else { '1' }).collect::<String>()
    };
    let mut ranks = vec![String::from("8"); 8];
    ranks[0] = home("OLVPYRGB");
    ranks[7] = home("bgrypvlo");
    ranks[6] = format!("{pusher}7");
    for (rank, tower) in (0..6).rev().zip(ahead) {
        ranks[rank] = format!("{tower}7");
    }
    format!("{} b b 0-0 15", ranks.join("/"))
}

#[test]
fn the_board_is_the_printed_one() {
    for square in Square::all() {
        let printed =
            BOARD[7 - usize::from(square.rank())].as_bytes()[usize::from(square.file())] as char;
        assert_eq!(square.colour().letter().to_ascii_uppercase(), printed, "{square}");
    }
}

#[test]
fn every_match_starts_with_each_tower_on_its_colour_and_black_to_open() {
    for (target, points) in Target::ALL.into_iter().zip([1, 3, 7, 15]) {
        let start = Match::start(target);
        assert_eq!(start.to_string(), format!("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 {points}"));
        for player in Player::ALL {
            for colour in Colour::ALL {
                assert_eq!(start.tower(player, colour).colour(), colour);
            }
        }
    }
}

#[test]
fn towers_slide_ahead_over_free_squares_between_touching_towers_d1_to_d4() {
    // Black's pink tower passes between g on c3 and Y on d4, which touch at a corner, and stops before o on f5.
    let position = read("OLVP1RGB/8/8/5o2/3Y4/2gp4/8/b1ry1vl1 b p 0-0 1");
    assert_eq!(moves(&position), ["d3a6", "d3b5", "d3c4", "d3e4"]);
    // White moves down the board.
    let position = read("OLVPY1GB/8/8/8/2R5/8/2o5/bgrypvl1 w r 0-0 1");
    assert_eq!(moves(&position), ["c4a2", "c4b3", "c4c3", "c4d3", "c4e2"]);
}

#[test]
fn the_colour_landed_on_calls_the_opponents_tower_t2() {
    assert_eq!(
        called(&after("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1", "a1a4")),
        (Player::White, 'y')
    );
    assert_eq!(
        called(&after("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1", "a1a4 e8e2")),
        (Player::Black, 'g')
    );
}

#[test]
fn the_far_row_wins_the_round_at_once_d7() {
    let won = after("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1", "e4e8");
    assert_eq!(won.to_string(), "OLVP+pRGB/8/8/8/8/8/4Y3/bgry1vlo w - 1-0 1");
    assert_eq!(won.outcome(), Some(Outcome::Win(Player::Black)));
    assert!(moves(&won).is_empty());
    let won = after("OLV1YRGB/8/8/8/3y4/8/3P4/bgr1pvlo w p 0-0 3", "d2d1");
    assert_eq!((won.turn(), won.refill_due(), won.points()), (Player::White, true, [0, 1]));
}

#[test]
fn booklet_refill_for_both_players_from_both_sides() {
    let won = after("3L3B/1v6/6l1/2O5/b3PR1o/1Y1p4/6GV/g1r2y2 w v 0-0 3", "h2h1");
    assert_eq!(won.to_string(), "3L3B/1v6/6l1/2O5/b3PR1o/1Y1p4/6G1/g1r2y1+V w refill 0-1 3");
    assert_eq!(moves(&won), ["left", "right"]);
    // The winner has chosen; the loser of the round opens the next.
    assert_eq!(line_after(&won.to_string(), "left"), "+VGYPROLB/8/8/8/8/8/8/grypbolv b - 0-1 3");
    assert_eq!(line_after(&won.to_string(), "right"), "LBOPRYG+V/8/8/8/8/8/8/vlbopgry b - 0-1 3");
}

#[test]
fn a_round_closes_with_the_far_row_within_reach_and_with_the_refill_unless_that_ends_the_match() {
    let closes = |line: &str| read(line).may_end_round();
    assert!(closes("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 3"));
    assert!(!closes("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 2-0 3"), "the point that is missing");
    assert!(!closes("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1"), "a match of one round");
    assert!(!closes("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b b 0-0 3"), "a tower that is walled in");
    assert!(closes("3L3B/1v6/6l1/2O5/b3PR1o/1Y1p4/6G1/g1r2y1+V w refill 0-1 3"));
    assert!(!closes("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3"));
    assert!(!after("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1", "e4e8").may_end_round());
}

#[test]
fn booklet_pass_chain() {
    let line = "O1VPYL1B/8/8/8/Gg6/yR6/8/b1r1pvlo b p 0-0 1";
    let position = after(line, "e1e2");
    assert_eq!(
        (called(&position), moves(&position)),
        ((Player::White, 'g'), vec!["0000".to_owned()])
    );
    let position = after(line, "e1e2 0000");
    assert_eq!(
        (called(&position), moves(&position)),
        ((Player::Black, 'y'), vec!["0000".to_owned()])
    );
    assert_eq!(called(&after(line, "e1e2 0000 0000")), (Player::White, 'l'));
    assert_eq!(called(&after(line, "e1e2 0000 0000 f8f7")), (Player::Black, 'y'));
    assert_eq!(called(&after(line, "e1e2 0000 0000 f8f7 0000")), (Player::White, 'l'));
}

#[test]
fn booklet_deadlock_is_lost_by_the_last_to_move_d8() {
    let line = "OLVPY1GB/8/8/8/8/6lR/6o1/b1rypv1g b g 0-0 3";
    assert_eq!(moves(&read(line)), ["h1h2"]);
    // White's red tower takes the tooth: Black's green one stands on red.
    assert_eq!(line_after(line, "h1h2"), "OLVPY1GB/8/8/8/8/6l+R/6og/b1rypv2 w refill 0-1 3");
}

#[test]
fn a_deadlock_of_four_passes_ends_the_round_at_once_d8() {
    let line = "O2PY1GB/8/8/8/Lp6/gV4lR/6o1/b1r2v1y b y 0-0 3";
    assert_eq!(line_after(line, "h1h2"), "O2PY1GB/8/8/8/Lp6/gV4l+R/6oy/b1r2v2 w refill 0-1 3");
}

#[test]
fn a_chain_of_passes_that_reaches_a_tower_is_no_deadlock_d8() {
    // As above, but b4 is free: the second in the chain, Black's green tower on a3, can move there.
    let position = after("O2PY1GB/8/8/2p5/L7/gV4lR/6o1/b1r2v1y b y 0-0 3", "h1h2 0000");
    assert_eq!(
        (called(&position), moves(&position)),
        ((Player::Black, 'g'), vec!["a3b4".to_owned()])
    );
}

#[test]
fn a_deadlock_after_an_oshi_is_lost_by_the_pusher_d8() {
    // The push calls Black's green tower, which is blocked against White's red one. The pusher stands on pink.
    let line = "1LVPY1GB/8/8/O7/+b7/6lR/6og/2rypv2 b b 1-0 3";
    assert_eq!(line_after(line, "a4a5"), "1LV+PY1GB/8/O7/+b7/8/6lR/6og/2rypv2 w refill 1-1 3");
}

#[test]
fn a_deadlock_can_end_the_match() {
    let over = after("OLVPY1GB/8/8/8/8/6lR/6o1/b1rypv1g b g 0-0 1", "h1h2");
    assert_eq!(over.to_string(), "OLVPY1GB/8/8/8/8/6l+R/6og/b1rypv2 b - 0-1 1");
    assert_eq!(over.outcome(), Some(Outcome::Win(Player::White)));
}

#[test]
fn booklet_long_match_from_five_three_to_seven_three_by_two_double_pushes() {
    let line = "+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 5-3 7";
    assert_eq!(called(&after(line, "d2d3")), (Player::Black, 'o'));
    assert_eq!(called(&after(line, "d2d3 d3d4")), (Player::Black, 'r'));
    let over = after(line, "d2d3 d3d4 h3h8");
    assert_eq!(over.to_string(), "+O+L2YRG++r/8/3+V4/3P2B1/3++o4/8/8/+bg1ypvl1 w - 7-3 7");
    assert_eq!(over.outcome(), Some(Outcome::Win(Player::Black)));
}

#[test]
fn booklet_marathon_from_fourteen_nine_to_twenty_two_nine() {
    let line = "OLV1Y+R+GB/3+++g4/8/+++P7/8/8/8/++b1++r+ypvlo b g 14-9 15";
    assert_eq!(moves(&read(line)), ["d7d8"]);
    let over = after(line, "d7d8");
    assert_eq!(over.to_string(), "OLV++++gY+R+GB/8/8/+++P7/8/8/8/++b1++r+ypvlo w - 22-9 15");
    assert_eq!(over.outcome(), Some(Outcome::Win(Player::Black)));
}

#[test]
fn each_tooth_pays_one_two_four_eight() {
    for (tower, points) in [("g", 1), ("+g", 2), ("++g", 4)] {
        let won = after(&format!("OLV1YRGB/3{tower}4/8/P7/8/8/8/b1rypvlo b g 0-0 15"), "d7d8");
        assert_eq!(won.points(), [points, 0]);
        assert_eq!(won.teeth(Player::Black, Colour::Green), tower.len() as u8);
        assert_eq!((won.outcome(), won.refill_due(), won.turn()), (None, true, Player::Black));
    }
}

#[test]
fn a_fourth_tooth_ends_every_match_and_raises_the_points_to_the_target() {
    for (before, after_it) in [("0-0", "15-0"), ("3-9", "15-9"), ("7-0", "15-0"), ("8-14", "16-14")]
    {
        let over = after(&format!("OLV1YRGB/3+++g4/8/P7/8/8/8/b1rypvlo b g {before} 15"), "d7d8");
        assert_eq!(
            over.to_string(),
            format!("OLV++++gYRGB/8/8/P7/8/8/8/b1rypvlo w - {after_it} 15")
        );
        assert_eq!(over.outcome(), Some(Outcome::Win(Player::Black)));
    }
}

#[test]
fn reach_is_seven_five_three_one_by_teeth() {
    for (tower, reach) in [("b", 7), ("+b", 5), ("++b", 3), ("+++b", 1)] {
        let position = read(&format!("1LVPYRG1/8/1O4B1/8/8/8/8/{tower}grypvlo b b 0-0 15"));
        let straight = (2..=reach + 1).map(|rank| format!("a1a{rank}"));
        let diagonal = ('b'..='h').zip(2..=reach + 1).map(|(file, rank)| format!("a1{file}{rank}"));
        assert_eq!(moves(&position), straight.chain(diagonal).collect::<Vec<_>>(), "{tower}");
    }
}

#[test]
fn a_sumo_pushes_as_many_as_it_has_teeth_s4_ds4_ts4() {
    for (teeth, pusher) in [(1, "+b"), (2, "++b"), (3, "+++b")] {
        for count in 1..=4 {
            let line = line_ahead(pusher, &["O", "L", "V", "P"][..count]);
            assert_eq!(moves(&read(&line)).contains(&"a2a3".to_owned()), count <= teeth, "{line}");
        }
    }
}

#[test]
fn every_pushed_tower_goes_back_one_square_and_the_pusher_ahead_one() {
    let line = line_ahead("+++b", &["+O", "++L", "V"]);
    assert_eq!(line_after(&line, "a2a3"), "3PYRGB/8/V7/++L7/+O7/+++b7/8/1grypvlo b g 0-0 15");
}

#[test]
fn only_towers_of_lower_rank_are_pushed() {
    for pusher in 1..=3 {
        for enemy in 0..=3 {
            let (pusher_text, enemy_text) = ("+".repeat(pusher) + "b", "+".repeat(enemy) + "O");
            let alone = read(&line_ahead(&pusher_text, &[&enemy_text]));
            assert_eq!(moves(&alone).contains(&"a2a3".to_owned()), enemy < pusher, "{alone}");
            let behind = read(&line_ahead(&pusher_text, &["L", &enemy_text]));
            assert_eq!(
                moves(&behind).contains(&"a2a3".to_owned()),
                enemy < pusher && pusher > 1,
                "{behind}"
            );
        }
    }
}

#[test]
fn an_own_tower_in_the_line_blocks_a_push() {
    for ahead in [vec!["g"], vec!["g", "O"], vec!["O", "g"], vec!["O", "L", "g"]] {
        let position = read(&line_ahead("+++b", &ahead));
        assert!(!moves(&position).contains(&"a2a3".to_owned()), "{position}");
    }
}

#[test]
fn a_tower_on_its_home_row_is_never_pushed() {
    // Alone and as the last of a line; a8 has no square behind it.
    assert_eq!(moves(&read("OLVPYRGB/+++b7/8/8/8/8/8/1grypvlo b b 0-0 15")), ["0000"]);
    assert!(
        !moves(&read("O1VPYRGB/L7/+++b7/8/8/8/8/1grypvlo b b 0-0 15")).contains(&"a6a7".to_owned())
    );
    // White's view of the same.
    assert_eq!(moves(&read("1LVPYRGB/8/8/8/8/8/+++O7/bgrypvlo w o 0-0 15")), ["0000"]);
}

#[test]
fn a_push_goes_straight_ahead_never_diagonally() {
    let position = read("1LVPYRGB/8/8/8/8/1O6/+++b7/1grypvlo b b 0-0 15");
    assert_eq!(moves(&position), ["a2a3"], "only the free square ahead");
}

#[test]
fn a_plain_tower_never_pushes() {
    assert_eq!(moves(&read("1LVPYRG1/8/8/8/2B5/O7/b7/1grypvlo b b 0-0 15")), ["a2b3"]);
}

#[test]
fn a_push_is_optional_while_the_sumo_has_another_move_s10() {
    let position = read("1LVPYRGB/8/8/8/8/O7/+++b7/1grypvlo b b 0-0 15");
    assert_eq!(moves(&position), ["a2a3", "a2b3"]);
}

#[test]
fn a_push_is_forced_if_the_sumo_has_no_other_move_s11() {
    let position = read("2VPYRGB/8/8/8/8/OL6/+++b7/1grypvlo b b 0-0 15");
    assert_eq!(moves(&position), ["a2a3"], "a Sumo that can push is not blocked");
}

#[test]
fn in_a_rounds_first_move_a_sumo_may_push() {
    let free = read("2VPYRGB/8/8/8/8/OL6/+b7/1grypvlo b - 0-0 15");
    assert!(moves(&free).contains(&"a2a3".to_owned()));
    let pushed = after(&free.to_string(), "a2a3");
    assert_eq!(pushed.to_string(), "2VPYRGB/8/8/8/O7/+bL6/8/1grypvlo b y 0-0 15");
}

#[test]
fn after_an_oshi_the_same_player_moves_again_with_the_rearmost_towers_colour() {
    // Two are pushed, from a3 and a4; the rear one comes to stand on a5, which is pink.
    let pushed = after(&line_ahead("++b", &["O", "L"]), "a2a3");
    assert_eq!(called(&pushed), (Player::Black, 'p'));
    assert_eq!(pushed.tower(Player::White, Colour::Blue).to_string(), "a5");
    // White's push the other way: from a6 and a5 down to a4, which is yellow.
    let pushed = after("1L1PYR1B/++O7/g7/r7/8/8/8/bVGypvlo w o 0-0 15", "a7a6");
    assert_eq!(called(&pushed), (Player::White, 'y'));
}

#[test]
fn a_blocked_tower_after_an_oshi_passes_as_ever() {
    // The pushed tower on a6 calls Black's green one, blocked on red as in the deadlock; but White's red one can move to g2.
    let line = "1LVPY1GB/8/8/O7/+b7/6lR/7g/2rypv1o b b 0-0 3";
    let pushed = after(line, "a4a5");
    assert_eq!((called(&pushed), moves(&pushed)), ((Player::Black, 'g'), vec!["0000".to_owned()]));
    let passed = after(line, "a4a5 0000");
    assert_eq!((called(&passed), moves(&passed)), ((Player::White, 'r'), vec!["h3g2".to_owned()]));
}

#[test]
fn the_four_layouts_are_renamings() {
    let turned = |file: u8, rank: u8| Square::new(rank, 7 - file).colour();
    for square in Square::all() {
        let (file, rank) = (square.file(), square.rank());
        let expected = [
            square.colour(),
            Square::new(7 - file, rank).colour(),
            turned(file, rank),
            turned(7 - file, rank),
        ];
        for (layout, expected) in Layout::ALL.iter().copied().zip(expected) {
            assert_eq!(layout.rename(square.colour()), expected, "{square} in {}", layout.name());
            assert_eq!(
                layout.rename(layout.rename(square.colour())),
                square.colour(),
                "{square} in {}",
                layout.name()
            );
        }
    }
}

#[test]
fn every_layout_starts_with_each_tower_on_its_colour() {
    let rows = ["bgrypvlo", "olvpyrgb", "orgpylvb", "bvlypgro"];
    for (layout, row) in Layout::ALL.iter().copied().zip(rows) {
        let far: String = row.chars().rev().map(swap_case).collect();
        let name =
            if layout == Layout::Standard { String::new() } else { format!(" {}", layout.name()) };
        let line = format!("{far}/8/8/8/8/8/8/{row} b - 0-0 3{name}");
        assert_eq!(Match::start(Target::Standard).with_layout(layout).to_string(), line);
    }
}

#[test]
fn a_layout_changes_no_square_and_no_move() {
    let mut positions: Vec<Match> = Layout::ALL
        .iter()
        .map(|&layout| Match::start(Target::Standard).with_layout(layout))
        .collect();
    // Always the middle one of the legal moves, to the end of the match.
    while positions[0].outcome().is_none() {
        let (standard, others) = positions.split_first().unwrap();
        for other in others {
            assert_eq!(moves(other), moves(standard));
            assert_eq!(other.hash(), standard.hash());
            assert_eq!(other.with_layout(Layout::Standard), *standard);
        }
        let legal = standard.legal_moves();
        let mv = legal[legal.len() / 2];
        positions.iter_mut().for_each(|position| position.play(mv));
    }
    assert!(positions.iter().all(|position| position.outcome() == positions[0].outcome()));
}

#[test]
fn a_layout_renames_the_called_colour() {
    let turned =
        after("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1", "a1a4").with_layout(Layout::Turned);
    // a4 is yellow on the standard board, pink on the turned one.
    assert_eq!(turned.to_string(), "BVLYPGRO/8/8/8/o7/8/8/1rgpylvb w p 0-0 1 turned");
    assert_eq!(turned.to_string().parse::<Match>(), Ok(turned));
}

#[test]
fn a_round_alone_is_a_simple_match_from_here() {
    let position = read("+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 5-3 7");
    assert_eq!(
        position.round().contest.to_string(),
        "+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 0-0 1"
    );
    let over = after(&position.to_string(), "d2d3 d3d4 h3h8");
    assert_eq!(over.round().contest, over);
}

#[test]
fn a_round_decides_the_match_for_whom_one_point_is_missing() {
    let scores = [
        ("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3", [false, false]),
        ("+OLVPYRGB/8/8/8/8/8/8/+b+grypvlo b - 2-1 3", [true, false]),
        ("+O+LVPYRGB/8/8/8/8/8/8/+bgrypvlo b - 1-2 3", [false, true]),
        ("+O+LVPYRGB/8/8/8/8/8/8/+b+grypvlo b - 2-2 3", [true, true]),
    ];
    for (line, decided) in scores {
        let position: Match = line.parse().unwrap();
        assert_eq!(
            Player::ALL.map(|player| position.round().decides_for(player)),
            decided,
            "{line}"
        );
    }
}

#[test]
fn the_picture_says_who_is_to_do_what_and_the_points() {
    let positions = [
        (
            "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3",
            "Black opens the round with any tower; Black 0, White 0, 3 to win",
        ),
        (
            "+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 5-3 7",
            "Black's orange tower on d2 is called; Black 5, White 3, 7 to win",
        ),
        (
            "OLV++++gY+R+GB/8/8/+++P7/8/8/8/++b1++r+ypvlo w - 22-9 15",
            "Black has won the match; Black 22, White 9, 15 to win",
        ),
    ];
    for (line, state) in positions {
        let position: Match = line.parse().unwrap();
        assert_eq!(position.picture().lines().last(), Some(state));
    }
    let refill = after("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 3", "e4e8");
    assert_eq!(
        refill.picture().lines().last(),
        Some(
            "Black has won the round and owes the refill, left or right; Black 1, White 0, 3 to win"
        )
    );
}

/// The four ranks: plain, Sumo, Double and Triple; the tower whose fourth tooth ended the match is among the last.
#[test]
fn ranks_count_the_towers_by_their_teeth() {
    let over: Match = "OLV++++gY+R+GB/8/8/+++P7/8/8/8/++b1++r+ypvlo w - 22-9 15".parse().unwrap();
    assert_eq!(
        [Player::Black, Player::White].map(|player| over.ranks(player)),
        [[4, 1, 2, 1], [5, 2, 0, 1]]
    );
}

/// Who reaches the far row has moved last; after a deadlock the last mover has lost (D7, D8).
#[test]
fn a_match_tells_how_it_ended() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut seen = BTreeSet::new();
    for _ in 0..5000 {
        let mut position = Match::start(Target::Simple).random_start(&mut rng);
        let mut last_real_mover = None;
        while position.outcome().is_none() {
            let mv = *position.legal_moves().choose(&mut rng).unwrap();
            if mv != Move::Pass {
                last_real_mover = Some(position.turn());
            }
            position.play(mv);
        }
        let has_winner_moved = position.outcome() == last_real_mover.map(Outcome::Win);
        assert_eq!(
            position.ending(),
            if has_winner_moved { "reaching the far row" } else { "deadlock" },
            "{position}"
        );
        seen.insert(position.ending());
    }
    assert_eq!(seen.len(), 2, "both ends must have come up");
}

#[test]
fn a_round_tells_who_won_it_how_and_what_it_paid() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut seen = BTreeSet::new();
    for _ in 0..1000 {
        let [white, black] = ["OLVPYRGB", "bgrypvlo"].map(|row| {
            let ranked =
                row.chars().map(|tower| format!("{}{tower}", "+".repeat(rng.random_range(0..=3))));
            ranked.collect::<String>()
        });
        let mut position = read(&format!("{white}/8/8/8/8/8/8/{black} b - 0-0 15"));
        let mut last_real_mover = position.turn();
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            let before = position;
            if let Move::Tower { .. } = mv {
                last_real_mover = before.turn();
            }
            position.play(mv);
            let won = |player: Player| {
                position.points()[player.index()] - before.points()[player.index()]
            };
            let expected =
                Player::ALL.into_iter().find(|&player| won(player) > 0).map(|winner| RoundEnd {
                    winner: Some(winner),
                    how: match won(winner) {
                        _ if winner != last_real_mover => "deadlock",
                        1 => "a plain tower on the far row",
                        2 => "a Sumo on the far row",
                        4 => "a Double Sumo on the far row",
                        _ => "a Triple Sumo on the far row",
                    },
                    points: Some(position.points()),
                });
            let found = position.round_end(&before);
            assert_eq!(found, expected, "{mv} in {before}");
            seen.extend(found.map(|end| end.how));
        }
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
}

#[test]
fn all_that_the_rules_see_has_a_part_in_the_hash() {
    let start = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo";
    let mut lines: Vec<String> =
        ["1", "3", "7"].map(|target| format!("{start} b - 0-0 {target}")).into();
    for called in ["-", "refill", "b", "g", "r", "y", "p", "v", "l", "o"] {
        lines.extend(["b", "w"].map(|turn| format!("{start} {turn} {called} 0-0 15")));
    }
    for points in 1..15 {
        lines.extend([format!("{start} b - {points}-0 15"), format!("{start} b - 0-{points} 15")]);
    }
    for other in ["+bgrypvlo", "++bgrypvlo", "+++bgrypvlo", "b+grypvlo", "gbrypvlo"] {
        lines.push(format!("OLVPYRGB/8/8/8/8/8/8/{other} b - 0-0 15"));
    }
    lines.push("+OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 15".to_owned());
    lines.push("OLVPYRGB/8/8/8/8/8/b7/1grypvlo b - 0-0 15".to_owned());
    let hashes: BTreeSet<u64> = lines.iter().map(|line| read(line).hash()).collect();
    assert_eq!(hashes.len(), lines.len());
}

/// Where every round decides the match, a move is safe unless the tower that it calls reaches the far row at once (D7).
#[test]
fn all_plain_moves_that_call_a_winning_tower_are_seen() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut unsafe_moves = 0;
    for _ in 0..500 {
        let mut position = Match::start(Target::Simple).random_start(&mut rng);
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            let legal = position.legal_moves();
            let loses = |mv: &&Move| {
                let mut next = position;
                next.play(**mv);
                next.turn() != position.turn() && next.winning_move().is_some()
            };
            // A blocked tower has no safer move than its pass, and an opening is not looked into.
            if position.called().is_some() && legal[0] != Move::Pass {
                let losing = legal.iter().filter(loses).count();
                assert_eq!(position.count_safe_moves(), legal.len() - losing, "{position}");
                unsafe_moves += losing;
            }
            position.play(mv);
        }
    }
    assert!(unsafe_moves > 1000, "{unsafe_moves}");
}
