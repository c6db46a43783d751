//! Kamon (Bruno Cathala, Tom Delahaye): rules, text forms, pictures and evaluation.
//!
//! Players put hexagons on 37 cells, each on a token that shares its colour or symbol with the
//! token played last.
//!
//! ```
//! use oshi::game::{Game, Text};
//! use oshi::games::kamon::{Cell, Kamon};
//!
//! let tokens = "o3p4g6l1/y1r4y4y6l6/o1r6p5g1p3l2/r3l5g2p6p2r1r5/o2p1g3y5l3o5/l4y2r2o4g4/y3g5--o6";
//! let mut position: Kamon = format!("{tokens} 4/5/6/7/6/5/1b2 w a2").parse()?;
//! assert_eq!(position.last(), Cell::from_text("a2"));
//! position.play(position.parse_move("g3")?);
//! assert_eq!(position.to_string(), format!("{tokens} 2w1/5/6/7/6/5/1b2 b g3"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
pub mod eval;
mod figure;
mod hexagons;
mod layout;
mod notation;
mod picture;
mod svg;
mod symmetry;
mod words;

use std::ops::BitXor;

use rand::Rng;

use crate::game::{Game, MoveList, Outcome, Player, Text, mix};
pub use board::{Cell, Cells};
use figure::{Figure, closes_ring};
use hexagons::Hexagons;
use layout::Layout;
pub use layout::{Colour, Symbol, Token};
pub use notation::PositionError;
use symmetry::{LayoutSymmetries, Symmetry};

/// How a game ends, in the order of the tests after a move. Except in a draw, the mover wins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// A chain of the mover's hexagons joins two opposite sides.
    Connection,
    /// The mover's hexagons enclose a cell that is not theirs.
    Loop,
    /// All 36 cells are filled.
    Draw,
    /// The opponent has no cell to play on.
    Block,
}

impl Ending {
    /// The name in records and pictures, such as `connection`.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Connection => "connection",
            Ending::Loop => "loop",
            Ending::Draw => "full board",
            Ending::Block => "block",
        }
    }
}

/// A position of Kamon: the layout, the hexagons and the cell played last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kamon {
    layout: Layout,
    symmetries: LayoutSymmetries,
    /// By [`Player::index`].
    hexagons: [Hexagons; 2],
    last: Option<Cell>,
    turn: Player,
    ending: Option<Ending>,
    /// The cells that the player to move may play on.
    legal: Cells,
    /// Hash of the layout and the hexagons.
    key: u64,
}

/// Zobrist keys of the hexagons, by player and cell (Zobrist 1970).
static KEYS: [[u64; Cell::INDICES]; 2] = keys();

/// Separates the keys of legal moves from those of hexagons: no cell has this bit.
const LEGAL: u64 = 1 << 63;

const fn keys() -> [[u64; Cell::INDICES]; 2] {
    let mut keys = [[0; Cell::INDICES]; 2];
    let mut index = 0;
    while index < Cell::INDICES {
        keys[0][index] = mix(2 * index as u64 + 1);
        keys[1][index] = mix(2 * index as u64 + 2);
        index += 1;
    }
    keys
}

impl Kamon {
    /// The position line of [`start`](Kamon::start).
    pub const START: &'static str = concat!(
        "o3p4g6l1/y1r4y4y6l6/o1r6p5g1p3l2/r3l5g2p6p2r1r5/o2p1g3y5l3o5/l4y2r2o4g4/y3g5--o6",
        " 4/5/6/7/6/5/4 b -"
    );

    /// The position before the first move on a fixed layout, [`START`](Kamon::START).
    pub fn start() -> Kamon {
        Kamon::START.parse().expect("the start line is valid")
    }

    /// The position before the first move on `layout`.
    fn empty(layout: Layout) -> Kamon {
        Kamon {
            layout,
            symmetries: LayoutSymmetries::of(&layout),
            hexagons: [Hexagons::NONE; 2],
            last: None,
            turn: Player::Black,
            ending: None,
            legal: Cells::RIM - Cells::CORNERS - layout.neutral(),
            key: layout.hash(),
        }
    }

    /// How the game ended, if it is over.
    pub fn end(&self) -> Option<Ending> {
        self.ending
    }

    /// The cell played last; `None` before the first move.
    pub fn last(&self) -> Option<Cell> {
        self.last
    }

    /// The token of the cell, also if a hexagon covers it.
    pub fn token(&self, cell: Cell) -> Token {
        self.layout.token(cell)
    }

    /// The owner of the hexagon on the cell.
    pub fn owner(&self, cell: Cell) -> Option<Player> {
        Player::ALL.into_iter().find(|player| self.hexagons[player.index()].cells().contains(cell))
    }

    /// Number of moves played, which is the number of hexagons on the board.
    pub fn ply(&self) -> u32 {
        self.filled().len()
    }

    /// The cells with a hexagon.
    fn filled(&self) -> Cells {
        self.hexagons[0].cells() | self.hexagons[1].cells()
    }

    /// Plays a hexagon of the player to move. `completed` is the figure that it completes.
    fn place(&mut self, cell: Cell, completed: Option<Figure>) {
        let mover = self.turn.index();
        self.hexagons[mover] = self.hexagons[mover].with(cell);
        self.key ^= KEYS[mover][cell.index()];
        self.last = Some(cell);
        self.turn = !self.turn;
        let filled = self.filled();
        let legal = self.layout.matching(cell) - filled;
        self.ending = match completed {
            Some(Figure::Connection) => Some(Ending::Connection),
            Some(Figure::Loop) => Some(Ending::Loop),
            None if !legal.is_empty() => None,
            None if filled.len() == CELLS_TO_FILL => Some(Ending::Draw),
            None => Some(Ending::Block),
        };
        self.legal = if self.ending.is_some() { Cells::NONE } else { legal };
    }
}

/// Maximum number of legal moves: 12 cells for the first hexagon, later at most 10 mates.
const MAX_LEGAL_MOVES: usize = 12;

/// Number of cells that hexagons can fill, all but the neutral token's.
const CELLS_TO_FILL: u32 = Cells::BOARD.len() - 1;

/// Last ply at which [`proof_key`](Game::proof_key) considers symmetric positions.
///
/// Long proofs branch up to this ply; later, symmetric positions are rare.
const MAX_SYMMETRY_PLY: u32 = 10;

impl Game for Kamon {
    type Move = Cell;

    const HAS_DRAWS: bool = true;

    fn turn(&self) -> Player {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        self.ending.map(|ending| match ending {
            Ending::Draw => Outcome::Draw,
            Ending::Connection | Ending::Loop | Ending::Block => Outcome::Win(!self.turn),
        })
    }

    fn legal_moves(&self) -> MoveList<Cell> {
        self.legal.iter().collect()
    }

    fn count_legal_moves(&self) -> usize {
        self.legal.len() as usize
    }

    fn play(&mut self, cell: Cell) {
        let completed = self.hexagons[self.turn.index()].completed_by(cell);
        self.place(cell, completed);
    }

    fn play_non_winning(&mut self, cell: Cell) {
        self.place(cell, None);
    }

    fn static_loss(&self, a_draw_is_lost: bool) -> Option<u8> {
        self.static_loss_by_parity(a_draw_is_lost)
    }

    fn winning_move(&self) -> Option<Cell> {
        let own = self.hexagons[self.turn.index()];
        let free = Cells::BOARD - self.layout.neutral() - self.filled();
        // The last free cell fills the board, which is a draw and not a block.
        let [blocking, _] =
            if free.len() > 1 { self.layout.with_at_most_one_mate(free) } else { [Cells::NONE; 2] };
        let winning = own.connecting() | blocking;
        let candidates = self.legal & (winning | own.cells().between_arcs());
        candidates.iter().find(|&cell| winning.contains(cell) || closes_ring(own.cells(), cell))
    }

    /// The hash depends on the legal moves and not on the cell played last, because the rest of the
    /// game does not either.
    fn hash(&self) -> u64 {
        self.key ^ mix(LEGAL | self.legal.bits())
    }

    /// Early positions that a symmetry of the layout maps to each other share a key.
    fn proof_key(&self) -> u64 {
        if self.symmetries.is_trivial() || self.ply() > MAX_SYMMETRY_PLY {
            return self.hash();
        }
        let hash_of = |image: &Symmetry| {
            let hexagons = self
                .hexagons
                .iter()
                .zip(&KEYS)
                .flat_map(|(own, keys)| own.cells().iter().map(move |cell| (cell, keys)));
            let moved = |(cell, keys): (Cell, &[u64; Cell::INDICES])| {
                keys[cell.index()] ^ keys[image[cell.ordinal()].index()]
            };
            let key = hexagons.map(moved).fold(self.key, BitXor::bitxor);
            key ^ mix(LEGAL | symmetry::image(self.legal, image).bits())
        };
        // The minimum of several keys is biased towards small numbers, so mix its bits again.
        mix(self.symmetries.iter().map(hash_of).min().unwrap_or_default())
    }

    fn random_start<R: Rng>(&self, rng: &mut R) -> Kamon {
        Kamon::empty(Layout::random(rng))
    }
}

impl Text for Kamon {
    const MOVE_FORMS: &'static str = "a cell such as `d4` (rows a to g with 4 5 6 7 6 5 4 cells)";

    fn ending(&self) -> &'static str {
        self.ending.map_or("nothing yet", Ending::name)
    }

    fn picture(&self) -> String {
        picture::draw(self)
    }

    fn read_move(text: &str) -> Option<Cell> {
        Cell::from_text(text)
    }

    fn why_illegal(&self, cell: Cell) -> String {
        let token = self.token(cell);
        if self.ending.is_some() {
            "the game is over".to_owned()
        } else if token == Token::Neutral {
            format!("the neutral token lies on {cell}, and no hexagon may cover it")
        } else if let Some(owner) = self.owner(cell) {
            format!("a hexagon of {owner} lies on {cell}")
        } else if let Some(last) = self.last {
            let last_token = self.token(last);
            format!(
                "{token} on {cell} has neither the colour nor the symbol of {last_token}, \
                 played last on {last}"
            )
        } else {
            format!("expected a side cell that is not a corner for the first hexagon, not {cell}")
        }
    }
}

#[cfg(test)]
mod tests;
