//! Oshi: which towers a Sumo pushes, and which tower is called afterwards.

use oshi::game::Player;
use oshi::games::kamisado::Colour;

use super::{after, called, line_after, moves, read};

/// Black's brown tower on a2, towers ahead of it on a3, a4 …, and all others on their home squares.
/// The towers ahead may be White's O, L, V, P and Black's g, r, y.
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
fn sumo_pushes_one_tower_per_tooth_s4_ds4_ts4() {
    for (teeth, pusher) in [(1, "+b"), (2, "++b"), (3, "+++b")] {
        for count in 1..=4 {
            let line = line_ahead(pusher, &["O", "L", "V", "P"][..count]);
            assert_eq!(moves(&read(&line)).contains(&"a2a3".to_owned()), count <= teeth, "{line}");
        }
    }
}

#[test]
fn oshi_moves_every_tower_one_square() {
    let line = line_ahead("+++b", &["+O", "++L", "V"]);
    assert_eq!(line_after(&line, "a2a3"), "3PYRGB/8/V7/++L7/+O7/+++b7/8/1grypvlo b g 0-0 15");
}

#[test]
fn oshi_moves_only_towers_of_lower_rank() {
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
fn own_tower_in_line_prevents_oshi() {
    for ahead in [vec!["g"], vec!["g", "O"], vec!["O", "g"], vec!["O", "L", "g"]] {
        let position = read(&line_ahead("+++b", &ahead));
        assert!(!moves(&position).contains(&"a2a3".to_owned()), "{position}");
    }
}

#[test]
fn tower_on_home_row_is_never_pushed() {
    // No square lies behind a8, whether the tower there is alone or the last of a line.
    assert_eq!(moves(&read("OLVPYRGB/+++b7/8/8/8/8/8/1grypvlo b b 0-0 15")), ["0000"]);
    assert!(
        !moves(&read("O1VPYRGB/L7/+++b7/8/8/8/8/1grypvlo b b 0-0 15")).contains(&"a6a7".to_owned())
    );
    // White pushes towards a1.
    assert_eq!(moves(&read("1LVPYRGB/8/8/8/8/8/+++O7/bgrypvlo w o 0-0 15")), ["0000"]);
}

#[test]
fn sumo_never_pushes_diagonally() {
    let position = read("1LVPYRGB/8/8/8/8/1O6/+++b7/1grypvlo b b 0-0 15");
    assert_eq!(moves(&position), ["a2a3"], "a2 can only move to the free square ahead");
}

#[test]
fn plain_tower_never_pushes() {
    assert_eq!(moves(&read("1LVPYRG1/8/8/8/2B5/O7/b7/1grypvlo b b 0-0 15")), ["a2b3"]);
}

#[test]
fn oshi_is_optional_with_other_moves_s10() {
    let position = read("1LVPYRGB/8/8/8/8/O7/+++b7/1grypvlo b b 0-0 15");
    assert_eq!(moves(&position), ["a2a3", "a2b3"]);
}

#[test]
fn oshi_is_forced_without_other_moves_s11() {
    let position = read("2VPYRGB/8/8/8/8/OL6/+++b7/1grypvlo b b 0-0 15");
    assert_eq!(moves(&position), ["a2a3"], "a Sumo that can push is not blocked");
}

#[test]
fn sumo_may_push_in_first_move_of_round() {
    let free = read("2VPYRGB/8/8/8/8/OL6/+b7/1grypvlo b - 0-0 15");
    assert!(moves(&free).contains(&"a2a3".to_owned()));
    let pushed = after(&free.to_string(), "a2a3");
    assert_eq!(pushed.to_string(), "2VPYRGB/8/8/8/O7/+bL6/8/1grypvlo b y 0-0 15");
}

#[test]
fn oshi_calls_own_tower_by_square_of_rearmost() {
    // Two towers are pushed. The rearmost lands on a5, which is pink.
    let pushed = after(&line_ahead("++b", &["O", "L"]), "a2a3");
    assert_eq!(called(&pushed), (Player::Black, 'p'));
    assert_eq!(pushed.tower(Player::White, Colour::Blue).to_string(), "a5");
    // White pushes two towers down the board. The rearmost lands on a4, which is yellow.
    let pushed = after("1L1PYR1B/++O7/g7/r7/8/8/8/bVGypvlo w o 0-0 15", "a7a6");
    assert_eq!(called(&pushed), (Player::White, 'y'));
}

#[test]
fn blocked_tower_after_oshi_passes() {
    // The pushed tower on a6 calls Black's green one. It is blocked on a red square, and White's
    // red tower can move to g2.
    let line = "1LVPY1GB/8/8/O7/+b7/6lR/7g/2rypv1o b b 0-0 3";
    let pushed = after(line, "a4a5");
    assert_eq!((called(&pushed), moves(&pushed)), ((Player::Black, 'g'), vec!["0000".to_owned()]));
    let passed = after(line, "a4a5 0000");
    assert_eq!((called(&passed), moves(&passed)), ((Player::White, 'r'), vec!["h3g2".to_owned()]));
}
