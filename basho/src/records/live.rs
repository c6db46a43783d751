//! The games in play, for spectators: a small file for each, replaced while it is played.
//!
//! The workers only note what happens; a thread of its own writes, a few times a second, what has changed. So watching costs the
//! games nothing that could be measured, however fast they are, and a full disk stops no tournament.

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

/// How often the files are brought up to date.
const INTERVAL: Duration = Duration::from_millis(200);

/// A game in play, as its file holds it. What stands of both players is Black's first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LiveGame {
    /// The same as of a record.
    #[serde(default)]
    pub format: RecordFormat,
    /// Its number in the tournament. It is over once `games.jsonl` holds the record of that number.
    pub game: u64,
    /// The names of the players.
    pub players: [String; 2],
    /// Where it started.
    pub opening: OpeningRecord,
    /// The moves so far, after the opening.
    pub moves: Vec<PlayedMove>,
    /// The time left to each player, in milliseconds, where there is a clock.
    pub clock_ms: [Option<u64>; 2],
    /// The depth of each player's last search, in plies.
    pub depths: [Option<u32>; 2],
    /// The moves that each player expected with its last one, that one first.
    pub variations: [Vec<String>; 2],
    /// When the player to move began to think, in milliseconds since 1970.
    pub since_ms: u64,
}

/// The present moment, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// The file of the games that one worker plays, one after the other.
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

    /// Another game begins.
    pub fn begin(&self, game: LiveGame) {
        *self.lock() = State { game: Some(game), has_changed: true };
    }

    /// Changes the game in play, if there is one.
    pub fn update(&self, change: impl FnOnce(&mut LiveGame)) {
        let mut state = self.lock();
        if let Some(game) = &mut state.game {
            change(game);
            state.has_changed = true;
        }
    }

    /// The text of the file, if it has changed since the last call.
    fn take_text(&self) -> Option<serde_json::Result<Vec<u8>>> {
        let mut state = self.lock();
        let has_changed = std::mem::take(&mut state.has_changed);
        state.game.as_ref().filter(|_| has_changed).map(serde_json::to_vec)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The game is consistent at every moment, even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the files of all games in play until it is dropped; then they are removed.
#[derive(Debug)]
pub struct Live {
    slots: Vec<Slot>,
    /// Never written to; dropping it ends the thread.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// Begins to write the files of this many games at once into the folder of their tournament.
    ///
    /// # Errors
    /// The folder for the files cannot be made anew, or the thread cannot be started.
    pub fn begin(tournament: &Path, games: usize) -> io::Result<Live> {
        let dir = tournament.join(LIVE);
        // Files of a process that was killed are of games that nobody plays.
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
                    // Spectators miss a moment; the records do not depend on it.
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

    /// The file of a worker, counted from 0.
    pub fn slot(&self, worker: usize) -> Option<&Slot> {
        self.slots.get(worker)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            // Nothing is left to be done about a thread that has panicked.
            let _ = thread.join();
        }
    }
}

fn file(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("{number}.json"))
}

/// Replaces a file.
fn replace(dir: &Path, number: usize, text: &[u8]) -> io::Result<()> {
    let mut draft = new_file(dir)?;
    draft.write_all(text)?;
    draft.persist(file(dir, number))?;
    Ok(())
}

/// Reads the files of the games in play in a tournament's folder, by the numbers of their slots; none if nobody writes them. A file
/// that is no such game is ignored: it may be of a newer version.
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
    fn what_is_written_is_read_back_and_removed_at_the_end() {
        let temp = tempfile::tempdir().unwrap();
        let live = Live::begin(temp.path(), 2).unwrap();
        live.slot(1).unwrap().begin(game(5));
        live.slot(1).unwrap().update(|game| game.game = 6);
        // What is written meanwhile may be the game as it was before.
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
    fn files_of_a_killed_process_and_foreign_ones_are_no_games() {
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
