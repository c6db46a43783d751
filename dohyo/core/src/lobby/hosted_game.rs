//! A game in use, with its viewers and the engines at work on it.

use tokio::sync::mpsc::Sender;

use crate::cancel::CancelToken;
use crate::game::{Game, NodeId, Seat};
use crate::host::Timer;
use crate::message::TaggedReply;

/// A game in use.
pub struct HostedGame {
    /// The game.
    pub game: Game,
    /// Number of tabs that show the game.
    pub viewers: usize,
    /// Search of the engine to move.
    pub engine_turn: Option<EngineTurn>,
    /// Failures of engines since the last move.
    pub failures: u32,
    /// Running analysis.
    pub analysis: Option<RunningAnalysis>,
    /// Running review.
    pub review: Option<RunningReview>,
    /// Timer that ends the game when the player to move runs out of time.
    pub timer: Option<Timer>,
}

/// Search of an engine for its move.
pub struct EngineTurn {
    /// Position of the search.
    pub node: NodeId,
    /// The engine with its settings.
    pub seat: Seat,
    /// Cancels the search.
    pub cancel: CancelToken,
}

impl HostedGame {
    /// Hosts a game without viewers.
    pub fn new(game: Game) -> HostedGame {
        HostedGame {
            game,
            viewers: 0,
            engine_turn: None,
            failures: 0,
            analysis: None,
            review: None,
            timer: None,
        }
    }

    /// Returns true if a review is running or complete.
    pub const fn has_review(&self) -> bool {
        self.review.is_some() || self.game.summary.is_some()
    }

    /// Cancels the review, if one is running.
    pub fn cancel_review(&mut self) {
        if let Some(review) = self.review.take() {
            review.cancel.cancel();
        }
    }

    /// Cancels all searches.
    pub fn cancel_searches(&mut self) {
        let engine_turn = self.engine_turn.take().map(|turn| turn.cancel);
        let analysis = self.analysis.take().map(|analysis| analysis.cancel);
        for cancel in engine_turn.into_iter().chain(analysis) {
            cancel.cancel();
        }
        self.cancel_review();
    }
}

/// A running analysis.
pub struct RunningAnalysis {
    /// Analysed position.
    pub node: NodeId,
    /// Tabs that requested the analysis, by the channels of their late replies.
    pub requesters: Vec<Sender<TaggedReply>>,
    /// Cancels the analysis.
    pub cancel: CancelToken,
}

/// A running review.
pub struct RunningReview {
    /// Cancels the review.
    pub cancel: CancelToken,
    /// Positions of the reviewed line.
    pub line: Vec<NodeId>,
    /// Number of searched positions.
    pub done: usize,
    /// Number of positions to search.
    pub of: usize,
}
