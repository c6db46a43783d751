//! The state of the engine: it is idle, thinks, or holds an answer back.

use std::sync::Arc;
use std::thread::JoinHandle;

use crate::protocol::{Command, Reply};
use crate::search::Control;

/// The state of the engine.
pub enum Thinking {
    /// Idle: any command may come.
    Idle,
    /// A thread thinks.
    UnderWay(Work),
    /// The job is done, but its answer is still held back.
    Answered {
        /// The answer.
        answer: Option<Reply>,
        /// How long it is held back.
        hold: Hold,
    },
}

/// A thread that thinks.
pub struct Work {
    /// Stops it, or announces the ponder hit.
    pub control: Arc<Control>,
    /// The thread; it sends an event when it is done.
    pub thread: JoinHandle<()>,
    /// Whether it would end by itself.
    pub is_limited: bool,
    /// Whether a `bestmove` is expected.
    pub is_search: bool,
    /// How long its answer is to be held back.
    pub hold: Hold,
}

/// How long an answer is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// Not at all.
    No,
    /// Until `stop`.
    UntilStop,
    /// Until `ponderhit` or `stop`.
    UntilPonderHit {
        /// Whether it is then held back until `stop`.
        then_until_stop: bool,
    },
}

impl Hold {
    /// The hold that `infinite` and `ponder` of a `go` ask for.
    pub const fn new(infinite: bool, ponder: bool) -> Hold {
        match (infinite, ponder) {
            (then_until_stop, true) => Hold::UntilPonderHit { then_until_stop },
            (true, false) => Hold::UntilStop,
            (false, false) => Hold::No,
        }
    }

    /// The hold after a ponder hit.
    pub const fn after_ponder_hit(self) -> Hold {
        match self {
            Hold::UntilPonderHit { then_until_stop } => Hold::new(then_until_stop, false),
            hold => hold,
        }
    }
}

impl Thinking {
    /// Whether there is neither a job nor an answer that is held back.
    pub const fn is_idle(&self) -> bool {
        matches!(self, Thinking::Idle)
    }

    /// Whether the command may be obeyed now: a job that is not done goes on as it was begun.
    pub const fn allows(&self, command: &Command) -> bool {
        self.is_idle()
            || !matches!(
                command,
                Command::SetOption { .. }
                    | Command::UciNewGame
                    | Command::UgiNewGame
                    | Command::Position { .. }
                    | Command::Moves(_)
                    | Command::Refill(_)
                    | Command::Undo(_)
                    | Command::Go(_)
                    | Command::Perft(_)
                    | Command::Bench(_)
            )
    }

    /// How long the answer is held back, if one is to come.
    pub const fn hold(&mut self) -> Option<&mut Hold> {
        match self {
            Thinking::Idle => None,
            Thinking::UnderWay(work) => Some(&mut work.hold),
            Thinking::Answered { hold, .. } => Some(hold),
        }
    }

    /// Whether the answer comes without a `stop` or `ponderhit`.
    pub const fn ends_by_itself(&self) -> bool {
        match self {
            Thinking::Idle => true,
            Thinking::UnderWay(work) => work.is_limited && matches!(work.hold, Hold::No),
            Thinking::Answered { hold, .. } => matches!(hold, Hold::No),
        }
    }
}
