//! Squares, moves, calls, passes and deadlocks.

use oshi::game::{Game, Outcome, Player};
use oshi::games::kamisado::{Colour, Match, Move, Square, Target};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{after, called, line_after, moves, read};
use crate::support::reference::BOARD;

#[test]
fn square_colours_match_the_printed_board() {
    for square in Square::all() {
        let printed =
            BOARD[7 - usize::from(square.rank())].as_bytes()[usize::from(square.file())] as char;
        assert_eq!(square.colour().letter().to_ascii_uppercase(), printed, "{square}");
    }
}

#[test]
fn start_has_towers_on_their_colours_and_black_to_move() {
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
fn towers_slide_ahead_until_obstructed_d1_to_d4() {
    // Black's pink tower passes between g on c3 and Y on d4, which touch at a corner. It stops
    // before o on f5.
    let position = read("OLVP1RGB/8/8/5o2/3Y4/2gp4/8/b1ry1vl1 b p 0-0 1");
    assert_eq!(moves(&position), ["d3a6", "d3b5", "d3c4", "d3e4"]);
    // White moves down the board.
    let position = read("OLVPY1GB/8/8/8/2R5/8/2o5/bgrypvl1 w r 0-0 1");
    assert_eq!(moves(&position), ["c4a2", "c4b3", "c4c3", "c4d3", "c4e2"]);
}

#[test]
fn landing_square_calls_tower_of_its_colour_t2() {
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
fn reaching_far_row_wins_the_round_d7() {
    let won = after("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1", "e4e8");
    assert_eq!(won.to_string(), "OLVP+pRGB/8/8/8/8/8/4Y3/bgry1vlo w - 1-0 1");
    assert_eq!(won.outcome(), Some(Outcome::Win(Player::Black)));
    assert!(moves(&won).is_empty());
    let won = after("OLV1YRGB/8/8/8/3y4/8/3P4/bgr1pvlo w p 0-0 3", "d2d1");
    assert_eq!((won.turn(), won.refill_due(), won.points()), (Player::White, true, [0, 1]));
}

#[test]
fn each_tooth_shortens_reach_by_two() {
    for (tower, reach) in [("b", 7), ("+b", 5), ("++b", 3), ("+++b", 1)] {
        let position = read(&format!("1LVPYRG1/8/1O4B1/8/8/8/8/{tower}grypvlo b b 0-0 15"));
        let straight = (2..=reach + 1).map(|rank| format!("a1a{rank}"));
        let diagonal = ('b'..='h').zip(2..=reach + 1).map(|(file, rank)| format!("a1{file}{rank}"));
        assert_eq!(moves(&position), straight.chain(diagonal).collect::<Vec<_>>(), "{tower}");
    }
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
fn booklet_deadlock_loses_for_last_mover_d8() {
    let line = "OLVPY1GB/8/8/8/8/6lR/6o1/b1rypv1g b g 0-0 3";
    assert_eq!(moves(&read(line)), ["h1h2"]);
    // White's red tower takes the tooth: Black's green one stands on red.
    assert_eq!(line_after(line, "h1h2"), "OLVPY1GB/8/8/8/8/6l+R/6og/b1rypv2 w refill 0-1 3");
}

#[test]
fn cycle_of_four_passes_is_a_deadlock_d8() {
    let line = "O2PY1GB/8/8/8/Lp6/gV4lR/6o1/b1r2v1y b y 0-0 3";
    assert_eq!(line_after(line, "h1h2"), "O2PY1GB/8/8/8/Lp6/gV4l+R/6oy/b1r2v2 w refill 0-1 3");
}

#[test]
fn pass_chain_to_mobile_tower_is_no_deadlock_d8() {
    // As in the cycle of four, but b4 is free for the second tower, Black's green one on a3.
    let position = after("O2PY1GB/8/8/2p5/L7/gV4lR/6o1/b1r2v1y b y 0-0 3", "h1h2 0000");
    assert_eq!(
        (called(&position), moves(&position)),
        ((Player::Black, 'g'), vec!["a3b4".to_owned()])
    );
}

#[test]
fn deadlock_after_oshi_loses_for_pusher_d8() {
    // The oshi calls Black's green tower, which is blocked by White's red one. The pusher stands on
    // pink.
    let line = "1LVPY1GB/8/8/O7/+b7/6lR/6og/2rypv2 b b 1-0 3";
    assert_eq!(line_after(line, "a4a5"), "1LV+PY1GB/8/O7/+b7/8/6lR/6og/2rypv2 w refill 1-1 3");
}

#[test]
fn deadlock_can_end_the_match() {
    let over = after("OLVPY1GB/8/8/8/8/6lR/6o1/b1rypv1g b g 0-0 1", "h1h2");
    assert_eq!(over.to_string(), "OLVPY1GB/8/8/8/8/6l+R/6og/b1rypv2 b - 0-1 1");
    assert_eq!(over.outcome(), Some(Outcome::Win(Player::White)));
}

/// In a simple match, a move is safe unless the called tower can reach the far row at once (D7).
#[test]
fn safe_moves_exclude_calls_of_winning_towers() {
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
            // A pass has no alternative, and openings are not analysed.
            if position.called().is_some() && legal[0] != Move::Pass {
                let losing = legal.iter().filter(loses).count();
                assert_eq!(position.count_safe_moves(), legal.len() - losing, "{position}");
                unsafe_moves += losing;
            }
            position.play(mv);
        }
    }
    assert!(unsafe_moves > 1000, "only {unsafe_moves} unsafe moves occurred");
}
