//! Runs a review: engines search the positions of a game, the last ones first, so that their
//! tables already know the end. `dohyo_core::review` finds and marks the bad moves.

use std::collections::BTreeMap;
use std::iter;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use dohyo_core::cancel::CancelToken;
use dohyo_core::event::{EventKind, Severity};
use dohyo_core::game::{Eval, GameId, NodeId};
use dohyo_core::review::{ReviewPlan, ReviewPly, Suspect, Verdicts};
use dohyo_core::search_output::SearchOutput;
use oshi::protocol::{Command, Go};

use crate::driver::{DriverError, SearchRequest, common_options};
use crate::engines::{Job, Purpose};
use crate::hosted_game::{HostedGame, RunningReview};
use crate::server::{Server, SpawnError};
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

impl Server {
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
        let server = Arc::clone(self);
        self.spawn("review", move || {
            let verdicts = server.run_review(&run);
            server.end_review(&run, verdicts);
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

    fn run_review(&self, run: &Run) -> Result<Verdicts, DriverError> {
        let choices = run.plan.choices().rev().collect();
        let evals = self.share(run, choices, |worker, &ply| {
            Ok(self.search_ply(run, worker, ply)?.map(|eval| (ply, eval)))
        })?;
        let evals: BTreeMap<usize, Eval> = evals.into_iter().flatten().collect();
        let values = run.plan.values(&evals);
        let suspects = run.plan.suspects(&values);
        let suspects =
            self.share(run, suspects, |worker, suspect| self.search_suspect(run, worker, suspect))?;
        Ok(run.plan.verdicts(&values, &suspects))
    }

    /// Processes items on [`WORKERS`] threads. Retries an item after a failure of its engine.
    fn share<T: Sync + Send, R: Send>(
        &self,
        run: &Run,
        items: Vec<T>,
        work: impl Fn(usize, &T) -> Result<R, DriverError> + Sync,
    ) -> Result<Vec<R>, DriverError> {
        let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
        let has_failed = AtomicBool::new(false);
        let process = |worker: usize| -> Result<(), DriverError> {
            while let Some(item) = items
                .get(next.fetch_add(1, Ordering::Relaxed))
                .filter(|_| !has_failed.load(Ordering::Relaxed))
            {
                let mut failures = 0;
                let result = loop {
                    match work(worker, item) {
                        Err(error)
                            if matches!(error, DriverError::Cancelled)
                                || failures + 1 >= MAX_FAILURES =>
                        {
                            has_failed.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                        Err(error) => {
                            failures += 1;
                            let text = format!(
                                "review: {error}; the engine is restarted{}",
                                error.stderr_tail()
                            );
                            let message = EventKind::Message(Severity::Warning, text);
                            self.publish(Some(&run.plan.game), message);
                        }
                        Ok(result) => break result,
                    }
                };
                lock(&results).push(result);
            }
            Ok(())
        };
        let ended: Vec<Result<(), DriverError>> = thread::scope(|scope| {
            let process = &process;
            let spawn =
                |worker| thread::Builder::new().spawn_scoped(scope, move || process(worker)).ok();
            // If the system has no more threads, the existing ones do all the work.
            let others: Vec<_> = (1..WORKERS).map_while(spawn).collect();
            let own = process(0);
            let others = others
                .into_iter()
                .map(|worker| worker.join().unwrap_or(Err(DriverError::Cancelled)));
            iter::once(own).chain(others).collect()
        });
        ended.into_iter().collect::<Result<(), DriverError>>()?;
        if run.cancel.is_cancelled() {
            Err(DriverError::Cancelled)
        } else {
            Ok(results.into_inner().unwrap_or_default())
        }
    }

    /// Searches a position, stores its evaluation and publishes the progress.
    fn search_ply(
        &self,
        run: &Run,
        worker: usize,
        ply: usize,
    ) -> Result<Option<Eval>, DriverError> {
        let Some(at) = run.plan.plies.get(ply) else { return Ok(None) };
        let output =
            self.run_search(run, worker, at, Search { ms: run.ms, lines: 1, moves: &[] })?;
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
    fn search_suspect(
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
            let output = self.run_search(run, worker, at, Search { ms, lines: 2, moves: &[] })?;
            updated.update_best(&output);
            is_compared |= updated.update_played(&output, &played);
        }
        if !is_compared {
            let moves = std::slice::from_ref(&played);
            let output = self.run_search(run, worker, at, Search { ms, lines: 1, moves })?;
            updated.update_played(&output, &played);
        }
        Ok(updated)
    }

    fn run_search(
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
            options: common_options(),
        };
        let game: GameId = run.plan.game.clone();
        let job = Job { game, purpose: Purpose::Review(worker), engine: 0 };
        self.pool.search(&job, &request, &run.cancel, |_| ()).map(|result| result.output)
    }
}
