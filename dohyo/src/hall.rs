//! All games, who looks at which, and the news of them.
//!
//! News are the same for everybody and small: a tab makes a message of them in its own language, from the game as it then is. They go
//! through one ring of bounded length: a tab that is too slow for it is told the whole state instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Handle;
use tokio::sync::broadcast;

use crate::arguments::Options;
use crate::engines::{Engine, Pool};
use crate::game::{Game, GameId};
use crate::news::{Gravity, News, What};
use crate::orders::Refusal;
use crate::store::Store;
use crate::sync::lock;
use crate::table::Table;
use crate::watch::{INTERVAL, Watch, WatchFault};

/// How many news a tab may be behind.
const NEWS: usize = 256;

/// How often idle engines are looked for.
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

/// A game is not kept.
#[derive(Debug, thiserror::Error)]
pub enum Unkept {
    /// There is no room.
    #[error("there are {MOST_GAMES} games; expected some to be deleted first")]
    Full,
    /// Its file cannot be written.
    #[error("the game cannot be kept: {0}")]
    Io(#[from] std::io::Error),
}

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
        let own = Engine::own().context("the program does not find itself, the engine that comes with it")?;
        let named = options.engines.into_iter();
        let pool = Pool::new(std::iter::once(own).chain(named).collect(), options.patience);
        let watch = options.watch.as_deref().map(Watch::open).transpose()?;
        let (news, runtime) = (broadcast::Sender::new(NEWS), Handle::current());
        let (games, damages) = store.load().with_context(|| format!("cannot read the data folder `{}`", data.display()))?;
        let complaints: Vec<String> = damages.iter().map(ToString::to_string).collect();
        complaints.iter().for_each(|complaint| tracing::warn!("{complaint}"));
        let table = |mut game: Game| {
            pool.recognise(&mut game.seats);
            (game.id.clone(), Arc::new(Mutex::new(Table::new(game))))
        };
        let tables = games.into_iter().map(table).collect();
        let hall = Arc::new(Hall { data, store, complaints, tables: Mutex::new(tables), news, pool, watch, runtime });
        let swept = Arc::clone(&hall);
        hall.runtime.spawn(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                let swept = Arc::clone(&swept);
                let _ = tokio::task::spawn_blocking(move || swept.pool.sweep()).await;
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
        self.pool.close();
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

    /// Adds a game, and keeps it.
    ///
    /// # Errors
    /// There are too many, or it cannot be written.
    pub fn add(&self, game: Game) -> Result<(), Unkept> {
        let mut tables = lock(&self.tables);
        if tables.len() >= MOST_GAMES {
            return Err(Unkept::Full);
        }
        self.store.save(&game)?;
        tables.insert(game.id.clone(), Arc::new(Mutex::new(Table::new(game))));
        Ok(())
    }

    /// Whether there is room for so many games more.
    ///
    /// # Errors
    /// There is not.
    pub fn check_room(&self, games: usize) -> Result<(), Unkept> {
        if lock(&self.tables).len().saturating_add(games) > MOST_GAMES { Err(Unkept::Full) } else { Ok(()) }
    }

    /// Keeps a game as it is now, unless it has been removed; says so to all if that fails.
    pub fn save(&self, game: &Game) {
        // Whoever removes it waits for the table that this game lies on before its file is removed.
        if !lock(&self.tables).contains_key(&game.id) {
            return;
        }
        if let Err(error) = self.store.save(game) {
            self.tell(None, What::Message(Gravity::Error, format!("the game cannot be kept: {error}")));
        }
    }

    /// All tables.
    pub fn tables(&self) -> Vec<Arc<Mutex<Table>>> {
        lock(&self.tables).values().cloned().collect()
    }

    /// What was wrong when the program began.
    pub fn complaints(&self) -> &[String] {
        &self.complaints
    }

    /// Removes a game.
    ///
    /// # Errors
    /// There is no such game.
    pub fn remove(&self, id: &GameId) -> Result<(), NoGame> {
        let table = lock(&self.tables).remove(id).ok_or_else(|| NoGame(id.clone()))?;
        let mut table = lock(&table);
        table.stop();
        if let Err(error) = self.store.remove(id) {
            self.tell(None, What::Message(Gravity::Error, format!("the game's file cannot be removed: {error}")));
        }
        self.pool.dismiss(|duty| duty.game == *id);
        self.tell(None, What::Games);
        Ok(())
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
                        hall.tell(None, What::Message(Gravity::Error, format!("the tournament cannot be read: {complaint}")));
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

#[cfg(test)]
mod tests {
    use oshi::games::StartPosition;

    use super::*;
    use crate::board;

    #[test]
    fn a_game_that_was_removed_is_not_kept_by_whoever_still_has_its_table() {
        let temp = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let _within = runtime.enter();
        let options = Options {
            engines: Vec::new(),
            port: (0, false),
            opens: false,
            watch: None,
            data: Some(temp.path().to_owned()),
            patience: SWEEP,
        };
        let hall = Hall::open(options).unwrap();
        let game = Game::new(GameId::unused(), board::start(StartPosition::default()), Default::default(), None);
        let id = game.id.clone();
        hall.add(game).unwrap();
        let table = hall.table(&id).unwrap();
        hall.remove(&id).unwrap();
        hall.save(&lock(&table).game);
        assert_eq!(hall.store.load().unwrap().0.len(), 0);
    }
}
