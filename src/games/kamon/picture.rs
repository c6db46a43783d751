//! The board in text.

use std::fmt::Write;

use super::board::{Cell, ROWS};
use super::{Ending, Kamon};
use crate::game::{Game, Player};

const LEGEND: &str = "\
B, W: hexagon of Black, White   [..]: played last   *: may be played on next   --: neutral
p pink, y yellow, l blue, o orange, r red, g green
1 butterfly, 2 fish, 3 bird, 4 fan, 5 mountain, 6 gate
";

/// How many characters a cell takes; rows that differ by one cell are shifted by half of it.
const CELL_WIDTH: usize = 6;

/// The board from row g down, with its sides' colours, a legend, and who is to move or how the game ended.
pub fn draw(position: &Kamon) -> String {
    let mut text = String::new();
    let green = format!("{:>33}\n", "green");
    text.push_str(&green);
    for row in (0..ROWS).rev() {
        // The rows next to the middle of a side carry its name.
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

/// Who is to move, or how the game ended, in a line.
pub fn state(position: &Kamon) -> String {
    let winner = !position.turn();
    match position.end() {
        None => format!("{} to move", position.turn()),
        Some(Ending::Draw) => "drawn: all cells are filled".to_owned(),
        Some(ending) => format!("{winner} has won by {}", ending.name()),
    }
}
