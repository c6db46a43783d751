//! The board as a picture: cells with their tokens, hexagons under them, the coloured sides round
//! them.

use askama::Template;

use super::board::{Cell, ROWS};
use super::layout::{Colour, Symbol, Token};
use super::picture::state;
use super::{CELLS_TO_FILL, Kamon};
use crate::draw::{Draw, Mark, Piece, Placed, Scene, marks};
use crate::game::{Game, Player};

/// The distance of neighbouring cells, in the units of the picture.
const CELL: f32 = 60.0;

/// The distance of neighbouring rows: `CELL` times the sine of 60°.
const ROW: f32 = 52.0;

/// The middle of the board.
const MIDDLE: (f32, f32) = (250.0, 228.0);

/// How far the corners of the coloured sides are from the middle of the board.
const SIDE: f32 = 230.0;

/// The places are the cells a1, a2 … g4.
const PLACES: usize = CELLS_TO_FILL as usize + 1;

#[derive(Template)]
#[template(path = "games/kamon/board.svg")]
struct Picture {
    title: String,
    description: String,
    /// The line below the board; none on a stage.
    caption: Option<String>,
    cells: Vec<Placed<Cell>>,
    sides: Vec<Side>,
    hexagons: Vec<Placed<Hexagon>>,
    tokens: Vec<Placed<Token>>,
    marks: Vec<Mark>,
    /// The cells that may be played on next.
    legal: Vec<(f32, f32)>,
}

/// A side of the board, as the line that runs along it.
struct Side {
    colour: Colour,
    from: (f32, f32),
    to: (f32, f32),
    /// Where its letter stands.
    middle: (f32, f32),
}

/// A hexagon as it lies on a cell, of one player or of either.
struct Hexagon {
    owners: Vec<Player>,
    is_hidden: bool,
}

impl Draw for Kamon {
    fn svg(&self, last: Option<Cell>) -> String {
        let caption = state(self);
        let hexagons = cells().filter_map(|(number, cell)| {
            let what = Hexagon { owners: vec![self.owner(cell)?], is_hidden: false };
            Some(Placed { number, at: Some(centre(cell)), what })
        });
        let scene = self.scene(last);
        let tokens = (PLACES..).zip(Token::all()).map(|(number, what)| {
            let place = scene.pieces.get(number).map(|piece| piece.place);
            Placed { number, at: place.map(at), what }
        });
        Picture {
            title: "Kamon board".to_owned(),
            description: format!("{caption}. Position: {self}"),
            caption: Some(caption),
            cells: board(),
            sides: sides(),
            hexagons: hexagons.collect(),
            tokens: tokens.collect(),
            marks: marks(Some(&scene), at),
            legal: self.legal_moves().into_iter().map(centre).collect(),
        }
        .to_string()
    }

    fn stage(&self) -> String {
        let either = || Hexagon { owners: Player::ALL.into(), is_hidden: true };
        Picture {
            title: "Board of the replay".to_owned(),
            description: "The sheet beside the board names every move.".to_owned(),
            caption: None,
            cells: board(),
            sides: sides(),
            hexagons: (0..PLACES)
                .map(|number| Placed { number, at: None, what: either() })
                .collect(),
            tokens: (PLACES..)
                .zip(Token::all())
                .map(|(number, what)| Placed { number, at: None, what })
                .collect(),
            marks: marks(None, at),
            legal: Vec::new(),
        }
        .to_string()
    }

    /// Places are cells in the order a1, a2 … g4. Pieces are a hexagon for each cell, whose level
    /// is 0 while none lies there, 1 for Black's and 2 for White's, and then all tokens.
    fn scene(&self, _: Option<Cell>) -> Scene {
        let hexagons = cells().map(|(number, cell)| Piece {
            place: number as u8,
            level: self.owner(cell).map_or(0, |owner| owner.index() as u8 + 1),
        });
        let tokens = Token::all().map(|token| {
            let place = cells()
                .find(|&(_, cell)| self.token(cell) == token)
                .map_or(0, |(number, _)| number);
            Piece { place: place as u8, level: 0 }
        });
        let to = self
            .last()
            .and_then(|last| cells().find(|&(_, cell)| cell == last))
            .map(|(number, _)| number as u8);
        Scene { pieces: hexagons.chain(tokens).collect(), from: None, to, called: None }
    }
}

/// All cells with the numbers of their places.
fn cells() -> impl Iterator<Item = (usize, Cell)> {
    Cell::all().enumerate()
}

fn board() -> Vec<Placed<Cell>> {
    cells().map(|(number, cell)| Placed { number, at: Some(centre(cell)), what: cell }).collect()
}

/// The middle of a cell.
fn centre(cell: Cell) -> (f32, f32) {
    let from_left = f32::from(cell.number()) - f32::from(Cell::row_length(cell.row()) + 1) / 2.0;
    let from_bottom = f32::from(cell.row()) - f32::from(ROWS / 2);
    (MIDDLE.0 + CELL * from_left, MIDDLE.1 - ROW * from_bottom)
}

/// The middle of the cell with this number.
fn at(place: u8) -> (f32, f32) {
    Cell::all().nth(place.into()).map_or(MIDDLE, centre)
}

fn sides() -> Vec<Side> {
    /// The sides from the upper one clockwise.
    const COLOURS: [Colour; 6] =
        [Colour::Green, Colour::Blue, Colour::Yellow, Colour::Green, Colour::Blue, Colour::Yellow];
    // The corner to the left of the upper side is 120° from the direction to the right.
    let corner = |index: usize, distance: f32| {
        let angle = (120.0 - 60.0 * index as f32).to_radians();
        (MIDDLE.0 + distance * angle.cos(), MIDDLE.1 - distance * angle.sin())
    };
    let between = |(x, y): (f32, f32), (other_x, other_y): (f32, f32), share: f32| {
        (x + share * (other_x - x), y + share * (other_y - y))
    };
    let side = |(index, colour)| {
        let (from, to) = (corner(index, SIDE), corner(index + 1, SIDE));
        Side {
            colour,
            from: between(from, to, 0.04),
            to: between(from, to, 0.96),
            middle: between(from, to, 0.5),
        }
    };
    COLOURS.into_iter().enumerate().map(side).collect()
}

impl Token {
    /// The colour and the symbol, unless it is the neutral one.
    const fn parts(self) -> Option<(Colour, Symbol)> {
        match self {
            Token::Plain(colour, symbol) => Some((colour, symbol)),
            Token::Neutral => None,
        }
    }
}

impl Colour {
    /// The fill of tokens and sides; dark ink is readable on all of them.
    const fn fill(self) -> &'static str {
        match self {
            Colour::Pink => "#f5a8c8",
            Colour::Yellow => "#f6d64a",
            Colour::Blue => "#7db4f0",
            Colour::Orange => "#f59a45",
            Colour::Red => "#ea6a60",
            Colour::Green => "#74c487",
        }
    }

    /// The sign that tells it from other colours for those who do not see them: the letter of the
    /// text forms, as a capital.
    const fn sign(self) -> char {
        self.letter().to_ascii_uppercase()
    }
}

impl Symbol {
    /// The symbol as an SVG path round the origin, about 20 units wide.
    const fn path(self) -> &'static str {
        match self {
            Symbol::Butterfly => {
                "M0-1C-3-9-10-9-10-3C-10 0-5 1-1 1C-7 2-8 6-4 8C-2 9 0 5 0 2C0 5 2 9 4 8C8 6 7 2 1 1C5 1 10 0 10-3C10-9 3-9 0-1z"
            }
            Symbol::Fish => "M-10 0C-6-7 2-7 6-1L10-6V6L6 1C2 7-6 7-10 0z",
            Symbol::Bird => "M-11-5C-6-6-2-3 0 1C2-3 6-6 11-5C6-2 3 2 0 7C-3 2-6-2-11-5z",
            Symbol::Fan => {
                "M-1 8L-11-1A15 15 0 0 1-5-6zM0 7L-4-7A15 15 0 0 1 4-7zM1 8L5-6A15 15 0 0 1 11-1z"
            }
            Symbol::Mountain => "M-11 7L-4-7L1 2L4-3L11 7z",
            Symbol::Gate => "M-11-8Q0-5 11-8V-5Q0-2-11-5zM-9-1H9V2H-9zM-7-4H-4V8H-7zM4-4H7V8H4z",
        }
    }

    /// The English name, lower case.
    const fn name(self) -> &'static str {
        match self {
            Symbol::Butterfly => "butterfly",
            Symbol::Fish => "fish",
            Symbol::Bird => "bird",
            Symbol::Fan => "fan",
            Symbol::Mountain => "mountain",
            Symbol::Gate => "gate",
        }
    }
}
