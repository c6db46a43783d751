//! The games in use: each with its viewers and engines, and the events for all tabs.
//!
//! Events pass through one channel of bounded length. A tab that falls behind gets the whole
//! state instead.

mod analysis;
mod hosted_game;
mod play;
mod requests;
mod review;
mod saving;
mod session;
#[cfg(test)]
mod test_host;
mod views;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{broadcast, watch};

use crate::engine::EnginePool;
use crate::event::{Event, EventKind};
use crate::game::{Game, GameId, Timestamp};
use crate::host::{Engines, HostError, SpawnError, Storage, System, Task, Tournament};
use crate::sync::lock;
use hosted_game::HostedGame;
pub use saving::{AddError, RemoveError, UnsavedError};
pub use session::{Outgoing, Session};

/// Maximum number of events that a tab may be behind.
const EVENTS: usize = 256;

/// Interval between two calls of [`Lobby::sweep`].
pub const SWEEP: Duration = Duration::from_secs(5);

/// Maximum number of games.
pub const MAX_GAMES: usize = 20_000;

/// All games in use, shared by all connections.
pub struct Lobby {
    system: Arc<dyn System>,
    storage: Box<dyn Storage>,
    /// Warnings from the start, shown to every new tab.
    start_warnings: Vec<String>,
    games: Mutex<BTreeMap<GameId, Arc<Mutex<HostedGame>>>>,
    /// Games with unsaved changes, each with the error.
    unsaved: Mutex<BTreeMap<GameId, String>>,
    is_closing: watch::Sender<bool>,
    events: broadcast::Sender<Event>,
    /// Engines, and those that run.
    pool: EnginePool,
    /// The watched tournament.
    watch: Option<Arc<dyn Tournament>>,
}

/// The parts of a lobby that its host provides.
pub struct Host {
    /// Time and tasks.
    pub system: Arc<dyn System>,
    /// Stored games.
    pub storage: Box<dyn Storage>,
    /// Engines.
    pub engines: Box<dyn Engines>,
    /// The tournament to watch.
    pub watch: Option<Arc<dyn Tournament>>,
}

/// A tournament that cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// No tournament is watched.
    #[error("no tournament is watched; expected `--watch DIR` on the command line")]
    NotWatching,
    /// The system has no more threads.
    #[error(transparent)]
    Thread(#[from] SpawnError),
    /// The game is not available.
    #[error("{0}")]
    Game(#[source] HostError),
}

/// An unknown game.
#[derive(Debug, thiserror::Error)]
#[error("no game `{0}`; expected one of the list")]
pub struct UnknownGame(pub GameId);

impl Lobby {
    /// Opens a lobby with the stored games. The warnings are shown to every new tab.
    pub fn open(host: Host, games: Vec<Game>, start_warnings: Vec<String>) -> Arc<Lobby> {
        let Host { system, storage, engines, watch } = host;
        let pool = EnginePool::new(engines, Arc::clone(&system));
        let hosted = |mut game: Game| {
            pool.resolve_engines(&mut game.seats);
            (game.id.clone(), Arc::new(Mutex::new(HostedGame::new(game))))
        };
        let games = games.into_iter().map(hosted).collect();
        Arc::new(Lobby {
            system,
            storage,
            start_warnings,
            games: Mutex::new(games),
            unsaved: Mutex::default(),
            is_closing: watch::Sender::new(false),
            events: broadcast::Sender::new(EVENTS),
            pool,
            watch,
        })
    }

    fn now(&self) -> Timestamp {
        self.system.now()
    }

    /// Ends idle engines and retries failed saves. The host calls it every [`SWEEP`].
    pub fn sweep(&self) {
        self.pool.sweep();
        self.retry_saves();
    }

    /// Closes all connections and ends all engines.
    pub async fn close(&self) {
        self.is_closing.send_replace(true);
        self.pool.close().await;
    }

    /// Waits until the lobby closes.
    pub async fn closed(&self) {
        // `self` owns the sender, so the wait cannot fail.
        let _ = self.is_closing.subscribe().wait_for(|&is_closing| is_closing).await;
    }

    /// Returns a receiver of all later events.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Publishes an event to the tabs that show `game`, or to all tabs.
    pub fn publish(&self, game: Option<&GameId>, kind: EventKind) {
        // Without a receiver the event is lost, as it should be.
        let _ = self.events.send(Event { game: game.cloned(), kind });
    }

    /// Returns a game.
    ///
    /// # Errors
    /// [`UnknownGame`].
    fn game(&self, id: &GameId) -> Result<Arc<Mutex<HostedGame>>, UnknownGame> {
        lock(&self.games).get(id).cloned().ok_or_else(|| UnknownGame(id.clone()))
    }

    /// Returns all games.
    fn games(&self) -> Vec<Arc<Mutex<HostedGame>>> {
        lock(&self.games).values().cloned().collect()
    }

    /// Returns the warnings from the start.
    fn start_warnings(&self) -> &[String] {
        &self.start_warnings
    }

    fn tournament(&self) -> Result<&Arc<dyn Tournament>, WatchError> {
        self.watch.as_ref().ok_or(WatchError::NotWatching)
    }

    /// Runs a task on its own.
    ///
    /// # Errors
    /// [`SpawnError`].
    fn spawn(
        &self,
        name: &str,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), SpawnError> {
        let work: Task = Box::pin(work);
        self.system.spawn(name, work)
    }
}
