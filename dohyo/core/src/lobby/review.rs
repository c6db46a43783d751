//! Runs a review: engines search the positions of a game, the last ones first, so that their
//! tables already know the end. [`crate::review`] finds and marks the bad moves.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use oshi::protocol::{Command, Go};
use tokio::sync::mpsc;

use super::Lobby;
use super::hosted_game::{HostedGame, RunningReview};
use crate::cancel::CancelToken;
use crate::engine::{DriverError, Job, Purpose, SearchRequest};
use crate::event::{EventKind, Severity};
use crate::game::{Eval, GameId, NodeId};
use crate::host::SpawnError;
use crate::review::{ReviewPlan, ReviewPly, Suspect, Verdicts};
use crate::search_output::SearchOutput;
use crate::sync::lock;

/// Number of engines that share the work.
const WORKERS: usize = 2;

/// Factor of the search time for the second search of a suspect.
const SECOND_SEARCH: u64 = 4;

/// Number of failures at one position after which the review ends.
const MAX_FAILURES: usize = 3;

/// Allowed search times per position in milliseconds.
const TIMES: std::ops::RangeInclusive<u64> = 10..=60_000;

/// A plan with its search time and its cancel token.
struct Run {
    plan: ReviewPlan,
    /// Search time per position in milliseconds.
    ms: u64,
    cancel: CancelToken,
}

/// Parameters of one search of a position.
struct Search<'a> {
    ms: u64,
    lines: u32,
    /// Moves to search. Empty for all.
    moves: &'a [String],
}

/// An item of a review's work.
trait Work: Send + 'static {
    /// Result of the work.
    type Result: Send + 'static;

    /// Does the work with the engine of a worker.
    fn run(
        &self,
        lobby: &Lobby,
        run: &Run,
        worker: usize,
    ) -> impl Future<Output = Result<Self::Result, DriverError>> + Send;
}

/// First search of a position, by its index in the plan.
struct FirstSearch(usize);

impl Work for FirstSearch {
    type Result = Option<(usize, Eval)>;

    async fn run(
        &self,
        lobby: &Lobby,
        run: &Run,
        worker: usize,
    ) -> Result<Self::Result, DriverError> {
        Ok(lobby.search_ply(run, worker, self.0).await?.map(|eval| (self.0, eval)))
    }
}

impl Work for Suspect {
    type Result = Suspect;

    async fn run(
        &self,
        lobby: &Lobby,
        run: &Run,
        worker: usize,
    ) -> Result<Self::Result, DriverError> {
        lobby.search_suspect(run, worker, self).await
    }
}

/// Items that several workers share.
struct Shared<T: Work> {
    lobby: Arc<Lobby>,
    run: Arc<Run>,
    rest: Mutex<std::vec::IntoIter<T>>,
    has_failed: AtomicBool,
}

impl<T: Work> Shared<T> {
    /// Processes items until there are no more, and returns the results. Retries an item after a
    /// failure of its engine.
    async fn process(&self, worker: usize) -> Result<Vec<T::Result>, DriverError> {
        let mut results = Vec::new();
        while !self.has_failed.load(Ordering::Relaxed)
            && let Some(item) = self.next()
        {
            let mut failures = 0;
            results.push(loop {
                let error = match item.run(&self.lobby, &self.run, worker).await {
                    Ok(result) => break result,
                    Err(error) => error,
                };
                failures += 1;
                if matches!(error, DriverError::Cancelled) || failures >= MAX_FAILURES {
                    self.has_failed.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                let tail = error.stderr_tail();
                let text = format!("review: {error}; the engine is restarted{tail}");
                let message = EventKind::Message(Severity::Warning, text);
                self.lobby.publish(Some(&self.run.plan.game), message);
            });
        }
        Ok(results)
    }

    fn next(&self) -> Option<T> {
        lock(&self.rest).next()
    }
}

impl Lobby {
    /// Starts a review of the main line. It cancels a running one. The results of an earlier
    /// review stay until this one is complete.
    ///
    /// # Errors
    /// [`SpawnError`].
    pub fn start_review(
        self: &Arc<Self>,
        hosted: &mut HostedGame,
        ms: u64,
    ) -> Result<(), SpawnError> {
        let plan = ReviewPlan::of(&hosted.game);
        let line = plan.plies.iter().map(|at| at.node).collect();
        let of = plan.choices().count();
        let cancel = CancelToken::default();
        let run = Run { plan, ms: ms.clamp(*TIMES.start(), *TIMES.end()), cancel: cancel.clone() };
        let lobby = Arc::clone(self);
        self.spawn("review", async move {
            let run = Arc::new(run);
            let verdicts = lobby.run_review(&run).await;
            lobby.end_review(&run, verdicts);
        })?;
        hosted.cancel_review();
        hosted.review = Some(RunningReview { cancel, line, done: 0, of });
        self.publish(Some(&hosted.game.id), EventKind::Review(Vec::new()));
        Ok(())
    }

    /// Cancels the review if positions of its line were removed.
    pub fn stop_review_if_pruned(&self, hosted: &mut HostedGame) {
        let is_removed = |node: &NodeId| hosted.game.node(*node).is_err();
        if hosted.review.as_ref().is_some_and(|review| review.line.iter().any(is_removed)) {
            self.stop_review(hosted);
            let text = "review cancelled: moves of its line were removed".to_owned();
            self.publish(Some(&hosted.game.id), EventKind::Message(Severity::Warning, text));
        }
    }

    /// Cancels the review of a game, if one is running.
    pub fn stop_review(&self, hosted: &mut HostedGame) {
        hosted.cancel_review();
        // Published in any case: a tab may still show a review from before a restart.
        self.publish(Some(&hosted.game.id), EventKind::Review(Vec::new()));
    }

    fn end_review(&self, run: &Run, verdicts: Result<Verdicts, DriverError>) {
        let id = &run.plan.game;
        let Ok(hosted) = self.game(id) else { return };
        let mut hosted = lock(&hosted);
        if run.cancel.is_cancelled() {
            return;
        }
        hosted.review = None;
        match verdicts {
            Ok(verdicts) => {
                hosted.game.marks = verdicts.marks;
                hosted.game.summary = Some(verdicts.summary);
                self.save(&hosted.game);
            }
            Err(error) => {
                let text = format!("review failed: {error}{}", error.stderr_tail());
                self.publish(Some(id), EventKind::Message(Severity::Error, text));
            }
        }
        self.publish(Some(id), EventKind::Review(Vec::new()));
    }

    async fn run_review(self: &Arc<Self>, run: &Arc<Run>) -> Result<Verdicts, DriverError> {
        let choices = run.plan.choices().rev().map(FirstSearch).collect();
        let evals: BTreeMap<usize, Eval> =
            self.share(run, choices).await?.into_iter().flatten().collect();
        let values = run.plan.values(&evals);
        let suspects = self.share(run, run.plan.suspects(&values)).await?;
        Ok(run.plan.verdicts(&values, &suspects))
    }

    /// Processes items with [`WORKERS`] engines.
    async fn share<T: Work>(
        self: &Arc<Self>,
        run: &Arc<Run>,
        items: Vec<T>,
    ) -> Result<Vec<T::Result>, DriverError> {
        let shared = Arc::new(Shared {
            lobby: Arc::clone(self),
            run: Arc::clone(run),
            rest: Mutex::new(items.into_iter()),
            has_failed: AtomicBool::new(false),
        });
        let (sender, mut ended) = mpsc::unbounded_channel();
        let mut others = 0;
        for worker in 1..WORKERS {
            let (shared, sender) = (Arc::clone(&shared), sender.clone());
            let work = async move {
                // Fails only if the review has ended.
                let _ = sender.send(shared.process(worker).await);
            };
            // If the system has no more threads, the existing ones do all the work.
            if self.spawn("review", work).is_err() {
                break;
            }
            others += 1;
        }
        drop(sender);
        let own = shared.process(0).await;
        let mut all = vec![own];
        for _ in 0..others {
            // A worker without a result has failed.
            all.push(ended.recv().await.unwrap_or(Err(DriverError::Cancelled)));
        }
        let results = all.into_iter().collect::<Result<Vec<_>, _>>()?;
        if run.cancel.is_cancelled() {
            Err(DriverError::Cancelled)
        } else {
            Ok(results.into_iter().flatten().collect())
        }
    }

    /// Searches a position, stores its evaluation and publishes the progress.
    async fn search_ply(
        &self,
        run: &Run,
        worker: usize,
        ply: usize,
    ) -> Result<Option<Eval>, DriverError> {
        let Some(at) = run.plan.plies.get(ply) else { return Ok(None) };
        let search = Search { ms: run.ms, lines: 1, moves: &[] };
        let output = self.run_search(run, worker, at, search).await?;
        let eval = at.board.turn().and_then(|turn| output.eval(turn));
        let id = &run.plan.game;
        if let Ok(hosted) = self.game(id) {
            let mut hosted = lock(&hosted);
            if let Some(eval) = &eval {
                hosted.game.record_eval(at.node, eval.clone());
            }
            if let Some(review) = hosted.review.as_mut().filter(|_| !run.cancel.is_cancelled()) {
                review.done += 1;
                self.publish(Some(id), EventKind::Review(vec![at.node]));
            }
        }
        Ok(eval)
    }

    /// Searches a suspect for longer. Values that are proven are not searched again.
    async fn search_suspect(
        &self,
        run: &Run,
        worker: usize,
        suspect: &Suspect,
    ) -> Result<Suspect, DriverError> {
        let mut updated = suspect.clone();
        let Some(at) = run.plan.plies.get(suspect.ply) else { return Ok(updated) };
        let played = at.played.clone().unwrap_or_default();
        let ms = SECOND_SEARCH * run.ms;
        let mut is_compared = updated.played_is_proven;
        if !updated.best_is_proven {
            let search = Search { ms, lines: 2, moves: &[] };
            let output = self.run_search(run, worker, at, search).await?;
            updated.update_best(&output);
            is_compared |= updated.update_played(&output, &played);
        }
        if !is_compared {
            let moves = std::slice::from_ref(&played);
            let output = self.run_search(run, worker, at, Search { ms, lines: 1, moves }).await?;
            updated.update_played(&output, &played);
        }
        Ok(updated)
    }

    async fn run_search(
        &self,
        run: &Run,
        worker: usize,
        at: &ReviewPly,
        Search { ms, lines, moves }: Search<'_>,
    ) -> Result<SearchOutput, DriverError> {
        let allowed = Duration::from_millis(ms);
        let go = Go { move_time: Some(allowed), search_moves: moves.to_vec(), ..Go::default() };
        let request = SearchRequest {
            position: at.command.clone(),
            go: Command::Go(go).to_string(),
            allowed: Some(allowed),
            variant: at.board.variant(),
            lines: Some(lines),
            options: self.common_options(),
        };
        let game: GameId = run.plan.game.clone();
        let job = Job { game, purpose: Purpose::Review(worker), engine: 0 };
        let searched = self.pool.search(&job, &request, &run.cancel, |_| ()).await;
        searched.map(|result| result.output)
    }
}
