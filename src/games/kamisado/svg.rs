//! The board as a picture: coloured squares with their letters, towers with theirs and a spike for each dragon tooth.

use askama::Template;

use super::board::{Colour, Square};
use super::notation::{name, state};
use super::{Match, Move};
use crate::draw::{Draw, Mark, Piece, Placed, Scene, marks};
use crate::game::{Game, Player};

/// The width of a square, in the units of the picture.
const SQUARE: f32 = 60.0;

/// The frame round the squares, which carries files and ranks.
const FRAME: f32 = 28.0;

/// A tower has at most three teeth in play, and four where it has ended a match.
const MOST_TEETH: u8 = 4;

#[derive(Template)]
#[template(path = "games/kamisado/board.svg")]
struct Picture {
    title: String,
    description: String,
    /// The line below the board; none on a stage.
    caption: Option<String>,
    squares: Vec<Placed<SquareLook>>,
    labels: Vec<Label>,
    marks: Vec<Mark>,
    towers: Vec<Placed<TowerLook>>,
    /// The centres of the dots on squares that the called tower may go to.
    legal: Vec<(f32, f32)>,
}

struct SquareLook {
    name: String,
    colour: Colour,
}

struct TowerLook {
    name: String,
    player: Player,
    colour: Colour,
    crowns: Vec<Crown>,
}

/// The spikes of a tower with `teeth`.
struct Crown {
    teeth: u8,
    /// The middle of each spike.
    spikes: Vec<f32>,
    is_hidden: bool,
}

/// A file or a rank at the frame.
struct Label {
    x: f32,
    y: f32,
    text: char,
}

impl Draw for Match {
    fn svg(&self, last: Option<Move>) -> String {
        let scene = self.scene(last);
        let caption = state(self);
        let description = format!("{caption}. Position: {self}");
        let towers = towers(self, |piece| {
            let Piece { place, level } = *scene.pieces.get(piece)?;
            Some((at(place), (level > 0).then(|| crown(level, false)).into_iter().collect()))
        });
        Picture {
            title: "Kamisado board".to_owned(),
            description,
            caption: Some(caption),
            squares: squares(self),
            labels: labels(),
            marks: marks(Some(&scene), at),
            towers,
            legal: legal(self),
        }
        .to_string()
    }

    fn stage(&self) -> String {
        Picture {
            title: "Board of the replay".to_owned(),
            description: "The sheet beside the board names every move.".to_owned(),
            caption: None,
            squares: squares(self),
            labels: labels(),
            marks: marks(None, at),
            towers: towers(self, |_| None),
            legal: Vec::new(),
        }
        .to_string()
    }

    /// Places are squares, a1 = 0, b1 = 1, …; pieces are Black's eight towers, then White's.
    fn scene(&self, last: Option<Move>) -> Scene {
        let pieces = all_towers().map(|(player, colour)| Piece {
            place: number(self.tower(player, colour)),
            level: self.teeth(player, colour),
        });
        let (from, to) = match last {
            Some(Move::Tower { from, to }) => (Some(number(from)), Some(number(to))),
            Some(Move::Pass | Move::Refill(_)) | None => (None, None),
        };
        let called = self.called().map(|called| number(self.tower(self.turn(), called)));
        Scene { pieces: pieces.collect(), from, to, called }
    }
}

fn all_towers() -> impl Iterator<Item = (Player, Colour)> {
    Player::ALL.into_iter().flat_map(|player| Colour::ALL.map(|colour| (player, colour)))
}

const fn number(square: Square) -> u8 {
    square.index() as u8
}

/// The upper left corner of a square.
fn at(place: u8) -> (f32, f32) {
    (FRAME + SQUARE * f32::from(place % 8), FRAME + SQUARE * f32::from(7 - place / 8))
}

fn squares(position: &Match) -> Vec<Placed<SquareLook>> {
    let look = |square: Square| SquareLook {
        name: square.to_string(),
        colour: position.layout().rename(square.colour()),
    };
    Square::all()
        .map(|square| Placed {
            number: square.index(),
            at: Some(at(number(square))),
            what: look(square),
        })
        .collect()
}

fn labels() -> Vec<Label> {
    const MIDDLE: f32 = FRAME / 2.0;
    const BEYOND: f32 = FRAME + 8.0 * SQUARE + MIDDLE;
    let along = |index: u8| FRAME + SQUARE * (f32::from(index) + 0.5);
    (0..8)
        .flat_map(|index| {
            let (file, rank) = (char::from(b'a' + index), char::from(b'8' - index));
            let files = [MIDDLE, BEYOND].map(|y| Label { x: along(index), y, text: file });
            let ranks = [MIDDLE, BEYOND].map(|x| Label { x, y: along(index), text: rank });
            files.into_iter().chain(ranks)
        })
        .collect()
}

/// The towers in the order of the scene. `shown` says by its number where one stands and which crowns are drawn; where it does not,
/// the tower is drawn hidden, with all its crowns.
fn towers(
    position: &Match,
    shown: impl Fn(usize) -> Option<((f32, f32), Vec<Crown>)>,
) -> Vec<Placed<TowerLook>> {
    let draw = |(piece, (player, colour))| {
        let (at, crowns) = match shown(piece) {
            Some((at, crowns)) => (Some(at), crowns),
            None => (None, (1..=MOST_TEETH).map(|teeth| crown(teeth, true)).collect()),
        };
        let name = format!("{player}'s {} tower", name(position, colour));
        let what = TowerLook { name, player, colour: position.layout().rename(colour), crowns };
        Placed { number: piece, at, what }
    };
    all_towers().enumerate().map(draw).collect()
}

fn crown(teeth: u8, is_hidden: bool) -> Crown {
    let spikes = (0..teeth)
        .map(|spike| SQUARE / 2.0 + 12.0 * (f32::from(spike) - f32::from(teeth - 1) / 2.0));
    Crown { teeth, spikes: spikes.collect(), is_hidden }
}

/// Where a tower is called, the squares that it may go to: the middle of free ones, a corner of those that it may push at.
fn legal(position: &Match) -> Vec<(f32, f32)> {
    if position.called().is_none() {
        return Vec::new();
    }
    let targets = position.legal_moves().into_iter().filter_map(|mv| match mv {
        Move::Tower { to, .. } => Some(to),
        Move::Pass | Move::Refill(_) => None,
    });
    targets
        .map(|to| {
            let (x, y) = at(number(to));
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

    /// The ink that is readable on it.
    const fn ink(self) -> &'static str {
        match self {
            Colour::Brown | Colour::Green | Colour::Red | Colour::Violet | Colour::Blue => {
                "#ffffff"
            }
            Colour::Yellow | Colour::Pink | Colour::Orange => "#1a1613",
        }
    }

    /// The sign that tells it from other colours for those who do not see them: the letter of the text forms, as a capital.
    const fn sign(self) -> char {
        self.letter().to_ascii_uppercase()
    }
}
