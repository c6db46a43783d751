//! The engines that can be asked, and their processes: started on demand, kept for the next question, ended when idle.

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use basho::config::ChildProgram;
use basho::config::quoting::{self, UnmatchedQuote};
use basho::play::interrupt::Interrupt;
use basho::play::program;

use crate::driver::{Answer, Driver, DriverError, Question, Sight, Stop};
use crate::game::{GameId, Seat, SeatKind};
use crate::sync::lock;

/// The word on the command line that makes the program the engine that comes with it: it starts itself.
pub const ENGINE: &str = "engine";

/// The most processes at once, whatever they are for.
pub const MOST: usize = 8;

/// How long a process is kept that nobody asks.
const IDLE: Duration = Duration::from_secs(30);

/// How often those who wait for a process look whether they still have to.
const LOOK_UP: Duration = Duration::from_millis(50);

/// How long the end of the program waits for the processes.
const FAREWELL: Duration = Duration::from_secs(3);

/// An engine of the command line.
#[derive(Clone, Debug)]
pub struct Engine {
    /// For people.
    pub name: String,
    program: ChildProgram,
}

impl Engine {
    /// The one that comes with this program: the program itself.
    ///
    /// # Errors
    /// The system does not say which file this program is.
    pub fn own() -> std::io::Result<Engine> {
        let program = ChildProgram {
            path: std::env::current_exe()?,
            args: vec![ENGINE.to_owned()],
            dir: None,
            stderr: None,
        };
        Ok(Engine { name: "oshi".to_owned(), program })
    }

    /// One of the command line: a program and its arguments. Without arguments, the path of a program needs no
    /// quotes.
    ///
    /// # Errors
    /// [`CommandFault`].
    pub fn read(command: &str) -> Result<Engine, CommandFault> {
        let is_program = program::exists(Path::new(command.trim()));
        let words =
            if is_program { vec![command.trim().to_owned()] } else { quoting::split(command)? };
        let mut words = words.into_iter();
        let path = PathBuf::from(words.next().ok_or(CommandFault::Blank)?);
        if !program::exists(&path) {
            return Err(CommandFault::NoProgram(path));
        }
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Engine {
            name,
            program: ChildProgram { path, args: words.collect(), dir: None, stderr: None },
        })
    }
}

/// An invalid command of an engine.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommandFault {
    /// It is blank.
    #[error("no program; expected one and its arguments, such as \"target/release/oshi\"")]
    Blank,
    /// A quote without its other half.
    #[error(transparent)]
    Quote(#[from] UnmatchedQuote),
    /// There is no such program.
    #[error("no program `{}`; expected a file that can be run, or a name in the search path, and its arguments", .0.display())]
    NoProgram(PathBuf),
}

/// What a process is for; there is at most one for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duty {
    /// In which game.
    pub game: GameId,
    /// Which of its needs.
    pub need: Need,
    /// Which engine, by its number.
    pub engine: usize,
}

/// What a game needs a process for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// To play this side: 0 Black, 1 White.
    Side(usize),
    /// To analyse a position.
    Analysis,
    /// To name a good move.
    Hint,
    /// To review the game; with the number of the worker.
    Review(usize),
}

/// All engines and their processes.
pub struct Pool {
    engines: Vec<Engine>,
    patience: Duration,
    interrupt: Interrupt,
    state: Mutex<State>,
    /// A process has ended, or has nothing to do.
    freed: Condvar,
}

#[derive(Default)]
struct State {
    busy: Vec<Duty>,
    idle: Vec<Idle>,
}

struct Idle {
    duty: Duty,
    since: Instant,
    driver: Driver,
}

impl Pool {
    /// The engines of the command line, none of which is started yet.
    pub fn new(engines: Vec<Engine>, patience: Duration) -> Pool {
        Pool {
            engines,
            patience,
            interrupt: Interrupt::default(),
            state: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// The engines, by their numbers.
    pub fn engines(&self) -> &[Engine] {
        &self.engines
    }

    /// Gives the engines of a game that was kept the numbers that they have now, found by their names; those that are not there any more
    /// get one that no engine has.
    pub fn recognise(&self, seats: &mut [Seat; 2]) {
        for seat in seats {
            if let SeatKind::Engine { engine, level, .. } = &mut seat.kind {
                let is_it = |it: &Engine| seat.name == Seat::name_of(&it.name, level.as_deref());
                if !self.engines.get(*engine).is_some_and(is_it) {
                    *engine = self.engines.iter().position(is_it).unwrap_or(self.engines.len());
                }
            }
        }
    }

    /// Asks an engine and waits for its answer: starts it, if none runs for this duty, and waits until fewer than [`MOST`] run. It is
    /// kept for the next question, unless it fails.
    ///
    /// # Errors
    /// [`DriverError`].
    pub fn ask(
        &self,
        duty: &Duty,
        question: &Question,
        stop: &Stop,
        tell: impl FnMut(&Sight),
    ) -> Result<Answer, DriverError> {
        let kept = self.enter(duty, stop)?;
        let mut driver = match self.ready(duty, kept) {
            Ok(driver) => driver,
            Err(error) => {
                self.leave(duty, None);
                return Err(error);
            }
        };
        let answer = driver.ask(question, stop, tell);
        let is_of_use = matches!(answer, Ok(_) | Err(DriverError::Stopped));
        self.leave(duty, is_of_use.then_some(driver));
        answer
    }

    /// The process of a duty has nothing to do, or has ended.
    fn leave(&self, duty: &Duty, driver: Option<Driver>) {
        let mut state = lock(&self.state);
        state.busy.retain(|busy| busy != duty);
        state.idle.extend(driver.map(|driver| Idle {
            duty: duty.clone(),
            since: Instant::now(),
            driver,
        }));
        drop(state);
        self.freed.notify_all();
    }

    fn ready(&self, duty: &Duty, kept: Option<Driver>) -> Result<Driver, DriverError> {
        if let Some(driver) = kept {
            return Ok(driver);
        }
        let engine = self.engines.get(duty.engine).ok_or(DriverError::NoEngine)?;
        let mut driver = Driver::start(&engine.program, self.patience, self.interrupt.clone())?;
        driver.new_game()?;
        Ok(driver)
    }

    /// Waits until a process may run for this duty; the one that is kept for it, if there is one.
    fn enter(&self, duty: &Duty, stop: &Stop) -> Result<Option<Driver>, DriverError> {
        let mut state = lock(&self.state);
        loop {
            if stop.is_pulled() || self.interrupt.must_stop_now() {
                return Err(DriverError::Stopped);
            }
            if !state.busy.contains(duty) {
                if let Some(at) = state.idle.iter().position(|idle| idle.duty == *duty) {
                    state.busy.push(duty.clone());
                    return Ok(Some(state.idle.remove(at).driver));
                }
                // The one that has been idle for longest makes room.
                let evicted =
                    if state.busy.len() + state.idle.len() >= MOST && !state.idle.is_empty() {
                        Some(state.idle.remove(0))
                    } else {
                        None
                    };
                if state.busy.len() + state.idle.len() < MOST {
                    state.busy.push(duty.clone());
                    drop(state);
                    drop(evicted);
                    return Ok(None);
                }
            }
            state =
                self.freed.wait_timeout(state, LOOK_UP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the processes that nobody has asked for some time.
    pub fn sweep(&self) {
        let mut state = lock(&self.state);
        let tired =
            state.idle.extract_if(.., |idle| idle.since.elapsed() >= IDLE).collect::<Vec<_>>();
        drop(state);
        // A process takes a moment to end, and nobody should wait for it.
        drop(tired);
    }

    /// Ends the idle processes of some duties.
    pub fn dismiss(&self, is_doomed: impl Fn(&Duty) -> bool) {
        let dismissed =
            lock(&self.state).idle.extract_if(.., |idle| is_doomed(&idle.duty)).collect::<Vec<_>>();
        drop(dismissed);
    }

    /// How many processes run.
    pub fn count(&self) -> usize {
        let state = lock(&self.state);
        state.busy.len() + state.idle.len()
    }

    /// Ends all processes.
    pub fn close(&self) {
        self.interrupt.stop_now();
        lock(&self.state).idle.clear();
        let deadline = Instant::now() + FAREWELL;
        while self.count() > 0 && Instant::now() < deadline {
            std::thread::sleep(LOOK_UP);
            lock(&self.state).idle.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_of_a_kept_game_is_found_by_its_name_wherever_it_stands_on_the_command_line() {
        let program =
            ChildProgram { path: PathBuf::new(), args: Vec::new(), dir: None, stderr: None };
        let engine = |name: &str| Engine { name: name.to_owned(), program: program.clone() };
        let pool = Pool::new(vec![engine("oshi"), engine("other"), engine("mine")], IDLE);
        let seat = |engine, name: &str, level: Option<&str>| {
            let level = level.map(str::to_owned);
            Seat {
                name: Seat::name_of(name, level.as_deref()),
                kind: SeatKind::Engine { engine, level, movetime: None },
            }
        };
        let number = |before: Seat| {
            let mut seats = [before, Seat::default()];
            pool.recognise(&mut seats);
            let [Seat { kind: SeatKind::Engine { engine, .. }, .. }, _] = seats else {
                panic!("it is an engine still")
            };
            engine
        };
        assert_eq!(number(seat(0, "oshi", Some("club"))), 0);
        assert_eq!(number(seat(1, "mine", None)), 2);
        assert_eq!(number(seat(2, "other", Some("expert"))), 1);
        assert_eq!(number(seat(1, "gone", None)), 3, "another must not play in its place");
    }
}
