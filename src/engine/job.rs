//! Jobs that a host runs: searches, counts of leaves and the benchmark.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::error::CommandError;
use crate::protocol::{Command, Reply};
use crate::search::Control;

/// The work of a job. It may print lines through its argument before it ends.
pub type Job = Box<dyn FnOnce(&dyn Fn(Vec<Reply>)) -> JobResult + Send>;

/// The result of a job.
pub struct JobResult {
    /// The last lines, to print at once.
    pub last_lines: Vec<Reply>,
    /// The answer, to print as soon as it is released.
    pub answer: Option<Reply>,
    /// The searcher that the session lent to the job.
    pub searcher: Option<Box<dyn Any + Send>>,
}

impl JobResult {
    /// Creates the result of a job that only prints lines.
    pub fn lines(last_lines: Vec<Reply>) -> JobResult {
        JobResult { last_lines, answer: None, searcher: None }
    }
}

/// Runs a job. A panic is an error with its message.
pub fn run(job: Job, print: &dyn Fn(Vec<Reply>)) -> Result<JobResult, String> {
    // A panic may leave only state inconsistent that the job owns and drops.
    catch_unwind(AssertUnwindSafe(|| job(print))).map_err(|panic| message_of(&*panic))
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

/// State of the engine's only job.
pub enum JobState {
    /// No job: the engine accepts every command.
    Idle,
    /// The host runs the job.
    Running(RunningJob),
    /// The job has ended, but its answer is not released yet.
    Withheld {
        /// The answer.
        answer: Option<Reply>,
        /// When to print it.
        release: Release,
    },
}

/// A job that the host runs.
pub struct RunningJob {
    /// Stops the job, or announces the ponder hit.
    pub control: Arc<Control>,
    /// Whether the job ends without a `stop`.
    pub is_limited: bool,
    /// Whether the client expects a `bestmove`.
    pub is_search: bool,
    /// When to print the answer.
    pub release: Release,
}

/// When the answer of a finished search is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// As soon as the search ends.
    Immediate,
    /// After `stop`.
    OnStop,
    /// After `ponderhit` or `stop`.
    OnPonderHit {
        /// Whether the answer waits for `stop` after the ponder hit.
        then_on_stop: bool,
    },
}

impl Release {
    /// Returns the release that `infinite` and `ponder` of a `go` ask for.
    pub const fn new(infinite: bool, ponder: bool) -> Release {
        match (infinite, ponder) {
            (then_on_stop, true) => Release::OnPonderHit { then_on_stop },
            (true, false) => Release::OnStop,
            (false, false) => Release::Immediate,
        }
    }
}

impl JobState {
    /// Returns true if no job runs and no answer is withheld.
    pub const fn is_idle(&self) -> bool {
        matches!(self, JobState::Idle)
    }

    /// Returns true if the command may be executed now. Nothing may change the subject of a
    /// running job.
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

    /// Returns true if the answer comes without a `stop` or `ponderhit`.
    pub const fn ends_unprompted(&self) -> bool {
        match self {
            JobState::Idle => true,
            JobState::Running(job) => job.is_limited && matches!(job.release, Release::Immediate),
            JobState::Withheld { release, .. } => matches!(release, Release::Immediate),
        }
    }

    /// Stops the job and releases its answer.
    pub fn stop(&mut self) {
        if let JobState::Running(job) = self {
            job.control.stop();
        }
        if let Some(release) = self.release() {
            *release = Release::Immediate;
        }
    }

    /// Starts the clock of a pondering search and releases its answer, unless the search is also
    /// infinite.
    ///
    /// # Errors
    /// No search is running, or the search does not ponder.
    pub fn ponder_hit(&mut self) -> Result<(), CommandError> {
        let release = self.release().ok_or(CommandError::Idle("ponderhit"))?;
        let Release::OnPonderHit { then_on_stop } = *release else {
            return Err(CommandError::NotPondering);
        };
        *release = Release::new(then_on_stop, false);
        if let JobState::Running(job) = self {
            job.control.ponder_hit();
        }
        Ok(())
    }

    /// Takes the answer if it is released; the engine is idle then.
    pub fn take_released(&mut self) -> Option<Reply> {
        match std::mem::replace(self, JobState::Idle) {
            JobState::Withheld { answer, release: Release::Immediate } => answer,
            other => {
                *self = other;
                None
            }
        }
    }

    const fn release(&mut self) -> Option<&mut Release> {
        match self {
            JobState::Idle => None,
            JobState::Running(job) => Some(&mut job.release),
            JobState::Withheld { release, .. } => Some(release),
        }
    }
}
