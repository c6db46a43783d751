//! A tournament of basho's, while it is played and after: its folder is read again and again as long as somebody watches.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use basho::record::{GameRecord, Reason};
use basho::records::folder::RecordError;
use basho::records::live::{self, LiveGame};
use basho::records::load::{self, LoadError};
use basho::records::manifest;
use basho::records::standings::{Standings, ranking};
use basho::records::tail::{FolderTail, TailError};
use basho::records::transcript::to_sheet;
use basho::sheet::GameScore;
use basho::statistics::stats::Tally;
use oshi::game::Player;
use oshi::games::Variant;
use oshi::games::language::Language;
use serde::Serialize;

use crate::board::{self, Board, View};
use crate::driver::{chance_of_score, for_black};
use crate::exchange;
use crate::game::Game;
use crate::sync::lock;

/// How often the files of the games in play are read.
pub const INTERVAL: Duration = Duration::from_millis(150);

/// All records are read again at the earliest after so many times the time that it took: the tournament needs the machine.
const REST: u32 = 20;

/// The tournament of the command line.
pub struct Watch {
    dir: PathBuf,
    audience: Mutex<Audience>,
    /// The folder as far as it was read.
    tail: Mutex<Option<FolderTail>>,
    seen: Mutex<Seen>,
}

/// Who watches, and whether a thread reads the folder for them.
#[derive(Default)]
struct Audience {
    watchers: usize,
    is_served: bool,
}

impl Audience {
    fn enter(&mut self) -> bool {
        self.watchers += 1;
        !std::mem::replace(&mut self.is_served, true)
    }

    fn leave(&mut self) {
        self.watchers = self.watchers.saturating_sub(1);
    }

    fn turn_away(&mut self) {
        self.leave();
        self.is_served = false;
    }

    fn is_there(&mut self) -> bool {
        self.is_served = self.watchers > 0;
        self.is_served
    }
}

/// What was seen of it.
#[derive(Default)]
struct Seen {
    /// Of the file of records when it was read.
    stamp: Option<(u64, Option<SystemTime>)>,
    read: Option<(Instant, Duration)>,
    table: Option<Table>,
    games: Vec<Finished>,
    /// The numbers of these games.
    numbers: HashSet<u64>,
    /// By their slots; games that the rules do not allow are not shown.
    live: BTreeMap<usize, (LiveGame, Option<Followed>)>,
    error: Option<String>,
    /// The error, until somebody is told of it.
    complaint: Option<String>,
}

/// The standings.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Table {
    title: String,
    variant: &'static str,
    standings: Vec<Row>,
    llr: Option<Trial>,
    played: u64,
    planned: u64,
}

/// An engine in the standings.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Row {
    name: String,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    /// Of the games.
    percent: Option<f64>,
    /// The difference to its opponents, and half the width of its 95 % interval.
    elo: Option<f64>,
    error: Option<f64>,
}

/// The sequential test.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Trial {
    value: f64,
    /// Where it accepts either hypothesis.
    bounds: [f64; 2],
    /// The hypotheses.
    elo: [f64; 2],
}

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Finished {
    number: u64,
    black: String,
    white: String,
    result: GameScore,
    reason: Reason,
    detail: String,
    plies: usize,
}

/// A game in play, replayed by the rules.
struct Followed {
    boards: Vec<Board>,
    /// The moves after the opening begin here.
    opening: usize,
    texts: Vec<String>,
}

/// What a page sees of the tournament.
#[derive(Clone, Debug, Serialize)]
pub struct TournamentView {
    #[serde(flatten)]
    table: Option<Table>,
    live: Vec<LiveView>,
    /// Those that the page does not have yet.
    games: Vec<Finished>,
    /// What is wrong with the folder, if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A game in play as the page reads it.
#[derive(Clone, Debug, Serialize)]
struct LiveView {
    slot: usize,
    number: u64,
    black: String,
    white: String,
    variant: &'static str,
    layout: &'static str,
    /// The board with all pieces, the first time.
    stage: Option<String>,
    #[serde(flatten)]
    view: View,
    /// In symbols, the opening's too.
    moves: Vec<String>,
    /// How many belong to the opening.
    opening: usize,
    /// What each engine says, as the chance of Black.
    chances: [Option<f64>; 2],
    /// What each expects: names.
    lines: [Vec<String>; 2],
    depths: [Option<u32>; 2],
    clock: [Option<u64>; 2],
    /// Since when the player to move thinks, in milliseconds since 1970.
    since: u64,
}

/// What a page has been told already.
#[derive(Default)]
pub struct Told {
    games: usize,
    /// The game on the board of each slot.
    stages: BTreeMap<usize, u64>,
}

impl Watch {
    /// Watches the tournament in this folder.
    ///
    /// # Errors
    /// There is none.
    pub fn open(dir: &Path) -> anyhow::Result<Watch> {
        manifest::read(dir)?;
        Ok(Watch {
            dir: dir.to_owned(),
            audience: Mutex::default(),
            tail: Mutex::default(),
            seen: Mutex::default(),
        })
    }

    /// Somebody watches; whether a thread has to begin to read the folder.
    pub fn enter(&self) -> bool {
        lock(&self.audience).enter()
    }

    /// Somebody no longer watches.
    pub fn leave(&self) {
        lock(&self.audience).leave();
    }

    /// Somebody who has entered sees nothing, since there is no thread to read; for the next who enters one is tried again.
    pub fn turn_away(&self) {
        lock(&self.audience).turn_away();
    }

    /// Whether anybody watches, for the thread that reads: if not, it ends, and another one begins with the next who does.
    pub fn is_watched(&self) -> bool {
        lock(&self.audience).is_there()
    }

    /// What a page sees that has been told this much.
    pub fn view(&self, told: &mut Told, language: Language) -> TournamentView {
        let seen = lock(&self.seen);
        let games = seen.games.get(told.games..).unwrap_or(&seen.games).to_vec();
        told.games = seen.games.len();
        told.stages.retain(|slot, _| seen.live.contains_key(slot));
        let live = seen.live.iter().filter_map(|(&slot, (game, followed))| {
            let is_new = told.stages.insert(slot, game.game) != Some(game.game);
            followed.as_ref()?.view(slot, game, is_new, language)
        });
        TournamentView {
            table: seen.table.clone(),
            live: live.collect(),
            games,
            error: seen.error.clone(),
        }
    }

    /// What is wrong with the folder, the first time that it is asked for.
    pub fn complaint(&self) -> Option<String> {
        lock(&self.seen).complaint.take()
    }

    /// A finished game.
    ///
    /// # Errors
    /// There is none of that number, or the folder cannot be read.
    pub fn game(&self, number: u64) -> Result<Game, WatchFault> {
        let mut found = None;
        let (manifest, _) = load::read(&self.dir, |record: &GameRecord, _| {
            if record.game == number {
                found = Some(record.clone());
            }
        })?;
        let record = found.ok_or(WatchFault::NoGame(number))?;
        let sheet = to_sheet(&record, manifest.tournament.variant.0)?;
        Ok(exchange::game(&sheet, Some(&record), &title(&self.dir))?)
    }

    /// Looks at the folder; whether there is anything new.
    pub fn look(&self) -> bool {
        let (stamp, is_due) = {
            let seen = lock(&self.seen);
            let stamp = fs::metadata(self.dir.join("games.jsonl"))
                .ok()
                .map(|file| (file.len(), file.modified().ok()));
            let is_rested = seen.read.is_none_or(|(at, took)| at.elapsed() >= took * REST);
            (stamp, stamp != seen.stamp && is_rested)
        };
        let read = is_due.then(|| {
            let begun = Instant::now();
            (self.read(), (Instant::now(), begun.elapsed()))
        });
        let live = live::read(&self.dir).unwrap_or_default();
        let mut seen = lock(&self.seen);
        let mut is_news = read.is_some();
        if let Some((read, took)) = read {
            (seen.stamp, seen.read) = (stamp, Some(took));
            match read {
                Ok(Read { table, games, is_anew }) => {
                    if is_anew {
                        seen.games.clear();
                        seen.numbers.clear();
                    }
                    seen.numbers.extend(games.iter().map(|game| game.number));
                    seen.games.extend(games);
                    (seen.table, seen.error) = (Some(table), None);
                }
                // The last that could be read stays.
                Err(error) => {
                    let error = Some(error.to_string());
                    if seen.error != error {
                        seen.complaint.clone_from(&error);
                        seen.error = error;
                    }
                }
            }
        }
        let live: BTreeMap<usize, LiveGame> =
            live.into_iter().filter(|(_, game)| !seen.numbers.contains(&game.game)).collect();
        if !seen.live.iter().map(|(slot, (game, _))| (slot, game)).eq(&live) {
            let variant = seen
                .table
                .as_ref()
                .and_then(|table| table.variant.parse().ok())
                .unwrap_or_default();
            let followed = |(slot, game)| {
                let followed = Followed::of(&game, variant);
                (slot, (game, followed))
            };
            seen.live = live.into_iter().map(followed).collect();
            is_news = true;
        }
        is_news
    }

    /// Reads the games that were added to the folder, or all games if its file was replaced.
    fn read(&self) -> Result<Read, TailError> {
        let mut tail = lock(&self.tail);
        if let Some(open) = tail.as_mut()
            && let Ok(Some(read)) = read_on(open, &self.dir, false)
        {
            return Ok(read);
        }
        // If it is replaced again, the next look reads it.
        let mut fresh = FolderTail::open(&self.dir)?;
        let read = read_on(&mut fresh, &self.dir, true)?;
        let empty = Read { table: table(&self.dir, &fresh), games: Vec::new(), is_anew: true };
        *tail = Some(fresh);
        Ok(read.unwrap_or(empty))
    }
}

/// Games read from the folder.
struct Read {
    table: Table,
    games: Vec<Finished>,
    /// Whether these are all games, rather than more of them.
    is_anew: bool,
}

/// Why a game cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum WatchFault {
    /// There is no tournament.
    #[error("no tournament is watched; expected `--watch DIR` on the command line")]
    NotWatching,
    /// There is no such game.
    #[error("no game {0} in the tournament; expected the number of a finished one")]
    NoGame(u64),
    /// The folder cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The record breaks the rules.
    #[error(transparent)]
    Game(#[from] basho::sheet::GameError),
    /// The record is no game here.
    #[error(transparent)]
    Sheet(#[from] exchange::SheetFault),
}

impl Followed {
    /// The positions of a game in play; `None` if its file breaks the rules.
    fn of(game: &LiveGame, variant: Variant) -> Option<Followed> {
        let start = match game.opening.start.as_str() {
            "startpos" => board::start(variant.start()),
            line => board::read(line).ok()?,
        };
        let texts: Vec<String> = game
            .opening
            .moves
            .iter()
            .cloned()
            .chain(game.moves.iter().map(|played| played.text.clone()))
            .collect();
        let mut boards = vec![start];
        for text in &texts {
            boards.push(boards.last()?.play(text).ok()?);
        }
        Some(Followed { boards, opening: game.opening.moves.len(), texts })
    }

    fn view(
        &self,
        slot: usize,
        game: &LiveGame,
        is_new: bool,
        language: Language,
    ) -> Option<LiveView> {
        let last = self.boards.last()?;
        let mut chances = [None; 2];
        let mut lines = [Vec::new(), Vec::new()];
        for player in Player::ALL {
            let index = player.index();
            let is_theirs =
                |ply: &usize| self.boards.get(*ply).and_then(|board| board.turn()) == Some(player);
            let Some(ply) = (self.opening..self.texts.len()).rev().find(is_theirs) else {
                continue;
            };
            let score =
                game.moves.get(ply - self.opening).and_then(|played| played.score.as_deref());
            let chance =
                score.and_then(chance_of_score).map(|(_, chance)| for_black(chance, player));
            let names = game
                .variations
                .get(index)
                .zip(self.boards.get(ply))
                .map(|(line, board)| board.follow(line, language));
            if let (Some(one), Some(other)) = (chances.get_mut(index), lines.get_mut(index)) {
                *one = chance;
                *other = names.into_iter().flatten().map(|step| step.name).collect();
            }
        }
        let [black, white] = game.players.clone();
        Some(LiveView {
            slot,
            number: game.game,
            black,
            white,
            variant: last.variant().name(),
            layout: board::layout(&last.line()).name(),
            stage: is_new.then(|| last.stage()),
            view: last.view(language),
            moves: self.boards.iter().skip(1).map(|board| board.symbol()).collect(),
            opening: self.opening,
            chances,
            lines,
            depths: game.depths,
            clock: game.clock_ms,
            since: game.since_ms,
        })
    }
}

fn title(dir: &Path) -> String {
    dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned()
}

/// Reads the games that were added; `None` if the file was replaced.
fn read_on(tail: &mut FolderTail, dir: &Path, is_anew: bool) -> Result<Option<Read>, RecordError> {
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
    Ok(is_same.then(|| Read { table: table(dir, tail), games, is_anew }))
}

fn table(dir: &Path, tail: &FolderTail) -> Table {
    let standings = tail.standings();
    Table {
        title: title(dir),
        variant: tail.manifest().tournament.variant.0.name(),
        standings: rows(standings),
        llr: standings.sprt().map(|trial| {
            let (low, high) = trial.sprt.bounds();
            Trial { value: trial.llr, bounds: [low, high], elo: [trial.sprt.elo0, trial.sprt.elo1] }
        }),
        played: standings.played(),
        planned: standings.planned(),
    }
}

/// The engines, the best first.
fn rows(standings: &Standings) -> Vec<Row> {
    let names = standings.names();
    let row = |(engine, all): (usize, Tally)| {
        let elo = all.pairs.elo();
        Some(Row {
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
    ranking(names.len(), standings.tallies()).into_iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_reads_for_all_who_watch_however_soon_they_come_back() {
        let mut audience = Audience::default();
        assert!(audience.enter());
        audience.leave();
        assert!(!audience.enter(), "the thread has not looked since");
        assert!(audience.is_there());
        audience.leave();
        assert!(!audience.is_there(), "the thread ends");
        assert!(audience.enter());
    }
}
