//! The watched tournament. Its folder is read repeatedly while a tab watches.

mod live_game;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use basho::record::{GameRecord, Reason};
use basho::records::folder::{GAMES, RecordError};
use basho::records::live::{self, LiveGame};
use basho::records::load::{self, LoadError};
use basho::records::manifest;
use basho::records::standings::{Standings as Tallies, ranking};
use basho::records::tail::{FolderTail, TailError};
use basho::records::transcript::to_sheet;
use basho::statistics::stats::Tally;
use dohyo_core::event::{EventKind, Severity};
use dohyo_core::game::Game;
use dohyo_core::host::{HostError, SpawnError, Tournament};
use dohyo_core::import::{self, SheetError};
use dohyo_core::lobby::Lobby;
use dohyo_core::message::{
    Finished, Sent, SequentialTest, Standings, StandingsRow, TournamentView,
};
use dohyo_core::sync::lock;
use oshi::games::language::Language;

use crate::system::{new_game_id, now};
use live_game::ReplayedGame;

/// Interval at which the files of the games in progress are read.
const INTERVAL: Duration = Duration::from_millis(150);

/// Minimum pause between two readings of the records, in multiples of the reading time. The
/// tournament needs the processor.
const PAUSE_FACTOR: u32 = 20;

/// The tournament of the command line.
pub struct Watch {
    dir: PathBuf,
    viewers: Mutex<Viewers>,
    /// Reader of new records in the folder.
    tail: Mutex<Option<FolderTail>>,
    snapshot: Mutex<Snapshot>,
}

/// Number of tabs that watch, and whether a thread reads the folder for them.
#[derive(Default)]
struct Viewers {
    count: usize,
    has_reader: bool,
}

impl Viewers {
    fn add(&mut self) -> bool {
        self.count += 1;
        !std::mem::replace(&mut self.has_reader, true)
    }

    fn remove(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    fn cancel_reader(&mut self) {
        self.remove();
        self.has_reader = false;
    }

    fn keep_reader(&mut self) -> bool {
        self.has_reader = self.count > 0;
        self.has_reader
    }
}

/// The tournament as last read.
#[derive(Default)]
struct Snapshot {
    /// Size and time of the file of records when it was read.
    stamp: Option<(u64, Option<SystemTime>)>,
    /// Time of the last reading and its duration.
    last_read: Option<(Instant, Duration)>,
    standings: Option<Standings>,
    games: Vec<Finished>,
    /// Numbers of these games.
    numbers: HashSet<u64>,
    /// Games in progress by slot. An illegal game has no replay and is not shown.
    live: BTreeMap<usize, (LiveGame, Option<ReplayedGame>)>,
    error: Option<String>,
    /// The error, until a tab gets it as a message.
    unreported_error: Option<String>,
}

impl Watch {
    /// Opens the folder of a tournament.
    ///
    /// # Errors
    /// The folder contains no tournament.
    pub fn open(dir: &Path) -> anyhow::Result<Watch> {
        manifest::read(dir)?;
        Ok(Watch {
            dir: dir.to_owned(),
            viewers: Mutex::default(),
            tail: Mutex::default(),
            snapshot: Mutex::default(),
        })
    }

    /// Returns a new error of the folder once.
    fn take_unreported_error(&self) -> Option<String> {
        lock(&self.snapshot).unreported_error.take()
    }

    /// Reads the folder repeatedly while there are viewers. The next viewer starts a new thread.
    fn read_for_viewers(&self, lobby: &Lobby) {
        while lock(&self.viewers).keep_reader() {
            if self.update() {
                lobby.publish(None, EventKind::Tournament);
            }
            if let Some(error) = self.take_unreported_error() {
                let text = format!("cannot read the tournament: {error}");
                lobby.publish(None, EventKind::Message(Severity::Error, text));
            }
            thread::sleep(INTERVAL);
        }
    }

    fn find(&self, number: u64) -> Result<Game, WatchError> {
        let mut found = None;
        let (manifest, _) = load::read(&self.dir, |record: &GameRecord, _| {
            if record.game == number {
                found = Some(record.clone());
            }
        })?;
        let record = found.ok_or(WatchError::NoGame(number))?;
        let sheet = to_sheet(&record, manifest.tournament.variant.0)?;
        let title = title(&self.dir);
        Ok(import::from_sheet(new_game_id(), &sheet, Some(&record), &title, now())?)
    }

    /// Reads the changes of the folder. Returns true if there are any.
    fn update(&self) -> bool {
        let (stamp, is_due) = {
            let snapshot = lock(&self.snapshot);
            let stamp = fs::metadata(self.dir.join(GAMES))
                .ok()
                .map(|file| (file.len(), file.modified().ok()));
            let has_paused =
                snapshot.last_read.is_none_or(|(at, took)| at.elapsed() >= took * PAUSE_FACTOR);
            (stamp, stamp != snapshot.stamp && has_paused)
        };
        let read = is_due.then(|| {
            let begun = Instant::now();
            (self.read(), (Instant::now(), begun.elapsed()))
        });
        let live = live::read(&self.dir).unwrap_or_default();
        let mut snapshot = lock(&self.snapshot);
        let mut has_changed = read.is_some();
        if let Some((read, took)) = read {
            (snapshot.stamp, snapshot.last_read) = (stamp, Some(took));
            match read {
                Ok(Read { standings, games, is_complete }) => {
                    if is_complete {
                        snapshot.games.clear();
                        snapshot.numbers.clear();
                    }
                    snapshot.numbers.extend(games.iter().map(|game| game.number));
                    snapshot.games.extend(games);
                    (snapshot.standings, snapshot.error) = (Some(standings), None);
                }
                // The last readable state stays.
                Err(error) => {
                    let error = Some(error.to_string());
                    if snapshot.error != error {
                        snapshot.unreported_error.clone_from(&error);
                        snapshot.error = error;
                    }
                }
            }
        }
        let live: BTreeMap<usize, LiveGame> =
            live.into_iter().filter(|(_, game)| !snapshot.numbers.contains(&game.game)).collect();
        if !snapshot.live.iter().map(|(slot, (game, _))| (slot, game)).eq(&live) {
            let variant = snapshot
                .standings
                .as_ref()
                .and_then(|standings| standings.variant.parse().ok())
                .unwrap_or_default();
            let mut before = std::mem::take(&mut snapshot.live);
            let replayed = |(slot, game)| {
                let replayed = match before.remove(&slot) {
                    Some((same, Some(replayed))) if same == game => Some(replayed),
                    _ => ReplayedGame::of(&game, variant),
                };
                (slot, (game, replayed))
            };
            snapshot.live = live.into_iter().map(replayed).collect();
            has_changed = true;
        }
        has_changed
    }

    /// Reads the games that were added to the folder, or all games if the file was replaced.
    fn read(&self) -> Result<Read, TailError> {
        let mut tail = lock(&self.tail);
        if let Some(open) = tail.as_mut()
            && let Ok(Some(read)) = read_added(open, &self.dir, false)
        {
            return Ok(read);
        }
        let mut fresh = FolderTail::open(&self.dir)?;
        // `None` if the file has been replaced again. The next update reads it.
        let read = read_added(&mut fresh, &self.dir, true)?;
        let standings = standings(&self.dir, &fresh);
        let empty = Read { standings, games: Vec::new(), is_complete: true };
        *tail = Some(fresh);
        Ok(read.unwrap_or(empty))
    }
}

impl Tournament for Watch {
    fn add_viewer(self: Arc<Self>, lobby: &Arc<Lobby>) -> Result<(), SpawnError> {
        if lock(&self.viewers).add() {
            let (watch, lobby) = (Arc::clone(&self), Arc::clone(lobby));
            let read = move || watch.read_for_viewers(&lobby);
            let reader = thread::Builder::new().name("watch".to_owned()).spawn(read);
            // The next viewer tries again.
            reader.inspect_err(|_| lock(&self.viewers).cancel_reader())?;
        }
        Ok(())
    }

    fn remove_viewer(&self) {
        lock(&self.viewers).remove();
    }

    fn view(&self, sent: &mut Sent, language: Language) -> TournamentView {
        let snapshot = lock(&self.snapshot);
        let games = snapshot.games.get(sent.games..).unwrap_or(&snapshot.games).to_vec();
        sent.games = snapshot.games.len();
        sent.stages.retain(|slot, _| snapshot.live.contains_key(slot));
        let live = snapshot.live.iter().filter_map(|(&slot, (game, replayed))| {
            let is_new = sent.stages.insert(slot, game.game) != Some(game.game);
            replayed.as_ref()?.view(slot, game, is_new, language)
        });
        TournamentView {
            standings: snapshot.standings.clone(),
            live: live.collect(),
            games,
            error: snapshot.error.clone(),
        }
    }

    fn game(&self, number: u64) -> Result<Game, HostError> {
        Ok(self.find(number)?)
    }
}

/// Games read from the folder.
struct Read {
    standings: Standings,
    games: Vec<Finished>,
    /// Whether these are all games, not only the added ones.
    is_complete: bool,
}

/// A game of the tournament that cannot be shown.
#[derive(Debug, thiserror::Error)]
enum WatchError {
    /// No such game.
    #[error("no game {0} in the tournament; expected the number of a finished one")]
    NoGame(u64),
    /// The folder cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The record contains an illegal move.
    #[error(transparent)]
    Game(#[from] basho::sheet::GameError),
    /// The record is not a valid game.
    #[error(transparent)]
    Sheet(#[from] SheetError),
}

fn title(dir: &Path) -> String {
    dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned()
}

/// Reads the games that were added. Returns `None` if the file was replaced.
fn read_added(
    tail: &mut FolderTail,
    dir: &Path,
    is_complete: bool,
) -> Result<Option<Read>, RecordError> {
    let mut games = Vec::new();
    let is_same = tail.read(|record| {
        if record.reason != Reason::Interrupted {
            games.push(Finished {
                number: record.game,
                black: record.black.name.clone(),
                white: record.white.name.clone(),
                result: record.result,
                reason: record.reason,
                detail: record.detail.clone(),
                plies: record.opening.moves.len() + record.moves.len(),
            });
        }
    })?;
    Ok(is_same.then(|| Read { standings: standings(dir, tail), games, is_complete }))
}

fn standings(dir: &Path, tail: &FolderTail) -> Standings {
    let tallies = tail.standings();
    Standings {
        title: title(dir),
        variant: tail.manifest().tournament.variant.0.name(),
        rows: rows(tallies),
        llr: tallies.sprt().map(|trial| {
            let (low, high) = trial.sprt.bounds();
            SequentialTest {
                value: trial.llr,
                bounds: [low, high],
                elo: [trial.sprt.elo0, trial.sprt.elo1],
            }
        }),
        played: tallies.played(),
        planned: tallies.planned(),
    }
}

/// Returns the engines, the best first.
fn rows(tallies: &Tallies) -> Vec<StandingsRow> {
    let names = tallies.names();
    let row = |(engine, all): (usize, Tally)| {
        let elo = all.pairs.elo();
        Some(StandingsRow {
            name: names.get(engine)?.clone(),
            games: all.games(),
            wins: all.wins,
            draws: all.draws,
            losses: all.losses,
            points: all.points(),
            percent: (all.games() > 0).then(|| 100.0 * all.points() / all.games() as f64),
            elo: elo.map(|elo| elo.value),
            error: elo.map(|elo| elo.error),
        })
    };
    ranking(names.len(), tallies.tallies()).into_iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_reads_for_all_viewers() {
        let mut viewers = Viewers::default();
        assert!(viewers.add());
        viewers.remove();
        assert!(!viewers.add(), "the thread is still running");
        assert!(viewers.keep_reader());
        viewers.remove();
        assert!(!viewers.keep_reader(), "the thread ends");
        assert!(viewers.add());
    }
}
