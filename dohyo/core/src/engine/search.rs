//! The dialogue of a search as a state machine: lines of the engine in, lines for the engine out.
//!
//! It sets the options, waits for `readyok` so that earlier output is discarded, sends the position
//! and `go`, collects the output, and ends with `bestmove`.

use std::collections::BTreeMap;
use std::time::Duration;

use oshi::game::quote;
use oshi::games::Variant;
use oshi::protocol::{Command, Info, OptionLine, Reply};

use crate::search_output::{BEST, SearchOutput};

/// Minimum time between two reports.
const MIN_REPORT_INTERVAL: Duration = Duration::from_millis(120);

/// Time after which the output is reported again, even if it is unchanged. The user sees that the
/// search continues.
const MAX_REPORT_INTERVAL: Duration = Duration::from_millis(400);

/// The expected reply to `isready`.
const READY: &str = "`readyok` after `isready`";

/// The expected reply to `go`.
const BEST_MOVE: &str = "`bestmove` after `go`";

/// A search for an engine to run.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// `position` command.
    pub position: String,
    /// `go` command.
    pub go: String,
    /// Time limit. `None` for a search that runs until it is cancelled.
    pub allowed: Option<Duration>,
    /// Variant of the position.
    pub variant: Variant,
    /// Number of lines to report. `None` leaves `MultiPV` as it is.
    pub lines: Option<u32>,
    /// Other options to set, if the engine declares them.
    pub options: BTreeMap<&'static str, String>,
}

/// An invalid or missing answer of an engine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AnswerError {
    /// No answer before the deadline.
    #[error("no answer; expected {0}")]
    Late(&'static str),
    /// An invalid answer.
    #[error("{0}")]
    Invalid(String),
}

/// The next action of a search.
#[derive(PartialEq, Eq, Debug)]
pub enum Next {
    /// Wait for a line.
    Wait,
    /// Send these lines.
    Send(Vec<String>),
    /// The search has ended with the best move, if the engine has one.
    Best(Option<String>),
    /// The search was cancelled.
    Cancelled,
}

/// A running search. Times are those of a clock that never goes back.
pub struct Search {
    request: SearchRequest,
    timeout: Duration,
    stage: Stage,
    deadline: Option<Duration>,
    output: SearchOutput,
    /// Lines come in batches, the best first. An incomplete batch could show a move twice.
    batch: BTreeMap<u32, Info>,
    begun: Duration,
    reported: Duration,
    is_new: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Waits for `readyok`.
    Ready,
    /// Waits for `bestmove`.
    Searching,
    /// Waits for `bestmove` after `stop`.
    Stopping,
}

impl Search {
    /// Begins a search and returns the first lines for the engine. `option` finds a declared
    /// option, `set` contains the current values of the options that were set.
    pub fn begin<'a>(
        request: &SearchRequest,
        option: impl Fn(&str) -> Option<&'a OptionLine>,
        set: &mut BTreeMap<String, String>,
        timeout: Duration,
        now: Duration,
    ) -> (Search, Vec<String>) {
        let mut lines = set_options(request, option, set);
        lines.push(Command::IsReady.to_string());
        let search = Search {
            request: request.clone(),
            timeout,
            stage: Stage::Ready,
            deadline: Some(now + timeout),
            output: SearchOutput::default(),
            batch: BTreeMap::new(),
            begun: now,
            reported: now,
            is_new: false,
        };
        (search, lines)
    }

    /// Returns the expected reply, for errors.
    pub const fn awaited(&self) -> &'static str {
        match self.stage {
            Stage::Ready => READY,
            Stage::Searching | Stage::Stopping => BEST_MOVE,
        }
    }

    /// Reads a line of the engine.
    ///
    /// # Errors
    /// [`AnswerError::Invalid`]. While the engine searches, only a `bestmove` must be valid.
    pub fn read(&mut self, line: &str, now: Duration) -> Result<Next, AnswerError> {
        let reply = Reply::parse(line);
        if self.stage == Stage::Ready {
            let reply = reply
                .map_err(|error| AnswerError::Invalid(format!("`{}`: {error}", quote(line))))?;
            return match reply {
                Reply::ReadyOk => Ok(self.go(now)),
                Reply::BestMove { best, .. } => Err(AnswerError::Invalid(format!(
                    "`bestmove {}` without a `go`; expected {READY}",
                    quote(best.as_deref().unwrap_or("(none)"))
                ))),
                _ => Ok(Next::Wait),
            };
        }
        match reply {
            Ok(Reply::BestMove { .. }) if self.stage == Stage::Stopping => Ok(Next::Cancelled),
            Ok(Reply::BestMove { best, .. }) => {
                self.output.add(&mut self.batch);
                self.output.elapsed = now.saturating_sub(self.begun);
                Ok(Next::Best(best))
            }
            Ok(Reply::Info(info)) if info.score.is_some() && info.bound.is_none() => {
                let rank = info.multipv.unwrap_or(BEST);
                if rank == BEST {
                    self.end_batch();
                }
                if rank <= self.request.lines.unwrap_or(BEST) {
                    self.batch.insert(rank, info);
                }
                Ok(Next::Wait)
            }
            Ok(Reply::Info(info)) => {
                self.output.is_proven |=
                    info.string.is_some_and(|text| text.starts_with("proven "));
                Ok(Next::Wait)
            }
            Err(error) if line.starts_with("bestmove") => {
                Err(AnswerError::Invalid(error.to_string()))
            }
            _ => Ok(Next::Wait),
        }
    }

    fn go(&mut self, now: Duration) -> Next {
        self.stage = Stage::Searching;
        (self.begun, self.reported) = (now, now);
        self.deadline = self.request.allowed.map(|allowed| now + allowed + self.timeout);
        Next::Send(vec![self.request.position.clone(), self.request.go.clone()])
    }

    /// Reacts to a cancellation.
    pub fn cancel(&mut self, now: Duration) -> Next {
        if self.stage != Stage::Searching {
            return Next::Wait;
        }
        self.stage = Stage::Stopping;
        self.deadline = Some(now + self.timeout);
        Next::Send(vec![Command::Stop.to_string()])
    }

    /// Reacts to a pause in the engine's output, which completes a batch.
    ///
    /// # Errors
    /// [`AnswerError::Late`] after the deadline.
    pub fn pause(&mut self, now: Duration) -> Result<(), AnswerError> {
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(AnswerError::Late(self.awaited()));
        }
        self.end_batch();
        Ok(())
    }

    /// Returns the longest time to wait for a line, at most `poll`.
    pub fn wait(&self, poll: Duration, now: Duration) -> Duration {
        self.deadline.map_or(poll, |deadline| deadline.saturating_sub(now).min(poll))
    }

    fn end_batch(&mut self) {
        self.is_new |= self.output.add(&mut self.batch);
    }

    /// Returns the output if a report is due.
    pub fn report(&mut self, now: Duration) -> Option<&SearchOutput> {
        let since = now.saturating_sub(self.reported);
        let is_due = self.stage == Stage::Searching
            && !self.output.lines.is_empty()
            && (self.is_new && since >= MIN_REPORT_INTERVAL || since >= MAX_REPORT_INTERVAL);
        is_due.then(|| {
            self.output.elapsed = now.saturating_sub(self.begun);
            (self.reported, self.is_new) = (now, false);
            &self.output
        })
    }

    /// Returns the last output.
    pub fn into_output(self) -> SearchOutput {
        self.output
    }
}

/// Returns the commands for the options that differ from their current values. Skips options that
/// the engine does not declare, and values that it does not accept.
fn set_options<'a>(
    request: &SearchRequest,
    option: impl Fn(&str) -> Option<&'a OptionLine>,
    set: &mut BTreeMap<String, String>,
) -> Vec<String> {
    let variant = ("UCI_Variant", request.variant.name().to_owned());
    let mut wanted = request.options.clone();
    wanted.extend(request.lines.map(|lines| ("MultiPV", lines.to_string())));
    let mut commands = Vec::new();
    for (name, value) in std::iter::once(variant).chain(wanted) {
        let is_set = set.get(name) == Some(&value);
        if !is_set && option(name).is_some_and(|option| option.read(Some(&value)).is_ok()) {
            let command = Command::SetOption { name: name.to_owned(), value: Some(value.clone()) };
            commands.push(command.to_string());
            set.insert(name.to_owned(), value);
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(5);

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Begins a search of 100 ms with two lines for an engine with the option `MultiPV`.
    fn begin() -> (Search, Vec<String>) {
        let Ok(Reply::Option(multi_pv)) =
            Reply::parse("option name MultiPV type spin default 1 min 1 max 10")
        else {
            panic!("not an option")
        };
        let request = SearchRequest {
            position: "position startpos".to_owned(),
            go: "go movetime 100".to_owned(),
            allowed: Some(ms(100)),
            variant: Variant::default(),
            lines: Some(2),
            options: BTreeMap::from([("Hash", "64".to_owned())]),
        };
        let option = |name: &str| (name == "MultiPV").then_some(&multi_pv);
        let mut set = BTreeMap::new();
        let begun = Search::begin(&request, option, &mut set, TIMEOUT, ms(0));
        assert_eq!(set.get("MultiPV").unwrap(), "2");
        begun
    }

    #[test]
    fn sets_declared_options_and_discards_earlier_output() {
        let (mut search, lines) = begin();
        assert_eq!(lines, ["setoption name MultiPV value 2", "isready"]);
        assert_eq!(search.read("info depth 1 score cp 9 pv a1a2", ms(1)), Ok(Next::Wait));
        let go = ["position startpos", "go movetime 100"].map(str::to_owned).to_vec();
        assert_eq!(search.read("readyok", ms(2)), Ok(Next::Send(go)));
        assert_eq!(search.read("bestmove a1a5", ms(90)), Ok(Next::Best(Some("a1a5".to_owned()))));
        let output = search.into_output();
        assert!(output.lines.is_empty());
        assert_eq!(output.elapsed, ms(88));
    }

    #[test]
    fn rejects_a_move_before_go() {
        let (mut search, _) = begin();
        let error = search.read("bestmove a1a5", ms(1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`bestmove a1a5` without a `go`; expected `readyok` after `isready`"
        );
    }

    #[test]
    fn reports_complete_batches() {
        let (mut search, _) = begin();
        search.read("readyok", ms(0)).unwrap();
        search.read("info score cp 1 multipv 1 pv a1a2", ms(200)).unwrap();
        search.read("info score cp 0 multipv 2 pv a1a3", ms(200)).unwrap();
        search.read("info score cp 0 multipv 3 pv a1a4", ms(200)).unwrap();
        assert!(search.report(ms(200)).is_none(), "the batch may be incomplete");
        search.pause(ms(220)).unwrap();
        assert_eq!(search.report(ms(220)).unwrap().lines.len(), 2);
        assert!(search.report(ms(230)).is_none());
        assert!(search.report(ms(620)).is_some(), "unchanged output is reported again");
    }

    #[test]
    fn stops_when_cancelled_and_fails_without_an_answer() {
        let (mut search, _) = begin();
        search.read("readyok", ms(0)).unwrap();
        assert_eq!(search.cancel(ms(50)), Next::Send(vec!["stop".to_owned()]));
        assert_eq!(search.cancel(ms(60)), Next::Wait);
        assert_eq!(search.pause(ms(5049)), Ok(()));
        let late = AnswerError::Late("`bestmove` after `go`");
        assert_eq!(search.pause(ms(5050)), Err(late));
        assert_eq!(search.read("bestmove a1a5", ms(5050)), Ok(Next::Cancelled));
    }

    #[test]
    fn waits_for_the_allowed_time_and_the_timeout() {
        let (mut search, _) = begin();
        assert!(search.pause(ms(5000)).is_err(), "no `readyok`");
        search.read("readyok", ms(0)).unwrap();
        assert_eq!(search.wait(ms(20), ms(5090)), ms(10));
        assert!(search.pause(ms(5099)).is_ok());
        assert!(search.pause(ms(5100)).is_err());
    }
}
