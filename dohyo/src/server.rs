//! The server's state: games, engines, events and the watched tournament.
//!
//! Events pass through one channel of bounded length. A tab that falls behind gets the whole
//! state instead.

mod storage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context;
use dohyo_core::event::{Event, EventKind, Severity};
use dohyo_core::game::{Game, GameId};
use tokio::runtime::Handle;
use tokio::sync::{broadcast, watch};

use crate::arguments::Options;
use crate::engines::{Engine, EnginePool};
use crate::hosted_game::HostedGame;
use crate::store::Store;
use crate::sync::lock;
use crate::watch::{INTERVAL, Watch, WatchError};
pub use storage::{AddError, RemoveError};

/// Maximum number of events that a tab may be behind.
const EVENTS: usize = 256;

/// Interval between searches for idle engines and retries of failed saves.
const SWEEP: Duration = Duration::from_secs(5);

/// Maximum number of games.
pub const MAX_GAMES: usize = 20_000;

/// The server's state, shared by all connections.
pub struct Server {
    data: PathBuf,
    store: Store,
    /// Warnings from the start, shown to every new tab.
    start_warnings: Vec<String>,
    games: Mutex<BTreeMap<GameId, Arc<Mutex<HostedGame>>>>,
    /// Games with unsaved changes, each with the error.
    unsaved: Mutex<BTreeMap<GameId, String>>,
    is_closing: watch::Sender<bool>,
    events: broadcast::Sender<Event>,
    /// Engines and their processes.
    pub pool: EnginePool,
    /// The watched tournament.
    pub watch: Option<Watch>,
    /// Runtime of the timers.
    pub runtime: Handle,
}

/// A viewer of the tournament that cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// No tournament is watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// The system has no more threads.
    #[error(transparent)]
    Thread(#[from] SpawnError),
}

/// An unknown game.
#[derive(Debug, thiserror::Error)]
#[error("no game `{0}`; expected one of the list")]
pub struct UnknownGame(pub GameId);

/// The system has no more threads.
#[derive(Debug, thiserror::Error)]
#[error("cannot start a thread: {0}")]
pub struct SpawnError(#[from] std::io::Error);

impl Server {
    /// Opens the data folder and reads its games.
    ///
    /// # Errors
    /// The folder cannot be created, locked or read, or there is no tournament to watch.
    pub fn open(options: Options) -> anyhow::Result<Arc<Server>> {
        let data = match options.data {
            Some(data) => data,
            None => directories::ProjectDirs::from("", "", "dohyo")
                .context("this system has no folder for application data; expected `--data DIR`")?
                .data_dir()
                .to_owned(),
        };
        let store = Store::open(&data)?;
        let own = Engine::own().context("cannot find the built-in engine: this program's file")?;
        let named = options.engines.into_iter();
        let pool = EnginePool::new(std::iter::once(own).chain(named).collect(), options.timeout);
        let watch = options.watch.as_deref().map(Watch::open).transpose()?;
        let (games, damaged) = store
            .load()
            .with_context(|| format!("cannot read the data folder `{}`", data.display()))?;
        let start_warnings: Vec<String> = damaged.iter().map(ToString::to_string).collect();
        start_warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
        let hosted = |mut game: Game| {
            pool.resolve_engines(&mut game.seats);
            (game.id.clone(), Arc::new(Mutex::new(HostedGame::new(game))))
        };
        let games = games.into_iter().map(hosted).collect();
        let server = Arc::new(Server {
            data,
            store,
            start_warnings,
            games: Mutex::new(games),
            unsaved: Mutex::default(),
            is_closing: watch::Sender::new(false),
            events: broadcast::Sender::new(EVENTS),
            pool,
            watch,
            runtime: Handle::current(),
        });
        let swept = Arc::clone(&server);
        server.runtime.spawn(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                let swept = Arc::clone(&swept);
                let sweep = move || {
                    swept.pool.sweep();
                    swept.retry_saves();
                };
                let _ = tokio::task::spawn_blocking(sweep).await;
            }
        });
        Ok(server)
    }

    /// Returns the data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Closes all connections and ends all engines.
    pub fn close(&self) {
        self.is_closing.send_replace(true);
        self.pool.close();
    }

    /// Waits until the server closes.
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
    pub fn game(&self, id: &GameId) -> Result<Arc<Mutex<HostedGame>>, UnknownGame> {
        lock(&self.games).get(id).cloned().ok_or_else(|| UnknownGame(id.clone()))
    }

    /// Returns all games.
    pub fn games(&self) -> Vec<Arc<Mutex<HostedGame>>> {
        lock(&self.games).values().cloned().collect()
    }

    /// Returns the warnings from the start.
    pub fn start_warnings(&self) -> &[String] {
        &self.start_warnings
    }

    /// Adds a viewer of the tournament. The first one starts a thread that reads the folder.
    ///
    /// # Errors
    /// No tournament is watched, or the thread cannot be started.
    pub fn begin_watching(self: &Arc<Self>) -> Result<(), ViewError> {
        let watch = self.watch.as_ref().ok_or(WatchError::NotWatching)?;
        if watch.add_viewer() {
            let server = Arc::clone(self);
            let read = move || {
                while let Some(watch) = server.watch.as_ref().filter(|watch| watch.has_viewers()) {
                    if watch.update() {
                        server.publish(None, EventKind::Tournament);
                    }
                    if let Some(error) = watch.take_unreported_error() {
                        let text = format!("cannot read the tournament: {error}");
                        server.publish(None, EventKind::Message(Severity::Error, text));
                    }
                    std::thread::sleep(INTERVAL);
                }
            };
            self.spawn("watch", read).inspect_err(|_| watch.cancel_reader())?;
        }
        Ok(())
    }

    /// Removes a viewer of the tournament.
    pub fn end_watching(&self) {
        if let Some(watch) = &self.watch {
            watch.remove_viewer();
        }
    }

    /// Runs `work` on a new thread.
    ///
    /// # Errors
    /// [`SpawnError`].
    pub fn spawn(
        &self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), SpawnError> {
        std::thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(())
    }
}
