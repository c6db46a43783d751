//! Squares and colours of the board.

use crate::game::Player;

/// One of the 64 squares, a1 = 0, b1 = 1, …, h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(pub(super) u8);

impl Square {
    /// All squares, a1 b1 … h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        (0..64).map(Square)
    }

    /// The square on this file and rank, both counted from 0.
    ///
    /// # Panics
    /// If either is above 7.
    pub const fn new(file: u8, rank: u8) -> Square {
        assert!(file < 8 && rank < 8);
        Square(rank * 8 + file)
    }

    /// 0 for a1, 1 for b1, … 63 for h8.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 for file a, … 7 for file h.
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 for rank 1, … 7 for rank 8.
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The square's colour on the standard board. A half turn does not change it.
    pub const fn colour(self) -> Colour {
        SQUARE_COLOURS[self.index()]
    }

    /// Converts between a square of the board and the square as this player sees it.
    pub const fn seen_by(self, player: Player) -> Square {
        match player {
            Player::Black => self,
            Player::White => self.half_turn(),
        }
    }

    /// The square after a half turn of the board.
    pub const fn half_turn(self) -> Square {
        Square(self.0 ^ 63)
    }

    /// The square after reversing the files.
    pub const fn mirrored(self) -> Square {
        Square(self.0 ^ 7)
    }

    /// The square `n` ranks ahead, if it is on the board.
    pub(super) const fn ahead(self, n: u8) -> Option<Square> {
        let index = self.0 + 8 * n;
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The bitboard with only this square.
    pub(super) const fn bit(self) -> u64 {
        1 << self.0
    }

    /// The squares of a bitboard, lowest first.
    pub(super) fn in_bitboard(mut bitboard: u64) -> impl Iterator<Item = Square> {
        std::iter::from_fn(move || {
            let lowest = (bitboard != 0).then(|| Square(bitboard.trailing_zeros() as u8))?;
            bitboard &= bitboard - 1;
            Some(lowest)
        })
    }
}

/// The far row as the owner of a tower sees it. Reaching it wins the round (D7).
pub(super) const FAR_ROW: u64 = 0xFF00_0000_0000_0000;

/// A colour of squares and towers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Colour {
    /// `b`
    Brown,
    /// `g`
    Green,
    /// `r`
    Red,
    /// `y`
    Yellow,
    /// `p`
    Pink,
    /// `v`; called purple in some editions
    Violet,
    /// `l`
    Blue,
    /// `o`
    Orange,
}

use Colour::{Blue, Brown, Green, Orange, Pink, Red, Violet, Yellow};

impl Colour {
    /// All colours, in the order of the standard board's rank 1.
    pub const ALL: [Colour; 8] = [Brown, Green, Red, Yellow, Pink, Violet, Blue, Orange];

    /// Index in [`ALL`](Colour::ALL).
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case letter in position lines.
    pub const fn letter(self) -> char {
        match self {
            Brown => 'b',
            Green => 'g',
            Red => 'r',
            Yellow => 'y',
            Pink => 'p',
            Violet => 'v',
            Blue => 'l',
            Orange => 'o',
        }
    }

    /// The colour in this colour's places after reversing the files of the board.
    pub(super) const fn mirrored(self) -> Colour {
        Colour::ALL[7 - self.index()]
    }

    /// The colour with this lower-case letter.
    pub fn from_letter(letter: char) -> Option<Colour> {
        Colour::ALL.into_iter().find(|colour| colour.letter() == letter)
    }

    /// The English name, lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Brown => "brown",
            Green => "green",
            Red => "red",
            Yellow => "yellow",
            Pink => "pink",
            Violet => "violet",
            Blue => "blue",
            Orange => "orange",
        }
    }
}

/// The standard board from rank 1 up, as Black sees it.
#[rustfmt::skip]
const SQUARE_COLOURS: [Colour; 64] = [
    Brown,  Green,  Red,    Yellow, Pink,   Violet, Blue,   Orange,
    Violet, Brown,  Yellow, Blue,   Green,  Pink,   Orange, Red,
    Blue,   Yellow, Brown,  Violet, Red,    Orange, Pink,   Green,
    Yellow, Red,    Green,  Brown,  Orange, Blue,   Violet, Pink,
    Pink,   Violet, Blue,   Orange, Brown,  Green,  Red,    Yellow,
    Green,  Pink,   Orange, Red,    Violet, Brown,  Yellow, Blue,
    Red,    Orange, Pink,   Green,  Blue,   Yellow, Brown,  Violet,
    Orange, Blue,   Violet, Pink,   Yellow, Red,    Green,  Brown,
];

/// Squares of a set of colours. The set has bits by [`Colour::index`].
pub(super) fn squares_of(colours: u8) -> u64 {
    SQUARES_OF[usize::from(colours)]
}

static SQUARES_OF: [u64; 256] = squares_of_sets();

const fn squares_of_sets() -> [u64; 256] {
    let mut sets = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut square = 0;
        while square < 64 {
            if set >> SQUARE_COLOURS[square].index() & 1 == 1 {
                sets[set] |= 1 << square;
            }
            square += 1;
        }
        set += 1;
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_set_have_its_colours() {
        for set in 0..=255 {
            let squares: u64 = Square::all()
                .filter(|square| set >> square.colour().index() & 1 == 1)
                .map(Square::bit)
                .sum();
            assert_eq!(squares_of(set), squares, "{set:08b}");
        }
    }

    #[test]
    fn mirrored_squares_have_mirrored_colours() {
        assert!(
            Square::all().all(|square| square.mirrored().colour() == square.colour().mirrored())
        );
    }
}
