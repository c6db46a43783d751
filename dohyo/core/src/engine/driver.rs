//! Drives one running engine: runs its searches and reports their output.

use std::collections::BTreeMap;
use std::time::Duration;

use basho::stderr_tail::StderrTail;
use oshi::protocol::Command;

use super::search::{AnswerError, Next, Search, SearchRequest};
use crate::cancel::CancelToken;
use crate::host::{Connection, EngineError, System};
use crate::search_output::SearchOutput;

/// Interval at which a waiting search polls its cancel token.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

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
    /// The engine cannot be started, or it has failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The game was started with an engine that no longer exists.
    #[error("this engine is no longer on the command line; expected another player")]
    NoEngine,
    /// The search was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl DriverError {
    /// Returns the engine's last lines on stderr, for the end of a message.
    pub fn stderr_tail(&self) -> StderrTail {
        match self {
            DriverError::Engine(error) => error.stderr_tail.clone(),
            DriverError::NoEngine | DriverError::Cancelled => StderrTail::default(),
        }
    }
}

/// A running engine with its options.
pub struct Driver {
    connection: Box<dyn Connection>,
    /// Current values of the options that were set.
    set: BTreeMap<String, String>,
    timeout: Duration,
}

impl Driver {
    /// Takes over a running engine after its handshake.
    pub fn new(connection: Box<dyn Connection>, timeout: Duration) -> Driver {
        Driver { connection, set: BTreeMap::new(), timeout }
    }

    /// Sends `ucinewgame`.
    ///
    /// # Errors
    /// [`DriverError`].
    pub async fn new_game(&mut self) -> Result<(), DriverError> {
        self.connection.send(&[Command::UciNewGame.to_string()]).await?;
        Ok(())
    }

    fn failed(&self, error: AnswerError) -> DriverError {
        let stderr_tail = self.connection.stderr_tail();
        DriverError::Engine(EngineError { error: error.into(), stderr_tail })
    }

    fn has_levels(&self) -> bool {
        ["UCI_LimitStrength", "UCI_Elo"].iter().all(|name| self.connection.option(name).is_some())
    }

    /// Runs a search, reports its output, and waits for its result.
    ///
    /// # Errors
    /// [`DriverError`]. After [`DriverError::Cancelled`] the engine can search again. After any
    /// other error it must be restarted.
    pub async fn search(
        &mut self,
        system: &dyn System,
        request: &SearchRequest,
        cancel: &CancelToken,
        mut report: impl FnMut(&SearchOutput),
    ) -> Result<SearchResult, DriverError> {
        let now = || system.now().monotonic;
        let connection = &self.connection;
        let option = |name: &str| connection.option(name);
        let (mut search, lines) =
            Search::begin(request, option, &mut self.set, self.timeout, now());
        self.connection.send(&lines).await?;
        loop {
            if cancel.is_cancelled()
                && let Next::Send(lines) = search.cancel(now())
            {
                self.connection.send(&lines).await?;
            }
            let wait = search.wait(POLL_INTERVAL, now());
            let next = match self.connection.receive(wait, search.awaited()).await? {
                Some(line) => search.read(&line, now()),
                None => search.pause(now()).map(|()| Next::Wait),
            };
            match next.map_err(|error| self.failed(error))? {
                Next::Wait => {}
                Next::Send(lines) => self.connection.send(&lines).await?,
                Next::Best(best) => {
                    return Ok(SearchResult {
                        best,
                        output: search.into_output(),
                        has_levels: self.has_levels(),
                        stderr_tail: self.connection.stderr_tail(),
                    });
                }
                Next::Cancelled => return Err(DriverError::Cancelled),
            }
            if let Some(output) = search.report(now()) {
                report(output);
            }
        }
    }
}
