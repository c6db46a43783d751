//! Runs a tournament: hands the games to as many threads as play at once, records them, and ends when all are played, when
//! the sequential test has decided, or when it is told to.

use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::audit::{self, Audit, AuditError};
use super::client::{Client, StartError};
use super::config::{ConfigError, Engine, OptionText, Tournament};
use super::interrupt::Interrupt;
use super::openings::{Book, Opening, OpeningError};
use super::player::Player as Contestant;
use super::progress::Progress;
use super::record::{self, GameRecord, Journal, Manifest, OpeningRecord, PlayerRecord, RecordError, RecordFormat};
use super::referee::{self, PlayedGame, Reason};
use super::report;
use super::schedule::{Game as ScheduledGame, Schedule};
use super::sprt::Decision;
use super::standings::Standings;
use super::terminal::one_line;
use crate::game::{Player, Text};
use crate::games::kamisado::Layout;
use crate::games::{Variant, Visitor};
use crate::protocol::OptionKind;

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
}

/// What was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// How it ended.
    pub ending: Ending,
    /// How many records in the folder do not hold, and were left out.
    pub left_out: usize,
}

/// Why a tournament cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// It was not stated well.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its openings are at fault.
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
    /// Its folder is at fault.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// The games in its folder cannot be read.
    #[error("{0}")]
    Audit(#[from] AuditError),
    /// Not one thread can be started to play on.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// Begins a tournament in a new folder and plays it. Nothing is made until all is known to be well: the openings are read
/// and every engine was started once.
///
/// # Errors
/// [`TournamentError`] says what is wrong where.
pub fn run(mut manifest: Manifest, dir: &Path, interrupt: &Interrupt) -> Result<Played, TournamentError> {
    let progress = Progress::without_bar();
    for warning in check_engines(&mut manifest.tournament, interrupt)? {
        progress.warn(&warning);
    }
    with_game(&manifest.tournament, CheckOpenings(&manifest.tournament))?;
    record::create(dir, &manifest)?;
    progress.say(&format!("Games are recorded in {}", dir.display()));
    resume(dir, None, interrupt)
}

/// Goes on with the tournament of a folder: plays exactly the games that are missing.
///
/// # Errors
/// [`TournamentError`] says what is wrong where.
pub fn resume(dir: &Path, concurrency: Option<usize>, interrupt: &Interrupt) -> Result<Played, TournamentError> {
    let manifest = record::manifest(dir)?;
    let tournament = &manifest.tournament;
    let engines = tournament.engines()?;
    let journal = Journal::open(dir)?;
    let Audit { standings, problems, whole } = audit::games(dir, &manifest, |_, _| ())?;
    journal.cut(whole)?;
    let concurrency = concurrency.unwrap_or(tournament.concurrency.get());
    let progress = Progress::new(standings.planned(), standings.played());
    for problem in &problems {
        progress.warn(&one_line(&format!("{}: {problem}; the record is left out", dir.display())));
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if concurrency > cores {
        progress.warn(&format!("{concurrency} games at once on {cores} cores: engines will wait for each other"));
    }
    let desk =
        Desk { dir, manifest: &manifest, engines, standings, journal, progress, interrupt, fault: false, has_warned: false };
    let ending = with_game(tournament, Play { tournament, desk, concurrency })?;
    Ok(Played { ending, left_out: problems.len() })
}

/// What the openings are called in a report: the name of their file.
pub fn openings_name(tournament: &Tournament) -> String {
    let file = tournament.openings.file.as_deref().and_then(Path::file_name);
    file.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Starts every engine once, to see that it is a program and takes its options. One that does not answer is only warned of:
/// it will lose its games. What it uses of memory and threads by default becomes part of the tournament, for the record.
fn check_engines(tournament: &mut Tournament, interrupt: &Interrupt) -> Result<Vec<String>, TournamentError> {
    let variant = tournament.variant.0;
    let mut warnings = Vec::new();
    for (index, (engine, table)) in tournament.engines()?.into_iter().zip(&mut tournament.engines).enumerate() {
        let name = one_line(&engine.name).into_owned();
        let options = engine.options.clone();
        match Contestant::new(engine, variant, interrupt.clone()).start() {
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
            Err(StartError::Halt(halt)) => warnings.push(format!("engine {} ({name}) does not start well: {halt}", index + 1)),
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
    tournament.variant.0.visit_start(Layout::default(), visitor)
}

/// Reads the openings and draws the first one, to see that they are well.
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
    desk: Desk<'a>,
    concurrency: usize,
}

impl Visitor for Play<'_> {
    type Output = Result<Ending, TournamentError>;

    fn visit<G: Text>(self, start: G) -> Self::Output {
        let Play { tournament, mut desk, concurrency } = self;
        let schedule = tournament.schedule();
        let book = Book::new(&tournament.openings, &schedule, start)?;
        let waiting = Mutex::new(desk.standings.missing());
        let hall = Hall {
            schedule: &schedule,
            book: &book,
            engines: desk.engines.clone(),
            variant: tournament.variant.0,
            waiting: &waiting,
            is_strict: tournament.strict,
            interrupt: desk.interrupt,
        };
        let (sender, receiver) = sync_channel(EVENTS);
        thread::scope(|scope| {
            for begun in 0..concurrency {
                let desk_of_thread = sender.clone();
                if let Err(source) = thread::Builder::new().spawn_scoped(scope, || hall.play_all(desk_of_thread)) {
                    if begun == 0 {
                        return Err(TournamentError::Thread(source));
                    }
                    desk.progress.warn(&format!("only {begun} games are played at once: {source}"));
                    break;
                }
            }
            drop(sender);
            let mut result = Ok(());
            for event in receiver {
                if result.is_ok() {
                    result = desk.take(event);
                    if result.is_err() {
                        desk.interrupt.stop_now();
                    }
                }
            }
            result
        })?;
        desk.close()
    }
}

/// How many events may wait for the desk before the threads do.
const EVENTS: usize = 64;

/// What the threads tell the desk.
enum Event {
    Started(ScheduledGame),
    Finished(Box<GameRecord>),
    Failed(OpeningError),
}

/// Where the games are played.
struct Hall<'a, G: Text, I> {
    schedule: &'a Schedule,
    book: &'a Book<G>,
    engines: Vec<Engine>,
    variant: Variant,
    waiting: &'a Mutex<I>,
    is_strict: bool,
    interrupt: &'a Interrupt,
}

impl<G: Text, I: Iterator<Item = u64>> Hall<'_, G, I> {
    /// One thread's work: plays one waiting game after the other. The engines of a game stay for the next one.
    fn play_all(&self, desk: SyncSender<Event>) {
        let mut seated: Option<([usize; 2], [Contestant; 2])> = None;
        while let Some(game) = self.next_game() {
            let _ = desk.send(Event::Started(game));
            let opening = match self.book.opening(self.schedule, game.pair.round) {
                Ok(opening) => opening,
                Err(error) => {
                    let _ = desk.send(Event::Failed(error));
                    return;
                }
            };
            let contestants = match &mut seated {
                Some((engines, contestants)) if *engines == game.pair.engines => contestants,
                other => {
                    // Those of the game before are gone before others take their memory.
                    *other = None;
                    let Some(contestants) = self.seat(game.pair.engines) else { return };
                    &mut other.insert((game.pair.engines, contestants)).1
                }
            };
            let [first, second] = contestants;
            let [first_seed, second_seed] = game.pair.seeds;
            let players = match game.opener {
                0 => [(first, first_seed), (second, second_seed)],
                _ => [(second, second_seed), (first, first_seed)],
            };
            let played = referee::play(&opening, players);
            if self.is_strict && played.reason.is_fault() {
                // Here, and not where it is counted, so that this thread begins no other game meanwhile.
                self.interrupt.stop_now();
            }
            let _ = desk.send(Event::Finished(Box::new(self.record(&game, &opening, played))));
        }
    }

    fn next_game(&self) -> Option<ScheduledGame> {
        if self.interrupt.is_raised() {
            return None;
        }
        // Nobody panics while holding the lock; if someone did, the iterator would still be sound.
        let number = self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next()?;
        self.schedule.game(number)
    }

    fn seat(&self, engines: [usize; 2]) -> Option<[Contestant; 2]> {
        let [first, second] = engines.map(|index| {
            let engine = self.engines.get(index)?.clone();
            Some(Contestant::new(engine, self.variant, self.interrupt.clone()))
        });
        Some([first?, second?])
    }

    fn record(&self, game: &ScheduledGame, opening: &Opening<G>, played: PlayedGame) -> GameRecord {
        let player = |player: Player| {
            let side = game.side_of(player);
            let engine = game.pair.engines.get(side).and_then(|&index| self.engines.get(index));
            PlayerRecord {
                name: engine.map(|engine| engine.name.clone()).unwrap_or_default(),
                limit: engine.and_then(|engine| engine.limit).map(|limit| limit.to_string()).unwrap_or_default(),
                seed: game.pair.seeds.get(side).copied().unwrap_or_default(),
                options: engine.map(|engine| engine.options.clone()).unwrap_or_default(),
            }
        };
        GameRecord {
            format: RecordFormat,
            game: game.number,
            pair: game.pair.number + 1,
            round: game.pair.round + 1,
            black: player(Player::Black),
            white: player(Player::White),
            opening: OpeningRecord {
                start: opening.start_line(),
                moves: opening.moves().iter().map(ToString::to_string).collect(),
            },
            moves: played.moves,
            result: played.score,
            reason: played.reason,
            detail: played.detail,
        }
    }
}

/// Where the results come in: one thread records, counts, shows and decides.
struct Desk<'a> {
    dir: &'a Path,
    manifest: &'a Manifest,
    engines: Vec<Engine>,
    standings: Standings,
    journal: Journal,
    progress: Progress,
    interrupt: &'a Interrupt,
    fault: bool,
    has_warned: bool,
}

impl Desk<'_> {
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
        // The last standings are those of the end.
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
        let openings = openings_name(&self.manifest.tournament);
        self.progress.say(&report::standings(&self.standings, &self.engines, &openings));
    }

    /// Brings all to the disk and says how it ended.
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
        self.progress.say(&farewell);
        Ok(match trial {
            _ if self.fault => Ending::Fault,
            _ if !is_complete => Ending::Interrupted,
            Some(trial) => Ending::Tested(trial.decision),
            None => Ending::Finished,
        })
    }
}
