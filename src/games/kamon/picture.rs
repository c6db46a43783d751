//! The board as text.

use std::fmt::Write;

use super::board::{Cell, ROWS};
use super::{Ending, Kamon};
use crate::game::{Game, Player};

const LEGEND: &str = "\
B, W: hexagon of Black, White   [..]: played last   *: may be played on next   --: neutral
p pink, y yellow, l blue, o orange, r red, g green
1 butterfly, 2 fish, 3 bird, 4 fan, 5 mountain, 6 gate
";

/// Characters per cell. Adjacent rows are shifted by half of it.
const CELL_WIDTH: usize = 6;

/// Draws the board from row g to row a with the colours of its sides, a legend and the state.
pub fn draw(position: &Kamon) -> String {
    let mut text = String::new();
    let green = format!("{:>33}\n", "green");
    text.push_str(&green);
    for row in (0..ROWS).rev() {
        // These rows are near the middle of the slanted sides.
        let (left, right) = match row {
            5 => ("yellow", "blue"),
            1 => ("blue", "yellow"),
            _ => ("", ""),
        };
        let letter = char::from(b'a' + row);
        let indent = usize::from(ROWS - Cell::row_length(row)) * CELL_WIDTH / 2;
        let cells: String = Cell::of_row(row).map(|cell| draw_cell(position, cell)).collect();
        let line = format!("{left:>width$} {letter} {cells}  {right}", width = 8 + indent);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push_str(&green);
    text.push_str(LEGEND);
    text.push_str(&state(position));
    text.push('\n');
    text
}

fn draw_cell(position: &Kamon, cell: Cell) -> String {
    let owner = match position.owner(cell) {
        Some(Player::Black) => 'B',
        Some(Player::White) => 'W',
        None => ' ',
    };
    let (before, after) = if position.last() == Some(cell) {
        ('[', ']')
    } else if position.legal.contains(cell) {
        ('*', ' ')
    } else {
        (' ', ' ')
    };
    format!("{owner}{before}{}{after} ", position.token(cell))
}

/// The player to move, or how the game ended, in one line.
pub fn state(position: &Kamon) -> String {
    let winner = !position.turn();
    match position.end() {
        None => format!("{} to move", position.turn()),
        Some(Ending::Draw) => "drawn: all cells are filled".to_owned(),
        Some(ending) => format!("{winner} has won by {}", ending.name()),
    }
}
