//! The board as an SVG picture: cells with hexagons and tokens, and the coloured sides around them.

use super::board::{Cell, ROWS};
use super::layout::{Colour, Symbol, Token};
use super::picture::state;
use super::{CELLS_TO_FILL, Kamon};
use crate::draw::xml::{Attributes, Xml, placement};
use crate::draw::{Draw, Mark, Piece, Scene, draw_board, marks};
use crate::game::{Game, Player};

/// Distance of neighbouring cells, in units of the picture.
const CELL: f32 = 60.0;

/// Distance of neighbouring rows: [`CELL`] times the sine of 60°.
const ROW: f32 = 52.0;

/// Width and height of the picture.
const SIZE: (f32, f32) = (500.0, 456.0);

/// The middle of the board.
const MIDDLE: (f32, f32) = (250.0, 228.0);

/// Distance of the corners of the coloured sides from the middle of the board.
const CORNER: f32 = 230.0;

/// Number of places, which are the cells a1, a2 … g4.
const PLACES: usize = CELLS_TO_FILL as usize + 1;

/// Colours of the sides, from the upper one clockwise.
const SIDES: [Colour; 6] =
    [Colour::Green, Colour::Blue, Colour::Yellow, Colour::Green, Colour::Blue, Colour::Yellow];

const INK: &str = "#1a1613";
const OUTLINE: &str = "#17130f";

impl Draw for Kamon {
    fn svg(&self, last: Option<Cell>) -> String {
        let scene = self.scene(last);
        let caption = state(self);
        let description = format!("{caption}. Position: {self}");
        draw_board(SIZE, "Kamon board", &description, Some(&caption), |xml| {
            draw_empty_board(xml);
            for (number, cell) in cells() {
                if let Some(owner) = self.owner(cell) {
                    draw_hexagon(xml, number, Some(centre(cell)), &[owner]);
                }
            }
            for (number, token) in (PLACES..).zip(Token::all()) {
                let place = scene.pieces.get(number).map(|piece| piece.place);
                draw_token(xml, number, place.map(at), token);
            }
            marks(Some(&scene), at).iter().for_each(|mark| draw_mark(xml, mark));
            self.legal_moves().into_iter().for_each(|cell| draw_legal(xml, cell));
            Cell::all().for_each(|cell| draw_name(xml, cell));
        })
    }

    fn stage(&self) -> String {
        let description = "The sheet beside the board names every move.";
        draw_board(SIZE, "Board of the replay", description, None, |xml| {
            draw_empty_board(xml);
            for number in 0..PLACES {
                draw_hexagon(xml, number, None, &Player::ALL);
            }
            for (number, token) in (PLACES..).zip(Token::all()) {
                draw_token(xml, number, None, token);
            }
            marks(None, at).iter().for_each(|mark| draw_mark(xml, mark));
            Cell::all().for_each(|cell| draw_name(xml, cell));
        })
    }

    /// Places are cells in the order a1, a2 … g4. Pieces are first a hexagon for each cell, then
    /// all tokens. The level of a hexagon is 0 if the cell has none, 1 for Black, 2 for White.
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

/// The middle of a cell.
fn centre(cell: Cell) -> (f32, f32) {
    let from_left = f32::from(cell.number()) - f32::from(Cell::row_length(cell.row()) + 1) / 2.0;
    let from_bottom = f32::from(cell.row()) - f32::from(ROWS / 2);
    (MIDDLE.0 + CELL * from_left, MIDDLE.1 - ROW * from_bottom)
}

/// The middle of the cell with this place.
fn at(place: u8) -> (f32, f32) {
    Cell::all().nth(place.into()).map_or(MIDDLE, centre)
}

/// The coloured sides and the cells.
fn draw_empty_board(xml: &mut Xml) {
    for (index, colour) in SIDES.into_iter().enumerate() {
        draw_side(xml, index, colour);
    }
    for (number, cell) in cells() {
        let (transform, point) = placement(Some(centre(cell)));
        let attributes: Attributes<'_> =
            &[("data-place", &number), ("data-name", &cell), (transform, &point)];
        let hexagon: Attributes<'_> = &[
            ("d", &"M0-34.6L30-17.3V17.3L0 34.6L-30 17.3V-17.3z"),
            ("fill", &"#dcc9a3"),
            ("stroke", &"#2a2320"),
            ("stroke-width", &2),
        ];
        xml.element("g", attributes, |xml| xml.empty("path", hexagon));
    }
}

/// A side of the board: a line along it, with the letter of its colour.
fn draw_side(xml: &mut Xml, index: usize, colour: Colour) {
    // The corner to the left of the upper side is 120° from the direction to the right.
    let corner = |index: usize| {
        let angle = (120.0 - 60.0 * index as f32).to_radians();
        (MIDDLE.0 + CORNER * angle.cos(), MIDDLE.1 - CORNER * angle.sin())
    };
    let ((from_x, from_y), (to_x, to_y)) = (corner(index), corner(index + 1));
    let between = |share: f32| (from_x + share * (to_x - from_x), from_y + share * (to_y - from_y));
    let ((start_x, start_y), (end_x, end_y)) = (between(0.04), between(0.96));
    let fill = colour.fill();
    let line: Attributes<'_> = &[
        ("d", &format!("M{start_x} {start_y}L{end_x} {end_y}")),
        ("stroke", &fill),
        ("stroke-width", &8),
        ("stroke-linecap", &"round"),
    ];
    xml.empty("path", line);
    let (transform, point) = placement(Some(between(0.5)));
    xml.element("g", &[(transform, &point)], |xml| {
        xml.empty("circle", &[("r", &10), ("fill", &fill)]);
        xml.text("text", &[("y", &4.5), ("font-size", &12), ("fill", &INK)], colour.sign());
    });
}

/// The hexagons of these players at a point. Without a point, they are hidden until a script shows
/// one of them.
fn draw_hexagon(xml: &mut Xml, number: usize, point: Option<(f32, f32)>, owners: &[Player]) {
    let (transform, at) = placement(point);
    xml.element("g", &[("data-piece", &number), (transform, &at)], |xml| {
        for &owner in owners {
            let (fill, stroke) = match owner {
                Player::Black => (OUTLINE, "#f5efe6"),
                Player::White => ("#fffdf8", OUTLINE),
            };
            let path: Attributes<'_> = &[
                ("d", &"M0-33L28.5-16.5V16.5L0 33L-28.5 16.5V-16.5z"),
                ("fill", &fill),
                ("stroke", &stroke),
                ("stroke-width", &1),
            ];
            let level = owner.index() + 1;
            let attributes: Attributes<'_> = &[("data-level", &level), ("display", &"none")];
            let shown = if point.is_some() { &attributes[..1] } else { attributes };
            xml.element("g", shown, |xml| {
                xml.text("title", &[], format_args!("{owner}'s hexagon"));
                xml.empty("path", path);
            });
        }
    });
}

fn draw_token(xml: &mut Xml, number: usize, point: Option<(f32, f32)>, token: Token) {
    let (transform, at) = placement(point);
    xml.element("g", &[("data-piece", &number), (transform, &at)], |xml| match token {
        Token::Plain(colour, symbol) => {
            xml.text("title", &[], format_args!("{}, {token}", symbol.name()));
            draw_disc(xml, colour.fill());
            let picture: Attributes<'_> = &[
                ("transform", &"translate(0 -5) scale(1.1)"),
                ("d", &symbol.path()),
                ("fill", &INK),
            ];
            xml.empty("path", picture);
            let attributes: Attributes<'_> = &[("y", &15), ("font-size", &10.5), ("fill", &INK)];
            xml.text("text", attributes, format_args!("{}{}", colour.sign(), symbol.digit()));
        }
        Token::Neutral => {
            xml.text("title", &[], "neutral token");
            draw_disc(xml, "#8d8478");
            xml.empty("path", &[("d", &"M-9 0H9"), ("stroke", &INK), ("stroke-width", &5)]);
        }
    });
}

fn draw_disc(xml: &mut Xml, fill: &str) {
    let attributes: Attributes<'_> =
        &[("r", &20.5), ("fill", &fill), ("stroke", &OUTLINE), ("stroke-width", &1.5)];
    xml.empty("circle", attributes);
}

fn draw_mark(xml: &mut Xml, mark: &Mark) {
    let (transform, at) = placement(mark.at);
    xml.element("g", &[("data-mark", &mark.kind), (transform, &at), ("fill", &"none")], |xml| {
        for (stroke, width) in [("#12100e", 6), ("#ffe14d", 3)] {
            let attributes: Attributes<'_> = &[
                ("d", &"M0-31L27-15.5V15.5L0 31L-27 15.5V-15.5z"),
                ("stroke", &stroke),
                ("stroke-width", &width),
            ];
            xml.empty("path", attributes);
        }
    });
}

/// A dashed outline around a cell that the player may play on.
fn draw_legal(xml: &mut Xml, cell: Cell) {
    let (transform, point) = placement(Some(centre(cell)));
    let attributes: Attributes<'_> = &[
        ("data-legal", &""),
        (transform, &point),
        ("d", &"M0-29L25-14.5V14.5L0 29L-25 14.5V-14.5z"),
        ("fill", &"none"),
        ("stroke", &"#12100e"),
        ("stroke-width", &2.5),
        ("stroke-dasharray", &"6 4"),
    ];
    xml.empty("path", attributes);
}

fn draw_name(xml: &mut Xml, cell: Cell) {
    let (x, y) = centre(cell);
    let attributes: Attributes<'_> = &[
        ("x", &x),
        ("y", &y),
        ("dy", &30),
        ("font-size", &8),
        ("fill", &INK),
        ("stroke", &"#ffffff"),
        ("stroke-width", &2),
        ("paint-order", &"stroke"),
    ];
    xml.text("text", attributes, cell);
}

impl Colour {
    /// Fill of tokens and sides. Dark ink is readable on every fill.
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

    /// Letter for people who cannot distinguish the colours: the capital letter of the text forms.
    const fn sign(self) -> char {
        self.letter().to_ascii_uppercase()
    }
}

impl Symbol {
    /// The symbol as an SVG path around the origin, about 20 units wide.
    const fn path(self) -> &'static str {
        match self {
            Symbol::Butterfly => concat!(
                "M0-1C-3-9-10-9-10-3C-10 0-5 1-1 1C-7 2-8 6-4 8C-2 9 0 5 0 2",
                "C0 5 2 9 4 8C8 6 7 2 1 1C5 1 10 0 10-3C10-9 3-9 0-1z",
            ),
            Symbol::Fish => "M-10 0C-6-7 2-7 6-1L10-6V6L6 1C2 7-6 7-10 0z",
            Symbol::Bird => "M-11-5C-6-6-2-3 0 1C2-3 6-6 11-5C6-2 3 2 0 7C-3 2-6-2-11-5z",
            Symbol::Fan => {
                "M-1 8L-11-1A15 15 0 0 1-5-6zM0 7L-4-7A15 15 0 0 1 4-7zM1 8L5-6A15 15 0 0 1 11-1z"
            }
            Symbol::Mountain => "M-11 7L-4-7L1 2L4-3L11 7z",
            Symbol::Gate => "M-11-8Q0-5 11-8V-5Q0-2-11-5zM-9-1H9V2H-9zM-7-4H-4V8H-7zM4-4H7V8H4z",
        }
    }

    /// English name in lower case.
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
