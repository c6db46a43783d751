//! Services of the host that the board uses: time, tasks, engines, storage, and a watched tournament.
//!
//! The native server in `dohyo/src` and the browser in `web/board` implement these traits.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use basho::stderr_tail::StderrTail;
use oshi::games::language::Language;
use oshi::protocol::OptionLine;

use crate::game::{Game, GameId, Timestamp};
use crate::lobby::Lobby;
use crate::message::{Sent, TournamentView};

/// A future that any thread can run.
pub type Task<T = ()> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A future that borrows from its maker.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Any error of a host.
pub type HostError = Box<dyn Error + Send + Sync>;

/// Time, tasks, random numbers and dates.
pub trait System: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Waits.
    fn sleep(&self, time: Duration) -> Task;

    /// Runs a task on its own, without waiting for it. The task may block.
    ///
    /// # Errors
    /// [`SpawnError`].
    fn spawn(&self, name: &str, work: Task) -> Result<(), SpawnError>;

    /// Calls a function after a time, unless the timer is dropped before.
    fn after(&self, time: Duration, work: Box<dyn FnOnce() + Send>) -> Timer;

    /// Returns a random number.
    fn random(&self) -> u64;

    /// Returns the local date of a time in milliseconds since 1970.
    fn local_date(&self, unix_ms: u64) -> Option<String>;

    /// Returns a random game id.
    fn new_game_id(&self) -> GameId {
        GameId::new(self.random())
    }
}

/// The system has no more threads.
#[derive(Debug, thiserror::Error)]
#[error("cannot start a thread: {0}")]
pub struct SpawnError(#[from] pub std::io::Error);

/// A pending call of [`System::after`]. Dropping it cancels the call.
pub struct Timer(Option<Box<dyn FnOnce() + Send>>);

impl Timer {
    /// Makes a timer that is cancelled by a function.
    pub fn new(cancel: impl FnOnce() + Send + 'static) -> Timer {
        Timer(Some(Box::new(cancel)))
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(cancel) = self.0.take() {
            cancel();
        }
    }
}

/// The engines that can be chosen as players.
pub trait Engines: Send + Sync {
    /// Returns the displayed names. The built-in engine is first.
    fn names(&self) -> &[String];

    /// Returns the maximum number of engines that run at once.
    fn max_running(&self) -> usize;

    /// Returns the hash table of each engine in MiB.
    fn hash_mib(&self) -> u32;

    /// Returns the time that an engine may exceed its limit by.
    fn timeout(&self) -> Duration;

    /// Starts an engine and completes the handshake. `engine` is an index of [`Engines::names`].
    fn start(&self, engine: usize) -> Answer<'_, Result<Box<dyn Connection>, EngineError>>;

    /// Makes all running engines fail soon. Called once, at the end of the program.
    fn interrupt(&self);
}

/// A running engine. Dropping it ends the engine.
pub trait Connection: Send {
    /// Returns a declared option.
    fn option(&self, name: &str) -> Option<&OptionLine>;

    /// Sends lines.
    fn send<'a>(&'a mut self, lines: &'a [String]) -> Answer<'a, Result<(), EngineError>>;

    /// Waits for the next line. `awaited` names the expected reply in errors. `None` means that
    /// there was no line within `wait`.
    fn receive<'a>(
        &'a mut self,
        wait: Duration,
        awaited: &'a str,
    ) -> Answer<'a, Result<Option<String>, EngineError>>;

    /// Returns the last lines on stderr, for a message about an invalid move.
    fn stderr_tail(&self) -> StderrTail;
}

/// A failure of an engine.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct EngineError {
    /// The failure.
    #[source]
    pub error: HostError,
    /// Last lines on stderr.
    pub stderr_tail: StderrTail,
}

/// The stored games. The host loads them before it opens the lobby.
pub trait Storage: Send + Sync {
    /// Saves a game. A host that writes later returns `Ok` and reports the result by
    /// [`Lobby::saved`].
    ///
    /// # Errors
    /// The game is not saved. The old state is unchanged.
    fn save(&self, game: &Game, now: Timestamp) -> Result<(), HostError>;

    /// Removes a game. A missing game is not an error.
    ///
    /// # Errors
    /// The game is not removed.
    fn remove(&self, id: &GameId) -> Result<(), HostError>;

    /// Returns the place of the games, for messages.
    fn place(&self) -> String;
}

/// A tournament to watch.
pub trait Tournament: Send + Sync {
    /// Adds a viewer. The first one starts the reading of the folder.
    ///
    /// # Errors
    /// [`SpawnError`].
    fn add_viewer(self: Arc<Self>, lobby: &Arc<Lobby>) -> Result<(), SpawnError>;

    /// Removes a viewer.
    fn remove_viewer(&self);

    /// Returns the tournament for a tab, without the finished games that it has received.
    fn view(&self, sent: &mut Sent, language: Language) -> TournamentView;

    /// Returns a copy of a finished game.
    ///
    /// # Errors
    /// There is no such game, or it cannot be read.
    fn game(&self, number: u64) -> Result<Game, HostError>;
}
