//! Symmetries of the board and of layouts.

use std::sync::LazyLock;

use super::board::{Cell, Cells};
use super::layout::Layout;

/// Image of each cell, by [`Cell::ordinal`].
pub type Symmetry = [Cell; Cell::COUNT];

/// Number of symmetries of the board.
const COUNT: usize = 12;

static SYMMETRIES: LazyLock<[Symmetry; COUNT]> = LazyLock::new(|| {
    // Cube coordinates with sum 0 (Patel, Hexagonal Grids): a rotation by 60° cycles them and
    // changes their signs, a reflection swaps two.
    let turned = |(x, y, z): (i8, i8, i8)| (-z, -x, -y);
    let image = |cell: Cell, turns: usize, reflected: bool| {
        let (x, z) = (cell.index() as i8 % 8 - 3, cell.index() as i8 / 8 - 3);
        let (x, _, z) = (0..turns).fold((x, -x - z, z), |point, _| turned(point));
        let (x, z) = if reflected { (z, x) } else { (x, z) };
        Cell::all()
            .find(|cell| cell.index() as i8 == 8 * (z + 3) + x + 3)
            .expect("the board is symmetric")
    };
    std::array::from_fn(|number| {
        let mut cells = Cell::all();
        std::array::from_fn(|_| {
            image(cells.next().expect("the board has that many cells"), number / 2, number % 2 == 1)
        })
    })
});

/// The twelve symmetries of the board, the identity first.
pub fn symmetries() -> &'static [Symmetry] {
    &*SYMMETRIES
}

/// The symmetries of the board that preserve mates, and so the game. Most layouts have only the
/// identity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutSymmetries {
    /// Bit set over [`symmetries`].
    kept: u16,
}

impl LayoutSymmetries {
    pub fn of(layout: &Layout) -> LayoutSymmetries {
        let is_kept = |symmetry: &Symmetry| {
            Cell::all().all(|cell| {
                layout.matching(symmetry[cell.ordinal()]) == image(layout.matching(cell), symmetry)
            })
        };
        let bit = |(number, symmetry): (usize, &Symmetry)| u16::from(is_kept(symmetry)) << number;
        LayoutSymmetries { kept: symmetries().iter().enumerate().map(bit).sum() }
    }

    /// Whether the identity is the only one.
    pub const fn is_trivial(self) -> bool {
        self.kept == 1
    }

    /// The symmetries, the identity first.
    pub fn iter(self) -> impl Iterator<Item = &'static Symmetry> {
        symmetries()
            .iter()
            .enumerate()
            .filter(move |(number, _)| self.kept >> number & 1 == 1)
            .map(|(_, symmetry)| symmetry)
    }
}

/// Image of a set of cells.
pub fn image(cells: Cells, symmetry: &Symmetry) -> Cells {
    cells.iter().map(|cell| symmetry[cell.ordinal()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_distinct_and_preserve_neighbours() {
        let symmetries = symmetries();
        for (index, symmetry) in symmetries.iter().enumerate() {
            assert!(!symmetries[..index].contains(symmetry));
            for cell in Cell::all() {
                assert_eq!(
                    image(cell.neighbours(), symmetry),
                    symmetry[cell.ordinal()].neighbours(),
                    "{cell}"
                );
            }
        }
        assert_eq!(symmetries.len(), 12);
    }
}
