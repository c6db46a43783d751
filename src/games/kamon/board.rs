//! The 37 cells, sets of them, and the six sides.
//!
//! A set of cells is a `u64`. Cell (row, column) is bit 8 · row + column, and columns run upwards
//! to the left, so the neighbours of a cell are the bits ±1 (its row), ±7 and ±8. Column 7 holds no
//! cell, so that shifts do not wrap around the edge.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub, SubAssign};

/// One of the 37 cells, `a1` to `g4`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u8);

/// Number of rows, a to g.
pub const ROWS: u8 = 7;

impl Cell {
    /// Number of cells in a row. Rows are numbered from 0 (a) to 6 (g).
    pub const fn row_length(row: u8) -> u8 {
        ROWS - row.abs_diff(ROWS / 2)
    }

    /// The cell at a row, from 0 (a) to 6 (g), and a number in it, from 1; `None` outside the
    /// board.
    pub const fn new(row: u8, number: u8) -> Option<Cell> {
        if row < ROWS && 1 <= number && number <= Cell::row_length(row) {
            Some(Cell(8 * row + first_column(row) + number - 1))
        } else {
            None
        }
    }

    /// All cells in the order a1 a2 … g4.
    pub fn all() -> CellsIter {
        Cells::BOARD.iter()
    }

    /// The cells of a row, from left to right. Rows are numbered from 0 (a) to 6 (g).
    pub fn of_row(row: u8) -> impl Iterator<Item = Cell> {
        (1..=Cell::row_length(row)).filter_map(move |number| Cell::new(row, number))
    }

    /// Row, from 0 (a) to 6 (g).
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// Position in the row, from 1 at the left.
    pub const fn number(self) -> u8 {
        (self.0 & 7) - first_column(self.row()) + 1
    }

    /// Unique number below [`Cell::INDICES`], with gaps.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Length of an array by [`index`](Cell::index).
    pub const INDICES: usize = 55;

    /// Number of cells.
    pub const COUNT: usize = Cells::BOARD.len() as usize;

    /// Position in the order a1 a2 … g4, from 0.
    pub const fn ordinal(self) -> usize {
        ORDINALS[self.index()] as usize
    }

    /// The adjacent cells, three to six.
    pub const fn neighbours(self) -> Cells {
        Cells(1 << self.0).neighbours()
    }

    /// Reads a cell such as `d4`.
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

/// First of the 7 columns that a row uses: lower rows are aligned right, upper rows left.
const fn first_column(row: u8) -> u8 {
    3u8.saturating_sub(row)
}

/// A set of cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cells(u64);

/// Pairs of opposite sides by colour: green, yellow, blue. A corner belongs to two sides.
pub const SIDES: [[Cells; 2]; 3] = [
    [Cells::line(1, 0, 0), Cells::line(1, 0, 6)],
    [Cells::line(0, 1, 0), Cells::line(0, 1, 6)],
    [Cells::line(1, 1, 3), Cells::line(1, 1, 9)],
];

/// Orbits of the cells under the board's symmetries, from the centre outwards: the centre, the
/// inner ring, the corners and the edges of the middle ring, the corners and the edges of the rim.
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
    /// The empty set.
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

    /// The cells with `by_row` · row + `by_column` · column = `sum`.
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

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of cells in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The set as a bit mask.
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

    /// The first cell in the order a1 a2 … g4.
    pub fn first(self) -> Option<Cell> {
        (!self.is_empty()).then(|| Cell(self.0.trailing_zeros() as u8))
    }

    /// The cells in the order a1 a2 … g4.
    pub const fn iter(self) -> CellsIter {
        CellsIter(self)
    }

    /// The cells adjacent to a cell of the set, members of the set included.
    pub const fn neighbours(self) -> Cells {
        let bits = self.0;
        let up = (bits << 7) | (bits << 8);
        let down = (bits >> 7) | (bits >> 8);
        Cells(((bits << 1) | (bits >> 1) | up | down) & Cells::BOARD.0)
    }

    /// The cells adjacent to at least two cells of the set.
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

    /// The cells around which the set forms at least two arcs, so that a hexagon may close a ring.
    pub const fn between_arcs(self) -> Cells {
        let bits = self.0;
        // The six neighbours in circular order: an arc ends before a neighbour outside the set.
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

    /// The inner cells (not on the rim) with all six neighbours in the set.
    pub const fn inner(self) -> Cells {
        let bits = self.0;
        let around =
            (bits << 1) & (bits >> 1) & (bits << 7) & (bits >> 7) & (bits << 8) & (bits >> 8);
        Cells(around & Cells::BOARD.0 & !Cells::RIM.0)
    }

    /// The cells of `area` that a path within `area` connects to a cell of this set (flood fill).
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

    /// Whether the set, which must be connected, touches two opposite sides.
    pub fn joins_opposite_sides(self) -> bool {
        SIDES.iter().any(|&[side, opposite]| self.meets(side) && self.meets(opposite))
    }

    /// Number of arcs that the set forms around a cell, if the set is a part of its neighbours.
    ///
    /// This is the number of cells minus the number of adjacent pairs, so all six neighbours give
    /// 0.
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

    /// Set difference.
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

/// Iterator over a set in the order a1 a2 … g4.
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
    fn reads_back_printed_cells() {
        for cell in Cell::all() {
            assert_eq!(Cell::from_text(&cell.to_string()), Some(cell));
            assert!(cell.index() < Cell::INDICES);
        }
        for text in ["", "a", "a0", "a5", "b6", "d8", "g5", "h1", "D4", "d44", "4d", "é"] {
            assert_eq!(Cell::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn ordinals_follow_cell_order() {
        assert!(Cell::all().map(Cell::ordinal).eq(0..Cell::COUNT));
    }

    #[test]
    fn neighbours_stay_on_board() {
        let neighbours = |cell| Cell::from_text(cell).unwrap().neighbours();
        assert_eq!(neighbours("d4"), cells("c3 c4 d3 d5 e3 e4"));
        assert_eq!(neighbours("a1"), cells("a2 b1 b2"));
        assert_eq!(neighbours("d1"), cells("c1 d2 e1"));
        assert_eq!(neighbours("d7"), cells("c6 d6 e6"));
        assert_eq!(neighbours("g4"), cells("g3 f4 f5"));
        assert_eq!(neighbours("b5"), cells("b4 a4 c5 c6"));
    }

    #[test]
    fn sides_match_rules() {
        assert_eq!(SIDES[0], [cells("a1 a2 a3 a4"), cells("g1 g2 g3 g4")]);
        assert_eq!(SIDES[1], [cells("d1 e1 f1 g1"), cells("a4 b5 c6 d7")]);
        assert_eq!(SIDES[2], [cells("a1 b1 c1 d1"), cells("d7 e6 f5 g4")]);
        assert_eq!(Cells::CORNERS, cells("a1 a4 d1 d7 g1 g4"));
        assert_eq!(Cells::RIM.len(), 18);
    }

    #[test]
    fn orbits_partition_board() {
        assert_eq!(ORBITS.map(Cells::len), [1, 6, 6, 6, 6, 12]);
        assert_eq!(ORBITS[2], cells("b2 b4 d2 d6 f2 f4"));
        assert_eq!(ORBITS.into_iter().fold(Cells::NONE, Cells::bitor), Cells::BOARD);
    }

    #[test]
    fn between_arcs_matches_arc_count() {
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
