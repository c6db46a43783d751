//! Winning figures: connections and loops.

use super::board::{Cell, Cells};

/// A winning figure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Figure {
    /// A chain that joins two opposite sides.
    Connection,
    /// A ring around at least one cell that is not the player's own.
    Loop,
}

/// Whether a hexagon on the free `cell` completes a loop of `own`, which must not hold a figure
/// yet.
///
/// The hexagon closes a ring if two arcs of own cells around it belong to one chain.
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

/// Finds a figure in a set of cells by a search of all cells.
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

/// Whether the cells cut other cells off from the rim.
pub fn encloses(own: Cells) -> bool {
    let others = Cells::BOARD - own;
    Cells::RIM.spread_within(others) != others
}
