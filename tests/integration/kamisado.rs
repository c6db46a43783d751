//! The rules of Kamisado: the worked examples of the booklet, and each rule at its limits.
//!
//! Names of tests end with the label of the rule, such as `d8`.

mod layouts;
mod matches;
mod moves;
mod pushes;

use oshi::game::{Game, Player, Text};
use oshi::games::kamisado::{Colour, Match};

fn read(line: &str) -> Match {
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn moves(position: &Match) -> Vec<String> {
    let mut moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort_unstable();
    moves
}

/// Plays legal moves from a position line.
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

/// Player to move and letter of the called tower, or `-`.
fn called(position: &Match) -> (Player, char) {
    (position.turn(), position.called().map_or('-', Colour::letter))
}
