//! The four printed layouts of the board.

use oshi::game::Game;
use oshi::games::kamisado::{Layout, Match, Square, Target};

use super::{after, moves};

fn swap_case(letter: char) -> char {
    if letter.is_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
}

#[test]
fn layouts_rename_colours() {
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
fn every_layout_starts_with_towers_on_their_colours() {
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
fn layout_changes_no_move() {
    let mut positions: Vec<Match> = Layout::ALL
        .iter()
        .map(|&layout| Match::start(Target::Standard).with_layout(layout))
        .collect();
    // Plays the middle one of the legal moves until the match ends.
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
fn layout_renames_the_called_colour() {
    let turned =
        after("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1", "a1a4").with_layout(Layout::Turned);
    // a4 is yellow on the standard board, pink on the turned one.
    assert_eq!(turned.to_string(), "BVLYPGRO/8/8/8/o7/8/8/1rgpylvb w p 0-0 1 turned");
    assert_eq!(turned.to_string().parse::<Match>(), Ok(turned));
}
