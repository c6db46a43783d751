//! Events of games and of the server. An event is small and shared by all tabs. Each tab
//! renders it in its own language, from the state of the game at that time.

use std::sync::Arc;

use oshi::game::Player;
use serde::Serialize;

use crate::game::{GameId, NodeId};
use crate::search_output::SearchOutput;

/// An event with its audience.
#[derive(Clone, Debug)]
pub struct Event {
    /// The game. Only tabs that show it receive the event. `None` for all tabs.
    pub game: Option<GameId>,
    /// What happened.
    pub kind: EventKind,
}

/// A kind of event.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// The whole list of games is due.
    Games,
    /// Games were added to the list, or their entries changed.
    Listed(Arc<[GameId]>),
    /// A game was removed from the list.
    Unlisted(GameId),
    /// A game changed as a whole.
    Game,
    /// A position was added or played.
    Node(NodeId),
    /// The current position, the state or the clock changed.
    Head,
    /// The players changed.
    Players,
    /// A position and all positions after it were removed.
    Pruned(NodeId),
    /// An engine is searching for its move.
    Thinking(Thinking),
    /// An analysis has new output.
    Analysis(Arc<Analysis>),
    /// A position has a new evaluation.
    Eval(NodeId),
    /// A review made progress or ended, with new evaluations of these positions.
    Review(Vec<NodeId>),
    /// The watched tournament changed.
    Tournament,
    /// A message for the user.
    Message(Severity, String),
}

/// State of an engine's search for its move.
#[derive(Clone, Debug)]
pub struct Thinking {
    /// Position of the search.
    pub node: NodeId,
    /// Side that the engine plays.
    pub side: Player,
    /// Start of the search, in milliseconds since 1970.
    pub since: u64,
    /// Output so far.
    pub output: Arc<SearchOutput>,
}

/// Output of an analysis.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Analysed position.
    pub node: NodeId,
    /// Output so far.
    pub output: SearchOutput,
}

/// Severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information.
    Info,
    /// A fault that the server works around.
    Warning,
    /// A fault that stops the requested work.
    Error,
}
