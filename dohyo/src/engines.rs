//! The engines and a pool of their processes. A process starts on demand, is kept for the next
//! search of its job, and ends when idle.

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use basho::config::ChildProgram;
use basho::config::quoting::{self, UnmatchedQuote};
use basho::play::interrupt::Interrupt;
use basho::play::program;
use dohyo_core::cancel::CancelToken;
use dohyo_core::game::{GameId, Seat, SeatKind};
use dohyo_core::search_output::SearchOutput;

use crate::driver::{Driver, DriverError, SearchRequest, SearchResult};
use crate::sync::lock;

/// Argument that makes this program run as the built-in engine.
pub const ENGINE: &str = "engine";

/// Maximum number of engine processes.
pub const MAX_PROCESSES: usize = 8;

/// Time after which an idle process is ended.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Interval at which a thread that waits for a process polls its cancel token.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum time to wait for the processes at the end of the program.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// An engine that can be chosen as a player.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Displayed name.
    pub name: String,
    program: ChildProgram,
}

impl Engine {
    /// Returns the built-in engine: this program with the argument [`ENGINE`].
    ///
    /// # Errors
    /// The system does not report the path of this program.
    pub fn own() -> std::io::Result<Engine> {
        let program = ChildProgram {
            path: std::env::current_exe()?,
            args: vec![ENGINE.to_owned()],
            dir: None,
            stderr: None,
        };
        Ok(Engine { name: "oshi".to_owned(), program })
    }

    /// Reads a program and its arguments from the command line. The path of a program without
    /// arguments needs no quotes.
    ///
    /// # Errors
    /// [`CommandError`].
    pub fn read(command: &str) -> Result<Engine, CommandError> {
        let is_program = program::exists(Path::new(command.trim()));
        let words =
            if is_program { vec![command.trim().to_owned()] } else { quoting::split(command)? };
        let mut words = words.into_iter();
        let path = PathBuf::from(words.next().ok_or(CommandError::Blank)?);
        if !program::exists(&path) {
            return Err(CommandError::NoProgram(path));
        }
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Engine {
            name,
            program: ChildProgram { path, args: words.collect(), dir: None, stderr: None },
        })
    }
}

/// An invalid engine command.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommandError {
    /// Blank command.
    #[error("no program; expected one and its arguments, such as \"target/release/oshi\"")]
    Blank,
    /// Unmatched quote.
    #[error(transparent)]
    Quote(#[from] UnmatchedQuote),
    /// Unknown program.
    #[error(
        "no program `{}`; expected an executable file or a name in the search path",
        .0.display()
    )]
    NoProgram(PathBuf),
}

/// The purpose of a process. There is at most one process for each job.
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

/// All engines and their processes.
pub struct EnginePool {
    engines: Vec<Engine>,
    timeout: Duration,
    interrupt: Interrupt,
    state: Mutex<State>,
    /// Notified when a process ends or becomes idle.
    freed: Condvar,
}

#[derive(Default)]
struct State {
    busy: Vec<Job>,
    idle: Vec<Idle>,
}

struct Idle {
    job: Job,
    since: Instant,
    driver: Driver,
}

impl EnginePool {
    /// Makes a pool without processes.
    pub fn new(engines: Vec<Engine>, timeout: Duration) -> EnginePool {
        EnginePool {
            engines,
            timeout,
            interrupt: Interrupt::default(),
            state: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Returns the engines.
    pub fn engines(&self) -> &[Engine] {
        &self.engines
    }

    /// Updates the engine indexes of a stored game, found by the names of the engines. An engine
    /// that no longer exists gets an unused index.
    pub fn resolve_engines(&self, seats: &mut [Seat; 2]) {
        for seat in seats {
            if let SeatKind::Engine { engine, level, .. } = &mut seat.kind {
                let has_name = |it: &Engine| seat.name == Seat::name_of(&it.name, level.as_deref());
                if !self.engines.get(*engine).is_some_and(has_name) {
                    *engine = self.engines.iter().position(has_name).unwrap_or(self.engines.len());
                }
            }
        }
    }

    /// Runs a search in the process of a job and waits for its result. Starts the process if
    /// necessary, as soon as fewer than [`MAX_PROCESSES`] are busy. Keeps it unless it fails.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn search(
        &self,
        job: &Job,
        request: &SearchRequest,
        cancel: &CancelToken,
        report: impl FnMut(&SearchOutput),
    ) -> Result<SearchResult, DriverError> {
        let kept = self.acquire(job, cancel)?;
        let mut driver = match self.start(job, kept) {
            Ok(driver) => driver,
            Err(error) => {
                self.release(job, None);
                return Err(error);
            }
        };
        let result = driver.search(request, cancel, report);
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
            since: Instant::now(),
            driver,
        }));
        drop(state);
        self.freed.notify_all();
    }

    fn start(&self, job: &Job, kept: Option<Driver>) -> Result<Driver, DriverError> {
        if let Some(driver) = kept {
            return Ok(driver);
        }
        let engine = self.engines.get(job.engine).ok_or(DriverError::NoEngine)?;
        let mut driver = Driver::start(&engine.program, self.timeout, self.interrupt.clone())?;
        driver.new_game()?;
        Ok(driver)
    }

    /// Waits until a process may run for a job, and returns the kept one, if there is one.
    fn acquire(&self, job: &Job, cancel: &CancelToken) -> Result<Option<Driver>, DriverError> {
        let mut state = lock(&self.state);
        loop {
            if cancel.is_cancelled() || self.interrupt.must_stop_now() {
                return Err(DriverError::Cancelled);
            }
            if !state.busy.contains(job) {
                if let Some(at) = state.idle.iter().position(|idle| idle.job == *job) {
                    state.busy.push(job.clone());
                    return Ok(Some(state.idle.remove(at).driver));
                }
                // Evict the process that has been idle for longest.
                let evicted = if state.busy.len() + state.idle.len() >= MAX_PROCESSES
                    && !state.idle.is_empty()
                {
                    Some(state.idle.remove(0))
                } else {
                    None
                };
                if state.busy.len() + state.idle.len() < MAX_PROCESSES {
                    state.busy.push(job.clone());
                    drop(state);
                    drop(evicted);
                    return Ok(None);
                }
            }
            let waited = self.freed.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the processes that have been idle for [`IDLE_TIMEOUT`].
    pub fn sweep(&self) {
        let mut state = lock(&self.state);
        let expired = state
            .idle
            .extract_if(.., |idle| idle.since.elapsed() >= IDLE_TIMEOUT)
            .collect::<Vec<_>>();
        // Ending a process takes a moment, which must not block others on the lock.
        drop(state);
        drop(expired);
    }

    /// Ends the idle processes of the selected jobs.
    pub fn end_idle(&self, is_selected: impl Fn(&Job) -> bool) {
        let ended = lock(&self.state)
            .idle
            .extract_if(.., |idle| is_selected(&idle.job))
            .collect::<Vec<_>>();
        drop(ended);
    }

    /// Returns the number of processes.
    fn count(&self) -> usize {
        let state = lock(&self.state);
        state.busy.len() + state.idle.len()
    }

    /// Ends all processes, and waits for them up to [`SHUTDOWN_TIMEOUT`].
    pub fn close(&self) {
        self.interrupt.stop_now();
        lock(&self.state).idle.clear();
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while self.count() > 0 && Instant::now() < deadline {
            std::thread::sleep(POLL_INTERVAL);
            lock(&self.state).idle.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_engines_of_stored_games_by_name() {
        let program =
            ChildProgram { path: PathBuf::new(), args: Vec::new(), dir: None, stderr: None };
        let engine = |name: &str| Engine { name: name.to_owned(), program: program.clone() };
        let engines = vec![engine("oshi"), engine("other"), engine("mine")];
        let pool = EnginePool::new(engines, IDLE_TIMEOUT);
        let seat = |engine, name: &str, level: Option<&str>| {
            let level = level.map(str::to_owned);
            Seat {
                name: Seat::name_of(name, level.as_deref()),
                kind: SeatKind::Engine { engine, level, movetime: None },
            }
        };
        let index = |before: Seat| {
            let mut seats = [before, Seat::default()];
            pool.resolve_engines(&mut seats);
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
