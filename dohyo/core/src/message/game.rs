//! Games and positions, as a page reads them.

use std::collections::BTreeMap;

use oshi::game::Player;
use oshi::games::language::Language;
use serde::Serialize;

use super::analysis::{EvalView, MarkView};
use crate::board::{Board, View, layout};
use crate::game::{Game, GameId, NodeId, Seat, State, Summary, Timestamp};

/// An entry of the list of games.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Id of the game.
    pub id: GameId,
    /// Source of an imported game.
    pub title: String,
    /// Name of the variant.
    pub variant: &'static str,
    /// Names of Black and White. A person's may be empty.
    pub players: [String; 2],
    /// Result, or `*`.
    pub result: String,
    /// Whether the game is in progress.
    pub state: State,
    /// Number of plies of the main line.
    pub plies: usize,
    /// Last change, in milliseconds since 1970.
    pub changed: u64,
}

/// State of a game.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Current position.
    pub head: NodeId,
    /// Whether the game is in progress.
    pub state: State,
    /// Result, or `*`.
    pub result: String,
    /// Reason of the result, once the game is over.
    pub reason: Option<String>,
    /// Clocks, if the game has any.
    pub clock: Option<ClockView>,
}

/// State of the clocks.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ClockView {
    /// Times left of Black and White in milliseconds.
    pub ms: [u64; 2],
    /// Initial time in milliseconds.
    pub full: u64,
    /// Increment per move in milliseconds.
    pub inc: u64,
    /// Side with the running clock: 0 Black, 1 White.
    pub running: Option<u8>,
}

/// A position of a game.
#[derive(Clone, Debug, Serialize)]
pub struct NodeView {
    /// Id of the position.
    pub id: NodeId,
    /// Id of the previous position.
    pub parent: Option<NodeId>,
    /// Text of the move between them.
    pub r#move: String,
    /// The position.
    #[serde(flatten)]
    pub view: View,
    /// Time of the move in milliseconds, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// A whole game.
#[derive(Clone, Debug, Serialize)]
pub struct GameView {
    /// Id of the game.
    pub id: GameId,
    /// Source of an imported game.
    pub title: String,
    /// Name of the variant.
    pub variant: &'static str,
    /// Name of the layout.
    pub layout: &'static str,
    /// Board as SVG. The page shows scenes on it.
    pub stage: String,
    /// Position line of the start.
    pub start: String,
    /// Players of Black and White.
    pub players: [Seat; 2],
    /// State of the game.
    #[serde(flatten)]
    pub standing: Standing,
    /// Positions: parents first, the main line before variations.
    pub nodes: Vec<NodeView>,
    /// Evaluations by position.
    pub evals: BTreeMap<NodeId, EvalView>,
    /// Marks of a review, by the position after the move.
    pub marks: BTreeMap<NodeId, MarkView>,
    /// Summaries of a review.
    pub summary: Option<[Summary; 2]>,
}

impl Entry {
    /// Returns the entry of a game.
    pub fn of(game: &Game) -> Entry {
        Entry {
            id: game.id.clone(),
            title: game.title.clone(),
            variant: game.start().variant().name(),
            players: game.seats.each_ref().map(|seat| seat.name.clone()),
            result: Standing::result(game),
            state: game.state,
            plies: game.main_line().len().saturating_sub(1),
            changed: game.changed,
        }
    }
}

impl Standing {
    /// Returns the state of a game.
    pub fn of(game: &Game, now: Timestamp) -> Standing {
        let running = game.turn().filter(|_| game.is_running());
        Standing {
            head: game.head,
            state: game.state,
            result: Standing::result(game),
            reason: game.verdict.as_ref().map(|verdict| verdict.reason.clone()),
            clock: game.clock.map(|clock| ClockView {
                ms: Player::ALL.map(|player| game.time_left(player, now).unwrap_or(0)),
                full: clock.ms,
                inc: clock.inc,
                running: running.map(|player| player as u8),
            }),
        }
    }

    fn result(game: &Game) -> String {
        game.verdict.as_ref().map(|verdict| verdict.result).unwrap_or_default().to_string()
    }
}

impl NodeView {
    /// Returns a position of a game, or `None` if there is no such position.
    pub fn of(game: &Game, id: NodeId, language: Language) -> Option<NodeView> {
        let node = game.node(id).ok()?;
        let view = node.board.view(language);
        Some(NodeView { id, parent: node.parent, r#move: node.text.clone(), view, ms: node.ms })
    }
}

impl GameView {
    /// Returns a game.
    pub fn of(game: &Game, language: Language, now: Timestamp) -> GameView {
        let start = game.start();
        let line = start.line();
        GameView {
            id: game.id.clone(),
            title: game.title.clone(),
            variant: start.variant().name(),
            layout: layout(&line).name(),
            stage: start.stage(),
            start: line,
            players: game.seats.clone(),
            standing: Standing::of(game, now),
            nodes: game
                .nodes()
                .into_iter()
                .filter_map(|(id, _)| NodeView::of(game, id, language))
                .collect(),
            evals: game
                .evals
                .iter()
                .map(|(&id, eval)| (id, EvalView::of(game, id, eval, language)))
                .collect(),
            marks: game
                .marks
                .iter()
                .map(|(&id, mark)| (id, MarkView::of(game, id, mark, language)))
                .collect(),
            summary: game.summary.clone(),
        }
    }
}

/// A position that belongs to no game.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedView {
    /// Name of the variant.
    pub variant: &'static str,
    /// Name of the layout.
    pub layout: &'static str,
    /// Board as SVG. The page shows the scene on it.
    pub stage: String,
    /// Canonical position line.
    pub start: String,
    /// The position.
    #[serde(flatten)]
    pub view: View,
}

impl CheckedView {
    /// Returns the view of a board.
    pub fn of(board: &Board, language: Language) -> CheckedView {
        let start = board.line();
        CheckedView {
            variant: board.variant().name(),
            layout: layout(&start).name(),
            stage: board.stage(),
            start,
            view: board.view(language),
        }
    }
}
