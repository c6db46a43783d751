//! Games and positions, as pages read them.

use std::collections::BTreeMap;

use oshi::game::Player;
use oshi::games::language::Language;
use serde::Serialize;

use super::thought::{EvalView, MarkView};
use crate::board::{Board, View, layout};
use crate::game::{Game, GameId, NodeId, Seat, State, Summary};

/// A game in the list.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name.
    pub id: GameId,
    /// Where it is from.
    pub title: String,
    /// What is played.
    pub variant: &'static str,
    /// The players' names; a person's may be empty.
    pub players: [String; 2],
    /// Who won, or `*`.
    pub result: String,
    /// How it stands.
    pub state: State,
    /// How long the main line is.
    pub plies: usize,
    /// When it was changed, in milliseconds since 1970.
    pub changed: u64,
}

/// How a game stands.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Where.
    pub head: NodeId,
    /// Whether it is being played.
    pub state: State,
    /// Who won, or `*`.
    pub result: String,
    /// How, once it is over.
    pub reason: Option<String>,
    /// What is left on the clocks.
    pub clock: Option<ClockView>,
}

/// The clocks.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ClockView {
    /// What Black and White have left, in milliseconds.
    pub ms: [u64; 2],
    /// What each had in the beginning, in milliseconds.
    pub full: u64,
    /// What is added with every move, in milliseconds.
    pub inc: u64,
    /// Whose runs.
    pub running: Option<u8>,
}

/// A position of a game.
#[derive(Clone, Debug, Serialize)]
pub struct NodeView {
    /// Its number.
    pub id: NodeId,
    /// That of the position before.
    pub parent: Option<NodeId>,
    /// The move between.
    pub r#move: String,
    /// What it looks like.
    #[serde(flatten)]
    pub view: View,
    /// How long the move took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

/// A whole game.
#[derive(Clone, Debug, Serialize)]
pub struct GameView {
    /// Its name.
    pub id: GameId,
    /// Where it is from.
    pub title: String,
    /// What is played.
    pub variant: &'static str,
    /// On which board.
    pub layout: &'static str,
    /// The board with all pieces, for scenes to be shown in.
    pub stage: String,
    /// The position line of the start.
    pub start: String,
    /// Black and White.
    pub players: [Seat; 2],
    /// How it stands.
    #[serde(flatten)]
    pub standing: Standing,
    /// All positions, each after the one before it; of those that follow the same one, the main line's first.
    pub nodes: Vec<NodeView>,
    /// What engines think.
    pub evals: BTreeMap<NodeId, EvalView>,
    /// What a review says.
    pub marks: BTreeMap<NodeId, MarkView>,
    /// What it says of the players.
    pub summary: Option<[Summary; 2]>,
}

impl Entry {
    /// The entry of a game.
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
    /// How a game stands now.
    pub fn of(game: &Game) -> Standing {
        let running = game.turn().filter(|_| game.is_running());
        Standing {
            head: game.head,
            state: game.state,
            result: Standing::result(game),
            reason: game.verdict.as_ref().map(|verdict| verdict.reason.clone()),
            clock: game.clock.map(|clock| ClockView {
                ms: Player::ALL.map(|player| game.left(player).unwrap_or(0)),
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
    /// A position as the page reads it.
    pub fn of(game: &Game, id: NodeId, language: Language) -> Option<NodeView> {
        let node = game.node(id).ok()?;
        let view = node.board.view(language);
        Some(NodeView { id, parent: node.parent, r#move: node.text.clone(), view, ms: node.ms })
    }
}

impl GameView {
    /// A game as the page reads it.
    pub fn of(game: &Game, language: Language) -> GameView {
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
            standing: Standing::of(game),
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

/// A position that was only read.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedView {
    /// What is played.
    pub variant: &'static str,
    /// On which board.
    pub layout: &'static str,
    /// The board with all pieces, for the scene to be shown in.
    pub stage: String,
    /// The line as the program writes it.
    pub start: String,
    /// What it looks like.
    #[serde(flatten)]
    pub view: View,
}

impl CheckedView {
    /// A position as the page reads it.
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
