//! The hexagons of one player and their connections to the sides.

use super::board::{Cell, Cells, SIDES};
use super::figure::{Figure, closes_ring};

/// Hexagons of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hexagons {
    cells: Cells,
    /// The hexagons that are connected to each of [`SIDES`]. Updated incrementally, because it is
    /// read often and changes rarely.
    joined: [[Cells; 2]; 3],
}

impl Hexagons {
    /// The empty set.
    pub const NONE: Hexagons = Hexagons { cells: Cells::NONE, joined: [[Cells::NONE; 2]; 3] };

    /// The cells that they cover.
    pub const fn cells(&self) -> Cells {
        self.cells
    }

    /// Adds a hexagon.
    #[must_use]
    pub fn with(mut self, cell: Cell) -> Hexagons {
        self.cells |= cell.into();
        let adjacent = self.adjacent();
        if adjacent.as_flattened().iter().any(|cells| cells.contains(cell)) {
            let chain = Cells::from(cell).spread_within(self.cells);
            for (joined, adjacent) in
                self.joined.as_flattened_mut().iter_mut().zip(adjacent.as_flattened())
            {
                if adjacent.contains(cell) {
                    *joined |= chain;
                }
            }
        }
        self
    }

    /// The hexagons that are connected to each of [`SIDES`].
    pub const fn joined(&self) -> [[Cells; 2]; 3] {
        self.joined
    }

    /// For each of [`SIDES`], the cells on which a hexagon is connected to it.
    pub fn adjacent(&self) -> [[Cells; 2]; 3] {
        let mut adjacent = SIDES;
        for (cells, joined) in
            adjacent.as_flattened_mut().iter_mut().zip(self.joined.as_flattened())
        {
            *cells |= joined.neighbours();
        }
        adjacent
    }

    /// The cells, free or not, on which a hexagon connects two opposite sides.
    pub fn connecting(&self) -> Cells {
        self.adjacent().iter().fold(Cells::NONE, |all, &[side, opposite]| all | side & opposite)
    }

    /// Whether two opposite sides are connected, or would be by a hexagon on one of `cells`.
    pub fn connect_with(&self, cells: Cells) -> bool {
        let connected = |&[side, opposite]: &[Cells; 2]| side.meets(opposite);
        self.joined.iter().any(connected) || self.connecting().meets(cells)
    }

    /// The figure that a hexagon on the free `cell` completes. There must be no figure before.
    pub fn completed_by(&self, cell: Cell) -> Option<Figure> {
        if self.connecting().contains(cell) {
            Some(Figure::Connection)
        } else if closes_ring(self.cells, cell) {
            Some(Figure::Loop)
        } else {
            None
        }
    }
}

impl From<Cells> for Hexagons {
    fn from(cells: Cells) -> Hexagons {
        Hexagons { cells, joined: SIDES.map(|sides| sides.map(|side| side.spread_within(cells))) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure::figure_in;
    use super::*;
    use rand::RngExt;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn cells(text: &str) -> Cells {
        text.split_whitespace().map(|cell| Cell::from_text(cell).unwrap()).collect()
    }

    fn completed_by(own: &str, cell: &str) -> Option<Figure> {
        Hexagons::from(cells(own)).completed_by(Cell::from_text(cell).unwrap())
    }

    #[test]
    fn straight_row_is_connection() {
        assert_eq!(completed_by("d1 d2 d3 d5 d6 d7", "d4"), Some(Figure::Connection));
        assert_eq!(completed_by("d1 d2 d3 d5 d6", "d4"), None);
    }

    #[test]
    fn corners_do_not_connect_opposite_sides() {
        assert_eq!(completed_by("a1 a2 a3", "a4"), None);
    }

    #[test]
    fn filled_ring_is_no_loop() {
        let ring = "c3 c4 d3 d5 e3";
        assert_eq!(completed_by(ring, "e4"), Some(Figure::Loop));
        assert_eq!(completed_by(&format!("{ring} d4"), "e4"), None);
        assert_eq!(completed_by(&format!("{ring} e4"), "d4"), None);
    }

    #[test]
    fn ring_along_rim_is_no_loop() {
        assert_eq!(completed_by("a1 b1 c2 c3 b3", "a3"), None);
    }

    /// Adds random cells until there is a figure: the last cell, and no earlier one, completes it.
    #[test]
    fn incremental_test_agrees_with_full_search() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut compared = 0;
        while compared < 1_000_000 {
            let mut own = Hexagons::NONE;
            let mut free: Vec<Cell> = Cell::all().collect();
            while figure_in(own.cells()).is_none() {
                let cell = free.swap_remove(rng.random_range(0..free.len()));
                let completed = own.completed_by(cell);
                own = own.with(cell);
                assert_eq!(
                    completed,
                    figure_in(own.cells()),
                    "{cell} last of {:?}",
                    own.cells().iter().collect::<Vec<_>>()
                );
                compared += 1;
            }
        }
    }

    #[test]
    fn incremental_connections_agree_with_full_search() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..2_000 {
            let mut own = Hexagons::NONE;
            let mut free: Vec<Cell> = Cell::all().collect();
            while !free.is_empty() {
                own = own.with(free.swap_remove(rng.random_range(0..free.len())));
                assert_eq!(own, Hexagons::from(own.cells()));
            }
        }
    }
}
