//! Games in progress, for spectators: one small file per game, replaced as the game proceeds.
//!
//! Workers only update memory. A separate thread writes changed games five times a second. So
//! spectators cost the games no measurable time, and a full disk does not stop a tournament.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::folder::{LIVE, new_file};
use crate::record::{OpeningRecord, PlayedMove, RecordFormat};

/// Interval between two updates of the files.
const INTERVAL: Duration = Duration::from_millis(200);

/// A game in progress, as in its file. Arrays hold Black's value, then White's.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LiveGame {
    /// Version of the format, that of records.
    #[serde(default)]
    pub format: RecordFormat,
    /// Number of the game. The game is over once `games.jsonl` has a record with this number.
    pub game: u64,
    /// Names of the players.
    pub players: [String; 2],
    /// Where the game started.
    pub opening: OpeningRecord,
    /// Moves so far, after the opening.
    pub moves: Vec<PlayedMove>,
    /// Remaining time in milliseconds, for a player with a clock.
    pub clock_ms: [Option<u64>; 2],
    /// Depth of the player's last search, in plies.
    pub depths: [Option<u32>; 2],
    /// Principal variation of the player's last search, including the move played.
    pub variations: [Vec<String>; 2],
    /// When the player to move began to think, in milliseconds since 1970.
    pub since_ms: u64,
}

/// The current time, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// The game in progress of one worker.
#[derive(Clone, Debug)]
pub struct Slot(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    game: Option<LiveGame>,
    has_changed: bool,
}

impl Slot {
    fn empty() -> Slot {
        Slot(Arc::new(Mutex::new(State { game: None, has_changed: false })))
    }

    /// Starts another game.
    pub fn begin(&self, game: LiveGame) {
        *self.lock() = State { game: Some(game), has_changed: true };
    }

    /// Changes the game in progress, if there is one.
    pub fn update(&self, change: impl FnOnce(&mut LiveGame)) {
        let mut state = self.lock();
        if let Some(game) = &mut state.game {
            change(game);
            state.has_changed = true;
        }
    }

    /// New content of the file, if the game has changed since the last call.
    fn take_text(&self) -> Option<serde_json::Result<Vec<u8>>> {
        let mut state = self.lock();
        let has_changed = std::mem::take(&mut state.has_changed);
        state.game.as_ref().filter(|_| has_changed).map(serde_json::to_vec)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each update leaves the game consistent, so a panic elsewhere does no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the files of all games in progress up to date. Dropping it removes them.
#[derive(Debug)]
pub struct Live {
    slots: Vec<Slot>,
    /// Never written to; dropping it ends the thread.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// Starts to write the files of `games` concurrent games into the tournament's folder.
    ///
    /// # Errors
    /// The folder for the files cannot be created, or the thread cannot be started.
    pub fn begin(tournament: &Path, games: usize) -> io::Result<Live> {
        let dir = tournament.join(LIVE);
        // A killed process may have left stale files.
        match fs::remove_dir_all(&dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir(&dir)?,
        }
        let slots: Vec<Slot> = (0..games).map(|_| Slot::empty()).collect();
        let (alive, is_over) = channel::<()>();
        let of_thread = slots.clone();
        let thread = thread::Builder::new().name("live".to_owned()).spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = is_over.recv_timeout(INTERVAL) {
                for (number, slot) in (1..).zip(&of_thread) {
                    // Not an error of the tournament: spectators miss an update.
                    if let Some(Err(error)) =
                        slot.take_text().map(|text| replace(&dir, number, &text?))
                    {
                        tracing::warn!("{}: {error}", file(&dir, number).display());
                    }
                }
            }
            let _ = fs::remove_dir_all(&dir);
        })?;
        Ok(Live { slots, alive: Some(alive), thread: Some(thread) })
    }

    /// The slot of a worker, counted from 0.
    pub fn slot(&self, worker: usize) -> Option<&Slot> {
        self.slots.get(worker)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has no consequences left to handle.
            let _ = thread.join();
        }
    }
}

fn file(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("{number}.json"))
}

/// Replaces the file of a slot.
fn replace(dir: &Path, number: usize, text: &[u8]) -> io::Result<()> {
    let mut draft = new_file(dir)?;
    draft.write_all(text)?;
    draft.persist(file(dir, number))?;
    Ok(())
}

/// Reads the games in progress of a tournament, by the numbers of their slots.
///
/// The map is empty if no process writes them. Unreadable files are ignored: they may come from a
/// newer version.
///
/// # Errors
/// The folder cannot be read.
pub fn read(tournament: &Path) -> io::Result<BTreeMap<usize, LiveGame>> {
    let entries = match fs::read_dir(tournament.join(LIVE)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let mut games = BTreeMap::new();
    for entry in entries {
        let path = entry?.path();
        let number: Option<usize> = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        let game = || serde_json::from_str(&oshi::text::read(&path).ok()?).ok();
        if let Some(number) =
            number.filter(|_| path.extension().is_some_and(|extension| extension == "json"))
            && let Some(game) = game()
        {
            games.insert(number, game);
        }
    }
    Ok(games)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn game(number: u64) -> LiveGame {
        LiveGame {
            format: RecordFormat,
            game: number,
            players: ["a".to_owned(), "b".to_owned()],
            opening: OpeningRecord { start: "startpos".to_owned(), moves: Vec::new() },
            moves: Vec::new(),
            clock_ms: [Some(1_000), None],
            depths: [None, Some(7)],
            variations: [Vec::new(), vec!["a1a5".to_owned()]],
            since_ms: 1,
        }
    }

    #[test]
    fn reads_back_games_and_removes_files_when_dropped() {
        let temp = tempfile::tempdir().unwrap();
        let live = Live::begin(temp.path(), 2).unwrap();
        live.slot(1).unwrap().begin(game(5));
        live.slot(1).unwrap().update(|game| game.game = 6);
        // The thread may have written the game before its update.
        while read(temp.path()).unwrap() != BTreeMap::from([(2, game(6))]) {
            thread::yield_now();
        }
        fs::write(temp.path().join("games.jsonl"), "").unwrap();
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode();
        let records = mode(temp.path().join("games.jsonl"));
        assert_eq!(
            mode(file(&temp.path().join(LIVE), 2)),
            records,
            "whoever may read the records may watch"
        );
        drop(live);
        assert!(!temp.path().join(LIVE).exists());
    }

    #[test]
    fn ignores_stale_and_foreign_files() {
        let temp = tempfile::tempdir().unwrap();
        assert!(read(temp.path()).unwrap().is_empty());
        let dir = temp.path().join(LIVE);
        fs::create_dir(&dir).unwrap();
        replace(&dir, 1, &serde_json::to_vec(&game(1)).unwrap()).unwrap();
        replace(&dir, 2, b"{\"format\":2}").unwrap();
        fs::write(dir.join("notes.txt"), "x").unwrap();
        assert_eq!(read(temp.path()).unwrap(), BTreeMap::from([(1, game(1))]));
        let _live = Live::begin(temp.path(), 1).unwrap();
        assert!(read(temp.path()).unwrap().is_empty());
    }
}
