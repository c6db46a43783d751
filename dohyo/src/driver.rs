//! The process of one engine: runs its searches and reports their output.
//!
//! A search blocks its thread and polls its cancel token.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use basho::config::ChildProgram;
use basho::play::client::{Client, ClientError, StartError};
use basho::play::interrupt::Interrupt;
use basho::stderr_tail::StderrTail;
use dohyo_core::cancel::CancelToken;
use dohyo_core::search_output::{BEST, SearchOutput};
use oshi::games::Variant;
use oshi::protocol::{Command, Info, Reply};

/// Interval at which a waiting thread polls its cancel token.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Minimum time between two reports.
const MIN_REPORT_INTERVAL: Duration = Duration::from_millis(120);

/// Time after which the output is reported again, even if it is unchanged. The user sees that the
/// search continues.
const MAX_REPORT_INTERVAL: Duration = Duration::from_millis(400);

/// Hash table of an engine in MiB.
const HASH_MIB: u32 = 64;

/// Returns the options that every engine gets.
pub fn common_options() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("Threads", "1".to_owned()),
        ("Hash", HASH_MIB.to_string()),
        ("UCI_LimitStrength", false.to_string()),
    ])
}

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

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The best move, if the engine has one.
    pub best: Option<String>,
    /// Last output.
    pub output: SearchOutput,
    /// Whether the engine supports `UCI_Elo`.
    pub has_levels: bool,
    /// Last lines on stderr, for a message about an invalid move.
    pub stderr_tail: StderrTail,
}

/// A failed search.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The engine cannot be started.
    #[error(transparent)]
    Start(StartError),
    /// The engine has failed.
    #[error("{error}")]
    Client {
        /// The failure.
        error: ClientError,
        /// Last lines on stderr.
        stderr_tail: StderrTail,
    },
    /// The game was started with an engine that the command line no longer names.
    #[error("this engine is no longer on the command line; expected another player")]
    NoEngine,
    /// The search was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl From<StartError> for DriverError {
    fn from(error: StartError) -> DriverError {
        match error {
            StartError::Client { error, stderr_tail } => DriverError::Client { error, stderr_tail },
            other => DriverError::Start(other),
        }
    }
}

impl DriverError {
    /// Returns the engine's last lines on stderr, for the end of a message.
    pub fn stderr_tail(&self) -> StderrTail {
        match self {
            DriverError::Client { stderr_tail, .. } => stderr_tail.clone(),
            DriverError::Start(_) | DriverError::NoEngine | DriverError::Cancelled => {
                StderrTail::default()
            }
        }
    }
}

enum SearchError {
    Client(ClientError),
    Cancelled,
}

impl From<ClientError> for SearchError {
    fn from(error: ClientError) -> SearchError {
        SearchError::Client(error)
    }
}

/// A running engine.
pub struct Driver {
    client: Client,
    /// Current values of the options that were set.
    set: BTreeMap<String, String>,
    timeout: Duration,
}

impl Driver {
    /// Starts an engine.
    ///
    /// # Errors
    /// [`StartError`]: the program cannot be run or does not speak the protocol.
    pub fn start(
        program: &ChildProgram,
        timeout: Duration,
        interrupt: Interrupt,
    ) -> Result<Driver, StartError> {
        let client = Client::start(program, timeout, interrupt)?;
        Ok(Driver { client, set: BTreeMap::new(), timeout })
    }

    /// Sends `ucinewgame`.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn new_game(&mut self) -> Result<(), DriverError> {
        self.client.send(&[Command::UciNewGame]).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: ClientError) -> DriverError {
        DriverError::Client { error, stderr_tail: self.client.stderr_tail() }
    }

    fn has_levels(&self) -> bool {
        ["UCI_LimitStrength", "UCI_Elo"].iter().all(|name| self.client.option(name).is_some())
    }

    /// Runs a search, reports its output, and waits for its result.
    ///
    /// # Errors
    /// [`DriverError`]. After [`DriverError::Cancelled`] the engine can search again. After any
    /// other error it must be restarted.
    pub fn search(
        &mut self,
        request: &SearchRequest,
        cancel: &CancelToken,
        report: impl FnMut(&SearchOutput),
    ) -> Result<SearchResult, DriverError> {
        self.try_search(request, cancel, report).map_err(|error| match error {
            SearchError::Client(error) => self.failed(error),
            SearchError::Cancelled => DriverError::Cancelled,
        })
    }

    fn try_search(
        &mut self,
        request: &SearchRequest,
        cancel: &CancelToken,
        mut report: impl FnMut(&SearchOutput),
    ) -> Result<SearchResult, SearchError> {
        self.set_options(request)?;
        // Discard earlier output.
        self.client.synchronise()?;
        let begun = Instant::now();
        self.client.send_line(&request.position)?;
        self.client.send_line(&request.go)?;
        let mut deadline = request.allowed.map(|allowed| self.client.deadline(allowed));
        let (mut output, mut reported, mut is_new, mut is_cancelled) =
            (SearchOutput::default(), begun, false, false);
        // Lines come in batches, the best first. An incomplete batch could show a move twice.
        let mut batch = BTreeMap::new();
        let last_rank = request.lines.unwrap_or(BEST);
        loop {
            let now = Instant::now();
            if cancel.is_cancelled() && !is_cancelled {
                is_cancelled = true;
                self.client.send(&[Command::Stop])?;
                deadline = Some(now + self.timeout);
            }
            let poll = now + POLL_INTERVAL;
            let next = deadline.map_or(poll, |deadline| deadline.min(poll));
            match self.client.read_line(next, "`bestmove` after `go`") {
                Ok(line) => match read(&line) {
                    Ok(Some(EngineLine::Best(_))) if is_cancelled => {
                        return Err(SearchError::Cancelled);
                    }
                    Ok(Some(EngineLine::Best(best))) => {
                        output.add(&mut batch);
                        output.elapsed = begun.elapsed();
                        let (has_levels, stderr_tail) =
                            (self.has_levels(), self.client.stderr_tail());
                        return Ok(SearchResult { best, output, has_levels, stderr_tail });
                    }
                    Ok(Some(EngineLine::Info(info))) => {
                        let rank = info.multipv.unwrap_or(BEST);
                        if rank == BEST {
                            is_new |= output.add(&mut batch);
                        }
                        if rank <= last_rank {
                            batch.insert(rank, info);
                        }
                    }
                    Ok(Some(EngineLine::Proof)) => output.is_proven = true,
                    Ok(None) => {}
                    Err(error) => return Err(error.into()),
                },
                Err(ClientError::Stall(_))
                    if deadline.is_none_or(|deadline| Instant::now() < deadline) =>
                {
                    is_new |= output.add(&mut batch);
                }
                Err(error) => return Err(error.into()),
            }
            let since = reported.elapsed();
            if !is_cancelled
                && !output.lines.is_empty()
                && (is_new && since >= MIN_REPORT_INTERVAL || since >= MAX_REPORT_INTERVAL)
            {
                output.elapsed = begun.elapsed();
                report(&output);
                (reported, is_new) = (Instant::now(), false);
            }
        }
    }

    /// Sets the options that differ from their current values. Skips options that the engine does
    /// not declare, and values that it does not accept.
    fn set_options(&mut self, request: &SearchRequest) -> Result<(), ClientError> {
        let variant = ("UCI_Variant", request.variant.name().to_owned());
        let mut wanted = request.options.clone();
        wanted.extend(request.lines.map(|lines| ("MultiPV", lines.to_string())));
        let mut commands = Vec::new();
        for (name, value) in std::iter::once(variant).chain(wanted) {
            let is_set = self.set.get(name) == Some(&value);
            if !is_set
                && self.client.option(name).is_some_and(|option| option.read(Some(&value)).is_ok())
            {
                commands
                    .push(Command::SetOption { name: name.to_owned(), value: Some(value.clone()) });
                self.set.insert(name.to_owned(), value);
            }
        }
        if commands.is_empty() { Ok(()) } else { self.client.send(&commands) }
    }
}

/// A relevant line of an engine.
enum EngineLine {
    Best(Option<String>),
    Info(Info),
    Proof,
}

/// Reads a line. Only a `bestmove` must be valid.
fn read(line: &str) -> Result<Option<EngineLine>, ClientError> {
    match Reply::parse(line) {
        Ok(Reply::BestMove { best, .. }) => Ok(Some(EngineLine::Best(best))),
        Ok(Reply::Info(info)) if info.score.is_some() && info.bound.is_none() => {
            Ok(Some(EngineLine::Info(info)))
        }
        Ok(Reply::Info(info)) => {
            let is_proof = info.string.is_some_and(|text| text.starts_with("proven "));
            Ok(is_proof.then_some(EngineLine::Proof))
        }
        Err(error) if line.starts_with("bestmove") => Err(ClientError::Garbled(error.to_string())),
        _ => Ok(None),
    }
}
