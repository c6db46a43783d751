//! Replies and events, as a page reads them.

use serde::Serialize;

use super::{
    AnalysisView, CheckedView, Entry, EvalView, GameView, NodeView, ReviewView, Standing,
    ThinkingView, TournamentView, Welcome,
};
use crate::event::Severity;
use crate::export::Export;
use crate::game::{GameId, NodeId, Seat};
use crate::import::BadLine;

/// A reply with the tag of its request.
#[derive(Debug, Serialize)]
pub struct TaggedReply {
    /// Tag of the request. `None` for an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<u64>,
    /// The reply.
    #[serde(flatten)]
    pub reply: Reply,
}

/// A reply to a request, or an event.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Reply {
    /// Reply to [`Request::Hello`](super::Request::Hello).
    Welcome(Welcome),
    /// The list of games, or its changes.
    Games {
        /// Entries, the last changed first.
        games: Vec<Entry>,
        /// Removed games.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        gone: Vec<GameId>,
        /// Whether the list is complete.
        whole: bool,
    },
    /// A whole game.
    Game(Box<GameView>),
    /// A new or changed position.
    Node {
        /// The game.
        game: GameId,
        /// The position.
        node: Box<NodeView>,
    },
    /// The current position, state, result and clock.
    Head {
        /// The game.
        game: GameId,
        /// Its state.
        #[serde(flatten)]
        standing: Standing,
    },
    /// New players.
    Players {
        /// The game.
        game: GameId,
        /// Players of Black and White.
        players: [Seat; 2],
        /// State of the game.
        #[serde(flatten)]
        standing: Standing,
    },
    /// A removed variation.
    Pruned {
        /// The game.
        game: GameId,
        /// First position of the variation.
        node: NodeId,
    },
    /// An engine's search for its move.
    Thinking(ThinkingView),
    /// Output of an analysis.
    Analysis(Box<AnalysisView>),
    /// A new evaluation.
    Eval {
        /// The game.
        game: GameId,
        /// Evaluated position.
        node: NodeId,
        /// The evaluation.
        eval: EvalView,
    },
    /// Reply to [`Request::Hint`](super::Request::Hint).
    Hint {
        /// The game.
        game: GameId,
        /// Position of the move.
        node: NodeId,
        /// Text of the move.
        r#move: String,
        /// Name of the move.
        name: String,
    },
    /// A message for the user.
    Message {
        /// The game, if the message concerns one.
        game: Option<GameId>,
        /// Severity of the message.
        kind: Severity,
        /// Text of the message, in English.
        text: String,
    },
    /// Success of a tagged request that has no other reply.
    Done {
        /// Position after a played move.
        #[serde(skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
    },
    /// Progress of a review.
    Review(Box<ReviewView>),
    /// Reply to [`Request::Import`](super::Request::Import).
    Imported {
        /// Imported games in the order of the text.
        games: Vec<GameId>,
        /// The first errors.
        errors: Vec<BadLine>,
        /// Number of further errors.
        #[serde(rename = "untold")]
        omitted: usize,
    },
    /// Reply to [`Request::Export`](super::Request::Export).
    Exported(Export),
    /// The watched tournament.
    Tournament(Box<TournamentView>),
    /// Reply to [`Request::Check`](super::Request::Check).
    Checked(Box<CheckedView>),
    /// A failed request.
    Error {
        /// The fault, in English.
        text: String,
    },
}
