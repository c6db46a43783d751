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

/// What a hexagon on the free `cell` completes for the player who has the cells of `own` and has completed nothing yet.
///
/// A hexagon that touches no own one, or a single arc of them away from the sides, only grows a chain inwards and completes
/// nothing. Else the chains it touches are walked: two arcs of one chain are the ends of a ring that the hexagon closes.
pub fn completed_by(own: Cells, cell: Cell) -> Option<Figure> {
    let mut arcs_to_visit = cell.neighbours() & own;
    let arcs = arcs_to_visit.arcs();
    if arcs == 0 || arcs == 1 && !Cells::RIM.contains(cell) {
        return None;
    }
    let mut chain = Cells::from(cell);
    let mut chains = 0;
    while let Some(neighbour) = arcs_to_visit.first() {
        let touched = Cells::from(neighbour).spread_within(own);
        chain |= touched;
        arcs_to_visit -= touched;
        chains += 1;
    }
    if chain.joins_opposite_sides() {
        Some(Figure::Connection)
    } else if arcs > chains {
        Some(Figure::Loop)
    } else {
        None
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    fn cells(text: &str) -> Cells {
        text.split_whitespace().map(|cell| Cell::from_text(cell).unwrap()).collect()
    }

    #[test]
    fn a_straight_row_is_a_connection() {
        assert_eq!(completed_by(cells("d1 d2 d3 d5 d6 d7"), Cell::from_text("d4").unwrap()), Some(Figure::Connection));
        assert_eq!(completed_by(cells("d1 d2 d3 d5 d6"), Cell::from_text("d4").unwrap()), None);
    }

    #[test]
    fn a_corner_joins_only_neighbouring_sides() {
        assert_eq!(completed_by(cells("a1 a2 a3"), Cell::from_text("a4").unwrap()), None);
    }

    #[test]
    fn a_ring_round_one_cell_is_a_loop_and_an_own_filled_flower_is_none() {
        let ring = "c3 c4 d3 d5 e3";
        assert_eq!(completed_by(cells(ring), Cell::from_text("e4").unwrap()), Some(Figure::Loop));
        assert_eq!(completed_by(cells(ring) | cells("d4"), Cell::from_text("e4").unwrap()), None);
        assert_eq!(completed_by(cells(ring) | cells("e4"), Cell::from_text("d4").unwrap()), None);
    }

    #[test]
    fn a_ring_that_needs_the_rim_is_no_loop() {
        assert_eq!(completed_by(cells("a1 b1 c2 c3 b3"), Cell::from_text("a3").unwrap()), None);
    }

    /// Random sets grown a cell at a time until they hold a figure: the last cell, and no earlier one, has completed it.
    #[test]
    fn the_last_hexagon_tells_what_a_walk_over_the_whole_board_finds() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut compared = 0;
        while compared < 1_000_000 {
            let mut own = Cells::NONE;
            let mut free: Vec<Cell> = Cell::all().collect();
            while figure_in(own).is_none() {
                let cell = free.swap_remove(rng.random_range(0..free.len()));
                let completed = completed_by(own, cell);
                own |= cell.into();
                assert_eq!(completed, figure_in(own), "{cell} last of {:?}", own.iter().collect::<Vec<_>>());
                compared += 1;
            }
        }
    }
}
