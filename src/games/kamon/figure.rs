//! The figures that win: a connection of two opposite sides, and a loop.

use super::board::{Cell, Cells};

/// What a player's hexagons can complete.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Figure {
    /// A chain that joins two opposite sides.
    Connection,
    /// A ring round at least one cell that is not the player's own.
    Loop,
}

/// Whether a hexagon on the free `cell` closes a ring of the cells of `own`, which have completed nothing yet, round a cell that is not theirs.
///
/// The chains that it touches are walked: two arcs of one chain are the ends of a ring that the hexagon closes.
pub fn closes_ring(own: Cells, cell: Cell) -> bool {
    let mut arcs_to_visit = cell.neighbours() & own;
    let arcs = arcs_to_visit.arcs();
    if arcs < 2 {
        return false;
    }
    let mut chains = 0;
    while let Some(neighbour) = arcs_to_visit.first() {
        arcs_to_visit -= Cells::from(neighbour).spread_within(own);
        chains += 1;
    }
    arcs > chains
}

/// What a set of cells holds, found by walking all of it.
pub fn figure_in(own: Cells) -> Option<Figure> {
    let mut rest = own;
    while let Some(cell) = rest.first() {
        let chain = Cells::from(cell).spread_within(own);
        if chain.joins_opposite_sides() {
            return Some(Figure::Connection);
        }
        rest -= chain;
    }
    encloses(own).then_some(Figure::Loop)
}

/// Whether the cells keep others from the rim.
pub fn encloses(own: Cells) -> bool {
    let others = Cells::BOARD - own;
    Cells::RIM.spread_within(others) != others
}
