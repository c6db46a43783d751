//! The board as a picture in text.

use std::fmt::Write as _;

use super::position_line::tower_text;
use super::rules::Match;
use super::square::{Colour, Square};
use crate::game::Game;

pub(super) fn picture(position: &Match) -> String {
    const FILES: &str = "       a      b      c      d      e      f      g      h\n";
    let mut picture = FILES.to_owned();
    for rank in (0..8).rev() {
        let _ = write!(picture, "{}", rank + 1);
        for file in 0..8 {
            let square = Square::new(file, rank);
            let tower = position
                .tower_at(square)
                .map(|(player, colour)| tower_text(position, player, colour));
            let ground = position.layout.rename(square.colour()).letter();
            let _ = write!(picture, " {:>4}/{ground}", tower.unwrap_or_default());
        }
        let _ = writeln!(picture, " {}", rank + 1);
    }
    picture.push_str(FILES);
    picture.push_str(
        "tower/square: b brown, g green, r red, y yellow, p pink, v violet, l blue, o orange; \
         upper case White, + a tooth\n",
    );
    picture.push_str(&state(position));
    picture.push('\n');
    picture
}

/// Describes the next action, or the winner, and the points in one line.
pub(super) fn state(position: &Match) -> String {
    let turn = position.turn();
    let call = match position.called() {
        Some(called) => format!(
            "{turn}'s {} tower on {} is called",
            name(position, called),
            position.tower(turn, called)
        ),
        None if position.refill_due() => {
            format!("{turn} has won the round and owes the refill, left or right")
        }
        None if position.is_free_choice() => format!("{turn} opens the round with any tower"),
        None => format!("{} has won the match", !turn),
    };
    let [black, white] = position.points;
    format!("{call}; Black {black}, White {white}, {} to win", position.target.points())
}

/// Name of the colour in the position's layout.
pub(super) fn name(position: &Match, colour: Colour) -> &'static str {
    position.layout.rename(colour).name()
}
