//! Positions of any game behind one trait. No other module depends on the type of a game.
//!
//! A page contains no rules. A [`View`] holds the values that it shows, including the legal
//! moves.

use std::fmt::Display;
use std::sync::Arc;

use oshi::draw::{Draw, Scene};
use oshi::game::{MoveError, Outcome, Player, RoundStage};
use oshi::games::language::Language;
use oshi::games::notation::{Form, Notation};
use oshi::games::{Layout, PositionError, StartPosition, Variant, Visitor, visit_position};
use serde::Serialize;

/// A position of any game, with the move that led to it.
pub type Board = Arc<dyn Position>;

/// Text of a pass in the protocol.
const PASS: &str = "0000";

/// A position by the rules of its game.
pub trait Position: Send + Sync {
    /// Returns the position line.
    fn line(&self) -> String;

    /// Returns the variant.
    fn variant(&self) -> Variant;

    /// Returns the side to move, or `None` after the end of the game.
    fn turn(&self) -> Option<Player>;

    /// Returns the result if the rules have ended the game.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns the texts of the legal moves.
    fn legal(&self) -> Vec<String>;

    /// Returns the position after a move.
    ///
    /// # Errors
    /// [`MoveError`]: the text is not a legal move.
    fn play(&self, text: &str) -> Result<Board, MoveError>;

    /// Returns the view of the position in a language.
    fn view(&self, language: Language) -> View;

    /// Returns the canonical text of the last move. Empty at the start.
    fn last_move(&self) -> String;

    /// Returns the last move in symbols. Empty at the start.
    fn symbol(&self) -> String;

    /// Plays a line of moves up to the first illegal one, with the name and the scene of each.
    fn replay(&self, moves: &[String], language: Language) -> Vec<LineMove>;

    /// Returns the board as SVG with all pieces. A page places them as a scene says.
    fn stage(&self) -> String;

    /// Returns the points that win the match, in games with points.
    fn points_to_win(&self) -> Option<u8>;

    /// Returns a picture of the position as SVG.
    fn svg(&self) -> String;

    /// Returns the effect of the last move, for a review.
    fn effect(&self) -> MoveEffect;
}

/// Effect of a move on the round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveEffect {
    /// The move was a refill.
    pub is_refill: bool,
    /// The move won a round, or the game, against the player who had opened the round.
    pub is_break: bool,
}

/// A scene as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SceneView {
    /// Place and level of each piece.
    pub pieces: Vec<[u8; 2]>,
    /// Origin of the last move.
    pub from: Option<u8>,
    /// Target of the last move.
    pub to: Option<u8>,
    /// Place of the called piece.
    pub called: Option<u8>,
}

impl From<Scene> for SceneView {
    fn from(scene: Scene) -> SceneView {
        let pieces = scene.pieces.iter().map(|piece| [piece.place, piece.level]).collect();
        SceneView { pieces, from: scene.from, to: scene.to, called: scene.called }
    }
}

/// Text, origin and target of a legal move.
pub type LegalMove = (String, Option<u8>, Option<u8>);

/// A position as a page shows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct View {
    /// Name of the last move in words. Empty at the start.
    pub name: String,
    /// Name of the last move in symbols. Empty at the start.
    pub symbol: String,
    /// Side to move: 0 Black, 1 White, 2 after the end of the game.
    pub turn: u8,
    /// Places of the pieces.
    pub scene: SceneView,
    /// Legal moves.
    pub legal: Vec<LegalMove>,
    /// Scene after each refill, if the move to make is a refill.
    pub refills: Option<std::collections::BTreeMap<String, SceneView>>,
    /// Kind of the last move: `start`, `move`, `oshi`, `pass`, `refill` or `drop`.
    pub kind: &'static str,
    /// Points of Black and White, in games with points.
    pub points: Option<[u8; 2]>,
    /// Number of the round, counted from 1 at the start of this game.
    pub round: u32,
    /// Description of the state, such as the player to move.
    pub status: String,
    /// Notes on decisions of the last move, such as a won round.
    pub notes: Vec<String>,
    /// Result by the rules.
    pub end: Option<EndView>,
    /// Position line.
    pub line: String,
}

/// A result by the rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EndView {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// Way of ending in the language of the page, in a word or two.
    pub how: &'static str,
}

/// A move of a line of analysis.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LineMove {
    /// Text of the move.
    pub text: String,
    /// Name of the move in words.
    pub name: String,
    /// Scene after the move.
    pub scene: SceneView,
}

/// A position of one game. Implements [`Position`].
struct TypedPosition<G: Notation> {
    position: G,
    /// Previous position and the move from it.
    last: Option<(G, G::Move)>,
    round: u32,
    /// Player who opened the round, if known.
    opener: Option<Player>,
}

impl<G: Notation + Draw> TypedPosition<G> {
    fn start(position: G) -> TypedPosition<G> {
        let is_known = position.round().is_opening() || !G::COUNTS_POINTS;
        TypedPosition {
            position,
            last: None,
            round: 1,
            opener: is_known.then_some(position.turn()),
        }
    }

    fn after(&self, mv: G::Move) -> TypedPosition<G> {
        let mut position = self.position;
        position.play(mv);
        let opens = position.round().is_opening();
        TypedPosition {
            position,
            last: Some((self.position, mv)),
            round: self.round + u32::from(opens),
            opener: if opens { Some(position.turn()) } else { self.opener },
        }
    }

    fn scene(&self) -> SceneView {
        self.position.scene(self.last.map(|(_, mv)| mv)).into()
    }

    fn kind(&self) -> &'static str {
        let Some((before, mv)) = self.last else { return "start" };
        let scene = self.scene();
        if before.round().stage == RoundStage::Between {
            "refill"
        } else if mv.to_string() == PASS {
            "pass"
        } else if scene.from.is_none() {
            "drop"
        } else if before.turn() == self.position.turn()
            && self.position.round_end(&before).is_none()
        {
            "oshi"
        } else {
            "move"
        }
    }
}

impl<G: Notation + Draw> Position for TypedPosition<G> {
    fn line(&self) -> String {
        self.position.to_string()
    }

    fn variant(&self) -> Variant {
        self.position.variant_name().parse().unwrap_or_default()
    }

    fn turn(&self) -> Option<Player> {
        self.position.outcome().is_none().then(|| self.position.turn())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn legal(&self) -> Vec<String> {
        texts(self.position.legal_moves())
    }

    fn play(&self, text: &str) -> Result<Board, MoveError> {
        Ok(Arc::new(self.after(self.position.parse_move(text)?)))
    }

    fn view(&self, language: Language) -> View {
        let position = &self.position;
        let moves = position.legal_moves();
        let reached: Vec<(String, SceneView)> =
            moves.iter().map(|&mv| (mv.to_string(), self.after(mv).scene())).collect();
        let is_between = position.round().stage == RoundStage::Between;
        let name = |form| {
            self.last.map(|(before, mv)| before.name_move(mv, form, language)).unwrap_or_default()
        };
        View {
            name: name(Form::Words),
            symbol: name(Form::Symbols),
            turn: self.turn().map_or(2, |player| player as u8),
            scene: self.scene(),
            legal: reached
                .iter()
                .map(|(text, scene)| (text.clone(), scene.from, scene.to))
                .collect(),
            refills: is_between.then(|| reached.into_iter().collect()),
            kind: self.kind(),
            points: position.points(),
            round: self.round,
            status: position.status(language),
            notes: self
                .last
                .map(|(before, _)| position.decided_since(&before, language))
                .unwrap_or_default(),
            end: position.outcome().map(|outcome| EndView {
                result: basho::sheet::GameScore::from(outcome).to_string(),
                how: position.how_it_ended(language),
            }),
            line: position.to_string(),
        }
    }

    fn replay(&self, moves: &[String], language: Language) -> Vec<LineMove> {
        let mut steps = Vec::with_capacity(moves.len());
        let mut at = TypedPosition {
            position: self.position,
            last: self.last,
            round: self.round,
            opener: self.opener,
        };
        for text in moves {
            let Ok(mv) = at.position.parse_move(text) else { break };
            let name = at.position.name_move(mv, Form::Words, language);
            at = at.after(mv);
            steps.push(LineMove { text: text.clone(), name, scene: at.scene() });
        }
        steps
    }

    fn last_move(&self) -> String {
        self.last.map(|(_, mv)| mv.to_string()).unwrap_or_default()
    }

    fn symbol(&self) -> String {
        self.last
            .map(|(before, mv)| before.name_move(mv, Form::Symbols, Language::English))
            .unwrap_or_default()
    }

    fn stage(&self) -> String {
        self.position.stage()
    }

    fn points_to_win(&self) -> Option<u8> {
        self.position.points_to_win()
    }

    fn svg(&self) -> String {
        self.position.svg(self.last.map(|(_, mv)| mv))
    }

    fn effect(&self) -> MoveEffect {
        let Some((before, _)) = self.last else { return MoveEffect::default() };
        let winner = self.position.round_end(&before).and_then(|end| end.winner);
        MoveEffect {
            is_refill: before.round().stage == RoundStage::Between,
            is_break: G::COUNTS_POINTS
                && winner == Some(before.turn())
                && self.opener == Some(!before.turn()),
        }
    }
}

fn texts(moves: impl IntoIterator<Item: Display>) -> Vec<String> {
    moves.into_iter().map(|mv| mv.to_string()).collect()
}

struct MakeBoard;

impl Visitor for MakeBoard {
    type Output = Board;

    fn visit<G: Notation + Draw>(self, position: G) -> Board {
        Arc::new(TypedPosition::start(position))
    }
}

/// Returns the board of a starting position.
pub fn start(start: StartPosition) -> Board {
    start.visit(MakeBoard)
}

/// Reads a position line.
///
/// # Errors
/// [`PositionError`], worded by the game of the line.
pub fn read(line: &str) -> Result<Board, PositionError> {
    visit_position(line, MakeBoard)
}

/// Returns the layout named in a position line.
pub fn layout(line: &str) -> Layout {
    line.split_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// Returns the names of the layouts that differ for a variant. A variant without colours has one.
pub fn layouts(variant: Variant) -> Vec<&'static str> {
    let line = |layout| start(StartPosition { layout, ..variant.start() }).line();
    let mut lines: Vec<String> = Vec::new();
    let mut names = Vec::new();
    for &layout in Layout::ALL {
        let line = line(layout);
        if !lines.contains(&line) {
            lines.push(line);
            names.push(layout.name());
        }
    }
    names
}
