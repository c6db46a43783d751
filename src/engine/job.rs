//! The state of the engine: it is idle, thinks, or holds an answer back.

use std::sync::Arc;
use std::thread::JoinHandle;

use crate::protocol::{Command, Reply};
use crate::search::Control;

/// The state of the engine.
pub enum JobState {
    /// Idle: any command may come.
    Idle,
    /// A thread thinks.
    Running(RunningJob),
    /// The job is done, but its answer is still held back.
    Withheld {
        /// The answer.
        answer: Option<Reply>,
        /// How long it is held back.
        release: Release,
    },
}

/// A thread that thinks.
pub struct RunningJob {
    /// Stops it, or announces the ponder hit.
    pub control: Arc<Control>,
    /// The thread; it sends an event when it is done.
    pub thread: JoinHandle<()>,
    /// Whether it would end by itself.
    pub is_limited: bool,
    /// Whether a `bestmove` is expected.
    pub is_search: bool,
    /// How long its answer is to be held back.
    pub release: Release,
}

/// How long an answer is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// Not at all.
    Immediate,
    /// Until `stop`.
    OnStop,
    /// Until `ponderhit` or `stop`.
    OnPonderHit {
        /// Whether it is then held back until `stop`.
        then_on_stop: bool,
    },
}

impl Release {
    /// The release that `infinite` and `ponder` of a `go` ask for.
    pub const fn new(infinite: bool, ponder: bool) -> Release {
        match (infinite, ponder) {
            (then_on_stop, true) => Release::OnPonderHit { then_on_stop },
            (true, false) => Release::OnStop,
            (false, false) => Release::Immediate,
        }
    }

    /// The release after a ponder hit.
    pub const fn after_ponder_hit(self) -> Release {
        match self {
            Release::OnPonderHit { then_on_stop } => Release::new(then_on_stop, false),
            release => release,
        }
    }
}

impl JobState {
    /// Whether there is neither a job nor an answer that is held back.
    pub const fn is_idle(&self) -> bool {
        matches!(self, JobState::Idle)
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
    pub const fn release(&mut self) -> Option<&mut Release> {
        match self {
            JobState::Idle => None,
            JobState::Running(work) => Some(&mut work.release),
            JobState::Withheld { release, .. } => Some(release),
        }
    }

    /// Whether the answer comes without a `stop` or `ponderhit`.
    pub const fn ends_unprompted(&self) -> bool {
        match self {
            JobState::Idle => true,
            JobState::Running(work) => {
                work.is_limited && matches!(work.release, Release::Immediate)
            }
            JobState::Withheld { release, .. } => matches!(release, Release::Immediate),
        }
    }
}
