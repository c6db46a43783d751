//! The board as an SVG picture: squares and towers show their colour and its letter, and a tower
//! has one spike for each dragon tooth.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::picture::{name, state};
use super::rules::{Match, Move};
use super::square::{Colour, Square};
use crate::draw::xml::{Attributes, Xml, placement};
use crate::draw::{Draw, Mark, Piece, Scene, draw_board, marks};
use crate::game::{Game, Player};

/// Width of a square, in the units of the picture.
const SQUARE: f32 = 60.0;

/// Width of the frame around the squares, which carries files and ranks.
const FRAME: f32 = 28.0;

/// Width and height of the board with its frame.
const BOARD: f32 = 8.0 * SQUARE + 2.0 * FRAME;

/// A tower has at most three teeth in play; a fourth one ends the match.
const MOST_TEETH: u8 = 4;

/// Outline of a tower.
const TOWER: &str = "M21.3 13h17.4L51 25.3v17.4L38.7 55H21.3L9 42.7V25.3z";

/// Outline of the marks for the squares of the last move. The lower right corner stays open for the
/// square's letter.
const CORNERS: &str = "M46 56H4V4h52v42";

impl Draw for Match {
    fn svg(&self, last: Option<Move>) -> String {
        let scene = self.scene(last);
        let caption = state(self);
        let description = format!("{caption}. Position: {self}");
        draw_board((BOARD, BOARD), "Kamisado board", &description, Some(&caption), |xml| {
            draw_squares(xml, self, &marks(Some(&scene), corner));
            for ((number, tower), piece) in towers().enumerate().zip(&scene.pieces) {
                let spikes = piece.level.max(1)..=piece.level;
                draw_tower(xml, self, number, tower, Some(corner(piece.place)), spikes);
            }
            for (x, y) in legal_targets(self) {
                xml.empty(
                    "circle",
                    &[
                        ("data-legal", &""),
                        ("cx", &x),
                        ("cy", &y),
                        ("r", &7.5),
                        ("fill", &"#ffffff"),
                        ("stroke", &"#12100e"),
                        ("stroke-width", &2.5),
                    ],
                );
            }
        })
    }

    fn stage(&self) -> String {
        let description = "The sheet beside the board names every move.";
        draw_board((BOARD, BOARD), "Board of the replay", description, None, |xml| {
            draw_squares(xml, self, &marks(None, corner));
            for (number, tower) in towers().enumerate() {
                draw_tower(xml, self, number, tower, None, 1..=MOST_TEETH);
            }
        })
    }

    /// Places are the squares a1 = 0, b1 = 1, …, h8 = 63. Pieces are Black's eight towers, then
    /// White's.
    fn scene(&self, last: Option<Move>) -> Scene {
        let pieces = towers().map(|(player, colour)| Piece {
            place: place(self.tower(player, colour)),
            level: self.teeth(player, colour),
        });
        let (from, to) = match last {
            Some(Move::Tower { from, to }) => (Some(place(from)), Some(place(to))),
            Some(Move::Pass | Move::Refill(_)) | None => (None, None),
        };
        let called = self.called().map(|called| place(self.tower(self.turn(), called)));
        Scene { pieces: pieces.collect(), from, to, called }
    }
}

/// All towers, in the order of a scene's pieces.
fn towers() -> impl Iterator<Item = (Player, Colour)> {
    Player::ALL.into_iter().flat_map(|player| Colour::ALL.map(|colour| (player, colour)))
}

const fn place(square: Square) -> u8 {
    square.index() as u8
}

/// The upper left corner of the square with this place.
fn corner(place: u8) -> (f32, f32) {
    (FRAME + SQUARE * f32::from(place % 8), FRAME + SQUARE * f32::from(7 - place / 8))
}

/// Squares, files, ranks and marks.
fn draw_squares(xml: &mut Xml, position: &Match, marks: &[Mark]) {
    for square in Square::all() {
        draw_square(xml, square, position.layout().rename(square.colour()));
    }
    let middle = FRAME / 2.0;
    for index in 0..8 {
        let along = FRAME + SQUARE * (f32::from(index) + 0.5);
        let (file, rank) = (char::from(b'a' + index), char::from(b'8' - index));
        draw_label(xml, (along, middle), file);
        draw_label(xml, (along, BOARD - middle), file);
        draw_label(xml, (middle, along), rank);
        draw_label(xml, (BOARD - middle, along), rank);
    }
    for mark in marks {
        draw_mark(xml, mark);
    }
}

fn draw_square(xml: &mut Xml, square: Square, colour: Colour) {
    let (transform, at) = placement(Some(corner(place(square))));
    let attributes: Attributes<'_> =
        &[("data-place", &square.index()), ("data-name", &square), (transform, &at)];
    xml.element("g", attributes, |xml| {
        xml.empty(
            "rect",
            &[
                ("width", &SQUARE),
                ("height", &SQUARE),
                ("fill", &colour.fill()),
                ("stroke", &"#2a2320"),
                ("stroke-width", &1),
            ],
        );
        xml.text(
            "text",
            &[("x", &53), ("y", &57), ("font-size", &10.5), ("fill", &colour.ink())],
            colour.sign(),
        );
    });
}

/// A file or a rank on the frame.
fn draw_label(xml: &mut Xml, (x, y): (f32, f32), label: char) {
    xml.text(
        "text",
        &[("x", &x), ("y", &y), ("dy", &5), ("font-size", &14), ("fill", &"#e8ded2")],
        label,
    );
}

/// Marks the called tower with a yellow circle and the squares of the last move with corners,
/// dashed on its first square.
fn draw_mark(xml: &mut Xml, mark: &Mark) {
    let (transform, at) = placement(mark.at);
    xml.element("g", &[("data-mark", &mark.kind), (transform, &at), ("fill", &"none")], |xml| {
        let mut circle = |colour: &str, width: f32| {
            xml.empty(
                "circle",
                &[
                    ("cx", &30),
                    ("cy", &34),
                    ("r", &23.5),
                    ("stroke", &colour),
                    ("stroke-width", &width),
                ],
            );
        };
        if mark.kind == "called" {
            circle("#12100e", 7.0);
            circle("#ffe14d", 4.0);
            return;
        }
        let is_from = mark.kind == "from";
        let width = if is_from { 5 } else { 6 };
        xml.empty("path", &[("d", &CORNERS), ("stroke", &"#ffffff"), ("stroke-width", &width)]);
        let inner: Attributes<'_> = &[
            ("d", &CORNERS),
            ("stroke", &"#12100e"),
            ("stroke-width", &2.5),
            ("stroke-dasharray", &"7 6"),
        ];
        xml.empty("path", if is_from { inner } else { &inner[..3] });
    });
}

/// A tower with the spikes for each number of `teeth`. Without a place it is hidden, and so are its
/// spikes, until a script shows them.
fn draw_tower(
    xml: &mut Xml,
    position: &Match,
    number: usize,
    (player, colour): (Player, Colour),
    at: Option<(f32, f32)>,
    teeth: RangeInclusive<u8>,
) {
    let shown = position.layout().rename(colour);
    let (body, edge) = match player {
        Player::Black => ("#17130f", "#f5efe6"),
        Player::White => ("#fffdf8", "#17130f"),
    };
    let (transform, place) = placement(at);
    xml.element("g", &[("data-piece", &number), (transform, &place)], |xml| {
        xml.text("title", &[], format_args!("{player}'s {} tower", name(position, colour)));
        for teeth in teeth {
            draw_spikes(xml, teeth, at.is_none());
        }
        xml.empty(
            "path",
            &[("d", &TOWER), ("fill", &body), ("stroke", &edge), ("stroke-width", &1.5)],
        );
        xml.empty(
            "circle",
            &[
                ("cx", &30),
                ("cy", &34),
                ("r", &14.5),
                ("fill", &shown.fill()),
                ("stroke", &"#17130f"),
                ("stroke-width", &1),
            ],
        );
        xml.text(
            "text",
            &[("x", &30), ("y", &40.4), ("font-size", &17.5), ("fill", &shown.ink())],
            shown.sign(),
        );
    });
}

/// One spike per tooth, centred on the tower.
fn draw_spikes(xml: &mut Xml, teeth: u8, is_hidden: bool) {
    let mut attributes: Vec<(&str, &dyn Display)> = vec![("data-level", &teeth)];
    if is_hidden {
        attributes.push(("display", &"none"));
    }
    attributes.extend_from_slice(&[
        ("fill", &"#fff6dd"),
        ("stroke", &"#12100e"),
        ("stroke-width", &1.5),
        ("stroke-linejoin", &"round"),
    ]);
    xml.element("g", &attributes, |xml| {
        for spike in 0..teeth {
            let x = SQUARE / 2.0 + 12.0 * (f32::from(spike) - f32::from(teeth - 1) / 2.0);
            let at = format!("translate({x} 0)");
            xml.empty("path", &[("transform", &at), ("d", &"M-6 19L0 1L6 19z")]);
        }
    });
}

/// The squares that the called tower may go to, as points: the centre of a free square, the lower
/// left corner of one that it may push.
fn legal_targets(position: &Match) -> Vec<(f32, f32)> {
    if position.called().is_none() {
        return Vec::new();
    }
    let targets = position.legal_moves().into_iter().filter_map(|mv| match mv {
        Move::Tower { to, .. } => Some(to),
        Move::Pass | Move::Refill(_) => None,
    });
    targets
        .map(|to| {
            let (x, y) = corner(place(to));
            let (across, down) =
                if position.tower_at(to).is_some() { (10.0, 50.0) } else { (30.0, 30.0) };
            (x + across, y + down)
        })
        .collect()
}

impl Colour {
    /// The fill of squares and towers.
    const fn fill(self) -> &'static str {
        match self {
            Colour::Brown => "#8b5a33",
            Colour::Green => "#2f8f4e",
            Colour::Red => "#d03a34",
            Colour::Yellow => "#f3cf3a",
            Colour::Pink => "#f09bbb",
            Colour::Violet => "#7a4aa3",
            Colour::Blue => "#2f6fc0",
            Colour::Orange => "#f08c2c",
        }
    }

    /// The text colour that is readable on the fill.
    const fn ink(self) -> &'static str {
        match self {
            Colour::Brown | Colour::Green | Colour::Red | Colour::Violet | Colour::Blue => {
                "#ffffff"
            }
            Colour::Yellow | Colour::Pink | Colour::Orange => "#1a1613",
        }
    }

    /// The letter that identifies the colour to players who cannot tell colours apart.
    const fn sign(self) -> char {
        self.letter().to_ascii_uppercase()
    }
}
