//! The games on disk: a file for each, replaced as a whole at every change, so that a reader finds the old game or the new one.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use oshi::runner::output_file;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::board;
use crate::game::{Clock, Eval, Game, GameFault, GameId, Mark, NodeId, Seat, Source, State, Summary, Verdict};

/// The file in the data folder that is locked as long as a program uses it; the system frees it, however the program ends.
const LOCK: &str = "lock";

/// The folder of the games in the data folder.
const GAMES: &str = "games";

/// The format of a file, by its number: a newer one is refused rather than misread.
const FORMAT: u32 = 1;

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another program uses it: each would overwrite the games of the other.
    #[error("another dohyo uses the data folder `{}`; expected that to be ended first, or another folder (`--data DIR`)", .0.display())]
    InUse(PathBuf),
    /// It cannot be made or locked.
    #[error("cannot make the data folder `{}`", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// A file that is no game; it stays where it is.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no game in JSON.
    #[error("{0}; expected a game of dohyo")]
    Text(#[from] serde_json::Error),
    /// It is of a newer version.
    #[error("unknown format {0}; expected format {FORMAT}")]
    Format(u32),
    /// Its start is no position.
    #[error(transparent)]
    Start(#[from] oshi::games::PositionError),
    /// Its tree is no tree of legal moves.
    #[error(transparent)]
    Tree(#[from] GameFault),
}

/// A game as its file holds it.
#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    id: GameId,
    title: String,
    start: String,
    players: [Seat; 2],
    clock: Option<Clock>,
    head: NodeId,
    state: State,
    verdict: Option<Verdict>,
    /// The time of the turn so far, in milliseconds.
    spent: u64,
    changed: u64,
    /// All positions but the start, each after the one before it, the main line's first.
    nodes: Vec<FileNode>,
    evals: BTreeMap<NodeId, Eval>,
    marks: BTreeMap<NodeId, Mark>,
    summary: Option<[Summary; 2]>,
    source: Option<Source>,
}

#[derive(Serialize, Deserialize)]
struct FileNode {
    id: NodeId,
    parent: NodeId,
    #[serde(rename = "move")]
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
}

/// The folder of the games.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    /// Held, not read.
    _lock: fs::File,
}

impl Store {
    /// The games of this data folder, which is nobody else's until the store is dropped.
    ///
    /// # Errors
    /// [`StoreError`]: the folder cannot be made, or another program uses it.
    pub fn open(data: &Path) -> Result<Store, StoreError> {
        let dir = data.join(GAMES);
        let failed = |error| StoreError::Io(data.to_owned(), error);
        fs::create_dir_all(&dir).map_err(failed)?;
        let options = &mut fs::File::options();
        let lock = output_file::open(&data.join(LOCK), options.write(true).create(true).truncate(true)).map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => StoreError::InUse(data.to_owned()),
            fs::TryLockError::Error(error) => failed(error),
        })?;
        Ok(Store { dir, _lock: lock })
    }

    fn path(&self, id: &GameId) -> PathBuf {
        self.dir.join(format!("{id}.json"))
    }

    /// Writes a game.
    ///
    /// # Errors
    /// The file cannot be replaced; then the old one is still there.
    pub fn save(&self, game: &Game) -> io::Result<()> {
        let node = |(id, node): (NodeId, &crate::game::Node)| {
            Some(FileNode { id, parent: node.parent?, text: node.text.clone(), ms: node.ms })
        };
        let file = File {
            format: FORMAT,
            id: game.id.clone(),
            title: game.title.clone(),
            start: game.start().line(),
            players: game.seats.clone(),
            clock: game.clock,
            head: game.head,
            state: game.state,
            verdict: game.verdict.clone(),
            spent: game.spent(),
            changed: game.changed,
            nodes: game.nodes().into_iter().filter_map(node).collect(),
            evals: game.evals.clone(),
            marks: game.marks.clone(),
            summary: game.summary.clone(),
            source: game.source.clone(),
        };
        let mut draft = NamedTempFile::new_in(&self.dir)?;
        draft.write_all(&serde_json::to_vec(&file)?)?;
        draft.as_file().sync_data()?;
        draft.persist(self.path(&game.id))?;
        Ok(())
    }

    /// Removes a game.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self, id: &GameId) -> io::Result<()> {
        fs::remove_file(self.path(id))
    }

    /// Reads all games, and what is wrong with the files that are none.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn load(&self) -> io::Result<(Vec<Game>, Vec<Damage>)> {
        let (mut games, mut damages) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let id = path.file_stem().and_then(|stem| GameId::read(stem.to_str()?));
            // What is no file of ours, such as a draft that a kill has left, is none of our business.
            let Some(id) = id.filter(|_| path.extension().is_some_and(|extension| extension == "json")) else { continue };
            match read(&path, id) {
                Ok(game) => games.push(game),
                Err(reason) => damages.push(Damage { path, reason }),
            }
        }
        Ok((games, damages))
    }
}

fn read(path: &Path, id: GameId) -> Result<Game, Reason> {
    /// Read first: another format may lack the rest.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let text = oshi::text::read(path)?;
    let Format { format } = serde_json::from_str(&text)?;
    if format != FORMAT {
        return Err(Reason::Format(format));
    }
    let file: File = serde_json::from_str(&text)?;
    let mut game = Game::new(id, board::read(&file.start)?, file.players, None);
    for FileNode { id, parent, text, ms } in file.nodes {
        game.restore(id, parent, &text, ms)?;
    }
    game.node(file.head)?;
    let (mut evals, mut marks) = (file.evals, file.marks);
    evals.retain(|&id, _| game.node(id).is_ok());
    marks.retain(|&id, _| game.node(id).is_ok());
    (game.evals, game.marks) = (evals, marks);
    game.title = file.title;
    game.clock = file.clock;
    game.head = file.head;
    game.state = file.state;
    game.verdict = file.verdict;
    game.summary = file.summary;
    game.changed = file.changed;
    game.source = file.source;
    game.set_spent(file.spent);
    Ok(game)
}
