//! The 37 cells, sets of them, and the six sides.
//!
//! A set of cells is one `u64`. Cell (row, column) is bit 8 · row + column, where the columns run upwards to the left: the
//! neighbours of a cell are then the bits ±1 (its row), ±7 and ±8. Column 7 is never a cell, so no shift runs round the edge.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub, SubAssign};

/// One of the 37 cells, `a1` to `g4`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u8);

/// The number of rows, a to g.
pub const ROWS: u8 = 7;

impl Cell {
    /// How many cells a row has. Rows count from 0 (a) to 6 (g).
    pub const fn row_length(row: u8) -> u8 {
        ROWS - row.abs_diff(ROWS / 2)
    }

    /// The cell with this number, from 1, in this row, from 0 (a) to 6 (g); `None` where there is none.
    pub const fn new(row: u8, number: u8) -> Option<Cell> {
        if row < ROWS && 1 <= number && number <= Cell::row_length(row) {
            Some(Cell(8 * row + first_column(row) + number - 1))
        } else {
            None
        }
    }

    /// All cells: a1 a2 … g4.
    pub fn all() -> CellsIter {
        Cells::BOARD.iter()
    }

    /// The cells of a row, counted from 0 (a) to 6 (g), left to right.
    pub fn of_row(row: u8) -> impl Iterator<Item = Cell> {
        (1..=Cell::row_length(row)).filter_map(move |number| Cell::new(row, number))
    }

    /// 0 for row a … 6 for row g.
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// The cell's place in its row, from 1 at the left.
    pub const fn number(self) -> u8 {
        (self.0 & 7) - first_column(self.row()) + 1
    }

    /// A number below [`Cell::INDICES`], different for each cell.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The size of an array that has a place for each cell's [`index`](Cell::index).
    pub const INDICES: usize = 55;

    /// How many cells there are.
    pub const COUNT: usize = Cells::BOARD.len() as usize;

    /// The cell's place in the order a1 a2 … g4, from 0.
    pub const fn ordinal(self) -> usize {
        ORDINALS[self.index()] as usize
    }

    /// The cells that touch this one: two to six of them.
    pub const fn neighbours(self) -> Cells {
        Cells(1 << self.0).neighbours()
    }

    /// The cell of a text such as `d4`; `None` where the text names none.
    pub fn from_text(text: &str) -> Option<Cell> {
        match text.as_bytes() {
            &[row @ b'a'..=b'g', number @ b'1'..=b'7'] => Cell::new(row - b'a', number - b'0'),
            _ => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.row()), self.number())
    }
}

const ORDINALS: [u8; Cell::INDICES] = {
    let mut ordinals = [0; Cell::INDICES];
    let mut index = 0;
    while index < Cell::INDICES {
        ordinals[index] = (Cells::BOARD.bits() & ((1 << index) - 1)).count_ones() as u8;
        index += 1;
    }
    ordinals
};

/// The lower rows lean against the right edge of the 7 columns, the upper ones against the left.
const fn first_column(row: u8) -> u8 {
    3u8.saturating_sub(row)
}

/// A set of cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cells(u64);

/// The sides by colour (green, yellow, blue), each with the opposite one. A corner belongs to two of them.
pub const SIDES: [[Cells; 2]; 3] = [
    [Cells::line(1, 0, 0), Cells::line(1, 0, 6)],
    [Cells::line(0, 1, 0), Cells::line(0, 1, 6)],
    [Cells::line(1, 1, 3), Cells::line(1, 1, 9)],
];

/// The cells by what the board's symmetries tell apart, from the centre out: the centre, the ring round it, the corners and the other
/// cells of the next ring, the corners and the other cells of the sides.
pub const ORBITS: [Cells; 6] = {
    const D4: Cells = Cells(1 << (8 * 3 + 3));
    let ring = D4.neighbours();
    let around = ring.neighbours().0 & !ring.0 & !D4.0;
    let edges = around & ring.touched_twice().0;
    [
        D4,
        ring,
        Cells(around & !edges),
        Cells(edges),
        Cells::CORNERS,
        Cells(Cells::RIM.0 & !Cells::CORNERS.0),
    ]
};

impl Cells {
    /// No cell.
    pub const NONE: Cells = Cells(0);

    /// All 37 cells.
    pub const BOARD: Cells = {
        let mut bits = 0;
        let mut row = 0;
        while row < ROWS {
            bits |= ((1 << Cell::row_length(row)) - 1) << (8 * row + first_column(row));
            row += 1;
        }
        Cells(bits)
    };

    /// The 18 cells of the six sides.
    pub const RIM: Cells = Cells(GREEN.0 | YELLOW.0 | BLUE.0);

    /// The six cells that belong to two sides.
    pub const CORNERS: Cells = Cells(GREEN.0 & YELLOW.0 | YELLOW.0 & BLUE.0 | BLUE.0 & GREEN.0);

    /// The cells for which `by_row` · row + `by_column` · column is `sum`.
    const fn line(by_row: u32, by_column: u32, sum: u32) -> Cells {
        let mut bits = 0;
        let mut index = 0;
        while index < u64::BITS {
            if by_row * (index / 8) + by_column * (index % 8) == sum {
                bits |= 1 << index;
            }
            index += 1;
        }
        Cells(bits & Cells::BOARD.0)
    }

    /// Whether no cell is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many cells are in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The set as a number, different for each set.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether the cell is in the set.
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// Whether the two sets share a cell.
    pub const fn meets(self, other: Cells) -> bool {
        self.0 & other.0 != 0
    }

    /// The lowest cell, in the order a1 a2 … g4.
    pub fn first(self) -> Option<Cell> {
        (!self.is_empty()).then(|| Cell(self.0.trailing_zeros() as u8))
    }

    /// The cells in the order a1 a2 … g4.
    pub const fn iter(self) -> CellsIter {
        CellsIter(self)
    }

    /// The cells that touch a cell of the set. Cells of the set are among them where they touch each other.
    pub const fn neighbours(self) -> Cells {
        let bits = self.0;
        let up = (bits << 7) | (bits << 8);
        let down = (bits >> 7) | (bits >> 8);
        Cells(((bits << 1) | (bits >> 1) | up | down) & Cells::BOARD.0)
    }

    /// The cells that touch at least two cells of the set.
    pub const fn touched_twice(self) -> Cells {
        let bits = self.0;
        let shifted = [bits << 1, bits >> 1, bits << 7, bits >> 7, bits << 8, bits >> 8];
        let (mut once, mut twice) = (0, 0);
        let mut direction = 0;
        while direction < shifted.len() {
            twice |= once & shifted[direction];
            once |= shifted[direction];
            direction += 1;
        }
        Cells(twice & Cells::BOARD.0)
    }

    /// The cells round which the set forms at least two arcs, so that a hexagon there may close a ring.
    pub const fn between_arcs(self) -> Cells {
        let bits = self.0;
        // The six neighbours in their order round a cell: an arc ends where the next one is not in the set.
        let shifted = [bits << 1, bits << 8, bits << 7, bits >> 1, bits >> 8, bits >> 7];
        let (mut once, mut twice) = (0, 0);
        let mut direction = 0;
        while direction < shifted.len() {
            let ends = shifted[direction] & !shifted[(direction + 1) % shifted.len()];
            twice |= once & ends;
            once |= ends;
            direction += 1;
        }
        Cells(twice & Cells::BOARD.0)
    }

    /// The cells away from the rim all of whose neighbours are in the set.
    pub const fn inner(self) -> Cells {
        let bits = self.0;
        let around =
            (bits << 1) & (bits >> 1) & (bits << 7) & (bits >> 7) & (bits << 8) & (bits >> 8);
        Cells(around & Cells::BOARD.0 & !Cells::RIM.0)
    }

    /// The cells of `area` that paths inside `area` join to this set, itself included as far as it lies in `area`.
    pub fn spread_within(self, area: Cells) -> Cells {
        let mut reached = self & area;
        loop {
            let further = (reached | reached.neighbours()) & area;
            if further == reached {
                return reached;
            }
            reached = further;
        }
    }

    /// Whether the set, a single chain, joins two opposite sides.
    pub fn joins_opposite_sides(self) -> bool {
        SIDES.iter().any(|&[side, opposite]| self.meets(side) && self.meets(opposite))
    }

    /// The number of unbroken arcs that the set, some but not all of the neighbours of one cell, forms around it:
    /// its cells less the pairs of them that touch. (All six make 0: a ring has no end.)
    pub const fn arcs(self) -> u32 {
        let Cells(bits) = self;
        let pairs = (bits & bits >> 1).count_ones()
            + (bits & bits >> 7).count_ones()
            + (bits & bits >> 8).count_ones();
        self.len() - pairs
    }
}

const GREEN: Cells = Cells(SIDES[0][0].0 | SIDES[0][1].0);
const YELLOW: Cells = Cells(SIDES[1][0].0 | SIDES[1][1].0);
const BLUE: Cells = Cells(SIDES[2][0].0 | SIDES[2][1].0);

impl From<Cell> for Cells {
    fn from(cell: Cell) -> Cells {
        Cells(1 << cell.0)
    }
}

impl BitAnd for Cells {
    type Output = Cells;

    fn bitand(self, other: Cells) -> Cells {
        Cells(self.0 & other.0)
    }
}

impl BitOr for Cells {
    type Output = Cells;

    fn bitor(self, other: Cells) -> Cells {
        Cells(self.0 | other.0)
    }
}

impl BitOrAssign for Cells {
    fn bitor_assign(&mut self, other: Cells) {
        self.0 |= other.0;
    }
}

impl Sub for Cells {
    type Output = Cells;

    /// The cells of this set that are not in the other.
    fn sub(self, other: Cells) -> Cells {
        Cells(self.0 & !other.0)
    }
}

impl SubAssign for Cells {
    fn sub_assign(&mut self, other: Cells) {
        self.0 &= !other.0;
    }
}

impl IntoIterator for Cells {
    type Item = Cell;
    type IntoIter = CellsIter;

    fn into_iter(self) -> CellsIter {
        self.iter()
    }
}

impl FromIterator<Cell> for Cells {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Cells {
        cells.into_iter().fold(Cells::NONE, |set, cell| set | cell.into())
    }
}

/// The cells of a set, lowest first.
#[derive(Clone, Debug)]
pub struct CellsIter(Cells);

impl Iterator for CellsIter {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        let cell = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(cell)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for CellsIter {}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn cells(text: &str) -> Cells {
        text.split_whitespace().map(|cell| Cell::from_text(cell).unwrap()).collect()
    }

    #[test]
    fn rows_have_4_5_6_7_6_5_4_cells() {
        let rows: Vec<_> =
            (0..ROWS).map(|row| Cell::all().filter(|cell| cell.row() == row).count()).collect();
        assert_eq!(rows, [4, 5, 6, 7, 6, 5, 4]);
        assert_eq!(Cell::all().len(), 37);
    }

    #[test]
    fn a_cell_is_read_back_from_its_text() {
        for cell in Cell::all() {
            assert_eq!(Cell::from_text(&cell.to_string()), Some(cell));
            assert!(cell.index() < Cell::INDICES);
        }
        for text in ["", "a", "a0", "a5", "b6", "d8", "g5", "h1", "D4", "d44", "4d", "é"] {
            assert_eq!(Cell::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn ordinals_count_the_cells_in_their_order() {
        assert!(Cell::all().map(Cell::ordinal).eq(0..Cell::COUNT));
    }

    #[test]
    fn neighbours_touch_on_the_board_and_only_there() {
        let neighbours = |cell| Cell::from_text(cell).unwrap().neighbours();
        assert_eq!(neighbours("d4"), cells("c3 c4 d3 d5 e3 e4"));
        assert_eq!(neighbours("a1"), cells("a2 b1 b2"));
        assert_eq!(neighbours("d1"), cells("c1 d2 e1"));
        assert_eq!(neighbours("d7"), cells("c6 d6 e6"));
        assert_eq!(neighbours("g4"), cells("g3 f4 f5"));
        assert_eq!(neighbours("b5"), cells("b4 a4 c5 c6"));
    }

    #[test]
    fn opposite_sides_have_the_cells_of_the_rules() {
        assert_eq!(SIDES[0], [cells("a1 a2 a3 a4"), cells("g1 g2 g3 g4")]);
        assert_eq!(SIDES[1], [cells("d1 e1 f1 g1"), cells("a4 b5 c6 d7")]);
        assert_eq!(SIDES[2], [cells("a1 b1 c1 d1"), cells("d7 e6 f5 g4")]);
        assert_eq!(Cells::CORNERS, cells("a1 a4 d1 d7 g1 g4"));
        assert_eq!(Cells::RIM.len(), 18);
    }

    #[test]
    fn places_part_the_board_by_its_symmetries() {
        assert_eq!(ORBITS.map(Cells::len), [1, 6, 6, 6, 6, 12]);
        assert_eq!(ORBITS[2], cells("b2 b4 d2 d6 f2 f4"));
        assert_eq!(ORBITS.into_iter().fold(Cells::NONE, Cells::bitor), Cells::BOARD);
    }

    #[test]
    fn cells_between_arcs_are_those_with_two_arcs_or_more_around_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..2_000 {
            let own: Cells = Cell::all().filter(|_| rng.random_bool(0.4)).collect();
            for cell in Cell::all() {
                let arcs = (cell.neighbours() & own).arcs();
                assert_eq!(own.between_arcs().contains(cell), arcs >= 2, "{cell} {own:?}");
            }
        }
    }
}
