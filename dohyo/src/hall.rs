//! All games, who looks at which, and the news of them.
//!
//! News are the same for everybody and small: a tab makes a message of them in its own language, from the game as it then is. They go
//! through one ring of bounded length: a tab that is too slow for it is told the whole state instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use oshi::game::Player;
use oshi::games::Variant;
use oshi::games::language::Language;
use oshi::protocol::Level;
use tokio::runtime::Handle;
use tokio::sync::broadcast;

use crate::analysis::{Analysis, Analyst, MOST_LINES};
use crate::arguments::Options;
use crate::driver::{Sight, Stop};
use crate::engines::{Engine, MOST, Pool};
use crate::game::{Game, GameId, NodeId, Seat};
use crate::message::{
    AnalysisView, Bounds, EngineView, Entry, EvalView, GameView, Gravity, LONGEST, LevelView, NodeView, Reply, ReviewView,
    Standing, ThinkingView, VariantView, Welcome,
};
use crate::review::Reviewer;
use crate::store::Store;
use crate::watch::Watch;

/// How many news a tab may be behind.
const NEWS: usize = 256;

/// How often idle engines are looked for.
const SWEEP: Duration = Duration::from_secs(5);

/// The most games that are kept.
pub const MOST_GAMES: usize = 20_000;

/// Something that has happened.
#[derive(Clone, Debug)]
pub struct News {
    /// In which game, if in one: only who looks at it is told.
    pub game: Option<GameId>,
    /// What.
    pub what: What,
}

/// What has happened.
#[derive(Clone, Debug)]
pub enum What {
    /// The list of games has changed.
    Games,
    /// A game has changed in many ways.
    Game,
    /// It has another position.
    Node(NodeId),
    /// It stands elsewhere.
    Head,
    /// Others play.
    Players,
    /// A position and all after it are gone.
    Pruned(NodeId),
    /// An engine thinks about its move.
    Thinking(Thinking),
    /// What an analysis sees.
    Analysis(Arc<Analysis>),
    /// An engine has thought about a position.
    Eval(NodeId),
    /// A review has come further, and has values of these positions.
    Review(Vec<NodeId>),
    /// The tournament goes on.
    Tournament,
    /// Something that the person should know.
    Message(Gravity, String),
}

/// What is told of an engine that thinks about its move.
#[derive(Clone, Debug)]
pub struct Thinking {
    /// Where.
    pub node: NodeId,
    /// For whom.
    pub side: Player,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// What it sees.
    pub sight: Arc<Sight>,
}

/// A game, and who looks at it.
pub struct Table {
    /// The game.
    pub game: Game,
    /// How many tabs show it.
    pub viewers: usize,
    /// The engine that is to move.
    pub mover: Option<Mover>,
    /// How often engines have failed since the last move.
    pub failures: u32,
    /// The analysis that runs.
    pub analyst: Option<Analyst>,
    /// The review that runs.
    pub reviewer: Option<Reviewer>,
}

/// An engine that thinks about its move.
pub struct Mover {
    /// Where.
    pub node: NodeId,
    /// As whom.
    pub seat: Seat,
    /// Its switch.
    pub stop: Stop,
}

impl Table {
    /// A game that nobody looks at.
    fn new(game: Game) -> Table {
        Table { game, viewers: 0, mover: None, failures: 0, analyst: None, reviewer: None }
    }
}

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

/// A lock that a panic elsewhere does not make useless.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        std::fs::create_dir_all(&data).with_context(|| format!("cannot make the data folder `{}`", data.display()))?;
        let own = Engine::own().context("the program does not find itself, the engine that comes with it")?;
        let named = options.engines.iter().filter_map(|command| Engine::read(command));
        let pool = Pool::new(std::iter::once(own).chain(named).collect(), options.patience);
        let watch = options.watch.as_deref().map(Watch::open).transpose()?;
        let (news, runtime) = (broadcast::Sender::new(NEWS), Handle::current());
        let store = Store::open(&data).with_context(|| format!("cannot make the data folder `{}`", data.display()))?;
        let (games, damages) = store.load().with_context(|| format!("cannot read the data folder `{}`", data.display()))?;
        let complaints: Vec<String> = damages.iter().map(ToString::to_string).collect();
        complaints.iter().for_each(|complaint| tracing::warn!("{complaint}"));
        let tables = games.into_iter().map(|game| (game.id.clone(), Arc::new(Mutex::new(Table::new(game))))).collect();
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

    /// What a page can offer.
    pub fn welcome(&self) -> Welcome {
        let variant = |&variant: &Variant| VariantView {
            name: variant.name(),
            title: variant.title(),
            layouts: crate::board::layouts(variant),
            points: variant.counts_points(),
            target: crate::board::start(variant.start()).points_to_win(),
        };
        Welcome {
            version: env!("CARGO_PKG_VERSION"),
            variants: Variant::ALL.iter().map(variant).collect(),
            levels: Level::ALL.iter().map(|level| LevelView { name: level.name(), elo: level.elo() }).collect(),
            engines: self.pool.engines().iter().map(|engine| EngineView { name: engine.name.clone() }).collect(),
            watching: self.watch.is_some(),
            max: Bounds { bytes: LONGEST, games: MOST_GAMES, nodes: crate::game::MOST_NODES, lines: MOST_LINES, engines: MOST },
        }
    }

    /// What was wrong when the program began.
    pub fn complaints(&self) -> impl Iterator<Item = Reply> {
        let message = |text: &String| Reply::Message { game: None, kind: Gravity::Warning, text: text.clone() };
        self.complaints.iter().map(message)
    }

    /// All games, the last changed first.
    pub fn entries(&self) -> Vec<Entry> {
        let tables: Vec<_> = lock(&self.tables).values().cloned().collect();
        let mut entries: Vec<Entry> = tables.iter().map(|table| Entry::of(&lock(table).game)).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.changed));
        entries
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

    /// Keeps a game as it is now; says so to all if that fails.
    pub fn save(&self, game: &Game) {
        if let Err(error) = self.store.save(game) {
            self.tell(None, What::Message(Gravity::Error, format!("the game cannot be kept: {error}")));
        }
    }

    /// Removes a game.
    ///
    /// # Errors
    /// There is no such game.
    pub fn remove(&self, id: &GameId) -> Result<(), NoGame> {
        let table = lock(&self.tables).remove(id).ok_or_else(|| NoGame(id.clone()))?;
        let mut table = lock(&table);
        if let Some(mover) = table.mover.take() {
            mover.stop.pull();
        }
        self.rest(&mut table);
        self.unreview(&mut table);
        if let Err(error) = self.store.remove(id) {
            self.tell(None, What::Message(Gravity::Error, format!("the game's file cannot be removed: {error}")));
        }
        self.pool.dismiss(|duty| duty.game == *id);
        self.tell(None, What::Games);
        Ok(())
    }

    /// News as a message; `None` where what they tell of is gone again.
    pub fn render(&self, news: &News, language: Language) -> Option<Reply> {
        let Some(id) = &news.game else {
            return match &news.what {
                What::Games => Some(Reply::Games { games: self.entries() }),
                What::Message(kind, text) => Some(Reply::Message { game: None, kind: *kind, text: text.clone() }),
                _ => None,
            };
        };
        let table = self.table(id).ok()?;
        let table = lock(&table);
        let game = &table.game;
        Some(match &news.what {
            What::Games | What::Tournament => return None,
            What::Review(news) => Reply::Review(Box::new(ReviewView::of(&table, news, language))),
            What::Game => Reply::Game(Box::new(GameView::of(game, language))),
            What::Node(node) => Reply::Node { game: id.clone(), node: Box::new(NodeView::of(game, *node, language)?) },
            What::Head => Reply::Head { game: id.clone(), standing: Standing::of(game) },
            What::Players => Reply::Players { game: id.clone(), players: game.seats.clone(), standing: Standing::of(game) },
            What::Pruned(node) => Reply::Pruned { game: id.clone(), node: *node },
            What::Thinking(thinking) => Reply::Thinking(ThinkingView::of(game, thinking, language)),
            What::Analysis(analysis) => Reply::Analysis(Box::new(AnalysisView::of(game, analysis, language)?)),
            What::Eval(node) => {
                let eval = game.evals.get(node)?;
                Reply::Eval { game: id.clone(), node: *node, eval: EvalView::of(game, *node, eval, language) }
            }
            What::Message(kind, text) => Reply::Message { game: Some(id.clone()), kind: *kind, text: text.clone() },
        })
    }
}
