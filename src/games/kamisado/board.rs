//! Squares, colours, towers: where everything stands, and where a tower could go from there.
//!
//! The board looks the same to both players, because a half turn changes neither its colours nor the rules. So
//! everything inside is kept *as its owner sees it*: each player's home row is rank 1 and ahead is up. One set of
//! tables and one piece of code then serves both.

use crate::game::{Player, mix};

/// One of the 64 squares, a1 = 0, b1 = 1, …, h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

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

    /// 0 for file a … 7 for file h.
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 for rank 1 … 7 for rank 8.
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The square's colour on the standard board. A half turn leaves it as it is.
    pub const fn colour(self) -> Colour {
        SQUARE_COLOURS[self.index()]
    }

    /// The square as this player sees it, with their home row as rank 1; and back.
    pub const fn seen_by(self, player: Player) -> Square {
        match player {
            Player::Black => self,
            Player::White => self.half_turn(),
        }
    }

    /// The square that comes to lie here when the board is turned by half.
    pub const fn half_turn(self) -> Square {
        Square(self.0 ^ 63)
    }

    /// The square with files reversed.
    pub const fn mirrored(self) -> Square {
        Square(self.0 ^ 7)
    }

    /// The square `n` ranks ahead of its owner, if that is on the board.
    pub(super) const fn ahead(self, n: u8) -> Option<Square> {
        let index = self.0 + 8 * n;
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The bitboard of this square alone.
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

/// The squares of a tower owner's far row, as the owner sees them: reaching one wins the round (D7).
pub(super) const FAR_ROW: u64 = 0xFF00_0000_0000_0000;

/// The eight colours, of squares and of towers.
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
    /// `v`, printed as purple in some editions
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

    /// The place in [`ALL`](Colour::ALL).
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case letter of the text forms.
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

    /// The colour of the squares that lie where the squares of this one did when the board's files are reversed.
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

/// All squares of a set of colours, given as bits by [`Colour::index`].
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

/// How many squares a tower may move, by its teeth. No tower with a fourth tooth ever moves: it has ended the match.
const REACH: [u8; 4] = [7, 5, 3, 1];

/// The three lines ahead (straight, to the left, to the right) from each square, as far as a tower may go, by its teeth.
static LINES: [[[u64; 3]; 64]; 4] = lines();

const fn lines() -> [[[u64; 3]; 64]; 4] {
    const SIDEWAYS: [i8; 3] = [0, -1, 1];
    let mut lines = [[[0; 3]; 64]; 4];
    let mut teeth = 0;
    while teeth < 4 {
        let mut square = 0;
        while square < 64 {
            let mut direction = 0;
            while direction < 3 {
                let mut file = (square % 8) as i8 + SIDEWAYS[direction];
                let mut rank = square / 8 + 1;
                let mut steps = 0;
                while steps < REACH[teeth] && rank < 8 && file >= 0 && file < 8 {
                    lines[teeth][square][direction] |= 1 << (rank * 8 + file as usize);
                    file += SIDEWAYS[direction];
                    rank += 1;
                    steps += 1;
                }
                direction += 1;
            }
            square += 1;
        }
        teeth += 1;
    }
    lines
}

/// [`LINES`] that end on the far row. In place of each other one stand all squares, which are never free.
static FAR_LINES: [[[u64; 3]; 64]; 4] = far_lines();

const fn far_lines() -> [[[u64; 3]; 64]; 4] {
    let mut lines = lines();
    let mut line = 0;
    while line < 4 * 64 * 3 {
        let squares = &mut lines[line / 192][line / 3 % 64][line % 3];
        if *squares & FAR_ROW == 0 {
            *squares = u64::MAX;
        }
        line += 1;
    }
    lines
}

/// The keys of the incremental hash (Zobrist 1970): a tower on a square, by player and colour, and a tower's teeth. With each key stands
/// that of its mirror image.
struct Keys {
    tower: [[[[u64; 2]; 64]; 8]; 2],
    teeth: [[[[u64; 2]; 5]; 8]; 2],
}

static KEYS: Keys = keys();

const fn keys() -> Keys {
    let mut keys = Keys { tower: [[[[0; 2]; 64]; 8]; 2], teeth: [[[[0; 2]; 5]; 8]; 2] };
    let mut seed = 0;
    let mut player = 0;
    while player < 2 {
        let mut colour = 0;
        while colour < 8 {
            let mirrored = Colour::ALL[colour].mirrored().index();
            let mut square = 0;
            while square < 64 {
                seed += 1;
                keys.tower[player][colour][square][0] = mix(seed);
                keys.tower[player][mirrored][Square(square as u8).mirrored().index()][1] =
                    mix(seed);
                square += 1;
            }
            let mut teeth = 0;
            while teeth < 5 {
                seed += 1;
                keys.teeth[player][colour][teeth][0] = mix(seed);
                keys.teeth[player][mirrored][teeth][1] = mix(seed);
                teeth += 1;
            }
            colour += 1;
        }
        player += 1;
    }
    keys
}

/// Where all towers stand and how many teeth each has. Every square in and out is as the named player sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Board {
    /// By player, then colour.
    towers: [[Square; 8]; 2],
    /// All towers of both players, as each player sees them.
    occupied: [u64; 2],
    /// By player, four bits for each colour.
    teeth: [u32; 2],
    /// Of this board and of its mirror image.
    hashes: [u64; 2],
}

impl Board {
    /// The board with these towers and teeth, by player and colour. No two towers may share a square.
    pub fn new(towers: [[Square; 8]; 2], teeth: [[u8; 8]; 2]) -> Board {
        let mut board = Board { towers, occupied: [0; 2], teeth: [0; 2], hashes: [0; 2] };
        for player in Player::ALL {
            for colour in Colour::ALL {
                let square = board.tower(player, colour);
                let count = teeth[player.index()][colour.index()];
                board.occupied[player.index()] |= square.bit();
                board.occupied[(!player).index()] |= square.half_turn().bit();
                board.teeth[player.index()] |= u32::from(count) << (4 * colour.index());
                board.hash_in(KEYS.tower[player.index()][colour.index()][square.index()]);
                board.hash_in(KEYS.teeth[player.index()][colour.index()][usize::from(count)]);
            }
        }
        board
    }

    /// All towers, as the player sees them.
    pub fn occupied(&self, player: Player) -> u64 {
        self.occupied[player.index()]
    }

    pub fn tower(&self, player: Player, colour: Colour) -> Square {
        self.towers[player.index()][colour.index()]
    }

    pub fn teeth(&self, player: Player, colour: Colour) -> u8 {
        (self.teeth[player.index()] >> (4 * colour.index()) & 15) as u8
    }

    /// All teeth, by player and colour.
    pub fn all_teeth(&self) -> [[u8; 8]; 2] {
        Player::ALL.map(|player| Colour::ALL.map(|colour| self.teeth(player, colour)))
    }

    /// The hashes of this board and of its mirror image: files reversed, each colour in the place of its mirrored one.
    pub fn hashes(&self) -> [u64; 2] {
        self.hashes
    }

    /// Adds keys to the hashes, or takes them away.
    fn hash_in(&mut self, keys: [u64; 2]) {
        self.hashes[0] ^= keys[0];
        self.hashes[1] ^= keys[1];
    }

    /// The colour of this player's tower on this square, if one stands there.
    pub fn tower_at(&self, player: Player, square: Square) -> Option<Colour> {
        Colour::ALL.into_iter().find(|&colour| self.tower(player, colour) == square)
    }

    /// Gives a tower one more tooth and says how many it has now.
    pub fn add_tooth(&mut self, player: Player, colour: Colour) -> u8 {
        let teeth = usize::from(self.teeth(player, colour));
        let keys = &KEYS.teeth[player.index()][colour.index()];
        self.hash_in(keys[teeth]);
        self.hash_in(keys[teeth + 1]);
        self.teeth[player.index()] += 1 << (4 * colour.index());
        teeth as u8 + 1
    }

    /// Puts a tower onto a free square.
    pub fn move_tower(&mut self, player: Player, colour: Colour, to: Square) {
        let from = std::mem::replace(&mut self.towers[player.index()][colour.index()], to);
        self.occupied[player.index()] ^= from.bit() | to.bit();
        self.occupied[(!player).index()] ^= from.half_turn().bit() | to.half_turn().bit();
        let keys = &KEYS.tower[player.index()][colour.index()];
        self.hash_in(keys[from.index()]);
        self.hash_in(keys[to.index()]);
    }

    /// Where the tower can go: the squares it can slide to (D1–D4), and the occupied one ahead if it can push there.
    pub fn targets(&self, player: Player, colour: Colour) -> u64 {
        let (from, teeth) = (self.tower(player, colour), self.teeth(player, colour));
        let push =
            if teeth > 0 && self.oshi(player, colour).is_some() { from.bit() << 8 } else { 0 };
        self.slides_from(player, from, teeth) | push
    }

    /// The [targets](Board::targets) of all towers of a player, by colour.
    pub fn all_targets(&self, player: Player) -> [u64; 8] {
        if self.teeth[player.index()] != 0 {
            return Colour::ALL.map(|colour| self.targets(player, colour));
        }
        self.towers[player.index()].map(|from| self.slides_from(player, from, 0))
    }

    /// Where a tower with `teeth` could slide to from here.
    pub fn slides_from(&self, player: Player, from: Square, teeth: u8) -> u64 {
        let occupied = self.occupied(player);
        let lines = &LINES[usize::from(teeth & 3)][from.index()];
        // Taking 1 from the towers on a line leaves the squares below the nearest one; the others are not free.
        let slides = lines
            .iter()
            .fold(0, |slides, line| slides | (line & (line & occupied).wrapping_sub(1)));
        slides & !occupied
    }

    /// Those of the squares, as the enemy who is about to slide there from `from` sees them, on which the slide calls a tower of this
    /// player that then reaches the far row at once. Only the colours given, as bits, are looked at.
    pub fn losing_slides(&self, player: Player, from: Square, to: u64, colours: u8) -> u64 {
        let occupied = self.occupied(player) & !from.half_turn().bit();
        let losing = to & squares_of(colours & self.arriving(player, occupied));
        Square::in_bitboard(losing).fold(0, |losing, square| {
            // The slide may block the line that it calls the tower of.
            let is_lost =
                self.reaches_far_row(player, square.colour(), occupied | square.half_turn().bit());
            losing | u64::from(is_lost) << square.0
        })
    }

    /// Whether the tower would reach the far row at once if these squares were occupied, as its owner sees them.
    pub fn reaches_far_row(&self, player: Player, colour: Colour, occupied: u64) -> bool {
        let [ahead, left, right] = FAR_LINES[usize::from(self.teeth(player, colour) & 3)]
            [self.tower(player, colour).index()];
        (ahead & occupied == 0) | (left & occupied == 0) | (right & occupied == 0)
    }

    /// The colours of the player's towers, as bits, that could reach the far row at once if no tower had teeth and only these squares were
    /// occupied.
    fn arriving(&self, player: Player, occupied: u64) -> u8 {
        const LEFT_FILE: u64 = 0x0101_0101_0101_0101;
        let arriving = [(8, 0), (9, LEFT_FILE << 7), (7, LEFT_FILE)].into_iter().fold(
            0,
            |arriving, (step, last_file)| {
                // Back from the far row over free squares (Kogge-Stone fill).
                let (mut reached, mut path) = (FAR_ROW & !occupied, !occupied & !last_file);
                for shift in [step, 2 * step, 4 * step] {
                    reached |= path & (reached >> shift);
                    path &= path >> shift;
                }
                arriving | (reached >> step) & !last_file
            },
        );
        let towers = &self.towers[player.index()];
        towers.iter().rev().fold(0, |colours, tower| colours << 1 | (arriving >> tower.0 & 1) as u8)
    }

    /// How many towers this one would push back with an oshi (S2–S4, DS2–DS4, TS2–TS4), if it can make one.
    pub fn oshi(&self, player: Player, colour: Colour) -> Option<u8> {
        let teeth = self.teeth(player, colour);
        if teeth == 0 {
            return None;
        }
        let from = self.tower(player, colour);
        for pushed in 0..=teeth {
            let square = from.ahead(pushed + 1)?;
            if self.occupied[player.index()] & square.bit() == 0 {
                return (pushed > 0).then_some(pushed);
            }
            let enemy = self.tower_at(!player, square.half_turn())?;
            if self.teeth(!player, enemy) >= teeth {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_squares_of_a_set_of_colours_are_those_with_one_of_them() {
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

    #[test]
    fn no_two_keys_of_the_hash_are_equal_and_each_is_its_mirror_images_other_one() {
        for player in Player::ALL {
            for (colour, square) in Colour::ALL
                .into_iter()
                .flat_map(|colour| Square::all().map(move |square| (colour, square)))
            {
                let keys = |colour: Colour, square: Square| {
                    KEYS.tower[player.index()][colour.index()][square.index()]
                };
                let [own, mirrored] = keys(colour, square);
                assert_eq!(keys(colour.mirrored(), square.mirrored()), [mirrored, own]);
            }
        }
        let all = KEYS
            .tower
            .as_flattened()
            .as_flattened()
            .iter()
            .chain(KEYS.teeth.as_flattened().as_flattened());
        let keys: HashSet<u64> = all.map(|[own, _]| *own).collect();
        assert_eq!(keys.len(), 2 * 8 * (64 + 5));
    }
}
