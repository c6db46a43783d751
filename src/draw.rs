//! Boards as SVG pictures, and scenes that move the pieces of one.
//!
//! Each game draws its own board. All drawings have the same structure: a place of the board is an
//! element with `data-place`, a piece an element with `data-piece`. Both are drawn at the origin
//! and positioned by `transform`. So a script moves a piece by giving it the transform of another
//! place, without knowledge of the game.

pub(crate) mod xml;

use crate::game::Text;
use xml::{Attributes, Xml};

/// A JavaScript module that shows scenes on a [stage](Draw::stage).
///
/// `stageOf(element)` finds the parts of a stage, `showScene(stage, scene)` shows a [`Scene`], and
/// `change(stage, numbers)` applies the difference between two scenes.
pub const BOARD_SCRIPT: &str = include_str!("draw/board.js");

/// A piece on the board: a tower, a hexagon, a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Place, from 0 in the game's order.
    pub place: u8,
    /// Appearance, 0 for the plain one: the teeth of a tower, the owner of a hexagon.
    pub level: u8,
}

/// The parts of a picture that a move may change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// All pieces, always in the same order.
    pub pieces: Vec<Piece>,
    /// Origin of the last move, if any.
    pub from: Option<u8>,
    /// Target of the last move.
    pub to: Option<u8>,
    /// Place of the piece that must move.
    pub called: Option<u8>,
}

/// A game with pictures of its positions. The default picture is the one in text.
pub trait Draw: Text {
    /// The position as an SVG document with title and description. `last` is the move that led to
    /// it, if known.
    fn svg(&self, _last: Option<Self::Move>) -> String {
        draw_text(&format!("Position: {self}"), &self.picture())
    }

    /// The board with all pieces in all appearances, hidden: an `svg` element for a script that
    /// shows scenes. All positions on the same board have the same stage.
    fn stage(&self) -> String {
        draw_text("", "")
    }

    /// The scene of the position.
    fn scene(&self, _last: Option<Self::Move>) -> Scene {
        Scene { pieces: Vec::new(), from: None, to: None, called: None }
    }
}

/// Draws the lines of a picture in text.
fn draw_text(description: &str, picture: &str) -> String {
    const LINE_HEIGHT: usize = 20;
    let style: Attributes<'_> =
        &[("font-family", &"DejaVu Sans Mono, monospace"), ("font-size", &15)];
    let height = picture.lines().count() * LINE_HEIGHT + 32;
    document((640.0, height as f32), style, "Board", description, |xml| {
        for (number, line) in (1..).zip(picture.lines()) {
            let y = number * LINE_HEIGHT + 12;
            let attributes: Attributes<'_> =
                &[("x", &20), ("y", &y), ("fill", &"#e8ded2"), ("xml:space", &"preserve")];
            xml.text("text", attributes, line);
        }
    })
}

/// Draws a board of this size, with a caption below it if there is one.
pub(crate) fn draw_board(
    (width, height): (f32, f32),
    title: &str,
    description: &str,
    caption: Option<&str>,
    content: impl FnOnce(&mut Xml),
) -> String {
    const CAPTION_HEIGHT: f32 = 28.0;
    let style: Attributes<'_> = &[
        ("font-family", &"DejaVu Sans, Verdana, Helvetica, sans-serif"),
        ("font-weight", &"bold"),
        ("text-anchor", &"middle"),
    ];
    let full_height = if caption.is_some() { height + CAPTION_HEIGHT } else { height };
    document((width, full_height), style, title, description, |xml| {
        content(xml);
        if let Some(caption) = caption {
            let attributes: Attributes<'_> = &[
                ("x", &(width / 2.0)),
                ("y", &(height + 15.0)),
                ("font-size", &13),
                ("font-weight", &"normal"),
                ("fill", &"#e8ded2"),
            ];
            xml.text("text", attributes, caption);
        }
    })
}

/// An SVG document with a title, a description and a background.
fn document(
    (width, height): (f32, f32),
    style: Attributes<'_>,
    title: &str,
    description: &str,
    content: impl FnOnce(&mut Xml),
) -> String {
    let view = format!("0 0 {width} {height}");
    let size: Attributes<'_> = &[
        ("xmlns", &"http://www.w3.org/2000/svg"),
        ("width", &width),
        ("height", &height),
        ("viewBox", &view),
        ("role", &"img"),
    ];
    let mut xml = Xml::default();
    xml.element("svg", &[size, style].concat(), |xml| {
        xml.text("title", &[], title);
        xml.text("desc", &[], description);
        let background: Attributes<'_> =
            &[("width", &width), ("height", &height), ("rx", &10), ("fill", &"#2a2320")];
        xml.empty("rect", background);
        content(xml);
    });
    xml.finish()
}

/// A mark on a place of the board.
pub(crate) struct Mark {
    /// `from`, `to` or `called`.
    pub kind: &'static str,
    /// Position; `None` until a script places it.
    pub at: Option<(f32, f32)>,
}

/// The marks of a scene; for a stage (`None`), all kinds without a position.
pub(crate) fn marks(scene: Option<&Scene>, at: impl Fn(u8) -> (f32, f32)) -> Vec<Mark> {
    let Some(scene) = scene else {
        return ["from", "to", "called"].map(|kind| Mark { kind, at: None }).into();
    };
    [("from", scene.from), ("to", scene.to), ("called", scene.called)]
        .into_iter()
        .filter_map(|(kind, place)| Some(Mark { kind, at: Some(at(place?)) }))
        .collect()
}
