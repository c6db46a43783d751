//! A pool of running engines. An engine starts on demand, is kept for the next search of its job,
//! and ends when idle.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;

use super::driver::{Driver, DriverError, SearchResult};
use super::search::SearchRequest;
use crate::cancel::CancelToken;
use crate::game::{GameId, Seat, SeatKind};
use crate::host::{Engines, System};
use crate::search_output::SearchOutput;
use crate::sync::lock;

/// Time after which an idle engine is ended.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Interval at which a search that waits for an engine polls its cancel token.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum time to wait for the engines at the end of the program.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// The purpose of a running engine. There is at most one for each job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// Id of the game.
    pub game: GameId,
    /// Kind of search.
    pub purpose: Purpose,
    /// Index of the engine.
    pub engine: usize,
}

/// A kind of search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Plays a side: 0 Black, 1 White.
    Side(usize),
    /// Analyses a position.
    Analysis,
    /// Finds a good move.
    Hint,
    /// Reviews the game, with the index of the worker.
    Review(usize),
}

/// All engines, and those that run.
pub struct EnginePool {
    engines: Box<dyn Engines>,
    system: Arc<dyn System>,
    is_closing: AtomicBool,
    state: Mutex<State>,
    /// Notified when an engine ends or becomes idle.
    freed: Notify,
}

#[derive(Default)]
struct State {
    busy: Vec<Job>,
    idle: Vec<Idle>,
}

struct Idle {
    job: Job,
    /// Begin of the idle time, on the monotonic clock.
    since: Duration,
    driver: Driver,
}

impl EnginePool {
    /// Makes a pool without running engines.
    pub fn new(engines: Box<dyn Engines>, system: Arc<dyn System>) -> EnginePool {
        EnginePool {
            engines,
            system,
            is_closing: AtomicBool::new(false),
            state: Mutex::default(),
            freed: Notify::new(),
        }
    }

    /// Returns the engines.
    pub fn engines(&self) -> &dyn Engines {
        &*self.engines
    }

    /// Updates the engine indexes of a stored game, found by the names of the engines. An engine
    /// that no longer exists gets an unused index.
    pub fn resolve_engines(&self, seats: &mut [Seat; 2]) {
        resolve_engines(self.engines.names(), seats);
    }

    /// Runs a search in the engine of a job and waits for its result. Starts the engine if
    /// necessary, as soon as fewer than [`Engines::max_running`] are busy. Keeps it unless it
    /// fails.
    ///
    /// # Errors
    /// [`DriverError`].
    pub async fn search(
        &self,
        job: &Job,
        request: &SearchRequest,
        cancel: &CancelToken,
        report: impl FnMut(&SearchOutput) + Send,
    ) -> Result<SearchResult, DriverError> {
        let kept = self.acquire(job, cancel).await?;
        let mut driver = match self.start(job, kept).await {
            Ok(driver) => driver,
            Err(error) => {
                self.release(job, None);
                return Err(error);
            }
        };
        let result = driver.search(&*self.system, request, cancel, report).await;
        let is_reusable = matches!(result, Ok(_) | Err(DriverError::Cancelled));
        self.release(job, is_reusable.then_some(driver));
        result
    }

    /// Marks a job as idle, or as ended without a driver.
    fn release(&self, job: &Job, driver: Option<Driver>) {
        let mut state = lock(&self.state);
        state.busy.retain(|busy| busy != job);
        state.idle.extend(driver.map(|driver| Idle {
            job: job.clone(),
            since: self.system.now().monotonic,
            driver,
        }));
        drop(state);
        self.freed.notify_waiters();
    }

    async fn start(&self, job: &Job, kept: Option<Driver>) -> Result<Driver, DriverError> {
        if let Some(driver) = kept {
            return Ok(driver);
        }
        if job.engine >= self.engines.names().len() {
            return Err(DriverError::NoEngine);
        }
        let connection = self.engines.start(job.engine).await?;
        let mut driver = Driver::new(connection, self.engines.timeout());
        driver.new_game().await?;
        Ok(driver)
    }

    /// Waits until an engine may run for a job, and returns the kept one, if there is one.
    async fn acquire(
        &self,
        job: &Job,
        cancel: &CancelToken,
    ) -> Result<Option<Driver>, DriverError> {
        loop {
            if cancel.is_cancelled() || self.is_closing.load(Ordering::Relaxed) {
                return Err(DriverError::Cancelled);
            }
            if let Some(kept) = self.try_acquire(job) {
                return Ok(kept);
            }
            // The timeout also covers a notification before the wait.
            tokio::select! {
                () = self.freed.notified() => {}
                () = self.system.sleep(POLL_INTERVAL) => {}
            }
        }
    }

    /// Marks a job as busy and returns its kept engine. Returns `None` if the job or all engines
    /// are busy.
    #[expect(clippy::option_option, reason = "the caller waits for the outer one")]
    fn try_acquire(&self, job: &Job) -> Option<Option<Driver>> {
        let max = self.engines.max_running();
        let mut state = lock(&self.state);
        if state.busy.contains(job) {
            return None;
        }
        if let Some(at) = state.idle.iter().position(|idle| idle.job == *job) {
            state.busy.push(job.clone());
            return Some(Some(state.idle.remove(at).driver));
        }
        // Evict the engine that has been idle for longest.
        let is_full = state.busy.len() + state.idle.len() >= max;
        let evicted = (is_full && !state.idle.is_empty()).then(|| state.idle.remove(0));
        if state.busy.len() + state.idle.len() >= max {
            return None;
        }
        state.busy.push(job.clone());
        drop(state);
        // Ending an engine takes a moment, which must not block others on the lock.
        drop(evicted);
        Some(None)
    }

    /// Ends the engines that have been idle for `IDLE_TIMEOUT`.
    pub fn sweep(&self) {
        let now = self.system.now().monotonic;
        self.end_if(|idle| now.saturating_sub(idle.since) >= IDLE_TIMEOUT);
    }

    /// Ends the idle engines of the selected jobs.
    pub fn end_idle(&self, is_selected: impl Fn(&Job) -> bool) {
        self.end_if(|idle| is_selected(&idle.job));
    }

    fn end_if(&self, is_selected: impl Fn(&Idle) -> bool) {
        let ended =
            lock(&self.state).idle.extract_if(.., |idle| is_selected(idle)).collect::<Vec<_>>();
        // Ended without the lock, because it takes a moment.
        drop(ended);
    }

    /// Returns the number of running engines.
    fn count(&self) -> usize {
        let state = lock(&self.state);
        state.busy.len() + state.idle.len()
    }

    /// Ends all engines, and waits for them up to `SHUTDOWN_TIMEOUT`.
    pub async fn close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
        self.engines.interrupt();
        self.end_if(|_| true);
        let deadline = self.system.now().monotonic + SHUTDOWN_TIMEOUT;
        while self.count() > 0 && self.system.now().monotonic < deadline {
            self.system.sleep(POLL_INTERVAL).await;
            self.end_if(|_| true);
        }
    }
}

fn resolve_engines(names: &[String], seats: &mut [Seat; 2]) {
    for seat in seats {
        if let SeatKind::Engine { engine, level, .. } = &mut seat.kind {
            let has_name = |name: &String| seat.name == Seat::name_of(name, level.as_deref());
            if !names.get(*engine).is_some_and(has_name) {
                *engine = names.iter().position(has_name).unwrap_or(names.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_engines_of_stored_games_by_name() {
        let names = ["oshi", "other", "mine"].map(str::to_owned);
        let seat = |engine, name: &str, level: Option<&str>| {
            let level = level.map(str::to_owned);
            Seat {
                name: Seat::name_of(name, level.as_deref()),
                kind: SeatKind::Engine { engine, level, movetime: None },
            }
        };
        let index = |before: Seat| {
            let mut seats = [before, Seat::default()];
            resolve_engines(&names, &mut seats);
            let [Seat { kind: SeatKind::Engine { engine, .. }, .. }, _] = seats else {
                panic!("not an engine")
            };
            engine
        };
        assert_eq!(index(seat(0, "oshi", Some("club"))), 0);
        assert_eq!(index(seat(1, "mine", None)), 2);
        assert_eq!(index(seat(2, "other", Some("expert"))), 1);
        assert_eq!(index(seat(1, "gone", None)), 3, "no other engine takes its place");
    }
}
