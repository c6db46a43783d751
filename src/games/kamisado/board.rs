//! The board: towers, teeth and targets of moves.
//!
//! A half turn changes neither the colours of the board nor the rules. The board therefore stores
//! squares as the owner of a tower sees them: each player's home row is rank 1, and ahead is up.
//! The same tables and code serve both players.

use super::square::{Colour, FAR_ROW, Square, squares_of};
use crate::game::{Player, mix};

/// Maximum distance of a move, by teeth. A tower with four teeth has ended the match.
const REACH: [u8; 4] = [7, 5, 3, 1];

/// Lines straight ahead, to the left and to the right, by teeth and square, as far as a tower may
/// move.
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

/// [`LINES`] that end on the far row. Other lines are replaced by all squares, which are never
/// free.
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

/// Keys of the incremental hash (Zobrist 1970), each with the key of its mirror image.
struct Keys {
    /// A tower on a square, by player, colour and square.
    tower: [[[[u64; 2]; 64]; 8]; 2],
    /// Teeth of a tower, by player, colour and number.
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

/// Squares and teeth of all towers. All squares are as the given player sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Board {
    /// By player, then colour.
    towers: [[Square; 8]; 2],
    /// Occupied squares, as each player sees them.
    occupied: [u64; 2],
    /// By player, four bits per colour.
    teeth: [u32; 2],
    /// Hashes of this board and of its mirror image.
    hashes: [u64; 2],
}

impl Board {
    /// A board with these towers and teeth by player and colour. No two towers may share a square.
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

    /// Bitboard of the towers of both players, as this player sees them.
    pub fn occupied(&self, player: Player) -> u64 {
        self.occupied[player.index()]
    }

    pub fn tower(&self, player: Player, colour: Colour) -> Square {
        self.towers[player.index()][colour.index()]
    }

    pub fn teeth(&self, player: Player, colour: Colour) -> u8 {
        (self.teeth[player.index()] >> (4 * colour.index()) & 15) as u8
    }

    /// Teeth by player and colour.
    pub fn all_teeth(&self) -> [[u8; 8]; 2] {
        Player::ALL.map(|player| Colour::ALL.map(|colour| self.teeth(player, colour)))
    }

    /// Hashes of this board and of its mirror image: files reversed and colours mirrored.
    pub fn hashes(&self) -> [u64; 2] {
        self.hashes
    }

    /// Adds keys to the hashes, or removes them.
    fn hash_in(&mut self, keys: [u64; 2]) {
        self.hashes[0] ^= keys[0];
        self.hashes[1] ^= keys[1];
    }

    /// Colour of this player's tower on this square, if any.
    pub fn tower_at(&self, player: Player, square: Square) -> Option<Colour> {
        Colour::ALL.into_iter().find(|&colour| self.tower(player, colour) == square)
    }

    /// Gives a tower one more tooth. Returns its teeth.
    pub fn add_tooth(&mut self, player: Player, colour: Colour) -> u8 {
        let teeth = usize::from(self.teeth(player, colour));
        let keys = &KEYS.teeth[player.index()][colour.index()];
        self.hash_in(keys[teeth]);
        self.hash_in(keys[teeth + 1]);
        self.teeth[player.index()] += 1 << (4 * colour.index());
        teeth as u8 + 1
    }

    /// Moves a tower to a free square.
    pub fn move_tower(&mut self, player: Player, colour: Colour, to: Square) {
        let from = std::mem::replace(&mut self.towers[player.index()][colour.index()], to);
        self.occupied[player.index()] ^= from.bit() | to.bit();
        self.occupied[(!player).index()] ^= from.half_turn().bit() | to.half_turn().bit();
        let keys = &KEYS.tower[player.index()][colour.index()];
        self.hash_in(keys[from.index()]);
        self.hash_in(keys[to.index()]);
    }

    /// Bitboard of a tower's targets: free squares (D1–D4), and the occupied square ahead if it can
    /// push.
    pub fn targets(&self, player: Player, colour: Colour) -> u64 {
        let (from, teeth) = (self.tower(player, colour), self.teeth(player, colour));
        let push =
            if teeth > 0 && self.oshi(player, colour).is_some() { from.bit() << 8 } else { 0 };
        self.slides_from(player, from, teeth) | push
    }

    /// [Targets](Board::targets) of a player's towers, by colour.
    pub fn all_targets(&self, player: Player) -> [u64; 8] {
        if self.teeth[player.index()] != 0 {
            return Colour::ALL.map(|colour| self.targets(player, colour));
        }
        self.towers[player.index()].map(|from| self.slides_from(player, from, 0))
    }

    /// Bitboard of the free squares that a tower with `teeth` reaches from a square.
    pub fn slides_from(&self, player: Player, from: Square, teeth: u8) -> u64 {
        let occupied = self.occupied(player);
        let lines = &LINES[usize::from(teeth & 3)][from.index()];
        // Subtracting 1 from the towers on a line sets all bits below the nearest tower.
        let slides = lines
            .iter()
            .fold(0, |slides, line| slides | (line & (line & occupied).wrapping_sub(1)));
        slides & !occupied
    }

    /// The losing ones among the targets `to` of an enemy tower on `from`: they call a tower of
    /// this player that then reaches the far row. `from` and `to` are as the enemy sees them. Only
    /// the towers in `colours`, a set of bits, count.
    pub fn losing_slides(&self, player: Player, from: Square, to: u64, colours: u8) -> u64 {
        let occupied = self.occupied(player) & !from.half_turn().bit();
        let losing = to & squares_of(colours & self.arriving(player, occupied));
        Square::in_bitboard(losing).fold(0, |losing, square| {
            // The enemy tower may block the line of the tower that it calls.
            let is_lost =
                self.reaches_far_row(player, square.colour(), occupied | square.half_turn().bit());
            losing | u64::from(is_lost) << square.0
        })
    }

    /// Whether the tower can reach the far row in one move if these squares, as its owner sees
    /// them, are occupied.
    pub fn reaches_far_row(&self, player: Player, colour: Colour, occupied: u64) -> bool {
        let [ahead, left, right] = FAR_LINES[usize::from(self.teeth(player, colour) & 3)]
            [self.tower(player, colour).index()];
        (ahead & occupied == 0) | (left & occupied == 0) | (right & occupied == 0)
    }

    /// Colours of the player's towers, as bits, that could reach the far row in one move if these
    /// squares were occupied and no tower had teeth.
    fn arriving(&self, player: Player, occupied: u64) -> u8 {
        const LEFT_FILE: u64 = 0x0101_0101_0101_0101;
        let arriving = [(8, 0), (9, LEFT_FILE << 7), (7, LEFT_FILE)].into_iter().fold(
            0,
            |arriving, (step, last_file)| {
                // Kogge-Stone fill from the far row back over free squares.
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

    /// Number of towers that this one would push (S2–S4, DS2–DS4, TS2–TS4), if it can push.
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
    fn hash_keys_are_distinct_and_mirrored() {
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
