//! Runs a tournament: workers play the games, a recorder stores them. It ends when all games are
//! played, the sequential test has decided, or an interrupt comes.

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
pub use super::recorder::Ending;
use super::recorder::Recorder;
use super::stall_detector::StallDetector;
use super::workers::{FaultsLeft, Participant, Queue, Workers};
use crate::config::{ConfigError, Engine, Tournament};
use crate::openings::Book;
use crate::output::progress::Progress;
use crate::printable::one_line;
use crate::records::difference;
use crate::records::folder::RecordError;
use crate::records::journal::{self, Journal};
use crate::records::live::Live;
use crate::records::load::{self, LoadedGames};
use crate::records::manifest::{self, Manifest};
use crate::records::stop;
use crate::statistics::sprt::Decision;
use oshi::games::Visitor;
use oshi::games::notation::Notation;

/// Result of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunSummary {
    /// How it ended.
    pub ending: Ending,
    /// Number of invalid records that were left out, if games are still missing.
    pub left_out: usize,
}

/// Starts a tournament in the first of these folders that is free, and plays it.
///
/// The folder is created after the openings were read and every engine was started once.
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

/// Starts a tournament in a folder, or continues it if the folder holds the same one. So a
/// restarted job plays the missing games.
///
/// Waits while another process plays there.
///
/// # Errors
/// [`TournamentError`] says what is wrong, and where; [`RecordError::OtherTournament`] if the
/// folder holds another tournament.
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
            // Another process may have created it in the meantime.
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
            // Settings that may differ from run to run.
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

/// Opens the file of games as soon as no other process holds it; `None` after an interrupt.
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

/// Interval between two checks for a stop file, or for the end of another process.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Capacity of the channel to the recorder. Workers wait when it is full.
const EVENT_CAPACITY: usize = 64;

/// Creates the first of these folders that does not exist. Other processes may try the same.
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

/// Continues the tournament of a folder: plays exactly the missing games.
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

/// Settings changed by a resumption; `None` leaves a setting unchanged.
#[derive(Clone, Copy, Default, Debug)]
pub struct Changes {
    /// Concurrency of this run.
    pub concurrency: Option<NonZeroUsize>,
    /// Number of faults that the sequential test tolerates from now on.
    pub tolerate_faults: Option<u32>,
}

/// Effect of recorded faults on a strict tournament.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EarlierFaults {
    /// They have ended the tournament.
    Count,
    /// The user has seen them and continues.
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
    // No more workers than missing games.
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
    // Once all games are there, a skipped record no longer matters.
    Ok(RunSummary { ending, left_out: if is_complete { 0 } else { invalid.len() } })
}

/// Records the digest of a program that has none: it was not readable before, or the user has
/// accepted a new one by removing the old digest.
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
    let mut added = found.filter(|(name, _)| !manifest.programs.contains_key(*name)).peekable();
    if added.peek().is_none() {
        return Ok(());
    }
    // Reread, without this run's adjustments.
    let mut kept = manifest::read(dir)?;
    kept.programs.extend(added.map(|(name, digest)| (name.clone(), digest.to_owned())));
    manifest::replace(dir, &kept)
}

/// Plays the missing games.
struct Play<'a> {
    tournament: &'a Tournament,
    recorder: Recorder<'a>,
    files: Vec<Option<ProgramFile>>,
    stalls: StallDetector,
    concurrency: usize,
    /// Whether there are games to play.
    plays: bool,
}

impl Visitor for Play<'_> {
    /// How the run ended, and whether all games are played.
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
                recorder.progress.warn(&format!(
                    "{}: cannot write games in progress for spectators: {error}",
                    recorder.dir.display()
                ));
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
        let (sender, receiver) = sync_channel(EVENT_CAPACITY);
        thread::scope(|scope| {
            let mut sender = Some(sender);
            let mut begun = 0;
            let mut result = Ok(());
            let mut looked = Instant::now();
            loop {
                // Start one worker per iteration, so that events and interrupts are handled in
                // between.
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
