//! Refill: the arrangement of the towers for the next round (P1–P4).

use super::board::Board;
use super::square::{Colour, Square};
use crate::game::Player;

/// Side from which both players set up their towers again (P1–P4), as each player sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// From the player's own left.
    Left,
    /// From the player's own right.
    Right,
}

impl Side {
    /// Both sides.
    pub const ALL: [Side; 2] = [Side::Left, Side::Right];

    /// `left` or `right`.
    pub const fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }

    /// Counts files from this side: mirrors the square for `Right`.
    const fn seen_from(self, square: Square) -> Square {
        match self {
            Side::Left => square,
            Side::Right => square.mirrored(),
        }
    }
}

/// Returns the board with all towers on their home rows. The order is row by row outwards from the
/// home row, and within a row from `side`.
pub(super) fn refilled(board: &Board, side: Side) -> Board {
    let arrangement = Player::ALL.map(|player| {
        let mut order = Colour::ALL;
        order.sort_unstable_by_key(|&colour| side.seen_from(board.tower(player, colour)));
        order
    });
    let towers = home_rows(arrangement).map(|row| row.map(|square| side.seen_from(square)));
    Board::new(towers, board.all_teeth())
}

/// Home squares by player and colour, for an arrangement from each player's left to right.
pub(super) fn home_rows(arrangement: [[Colour; 8]; 2]) -> [[Square; 8]; 2] {
    arrangement.map(|row| {
        let mut squares = [Square::new(0, 0); 8];
        for (file, colour) in row.into_iter().enumerate() {
            squares[colour.index()] = Square::new(file as u8, 0);
        }
        squares
    })
}
