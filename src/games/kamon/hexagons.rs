//! The hexagons of one player, with the sides that they are joined to.

use super::board::{Cell, Cells, SIDES};
use super::figure::{Figure, closes_ring};

/// The hexagons of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hexagons {
    cells: Cells,
    /// By side as in [`SIDES`], those that chains join to it. Kept up to date, since it is asked for everywhere and rarely changes.
    joined: [[Cells; 2]; 3],
}

impl Hexagons {
    /// No hexagon.
    pub const NONE: Hexagons = Hexagons { cells: Cells::NONE, joined: [[Cells::NONE; 2]; 3] };

    /// Where they lie.
    pub const fn cells(&self) -> Cells {
        self.cells
    }

    /// These and one more.
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

    /// By side as in [`SIDES`], those that chains join to it.
    pub const fn joined(&self) -> [[Cells; 2]; 3] {
        self.joined
    }

    /// By side as in [`SIDES`], the cells on which a hexagon is joined to it at once.
    pub fn adjacent(&self) -> [[Cells; 2]; 3] {
        let mut adjacent = SIDES;
        for (cells, joined) in
            adjacent.as_flattened_mut().iter_mut().zip(self.joined.as_flattened())
        {
            *cells |= joined.neighbours();
        }
        adjacent
    }

    /// The cells, free or not, on which a hexagon is joined to two opposite sides.
    pub fn connecting(&self) -> Cells {
        self.adjacent().iter().fold(Cells::NONE, |all, &[side, opposite]| all | side & opposite)
    }

    /// Whether they join two opposite sides, or would with one more on one of these cells.
    pub fn connect_with(&self, cells: Cells) -> bool {
        let connected = |&[side, opposite]: &[Cells; 2]| side.meets(opposite);
        self.joined.iter().any(connected) || self.connecting().meets(cells)
    }

    /// What a hexagon on the free `cell` completes, where nothing is completed yet.
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
    fn a_straight_row_is_a_connection() {
        assert_eq!(completed_by("d1 d2 d3 d5 d6 d7", "d4"), Some(Figure::Connection));
        assert_eq!(completed_by("d1 d2 d3 d5 d6", "d4"), None);
    }

    #[test]
    fn a_corner_joins_only_neighbouring_sides() {
        assert_eq!(completed_by("a1 a2 a3", "a4"), None);
    }

    #[test]
    fn a_ring_round_one_cell_is_a_loop_and_an_own_filled_flower_is_none() {
        let ring = "c3 c4 d3 d5 e3";
        assert_eq!(completed_by(ring, "e4"), Some(Figure::Loop));
        assert_eq!(completed_by(&format!("{ring} d4"), "e4"), None);
        assert_eq!(completed_by(&format!("{ring} e4"), "d4"), None);
    }

    #[test]
    fn a_ring_that_needs_the_rim_is_no_loop() {
        assert_eq!(completed_by("a1 b1 c2 c3 b3", "a3"), None);
    }

    /// Random sets grown a cell at a time until they hold a figure: the last cell, and no earlier one, has completed it.
    #[test]
    fn the_last_hexagon_tells_what_a_walk_over_the_whole_board_finds() {
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
    fn hexagons_that_came_one_by_one_are_joined_to_the_sides_that_chains_lead_to() {
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
