//! Boards as pictures for people: SVG documents, and what a replay needs to move the pieces of one.
//!
//! Each game draws its own board, in a template beside its rules. All drawings are made alike: a place of the board is an element
//! with `data-place`, a piece one with `data-piece`, and both are drawn at the origin and put where they belong by `transform`. So a
//! piece is moved by giving it the transform of another place, which needs to know nothing of the game.

use askama::Template;

use crate::game::Text;

/// A thing that may lie on the board: a tower, a hexagon, a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// On which place, counted from 0 in the game's own order.
    pub place: u8,
    /// Which of its looks it has, 0 for the plain one: the teeth of a tower, the owner of a hexagon.
    pub level: u8,
}

/// What of a picture may change from move to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// All pieces, always in the same order.
    pub pieces: Vec<Piece>,
    /// The place that the last move left, if it left one.
    pub from: Option<u8>,
    /// The place that the last move went to.
    pub to: Option<u8>,
    /// The place of the piece that must move.
    pub called: Option<u8>,
}

/// A game whose positions can be drawn. A game that draws nothing of its own shows its picture in text.
pub trait Draw: Text {
    /// The position as a whole SVG document with title and description. `last` is the move that led to it, if it is known.
    fn svg(&self, _last: Option<Self::Move>) -> String {
        let picture = self.picture();
        TextPicture { description: format!("Position: {self}"), lines: picture.lines().collect() }.to_string()
    }

    /// The board with all its pieces in all their looks, hidden: an `svg` element in which a script lays out one scene after the
    /// other. It is the same for all positions on the same board.
    fn stage(&self) -> String {
        TextPicture { description: String::new(), lines: Vec::new() }.to_string()
    }

    /// Where everything is that moves.
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
    /// Where it is put; `None` where that is left to a script.
    pub at: Option<(f32, f32)>,
    /// What is drawn there.
    pub what: T,
}

/// A mark on a place of the board.
pub(crate) struct Mark {
    /// `from`, `to` or `called`.
    pub kind: &'static str,
    /// Where it is put; `None` where that is left to a script.
    pub at: Option<(f32, f32)>,
}

/// The marks of a scene, or all that there can be, for a script to put them somewhere.
pub(crate) fn marks(scene: Option<&Scene>, at: impl Fn(u8) -> (f32, f32)) -> Vec<Mark> {
    let Some(scene) = scene else {
        return ["from", "to", "called"].map(|kind| Mark { kind, at: None }).into();
    };
    let found = [("from", scene.from), ("to", scene.to), ("called", scene.called)];
    found.into_iter().filter_map(|(kind, place)| Some(Mark { kind, at: Some(at(place?)) })).collect()
}
