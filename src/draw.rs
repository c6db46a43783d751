//! Boards as pictures for people: SVG documents, and what a replay needs to move the pieces of one.
//!
//! Each game draws its own board, in a template beside its rules. All drawings have the same structure: a place of the board is an element
//! with `data-place`, a piece one with `data-piece`, and both are drawn at the origin and put where they belong by `transform`. So a
//! piece is moved by giving it the transform of another place, without any knowledge of the game.

pub(crate) mod xml;

use askama::Template;

use crate::game::Text;

/// A module of JavaScript that shows scenes on a [stage](Draw::stage): `stageOf(element)` finds its parts, `showScene(stage, scene)` shows
/// a [`Scene`] and `change(stage, numbers)` a difference between two.
pub const BOARD_SCRIPT: &str = include_str!("draw/board.js");

/// An object on the board: a tower, a hexagon, a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its place, counted from 0 in the game's order.
    pub place: u8,
    /// Its appearance, 0 for the plain one: the teeth of a tower, the owner of a hexagon.
    pub level: u8,
}

/// The parts of a picture that may change with a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// All pieces, always in the same order.
    pub pieces: Vec<Piece>,
    /// The place that the last move came from, if any.
    pub from: Option<u8>,
    /// The place that the last move went to.
    pub to: Option<u8>,
    /// The place of the piece that must move.
    pub called: Option<u8>,
}

/// A game whose positions can be drawn. By default, the picture is the one in text.
pub trait Draw: Text {
    /// The position as a whole SVG document with title and description. `last` is the move that led to it, if it is known.
    fn svg(&self, _last: Option<Self::Move>) -> String {
        let picture = self.picture();
        TextPicture { description: format!("Position: {self}"), lines: picture.lines().collect() }
            .to_string()
    }

    /// The board with all pieces in all appearances, hidden: an `svg` element in which a script shows one scene after the other. It is
    /// the same for all positions on the same board.
    fn stage(&self) -> String {
        TextPicture { description: String::new(), lines: Vec::new() }.to_string()
    }

    /// The places of everything that moves.
    fn scene(&self, _last: Option<Self::Move>) -> Scene {
        Scene { pieces: Vec::new(), from: None, to: None, called: None }
    }
}

/// A board that is drawn by the lines of its picture in text.
#[derive(Template)]
#[template(path = "draw.svg")]
struct TextPicture<'a> {
    description: String,
    lines: Vec<&'a str>,
}

/// An element of a drawing with its place in the picture.
pub(crate) struct Placed<T> {
    /// The number of the place or of the piece; see [`Scene`].
    pub number: usize,
    /// Where it is drawn; `None` if a script decides that.
    pub at: Option<(f32, f32)>,
    /// What is drawn there.
    pub what: T,
}

/// A mark on a place of the board.
pub(crate) struct Mark {
    /// `from`, `to` or `called`.
    pub kind: &'static str,
    /// Where it is drawn; `None` if a script decides that.
    pub at: Option<(f32, f32)>,
}

/// The marks of a scene, or all possible ones, for a script to place.
pub(crate) fn marks(scene: Option<&Scene>, at: impl Fn(u8) -> (f32, f32)) -> Vec<Mark> {
    let Some(scene) = scene else {
        return ["from", "to", "called"].map(|kind| Mark { kind, at: None }).into();
    };
    let found = [("from", scene.from), ("to", scene.to), ("called", scene.called)];
    found
        .into_iter()
        .filter_map(|(kind, place)| Some(Mark { kind, at: Some(at(place?)) }))
        .collect()
}
