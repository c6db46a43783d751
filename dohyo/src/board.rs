//! A position of any game, by its rules: the only place that knows a game's type.
//!
//! The page knows no rules: what it shows of a position is in its [`View`], and what may be played there too.

use std::fmt::Display;
use std::sync::Arc;

use oshi::draw::{Draw, Scene};
use oshi::game::{MoveError, Outcome, Player, RoundStage};
use oshi::games::language::Language;
use oshi::games::notation::{Form, Notation};
use oshi::games::{Layout, PositionError, StartPosition, Variant, Visitor, visit_position};
use serde::Serialize;

/// A position with the move that led to it, whatever the game.
pub type Board = Arc<dyn Position>;

/// The pass, as the protocol writes it.
const PASS: &str = "0000";

/// What is known of a position by the rules.
pub trait Position: Send + Sync {
    /// The position line.
    fn line(&self) -> String;

    /// The name of its variant.
    fn variant(&self) -> Variant;

    /// Who is to move; nobody once the game is over.
    fn turn(&self) -> Option<Player>;

    /// The result, if the rules have ended the game.
    fn outcome(&self) -> Option<Outcome>;

    /// The texts of the legal moves.
    fn legal(&self) -> Vec<String>;

    /// The position after a move.
    fn play(&self, text: &str) -> Result<Board, MoveError>;

    /// All that the page shows.
    fn view(&self, language: Language) -> View;

    /// The text of the move that led here, as the rules write it; empty at the start.
    fn last(&self) -> String;

    /// The name of the move that led here, in symbols; empty at the start.
    fn symbol(&self) -> String;

    /// The moves of a line from here, with their names and where each leads; it ends before the first that is not legal.
    fn follow(&self, moves: &[String], language: Language) -> Vec<Step>;

    /// The board with all pieces, in which scenes are shown.
    fn stage(&self) -> String;

    /// The points that win the game, where they are counted.
    fn points_to_win(&self) -> Option<u8>;

    /// The position as a picture of its own.
    fn svg(&self) -> String;

    /// What the move that led here did, for a review.
    fn deed(&self) -> Deed;
}

/// What a move did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Deed {
    /// It chose what the next round begins with.
    pub is_refill: bool,
    /// It won a round, or the game, for its mover, who had not opened the round.
    pub is_break: bool,
}

/// A scene as the page reads it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SceneView {
    /// The place and the level of each piece.
    pub pieces: Vec<[u8; 2]>,
    /// Where the last move came from.
    pub from: Option<u8>,
    /// Where it went.
    pub to: Option<u8>,
    /// Where the called piece stands.
    pub called: Option<u8>,
}

impl From<Scene> for SceneView {
    fn from(scene: Scene) -> SceneView {
        let pieces = scene.pieces.iter().map(|piece| [piece.place, piece.level]).collect();
        SceneView { pieces, from: scene.from, to: scene.to, called: scene.called }
    }
}

/// A legal move and its places, as an array of three.
pub type LegalMove = (String, Option<u8>, Option<u8>);

/// A position as the page shows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct View {
    /// The name of the move that led here, in words; empty at the start.
    pub name: String,
    /// The same in symbols.
    pub symbol: String,
    /// 0 Black's turn, 1 White's, 2 nobody's.
    pub turn: u8,
    /// Where everything stands.
    pub scene: SceneView,
    /// What may be played.
    pub legal: Vec<LegalMove>,
    /// Where each choice leads, if the next round is being chosen.
    pub refills: Option<std::collections::BTreeMap<String, SceneView>>,
    /// What sort of move led here.
    pub kind: &'static str,
    /// The points of Black and of White, in games that count points.
    pub points: Option<[u8; 2]>,
    /// The round in play, from 1 at the start of what is shown.
    pub round: u32,
    /// Who is to do what.
    pub status: String,
    /// What the move decided.
    pub notes: Vec<String>,
    /// How the game ended.
    pub end: Option<EndView>,
    /// The position line.
    pub line: String,
}

/// How the rules ended a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EndView {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// In a word or two of the page's language.
    pub how: &'static str,
}

/// A move of a line that is not played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// Its text.
    pub text: String,
    /// Its name in words.
    pub name: String,
    /// Where everything stands after it.
    pub scene: SceneView,
}

/// A position of a known game.
struct At<G: Notation> {
    position: G,
    /// The position before, and the move.
    last: Option<(G, G::Move)>,
    round: u32,
    /// Who opened the round, if that is known.
    opener: Option<Player>,
}

impl<G: Notation + Draw> At<G> {
    fn start(position: G) -> At<G> {
        let is_known = position.round().is_opening() || !G::COUNTS_POINTS;
        At { position, last: None, round: 1, opener: is_known.then_some(position.turn()) }
    }

    fn after(&self, mv: G::Move) -> At<G> {
        let mut position = self.position;
        position.play(mv);
        let opens = position.round().is_opening();
        At {
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

impl<G: Notation + Draw> Position for At<G> {
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

    fn follow(&self, moves: &[String], language: Language) -> Vec<Step> {
        let mut steps = Vec::with_capacity(moves.len());
        let mut at =
            At { position: self.position, last: self.last, round: self.round, opener: self.opener };
        for text in moves {
            let Ok(mv) = at.position.parse_move(text) else { break };
            let name = at.position.name_move(mv, Form::Words, language);
            at = at.after(mv);
            steps.push(Step { text: text.clone(), name, scene: at.scene() });
        }
        steps
    }

    fn last(&self) -> String {
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

    fn deed(&self) -> Deed {
        let Some((before, _)) = self.last else { return Deed::default() };
        let winner = self.position.round_end(&before).and_then(|end| end.winner);
        Deed {
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

struct Make;

impl Visitor for Make {
    type Output = Board;

    fn visit<G: Notation + Draw>(self, position: G) -> Board {
        Arc::new(At::start(position))
    }
}

/// The board at a start.
pub fn start(start: StartPosition) -> Board {
    start.visit(Make)
}

/// The board of a position line.
///
/// # Errors
/// What is wrong with the line, in the words of its game.
pub fn read(line: &str) -> Result<Board, PositionError> {
    visit_position(line, Make)
}

/// The layout that a position line names.
pub fn layout(line: &str) -> Layout {
    line.split_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// The names of the layouts in which a variant is drawn differently; one where they make no difference.
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

/// The names of all layouts, for messages.
pub fn layout_names() -> String {
    Layout::ALL.iter().map(|layout| layout.name()).collect::<Vec<_>>().join(", ")
}
