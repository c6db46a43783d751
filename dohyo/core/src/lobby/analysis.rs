//! Analysis: an engine searches a position until it is cancelled.

use std::sync::Arc;

use oshi::protocol::{Command, Go};
use tokio::sync::mpsc::Sender;

use super::hosted_game::{HostedGame, RunningAnalysis};
use super::requests::RequestError;
use crate::cancel::CancelToken;
use crate::engine::{DriverError, Job, Purpose, SearchRequest};
use crate::event::{Analysis, EventKind, Severity};
use crate::game::{GameError, GameId, NodeId};
use crate::lobby::Lobby;
use crate::message::TaggedReply;
use crate::search_output::SearchOutput;
use crate::sync::lock;

/// Maximum number of lines of an analysis.
pub const MAX_LINES: u32 = 10;

/// Number of failures after which the analysis ends.
const MAX_FAILURES: u32 = 3;

impl Lobby {
    /// Starts an analysis for a tab. It replaces any other analysis of the game.
    ///
    /// # Errors
    /// Unknown position, finished game, or no thread for the engine.
    pub fn start_analysis(
        self: &Arc<Self>,
        hosted: &mut HostedGame,
        node: NodeId,
        lines: u32,
        engine: usize,
        requester: Sender<TaggedReply>,
    ) -> Result<(), RequestError> {
        let board = hosted.game.board(node)?;
        let Some(turn) = board.turn() else { return Err(GameError::Over.into()) };
        let request = SearchRequest {
            position: hosted.game.command_to(node),
            go: Command::Go(Go { infinite: true, ..Go::default() }).to_string(),
            allowed: None,
            variant: board.variant(),
            lines: Some(lines.clamp(1, MAX_LINES)),
            options: self.common_options(),
        };
        let cancel = CancelToken::default();
        let job = Job { game: hosted.game.id.clone(), purpose: Purpose::Analysis, engine };
        let (lobby, token) = (Arc::clone(self), cancel.clone());
        self.spawn("analysis", async move {
            let mut last = None;
            let report = |output: &SearchOutput| {
                last = output.eval(turn);
                let analysis = Analysis { node, output: output.clone() };
                lobby.publish(Some(&job.game), EventKind::Analysis(Arc::new(analysis)));
            };
            let failure = lobby.run_analysis(&job, &request, &token, report).await;
            lobby.end_failed_analysis(&job.game, node, &token, failure);
            if let (Some(eval), Ok(hosted)) = (last, lobby.game(&job.game)) {
                let mut hosted = lock(&hosted);
                if hosted.game.record_eval(node, eval) {
                    lobby.publish(Some(&job.game), EventKind::Eval(node));
                    lobby.save(&hosted.game);
                }
            }
        })?;
        let mut requesters = hosted.analysis.take().map_or_else(Vec::new, |before| {
            before.cancel.cancel();
            before.requesters
        });
        if !requesters.iter().any(|tab| tab.same_channel(&requester)) {
            requesters.push(requester);
        }
        hosted.analysis = Some(RunningAnalysis { node, requesters, cancel });
        Ok(())
    }

    /// Runs an analysis until it is cancelled. Returns the error after [`MAX_FAILURES`].
    async fn run_analysis(
        &self,
        job: &Job,
        request: &SearchRequest,
        cancel: &CancelToken,
        mut report: impl FnMut(&SearchOutput) + Send,
    ) -> Option<String> {
        let mut failures = 0;
        loop {
            let searched = self.pool.search(job, request, cancel, &mut report).await;
            let (error, stderr_tail) = match searched {
                Err(DriverError::Cancelled) => return None,
                Ok(result) => ("the engine ended its search".to_owned(), result.stderr_tail),
                Err(error) => (error.to_string(), error.stderr_tail()),
            };
            failures += 1;
            if failures == MAX_FAILURES {
                return Some(format!(
                    "{error}; the analysis is cancelled after {MAX_FAILURES} failures{stderr_tail}"
                ));
            }
            let text = format!("analysis: {error}; the engine is restarted{stderr_tail}");
            self.publish(Some(&job.game), EventKind::Message(Severity::Warning, text));
        }
    }

    fn end_failed_analysis(
        &self,
        id: &GameId,
        node: NodeId,
        cancel: &CancelToken,
        failure: Option<String>,
    ) {
        let (Some(error), Ok(hosted)) = (failure, self.game(id)) else { return };
        let mut hosted = lock(&hosted);
        let is_current = hosted.analysis.as_ref().is_some_and(|analysis| analysis.node == node);
        if !cancel.is_cancelled() && is_current {
            hosted.analysis = None;
            let text = format!("analysis: {error}");
            self.publish(Some(id), EventKind::Message(Severity::Error, text));
        }
    }

    /// Removes a tab from the requesters of the analysis, and cancels it without any left.
    pub fn stop_analysis_for(&self, hosted: &mut HostedGame, tab: &Sender<TaggedReply>) {
        let is_unused = hosted.analysis.as_mut().is_some_and(|analysis| {
            analysis.requesters.retain(|requester| !requester.same_channel(tab));
            analysis.requesters.is_empty()
        });
        if is_unused {
            self.stop_analysis(hosted);
        }
    }

    /// Cancels the analysis of a game, if one is running.
    pub fn stop_analysis(&self, hosted: &mut HostedGame) {
        if let Some(analysis) = hosted.analysis.take() {
            analysis.cancel.cancel();
        }
    }
}
