//! Shapes: the owners of a cell and its neighbours, up to the symmetries of the board.

use std::sync::LazyLock;

use crate::games::kamon::board::{Cell, Cells};
use crate::games::kamon::symmetry::symmetries;

/// Number of different shapes.
pub const SHAPES: usize = 4137;

/// Index offsets of the cells of a shape: in the row below, in the same row, in the row above.
const OFFSETS: [i8; 7] = [-8, -7, -1, 0, 1, 7, 8];

/// Number of codes: one base-3 digit per cell of a shape (free, own, enemy).
const CODES: usize = 3_usize.pow(OFFSETS.len() as u32);

/// Shape numbers by cell and code.
static NUMBERS: LazyLock<Vec<[u16; CODES]>> = LazyLock::new(numbers);

/// Shape numbers by [`Cell::ordinal`]. The neutral token's cell counts as free.
pub fn shapes(own: Cells, enemy: Cells) -> [u16; Cell::COUNT] {
    // Shift by a row, so that the row below row a has bits too.
    let [own, enemy] = [own, enemy].map(|cells| cells.bits() << 8);
    let mut shapes = [0; Cell::COUNT];
    for ((shape, cell), numbers) in shapes.iter_mut().zip(Cell::all()).zip(NUMBERS.iter()) {
        let code = TERNARY[around(own, cell)] + 2 * TERNARY[around(enemy, cell)];
        *shape = numbers[usize::from(code)];
    }
    shapes
}

/// The seven bits of a shape.
const fn around(shifted: u64, cell: Cell) -> usize {
    let bits = shifted >> cell.index();
    (bits & 0b11 | (bits >> 7 & 0b111) << 2 | (bits >> 15 & 0b11) << 5) as usize
}

/// Maps a binary number to the base-3 number with the same digits.
const TERNARY: [u16; 128] = {
    let mut ternary = [0; 128];
    let mut bits = 1;
    while bits < 128 {
        ternary[bits] = 3 * ternary[bits / 2] + bits as u16 % 2;
        bits += 1;
    }
    ternary
};

fn numbers() -> Vec<[u16; CODES]> {
    let slot = |centre: Cell, cell: Cell| {
        OFFSETS.iter().position(|&offset| cell.index() as i8 == centre.index() as i8 + offset)
    };
    let places: Vec<[Option<Cell>; 7]> = Cell::all()
        .map(|centre| {
            OFFSETS.map(|offset| {
                Cell::all().find(|cell| cell.index() as i8 == centre.index() as i8 + offset)
            })
        })
        .collect();
    // By cell and symmetry: the image of the cell and the place value of each digit there, if the
    // digit's cell is on the board.
    let symmetries = symmetries();
    let images: Vec<Vec<(Cell, [Option<usize>; 7])>> = Cell::all()
        .map(|centre| {
            let image = |symmetry: &[Cell; Cell::COUNT]| {
                let to = symmetry[centre.ordinal()];
                let worth = |place: Option<Cell>| {
                    Some(3_usize.pow(slot(to, symmetry[place?.ordinal()])? as u32))
                };
                (to, places[centre.ordinal()].map(worth))
            };
            symmetries.iter().map(image).collect()
        })
        .collect();
    let mut numbers = vec![[0; CODES]; Cell::COUNT];
    let mut next = 0;
    for centre in Cell::all() {
        for code in 0..CODES {
            let digits: [usize; 7] =
                std::array::from_fn(|place| code / 3_usize.pow(place as u32) % 3);
            let mapped = |(to, worths): &(Cell, [Option<usize>; 7])| {
                let code: Option<usize> = digits
                    .iter()
                    .zip(worths)
                    .filter(|(digit, _)| **digit > 0)
                    .map(|(digit, worth)| Some(digit * (*worth)?))
                    .sum();
                Some((to.ordinal(), code?))
            };
            let first: Option<(usize, usize)> =
                images[centre.ordinal()].iter().map(mapped).min().flatten();
            let Some(first) = first else { continue };
            if first == (centre.ordinal(), code) {
                numbers[centre.ordinal()][code] = next;
                next += 1;
            } else {
                numbers[centre.ordinal()][code] = numbers[first.0][first.1];
            }
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::seq::SliceRandom;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn shapes_are_invariant_and_distinguish_owners() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut cells: Vec<Cell> = Cell::all().collect();
        let symmetries = symmetries();
        let mut seen = std::collections::HashMap::new();
        for count in (0..18).cycle().take(3_000) {
            cells.shuffle(&mut rng);
            let (own, enemy): (Cells, Cells) = (
                cells[..count].iter().copied().collect(),
                cells[count..2 * count].iter().copied().collect(),
            );
            let found = shapes(own, enemy);
            for symmetry in symmetries {
                let image = |cells: Cells| -> Cells {
                    cells.iter().map(|cell| symmetry[cell.ordinal()]).collect()
                };
                let images = shapes(image(own), image(enemy));
                assert!(Cell::all().all(
                    |cell| found[cell.ordinal()] == images[symmetry[cell.ordinal()].ordinal()]
                ));
            }
            for cell in Cell::all() {
                let near = cell.neighbours();
                let counts = (
                    own.contains(cell),
                    enemy.contains(cell),
                    near.len(),
                    (near & own).len(),
                    (near & enemy).len(),
                );
                assert_eq!(*seen.entry(found[cell.ordinal()]).or_insert(counts), counts);
            }
        }
    }

    #[test]
    fn shape_count_matches_numbers() {
        let highest = NUMBERS.iter().flatten().copied().max().unwrap();
        assert_eq!(SHAPES, usize::from(highest) + 1);
    }
}
