//! The symmetries of the board, and those of them that a layout of tokens has too.

use std::sync::LazyLock;

use super::board::{Cell, Cells};
use super::layout::Layout;

/// Where each cell goes, by [`Cell::ordinal`].
pub type Symmetry = [Cell; Cell::COUNT];

/// How many symmetries the board has.
const COUNT: usize = 12;

static SYMMETRIES: LazyLock<[Symmetry; COUNT]> = LazyLock::new(|| {
    // Three coordinates with sum 0 count the steps from the centre (Patel, Hexagonal Grids): a sixth of a turn moves each on and
    // changes the signs, a reflection swaps two.
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
            image(cells.next().expect("as many as there are"), number / 2, number % 2 == 1)
        })
    })
});

/// The twelve symmetries of the board, the one that moves nothing first.
pub fn symmetries() -> &'static [Symmetry] {
    &*SYMMETRIES
}

/// The symmetries of the board under which mates stay mates, so that the game goes on in the same way. Few layouts have another one than
/// that which moves nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutSymmetries {
    /// A bit for each of [`symmetries`].
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

    /// Whether nothing but the symmetry that moves nothing is among them.
    pub const fn is_trivial(self) -> bool {
        self.kept == 1
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = &'static Symmetry> {
        symmetries()
            .iter()
            .enumerate()
            .filter(move |(number, _)| self.kept >> number & 1 == 1)
            .map(|(_, symmetry)| symmetry)
    }
}

/// Where the cells go.
pub fn image(cells: Cells, symmetry: &Symmetry) -> Cells {
    cells.iter().map(|cell| symmetry[cell.ordinal()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_different_and_keep_neighbours_neighbours() {
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
