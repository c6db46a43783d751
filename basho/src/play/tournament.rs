//! Runs a tournament: hands the games to the worker threads, records them, and ends when all are played, when the sequential test has
//! decided, or when it is interrupted.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::failure::TournamentError;
use super::interrupt::Interrupt;
use super::prepare::{prepare, program_files};
use super::program::ProgramFile;
use super::stall_detector::StallDetector;
use super::workers::{Event, FaultsLeft, Participant, Queue, Workers};
use crate::config::{ConfigError, Engine, Tournament};
use crate::openings::Book;
use crate::output::progress::Progress;
use crate::output::report;
use crate::printable::one_line;
use crate::record::GameRecord;
use crate::records::difference;
use crate::records::folder::RecordError;
use crate::records::journal::{self, Journal};
use crate::records::live::Live;
use crate::records::load::{self, LoadedGames};
use crate::records::manifest::{self, Manifest};
use crate::records::standings::{FaultyGame, Standings};
use crate::records::stop;
use crate::statistics::sprt::Decision;
use crate::stderr_tail::StderrTail;
use oshi::game::Player;
use oshi::games::Visitor;
use oshi::games::notation::Notation;

/// How a tournament ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All games of this part are played, or no more are wanted, and there is no test here.
    Finished,
    /// The sequential test ended it, or was undecided when all games were played or no more were wanted.
    Tested(Decision),
    /// An engine was at fault, which ends a strict tournament and, beyond its tolerance, a
    /// sequential test.
    Fault,
    /// It was interrupted; `resume` goes on with it.
    Interrupted,
    /// No engine can be started any more, for want of resources; `resume` goes on with it.
    EnginesUnavailable,
}

/// The result of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunSummary {
    /// How it ended.
    pub ending: Ending,
    /// How many invalid records in the folder were left out, if games are still missing.
    pub left_out: usize,
}

/// Begins a tournament in a new folder, the first of these that is free, and plays it. The folder is made only after the openings have
/// been read and every engine has been started once.
///
/// # Errors
/// [`TournamentError`] says what is wrong, and where.
pub fn run(
    mut manifest: Manifest,
    dirs: impl IntoIterator<Item = PathBuf>,
    interrupt: &Interrupt,
) -> Result<RunSummary, TournamentError> {
    if !prepare(&mut manifest, interrupt)? {
        return Ok(RunSummary { ending: Ending::Interrupted, left_out: 0 });
    }
    let dir = create_first(dirs, &manifest)?;
    Progress::without_bar().say(&format!("Games are recorded in {}", dir.display()));
    resume(&dir, &Changes::default(), interrupt)
}

/// Begins a tournament in this folder, or goes on with the one that is there if it is the same: a job that is started again plays what
/// is missing. If another process plays there, it waits until that ends.
///
/// # Errors
/// [`TournamentError`] says what is wrong, and where; [`RecordError::OtherTournament`] that another tournament is there.
pub fn run_into(
    mut manifest: Manifest,
    dir: &Path,
    interrupt: &Interrupt,
) -> Result<RunSummary, TournamentError> {
    let interrupted = RunSummary { ending: Ending::Interrupted, left_out: 0 };
    let progress = Progress::without_bar();
    if !manifest::exists(dir) {
        if let Some(reason) = stop::read(dir) {
            progress.say(&stop::sentence(dir, &reason));
            let ending = manifest
                .tournament
                .sprt
                .filter(|_| manifest.shard.is_whole())
                .map(|_| Ending::Tested(Decision::Continue));
            return Ok(RunSummary { ending: ending.unwrap_or(Ending::Finished), left_out: 0 });
        }
        if !prepare(&mut manifest, interrupt)? {
            return Ok(interrupted);
        }
        match manifest::create(dir, &manifest) {
            // Another process may have made it meanwhile.
            Err(RecordError::Exists(_)) if manifest::exists(dir) => {}
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
    }
    difference::expect_same(dir, &manifest::read(dir)?, &manifest)?;
    journal::make_if_missing(dir)?;
    progress.say(&format!("Games are recorded in {}", dir.display()));
    match open_when_free(dir, &progress, interrupt)? {
        Some(journal) => {
            // These may differ from one start to the next.
            let Tournament { concurrency, live, ratinginterval, .. } = manifest.tournament;
            let tolerance = manifest.tournament.sprt.map(|sprt| sprt.0.tolerate_faults);
            let as_asked = |kept: &mut Tournament| {
                (kept.concurrency, kept.live, kept.ratinginterval) =
                    (concurrency, live, ratinginterval);
                tolerance.map_or(Ok(()), |faults| kept.tolerate_faults(faults))
            };
            continue_games(dir, journal, as_asked, EarlierFaults::Count, interrupt)
        }
        None => Ok(interrupted),
    }
}

/// Opens the records of a folder as soon as no other process plays there; `None` after an interrupt.
fn open_when_free(
    dir: &Path,
    progress: &Progress,
    interrupt: &Interrupt,
) -> Result<Option<Journal>, RecordError> {
    let mut has_said = false;
    loop {
        match Journal::open(dir) {
            Err(error @ RecordError::Locked(_)) => {
                if !std::mem::replace(&mut has_said, true) {
                    progress.warn(&format!("{error}; waiting until it ends"));
                }
            }
            opened => return opened.map(Some),
        }
        if interrupt.is_raised_within(POLL_INTERVAL) {
            return Ok(None);
        }
    }
}

/// How often to look for a stop, or for the end of another process.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Makes the first of these folders that does not exist. Other processes may do the same at the same time.
fn create_first(
    dirs: impl IntoIterator<Item = PathBuf>,
    manifest: &Manifest,
) -> Result<PathBuf, RecordError> {
    let mut refused = RecordError::NoTournament(PathBuf::new());
    for dir in dirs {
        match manifest::create(&dir, manifest) {
            Ok(_) => return Ok(dir),
            Err(error @ RecordError::Exists(_)) => refused = error,
            Err(error) => return Err(error),
        }
    }
    Err(refused)
}

/// Goes on with the tournament of a folder: plays exactly the games that are missing.
///
/// # Errors
/// [`TournamentError`] says what is wrong, and where.
pub fn resume(
    dir: &Path,
    changes: &Changes,
    interrupt: &Interrupt,
) -> Result<RunSummary, TournamentError> {
    let as_asked = |kept: &mut Tournament| {
        kept.concurrency = changes.concurrency.unwrap_or(kept.concurrency);
        changes.tolerate_faults.map_or(Ok(()), |faults| kept.tolerate_faults(faults))
    };
    continue_games(dir, Journal::open(dir)?, as_asked, EarlierFaults::AreIgnored, interrupt)
}

/// Settings that a tournament is resumed with; `None` leaves a setting unchanged.
#[derive(Clone, Copy, Default, Debug)]
pub struct Changes {
    /// The concurrency, for this run.
    pub concurrency: Option<NonZeroUsize>,
    /// Number of faults that the sequential test tolerates, from now on.
    pub tolerate_faults: Option<u32>,
}

/// What a fault means that is recorded already, if the tournament is strict.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EarlierFaults {
    /// It has ended the tournament.
    Count,
    /// Somebody has seen it and goes on.
    AreIgnored,
}

fn continue_games(
    dir: &Path,
    journal: Journal,
    adjust: impl FnOnce(&mut Tournament) -> Result<(), ConfigError>,
    earlier_faults: EarlierFaults,
    interrupt: &Interrupt,
) -> Result<RunSummary, TournamentError> {
    let mut manifest = manifest::read(dir)?;
    let sprt_before = manifest.tournament.sprt;
    adjust(&mut manifest.tournament)?;
    if manifest.tournament.sprt != sprt_before {
        // Reports must count faults as this run does.
        let mut kept = manifest::read(dir)?;
        kept.tournament.sprt = manifest.tournament.sprt;
        manifest::replace(dir, &kept)?;
    }
    let tournament = &manifest.tournament;
    let engines = tournament.engines()?;
    let LoadedGames { standings, invalid, whole, .. } = load::games(dir, &manifest, |_, _| ())?;
    journal.cut(whole)?;
    let fault = earlier_faults == EarlierFaults::Count
        && tournament.strict
        && standings.faults().next().is_some();
    let stopped = stop::read(dir);
    let plays = !(standings.is_complete() || fault || stopped.is_some());
    let files = match plays {
        false => engines.iter().map(|_| None).collect(),
        true => program_files(&engines, &manifest.programs)?,
    };
    record_programs(dir, &manifest, &engines, &files)?;
    // A thread without a game would be for nothing.
    let concurrency =
        standings.missing().take_while(|_| plays).take(tournament.concurrency.get()).count().max(1);
    let progress = Progress::new(standings.planned(), standings.played());
    if !manifest.shard.is_whole() {
        let all = standings.schedule().games();
        progress.say(&format!("Shard {}: {} of {all} games", manifest.shard, standings.planned()));
    }
    for record in &invalid {
        progress.warn(&one_line(&format!("{}: {record}; the record is left out", dir.display())));
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if concurrency > cores {
        progress.warn(&format!(
            "{concurrency} games at once on {cores} cores: engines will wait for each other"
        ));
    }
    let stalls = StallDetector::start().map_err(TournamentError::Thread)?;
    let recorder = Recorder {
        dir,
        manifest: &manifest,
        engines,
        standings,
        journal,
        progress,
        interrupt,
        fault,
        start_error: None,
        stopped,
        has_warned: false,
        stderr_tail: BTreeMap::new(),
        begun: Instant::now(),
    };
    let (ending, is_complete) = tournament.variant.0.start().visit(Play {
        tournament,
        recorder,
        files,
        stalls,
        concurrency,
        plays,
    })?;
    // Once every game is there, a record that was left out says nothing of this part any more.
    Ok(RunSummary { ending, left_out: if is_complete { 0 } else { invalid.len() } })
}

/// A program that nothing was known of, since it was not there or somebody has accepted another one, is from now on the one that is played with.
fn record_programs(
    dir: &Path,
    manifest: &Manifest,
    engines: &[Engine],
    files: &[Option<ProgramFile>],
) -> Result<(), RecordError> {
    let found = engines
        .iter()
        .zip(files)
        .filter_map(|(engine, file)| Some((&engine.name, file.as_ref()?.digest())));
    let mut news = found.filter(|(name, _)| !manifest.programs.contains_key(*name)).peekable();
    if news.peek().is_none() {
        return Ok(());
    }
    // As it stands there, without what is adjusted for now.
    let mut kept = manifest::read(dir)?;
    kept.programs.extend(news.map(|(name, digest)| (name.clone(), digest.to_owned())));
    manifest::replace(dir, &kept)
}

/// Plays the missing games.
struct Play<'a> {
    tournament: &'a Tournament,
    recorder: Recorder<'a>,
    files: Vec<Option<ProgramFile>>,
    stalls: StallDetector,
    concurrency: usize,
    /// Whether any game is to be played.
    plays: bool,
}

impl Visitor for Play<'_> {
    /// How it ended, and whether all games are there.
    type Output = Result<(Ending, bool), TournamentError>;

    fn visit<G: Notation>(self, start: G) -> Self::Output {
        let Play { tournament, mut recorder, files, stalls, concurrency, plays } = self;
        let schedule = tournament.schedule();
        let book = Book::new(&tournament.openings, &schedule, start)?;
        let participants = recorder
            .engines
            .iter()
            .cloned()
            .zip(files)
            .map(|(engine, file)| Participant { engine, file })
            .collect();
        let queue = Queue::new(recorder.standings.missing().take_while(|_| plays), concurrency);
        let live = match (tournament.live && plays)
            .then(|| Live::begin(recorder.dir, concurrency))
            .transpose()
        {
            Ok(live) => live,
            Err(error) => {
                recorder
                    .progress
                    .warn(&format!("{}: nobody can watch: {error}", recorder.dir.display()));
                None
            }
        };
        let workers = Workers {
            schedule: &schedule,
            book: &book,
            participants,
            variant: tournament.variant.0,
            queue: &queue,
            faults_left: FaultsLeft::new(if tournament.strict {
                Some(0)
            } else {
                recorder.standings.faults_left()
            }),
            resign: tournament.resign,
            interrupt: recorder.interrupt,
            stalls: &stalls,
            live: live.as_ref(),
        };
        let (sender, receiver) = sync_channel(EVENTS);
        thread::scope(|scope| {
            let mut sender = Some(sender);
            let mut begun = 0;
            let mut result = Ok(());
            let mut looked = Instant::now();
            loop {
                // However many threads there are to be, the first ones are heard, and a signal is, before the last one is started.
                if let Some(desk) =
                    sender.take_if(|_| begun == concurrency || recorder.interrupt.is_raised())
                {
                    queue.remove_workers(concurrency - begun);
                    drop(desk);
                }
                if let Some(desk) = sender.clone() {
                    let (workers, index) = (&workers, begun);
                    match thread::Builder::new()
                        .spawn_scoped(scope, move || workers.play_all(index, &desk))
                    {
                        Ok(_) => begun += 1,
                        Err(source) if begun == 0 => return Err(TournamentError::Thread(source)),
                        Err(source) => {
                            recorder
                                .progress
                                .warn(&format!("only {begun} games are played at once: {source}"));
                            queue.remove_workers(concurrency - begun);
                            sender = None;
                        }
                    }
                }
                let timeout = if sender.is_some() { Duration::ZERO } else { POLL_INTERVAL };
                let event = match receiver.recv_timeout(timeout) {
                    Ok(event) => Some(event),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if let Some(event) = event.filter(|_| result.is_ok()) {
                    result = recorder.take(event);
                    if result.is_err() {
                        recorder.interrupt.stop_now();
                    }
                }
                if looked.elapsed() >= POLL_INTERVAL {
                    recorder.check_for_stop();
                    looked = Instant::now();
                }
            }
            result
        })?;
        recorder.close()
    }
}

/// How many events may wait for the recorder; then the worker threads wait.
const EVENTS: usize = 64;

/// Receives the results: one thread records, counts and prints them, and decides whether to go on.
struct Recorder<'a> {
    dir: &'a Path,
    manifest: &'a Manifest,
    engines: Vec<Engine>,
    standings: Standings,
    journal: Journal,
    progress: Progress,
    interrupt: &'a Interrupt,
    fault: bool,
    /// Why no engine can be started any more, and the remedy.
    start_error: Option<String>,
    /// Why no more games are wanted.
    stopped: Option<String>,
    has_warned: bool,
    /// The last words of each engine that were printed last.
    stderr_tail: BTreeMap<String, StderrTail>,
    /// When this run began.
    begun: Instant,
}

impl Recorder<'_> {
    fn take(&mut self, event: Event) -> Result<(), TournamentError> {
        match event {
            Event::Started(game) => {
                let name = |player: Player| {
                    let engine = game
                        .pair
                        .engines
                        .get(game.side_of(player))
                        .and_then(|&index| self.engines.get(index));
                    engine.map(|engine| engine.name.as_str()).unwrap_or_default()
                };
                self.progress.started(
                    game.number,
                    self.standings.schedule().games(),
                    name(Player::Black),
                    name(Player::White),
                );
                Ok(())
            }
            Event::Finished(record) => Ok(self.finish(&record)?),
            Event::Failed(error) => Err(error.into()),
            Event::WorkerEnded(error) => {
                self.progress.warn(&format!(
                    "one game fewer is played at once: {error}; {}",
                    error.remedy()
                ));
                Ok(())
            }
            Event::EnginesUnavailable(error) => {
                self.start_error = self
                    .start_error
                    .take()
                    .or_else(|| Some(format!("{error}; {}", error.remedy())));
                Ok(())
            }
        }
    }

    fn finish(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        self.journal.append(record)?;
        let pairs_before = self.standings.finished_pairs();
        self.standings.add(record);
        self.progress.finished(record, &self.standings);
        if let Some(fault) = FaultyGame::of(record) {
            self.fault |= self.manifest.tournament.strict;
            self.show_stderr_tail(fault);
        }
        if self.standings.decision() != Decision::Continue {
            self.interrupt.stop_now();
        }
        let round = self.standings.schedule().pairings().len() as u64;
        let pairs_between =
            self.manifest.tournament.ratinginterval.get().saturating_mul(round).max(1);
        let pairs = self.standings.finished_pairs();
        let is_due = pairs > pairs_before && pairs.is_multiple_of(pairs_between);
        // The final standings are printed at the end.
        let goes_on = !self.standings.is_complete() && !self.interrupt.is_raised();
        if is_due && goes_on {
            self.warn_of_repeats();
            self.show_standings();
        }
        Ok(())
    }

    /// Prints the last words of an engine at fault, unless they are those of its last fault. The
    /// fault that ends a sequential test is reported at its end.
    fn show_stderr_tail(&mut self, fault: FaultyGame) {
        let is_last = self.standings.excess_fault().is_some_and(|excess| excess.game == fault.game);
        if is_last || self.stderr_tail.get(&fault.engine) == Some(&fault.stderr_tail) {
            return;
        }
        if let Some(warning) = report::stderr_tail(&fault) {
            self.progress.warn(&warning);
        }
        self.stderr_tail.insert(fault.engine, fault.stderr_tail);
    }

    /// What is wanted no more is not played to its end either: nothing depends on it.
    fn check_for_stop(&mut self) {
        if self.stopped.is_none() {
            self.stopped = stop::read(self.dir);
            if self.stopped.is_some() {
                self.interrupt.stop_now();
            }
        }
    }

    fn warn_of_repeats(&mut self) {
        if let Some(distinct) = self.standings.too_few_distinct().filter(|_| !self.has_warned) {
            self.has_warned = true;
            self.progress.warn(&format!(
                "only {distinct} of {} games differ: the engines answer always the same from the same openings; \
                 expected openings of their own or engines that take a Seed",
                self.standings.played()
            ));
        }
    }

    fn show_standings(&self) {
        let openings = self.manifest.tournament.openings.file_name();
        self.progress.say(&report::standings(&self.standings, &self.engines, &openings));
    }

    /// Flushes everything to disk; returns how it ended, and whether all games are there.
    fn close(mut self) -> Result<(Ending, bool), TournamentError> {
        self.journal.sync()?;
        self.progress.end();
        self.warn_of_repeats();
        self.show_standings();
        let sprt = self.standings.sprt();
        if let Some(verdict) = report::verdict(&self.standings) {
            self.progress.say(&verdict);
        }
        let is_complete = self.standings.is_complete();
        let dir = self.dir.display();
        let excess = self.standings.excess_fault();
        if let Some(fault) = excess {
            self.progress.error(&report::fault(fault));
        }
        let remedy = report::remedy(&self.standings, self.dir);
        let last_line = match &self.stopped {
            _ if let Some(remedy) = remedy => remedy,
            _ if is_complete => "Tournament finished\nFinished match".to_owned(),
            Some(reason) => stop::sentence(self.dir, reason),
            None => format!("Stopped; `basho resume {dir}` plays the games that are missing"),
        };
        if let Some(start_error) = self.start_error.as_ref().filter(|_| !is_complete) {
            self.progress.error(start_error);
        }
        self.progress.say(&last_line);
        self.progress.say(&report::total_time(self.begun.elapsed()));
        let ending = match sprt {
            _ if self.fault || excess.is_some() => Ending::Fault,
            _ if !is_complete && self.start_error.is_some() => Ending::EnginesUnavailable,
            _ if !is_complete && self.stopped.is_none() => Ending::Interrupted,
            Some(state) => Ending::Tested(state.decision),
            None => Ending::Finished,
        };
        Ok((ending, is_complete))
    }
}
