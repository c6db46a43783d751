//! A game with all that goes on round it: who looks at it, and which engines think about it.

use tokio::sync::mpsc::Sender;
use tokio::task::AbortHandle;

use crate::driver::Stop;
use crate::game::{Game, NodeId, Seat};
use crate::message::Answer;

/// A game, and who looks at it.
pub struct Table {
    /// The game.
    pub game: Game,
    /// How many tabs show it.
    pub viewers: usize,
    /// The engine that is to move.
    pub mover: Option<Mover>,
    /// How often engines have failed since the last move.
    pub failures: u32,
    /// The analysis that runs.
    pub analyst: Option<Analyst>,
    /// The review that runs.
    pub reviewer: Option<Reviewer>,
    /// What waits for the time of the player to move to run out.
    pub timer: Option<AbortHandle>,
}

/// An engine that thinks about its move.
pub struct Mover {
    /// Where.
    pub node: NodeId,
    /// As whom.
    pub seat: Seat,
    /// Its switch.
    pub stop: Stop,
}

impl Table {
    /// A game that nobody looks at.
    pub fn new(game: Game) -> Table {
        Table {
            game,
            viewers: 0,
            mover: None,
            failures: 0,
            analyst: None,
            reviewer: None,
            timer: None,
        }
    }

    /// Whether a review runs, or has been made.
    pub const fn has_review(&self) -> bool {
        self.reviewer.is_some() || self.game.summary.is_some()
    }

    /// Whatever engine thinks is no longer wanted.
    pub fn stop(&mut self) {
        let mover = self.mover.take().map(|mover| mover.stop);
        let analyst = self.analyst.take().map(|analyst| analyst.stop);
        let reviewer = self.reviewer.take().map(|reviewer| reviewer.stop);
        for stop in mover.into_iter().chain(analyst).chain(reviewer) {
            stop.pull();
        }
    }
}

/// The analysis that runs in a game.
pub struct Analyst {
    /// Where.
    pub node: NodeId,
    /// Of the tabs that have asked for one since none ran: there their late answers go.
    pub askers: Vec<Sender<Answer>>,
    /// Its switch.
    pub stop: Stop,
}

/// The review that goes through a game.
pub struct Reviewer {
    /// Its switch.
    pub stop: Stop,
    /// The positions that it goes through.
    pub line: Vec<NodeId>,
    /// How many positions are searched.
    pub done: usize,
    /// How many there are.
    pub of: usize,
}
