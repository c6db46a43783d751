//! Runs a tournament: hands the games to the worker threads, records them, and ends when all are played, when the sequential test has
//! decided, or when it is interrupted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use super::client::{Client, StartError};
use super::interrupt::{GRACE, Interrupt};
use super::openings::{Book, OpeningError};
use super::player::Player as Contestant;
use super::process::SpawnError;
use super::program::ProgramFile;
use super::watch::Watch;
use super::workers::{Event, Participant, Queue, Workers};
use crate::game::{Player, Text};
use crate::games::Visitor;
use crate::protocol::OptionKind;
use crate::runner::config::{ConfigError, Engine, OptionText, Program, Tournament};
use crate::runner::output::progress::Progress;
use crate::runner::output::report;
use crate::runner::output::terminal::one_line;
use crate::runner::records::audit::{self, Audit, AuditError};
use crate::runner::records::folder::RecordError;
use crate::runner::records::journal::Journal;
use crate::runner::records::live::Live;
use crate::runner::records::manifest::{self, Manifest};
use crate::runner::records::record::{GameRecord, Reason};
use crate::runner::statistics::sprt::Decision;
use crate::runner::statistics::standings::Standings;

/// How a tournament ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All games of this part are played, and there is no test here.
    Finished,
    /// The sequential test ended it, or was undecided when all games were played.
    Tested(Decision),
    /// An engine was at fault, and the tournament is strict.
    Fault,
    /// It was interrupted; `resume` goes on with it.
    Interrupted,
    /// No engine can be started any more, for want of resources; `resume` goes on with it.
    Hindered,
}

/// The result of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// How it ended.
    pub ending: Ending,
    /// How many invalid records in the folder were left out.
    pub left_out: usize,
}

/// Why a tournament cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// It is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its openings are not valid.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// An engine cannot play in it.
    #[error("engine {number} ({name}): {source}")]
    Engine {
        /// Which engine, from 1.
        number: usize,
        /// Its name.
        name: String,
        /// Why not.
        source: StartError,
    },
    /// An engine's program cannot be run now, for want of resources or because it has changed since the tournament began.
    #[error("engine {number} ({name}): {source}; {remedy}", remedy = source.remedy())]
    Program {
        /// Which engine, from 1.
        number: usize,
        /// Its name.
        name: String,
        /// What is wrong.
        source: SpawnError,
    },
    /// Its folder is at fault.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// The games in its folder cannot be read.
    #[error("{0}")]
    Audit(#[from] AuditError),
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}; expected a higher limit (`ulimit -u`)")]
    Thread(std::io::Error),
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
) -> Result<Played, TournamentError> {
    let progress = Progress::without_bar();
    for warning in check_engines(&mut manifest, interrupt)? {
        progress.warn(&warning);
    }
    if interrupt.is_raised() {
        progress.say("Stopped before the first game; nothing is recorded");
        return Ok(Played { ending: Ending::Interrupted, left_out: 0 });
    }
    with_game(&manifest.tournament, CheckOpenings(&manifest.tournament))?;
    let dir = create_first(dirs, &manifest)?;
    progress.say(&format!("Games are recorded in {}", dir.display()));
    resume(&dir, None, interrupt)
}

/// Makes the first of these folders that does not exist. Other processes may do the same at the same time.
fn create_first(dirs: impl IntoIterator<Item = PathBuf>, manifest: &Manifest) -> Result<PathBuf, RecordError> {
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
pub fn resume(dir: &Path, concurrency: Option<usize>, interrupt: &Interrupt) -> Result<Played, TournamentError> {
    let manifest = manifest::read(dir)?;
    let tournament = &manifest.tournament;
    let engines = tournament.engines()?;
    let journal = Journal::open(dir)?;
    let Audit { standings, problems, whole, .. } = audit::games(dir, &manifest, |_, _| ())?;
    journal.cut(whole)?;
    let files = match standings.is_complete() {
        true => engines.iter().map(|_| None).collect(),
        false => program_files(&engines, &manifest.programs)?,
    };
    let concurrency = concurrency.unwrap_or(tournament.concurrency.get());
    let progress = Progress::new(standings.planned(), standings.played());
    for problem in &problems {
        progress.warn(&one_line(&format!("{}: {problem}; the record is left out", dir.display())));
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if concurrency > cores {
        progress.warn(&format!("{concurrency} games at once on {cores} cores: engines will wait for each other"));
    }
    let watch = Watch::begin().map_err(TournamentError::Thread)?;
    let recorder = Recorder {
        dir,
        manifest: &manifest,
        engines,
        standings,
        journal,
        progress,
        interrupt,
        fault: false,
        hindrance: None,
        has_warned: false,
    };
    let ending = with_game(tournament, Play { tournament, recorder, files, watch, concurrency })?;
    Ok(Played { ending, left_out: problems.len() })
}

/// The file of each engine's program, if it has one; it must be the same as before, if that is known.
fn program_files(engines: &[Engine], known: &BTreeMap<String, String>) -> Result<Vec<Option<ProgramFile>>, TournamentError> {
    let file = |(index, engine): (usize, &Engine)| {
        let Program::Child(program) = &engine.program else { return Ok(None) };
        let path = program.path.clone();
        let digest = known.get(&engine.name);
        let source = match ProgramFile::read(&program.path) {
            Ok(file) if digest.is_none_or(|digest| digest == file.digest()) => return Ok(Some(file)),
            Ok(_) => SpawnError::Changed { path },
            // There is nothing to compare it with; a file that cannot be read may still be executable.
            Err(_) if digest.is_none() => return Ok(None),
            Err(source) => SpawnError::Program { path, source },
        };
        Err(TournamentError::Program { number: index + 1, name: one_line(&engine.name).into_owned(), source })
    };
    engines.iter().enumerate().map(file).collect()
}

/// Starts every engine once, to see that it runs and accepts its options. One that does not answer only causes a warning: it will
/// lose its games. Its name and its default memory and threads become part of the tournament's records.
fn check_engines(manifest: &mut Manifest, interrupt: &Interrupt) -> Result<Vec<String>, TournamentError> {
    let tournament = &mut manifest.tournament;
    let variant = tournament.variant.0;
    let mut warnings = Vec::new();
    for (index, (engine, table)) in tournament.engines()?.into_iter().zip(&mut tournament.engines).enumerate() {
        let name = one_line(&engine.name).into_owned();
        let options = engine.options.clone();
        let hindered = |name, source| TournamentError::Program { number: index + 1, name, source };
        if let Program::Child(program) = &engine.program {
            match ProgramFile::read(&program.path).map_err(|source| SpawnError::Program { path: program.path.clone(), source }) {
                Ok(file) => drop(manifest.programs.insert(engine.name.clone(), file.digest().to_owned())),
                Err(error) if error.is_shortage() => return Err(hindered(name, error)),
                // A file that cannot be read may still be executable.
                Err(_) => {}
            }
        }
        match Contestant::new(engine, None, variant, interrupt.clone()).start() {
            Ok(Some(client)) => {
                for option in ["Hash", "Threads"] {
                    if let Some(default) = default_number(client, option)
                        && !options.keys().any(|known| known.eq_ignore_ascii_case(option))
                    {
                        table.option.insert(option.to_owned(), OptionText(default.to_string()));
                    }
                }
            }
            Ok(None) => {}
            // An engine that is told to end may end in any way.
            Err(StartError::Client(_)) if interrupt.is_raised_within(GRACE) => return Ok(warnings),
            Err(StartError::Client(failure)) => {
                warnings.push(format!("engine {} ({name}) does not start properly: {failure}", index + 1))
            }
            Err(StartError::Spawn(error)) if error.is_shortage() => return Err(hindered(name, error)),
            Err(source) => return Err(TournamentError::Engine { number: index + 1, name, source }),
        }
    }
    Ok(warnings)
}

fn default_number(client: &Client, option: &str) -> Option<i64> {
    match client.option(option)?.kind {
        OptionKind::Spin { default, .. } => Some(default),
        _ => None,
    }
}

fn with_game<V: Visitor>(tournament: &Tournament, visitor: V) -> V::Output {
    tournament.variant.0.start().visit(visitor)
}

/// Reads the openings and draws the first one, to see that they are valid.
struct CheckOpenings<'a>(&'a Tournament);

impl Visitor for CheckOpenings<'_> {
    type Output = Result<(), OpeningError>;

    fn visit<G: Text>(self, start: G) -> Self::Output {
        let schedule = self.0.schedule();
        Book::new(&self.0.openings, &schedule, start)?.opening(&schedule, 0).map(drop)
    }
}

/// Plays the missing games.
struct Play<'a> {
    tournament: &'a Tournament,
    recorder: Recorder<'a>,
    files: Vec<Option<ProgramFile>>,
    watch: Watch,
    concurrency: usize,
}

impl Visitor for Play<'_> {
    type Output = Result<Ending, TournamentError>;

    fn visit<G: Text>(self, start: G) -> Self::Output {
        let Play { tournament, mut recorder, files, watch, concurrency } = self;
        let schedule = tournament.schedule();
        let book = Book::new(&tournament.openings, &schedule, start)?;
        let participants =
            recorder.engines.iter().cloned().zip(files).map(|(engine, file)| Participant { engine, file }).collect();
        let queue = Queue::new(recorder.standings.missing(), concurrency);
        let live = match tournament.live.then(|| Live::begin(recorder.dir, concurrency)).transpose() {
            Ok(live) => live,
            Err(error) => {
                recorder.progress.warn(&format!("{}: nobody can watch: {error}", recorder.dir.display()));
                None
            }
        };
        let workers = Workers {
            schedule: &schedule,
            book: &book,
            participants,
            variant: tournament.variant.0,
            queue: &queue,
            is_strict: tournament.strict,
            interrupt: recorder.interrupt,
            watch: &watch,
            live: live.as_ref(),
        };
        let (sender, receiver) = sync_channel(EVENTS);
        thread::scope(|scope| {
            for begun in 0..concurrency {
                let (workers, desk_of_thread) = (&workers, sender.clone());
                if let Err(source) = thread::Builder::new().spawn_scoped(scope, move || workers.play_all(begun, &desk_of_thread))
                {
                    if begun == 0 {
                        return Err(TournamentError::Thread(source));
                    }
                    recorder.progress.warn(&format!("only {begun} games are played at once: {source}"));
                    queue.leave(concurrency - begun);
                    break;
                }
            }
            drop(sender);
            let mut result = Ok(());
            for event in receiver {
                if result.is_ok() {
                    result = recorder.take(event);
                    if result.is_err() {
                        recorder.interrupt.stop_now();
                    }
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
    hindrance: Option<String>,
    has_warned: bool,
}

impl Recorder<'_> {
    fn take(&mut self, event: Event) -> Result<(), TournamentError> {
        match event {
            Event::Started(game) => {
                let name = |player: Player| {
                    let engine = game.pair.engines.get(game.side_of(player)).and_then(|&index| self.engines.get(index));
                    engine.map(|engine| engine.name.as_str()).unwrap_or_default()
                };
                self.progress.started(game.number, name(Player::Black), name(Player::White));
                Ok(())
            }
            Event::Finished(record) => Ok(self.finish(&record)?),
            Event::Failed(error) => Err(error.into()),
            Event::Fewer(error) => {
                self.progress.warn(&format!("one game fewer is played at once: {error}; {}", error.remedy()));
                Ok(())
            }
            Event::Hindered(error) => {
                self.hindrance = self.hindrance.take().or_else(|| Some(format!("{error}; {}", error.remedy())));
                Ok(())
            }
        }
    }

    fn finish(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        self.journal.append(record)?;
        self.standings.add(record);
        self.progress.finished(record, &self.standings);
        self.fault |= self.manifest.tournament.strict && record.reason.is_fault();
        if self.standings.decision() != Decision::Continue {
            self.interrupt.stop_now();
        }
        let games_between = 2 * self.manifest.tournament.ratinginterval.get() * self.standings.schedule().pairings().len() as u64;
        let is_due = self.standings.played().is_multiple_of(games_between.max(1)) && record.reason != Reason::Interrupted;
        // The final standings are printed at the end.
        let goes_on = !self.standings.is_complete() && !self.interrupt.is_raised();
        if is_due && goes_on {
            self.warn_of_repeats();
            self.show_standings();
        }
        Ok(())
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

    /// Flushes everything to disk and returns how it ended.
    fn close(mut self) -> Result<Ending, TournamentError> {
        self.journal.sync()?;
        self.progress.end();
        self.warn_of_repeats();
        self.show_standings();
        let trial = self.standings.trial();
        if let Some(decision) = trial.and_then(report::decision) {
            self.progress.say(&decision);
        }
        let is_complete = self.standings.is_complete();
        let farewell = match is_complete {
            true => "Tournament finished".to_owned(),
            false => format!("Stopped; `basho resume {}` plays the games that are missing", self.dir.display()),
        };
        if let Some(hindrance) = self.hindrance.as_ref().filter(|_| !is_complete) {
            self.progress.error(hindrance);
        }
        self.progress.say(&farewell);
        Ok(match trial {
            _ if self.fault => Ending::Fault,
            _ if !is_complete && self.hindrance.is_some() => Ending::Hindered,
            _ if !is_complete => Ending::Interrupted,
            Some(trial) => Ending::Tested(trial.decision),
            None => Ending::Finished,
        })
    }
}
