//! All games, who looks at which, and the news of them.
//!
//! News are the same for everybody and small: a tab makes a message of them in its own language, from the game as it then is. They go
//! through one ring of bounded length: a tab that is too slow for it is told the whole state instead.

mod keeping;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Handle;
use tokio::sync::{broadcast, watch};

use crate::arguments::Options;
use crate::engines::{Engine, Pool};
use crate::game::{Game, GameId};
use crate::news::{Gravity, News, What};
use crate::orders::Refusal;
use crate::store::Store;
use crate::sync::lock;
use crate::table::Table;
use crate::watch::{INTERVAL, Watch, WatchFault};
pub use keeping::{Unkept, Unremoved};

/// How many news a tab may be behind.
const NEWS: usize = 256;

/// Interval between searches for idle engines and retries of failed saves.
const SWEEP: Duration = Duration::from_secs(5);

/// The most games that are kept.
pub const MOST_GAMES: usize = 20_000;

/// All games.
pub struct Hall {
    data: PathBuf,
    store: Store,
    /// What was wrong when the program began, for every tab to see.
    complaints: Vec<String>,
    tables: Mutex<BTreeMap<GameId, Arc<Mutex<Table>>>>,
    /// Games with changes that could not be saved, each with the error.
    unsaved: Mutex<BTreeMap<GameId, String>>,
    /// Whether the program ends.
    ending: watch::Sender<bool>,
    news: broadcast::Sender<News>,
    /// The engines.
    pub pool: Pool,
    /// The tournament of the command line.
    pub watch: Option<Watch>,
    /// Where timers run.
    pub runtime: Handle,
}

/// There is no such game.
#[derive(Debug, thiserror::Error)]
#[error("no game `{0}`; expected one of the list")]
pub struct NoGame(pub GameId);

/// The system gives no more threads.
#[derive(Debug, thiserror::Error)]
#[error("no thread for the engine: {0}")]
pub struct NoThread(#[from] std::io::Error);

impl Hall {
    /// The hall with the games of the data folder.
    ///
    /// # Errors
    /// The folder cannot be made or read.
    pub fn open(options: Options) -> anyhow::Result<Arc<Hall>> {
        let data = match options.data {
            Some(data) => data,
            None => directories::ProjectDirs::from("", "", "dohyo")
                .context("this system has no folder for data; expected `--data DIR`")?
                .data_dir()
                .to_owned(),
        };
        let store = Store::open(&data)?;
        let own = Engine::own()
            .context("the program does not find itself, the engine that comes with it")?;
        let named = options.engines.into_iter();
        let pool = Pool::new(std::iter::once(own).chain(named).collect(), options.patience);
        let watch = options.watch.as_deref().map(Watch::open).transpose()?;
        let (news, runtime) = (broadcast::Sender::new(NEWS), Handle::current());
        let (games, damages) = store
            .load()
            .with_context(|| format!("cannot read the data folder `{}`", data.display()))?;
        let complaints: Vec<String> = damages.iter().map(ToString::to_string).collect();
        complaints.iter().for_each(|complaint| tracing::warn!("{complaint}"));
        let table = |mut game: Game| {
            pool.recognise(&mut game.seats);
            (game.id.clone(), Arc::new(Mutex::new(Table::new(game))))
        };
        let tables = games.into_iter().map(table).collect();
        let hall = Arc::new(Hall {
            data,
            store,
            complaints,
            tables: Mutex::new(tables),
            unsaved: Mutex::default(),
            ending: watch::Sender::new(false),
            news,
            pool,
            watch,
            runtime,
        });
        let swept = Arc::clone(&hall);
        hall.runtime.spawn(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                let swept = Arc::clone(&swept);
                let sweep = move || {
                    swept.pool.sweep();
                    swept.save_again();
                };
                let _ = tokio::task::spawn_blocking(sweep).await;
            }
        });
        Ok(hall)
    }

    /// The folder of all that is kept.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Ends all that runs.
    pub fn close(&self) {
        self.ending.send_replace(true);
        self.pool.close();
    }

    /// Waits until the program ends.
    pub async fn ended(&self) {
        // The hall owns the sender, so it cannot be dropped before.
        let _ = self.ending.subscribe().wait_for(|&is_ending| is_ending).await;
    }

    /// The news from now on.
    pub fn listen(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// Tells news.
    pub fn tell(&self, game: Option<&GameId>, what: What) {
        // Nobody may listen.
        let _ = self.news.send(News { game: game.cloned(), what });
    }

    /// The table of a game.
    ///
    /// # Errors
    /// There is no such game.
    pub fn table(&self, id: &GameId) -> Result<Arc<Mutex<Table>>, NoGame> {
        lock(&self.tables).get(id).cloned().ok_or_else(|| NoGame(id.clone()))
    }

    /// All tables.
    pub fn tables(&self) -> Vec<Arc<Mutex<Table>>> {
        lock(&self.tables).values().cloned().collect()
    }

    /// What was wrong when the program began.
    pub fn complaints(&self) -> &[String] {
        &self.complaints
    }

    /// Somebody watches the tournament; the folder is read as long as there is anybody.
    ///
    /// # Errors
    /// There is no tournament, or no thread to read it.
    pub fn begin_watching(self: &Arc<Self>) -> Result<(), Refusal> {
        let watch = self.watch.as_ref().ok_or(WatchFault::NotWatching)?;
        if watch.enter() {
            let hall = Arc::clone(self);
            let read = move || {
                while let Some(watch) = hall.watch.as_ref().filter(|watch| watch.is_watched()) {
                    if watch.look() {
                        hall.tell(None, What::Tournament);
                    }
                    if let Some(complaint) = watch.complaint() {
                        hall.tell(
                            None,
                            What::Message(
                                Gravity::Error,
                                format!("the tournament cannot be read: {complaint}"),
                            ),
                        );
                    }
                    std::thread::sleep(INTERVAL);
                }
            };
            self.spawn("watch", read).inspect_err(|_| watch.turn_away())?;
        }
        Ok(())
    }

    /// Somebody no longer watches.
    pub fn end_watching(&self) {
        if let Some(watch) = &self.watch {
            watch.leave();
        }
    }

    /// Does something on a thread of its own.
    ///
    /// # Errors
    /// There is none.
    pub fn spawn(&self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), NoThread> {
        std::thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(())
    }
}
