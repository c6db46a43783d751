//! All games, who looks at which, and the news of them.
//!
//! News are the same for everybody and small: a tab makes a message of them in its own language, from the game as it then is. They go
//! through one ring of bounded length: a tab that is too slow for it is told the whole state instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use oshi::games::Variant;
use oshi::games::language::Language;
use tokio::sync::broadcast;

use crate::arguments::Options;
use crate::game::{Game, GameId, NodeId};
use crate::message::{Bounds, EngineView, Entry, GameView, Gravity, LONGEST, NodeView, Reply, Standing, VariantView, Welcome};

/// How many news a tab may be behind.
const NEWS: usize = 256;

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
    /// Something that the person should know.
    Message(Gravity, String),
}

/// A game, and who looks at it.
pub struct Table {
    /// The game.
    pub game: Game,
    /// How many tabs show it.
    pub viewers: usize,
}

/// All games.
pub struct Hall {
    data: PathBuf,
    tables: Mutex<BTreeMap<GameId, Arc<Mutex<Table>>>>,
    news: broadcast::Sender<News>,
}

/// There is no such game.
#[derive(Debug, thiserror::Error)]
#[error("no game `{0}`; expected one of the list")]
pub struct NoGame(pub GameId);

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
        Ok(Arc::new(Hall { data, tables: Mutex::default(), news: broadcast::Sender::new(NEWS) }))
    }

    /// The folder of all that is kept.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Ends all that runs.
    pub fn close(&self) {}

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
        };
        Welcome {
            version: env!("CARGO_PKG_VERSION"),
            variants: Variant::ALL.iter().map(variant).collect(),
            levels: Vec::new(),
            engines: vec![EngineView { name: "oshi".to_owned() }],
            watching: false,
            max: Bounds { bytes: LONGEST, games: MOST_GAMES, nodes: crate::game::MOST_NODES, lines: 10, engines: 8 },
        }
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

    /// Adds a game.
    pub fn add(&self, game: Game) {
        lock(&self.tables).insert(game.id.clone(), Arc::new(Mutex::new(Table { game, viewers: 0 })));
        self.tell(None, What::Games);
    }

    /// Removes a game.
    ///
    /// # Errors
    /// There is no such game.
    pub fn remove(&self, id: &GameId) -> Result<(), NoGame> {
        lock(&self.tables).remove(id).ok_or_else(|| NoGame(id.clone()))?;
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
            What::Games => return None,
            What::Game => Reply::Game(Box::new(GameView::of(game, language))),
            What::Node(node) => Reply::Node { game: id.clone(), node: Box::new(NodeView::of(game, *node, language)?) },
            What::Head => Reply::Head { game: id.clone(), standing: Standing::of(game) },
            What::Players => Reply::Players { game: id.clone(), players: game.seats.clone(), standing: Standing::of(game) },
            What::Pruned(node) => Reply::Pruned { game: id.clone(), node: *node },
            What::Message(kind, text) => Reply::Message { game: Some(id.clone()), kind: *kind, text: text.clone() },
        })
    }
}
