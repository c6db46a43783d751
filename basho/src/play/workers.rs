//! The worker threads: each takes one waiting game after another, and replays games that were decided by a cause outside the game.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::interrupt::Interrupt;
use super::player::Player as Contestant;
use super::process::SpawnError;
use super::program::ProgramFile;
use super::referee::{self, OutsideCause, PlayedGame};
use super::stall_detector::StallDetector;
use crate::config::Engine;
use crate::config::resign::Resign;
use crate::config::schedule::{Game as ScheduledGame, Schedule};
use crate::openings::{Book, Opening, OpeningError};
use crate::record::{GameRecord, OpeningRecord, PlayerRecord, RecordFormat};
use crate::records::live::{Live, LiveGame, now_ms};
use oshi::game::{Player, Text};
use oshi::games::Variant;

/// How often a game is replayed that a cause outside it may have decided; after that the result stands.
const MAX_REPLAYS: usize = 3;

/// How long to wait between two tries to start an engine for which the machine lacks resources.
const RETRY_PAUSES: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
];

/// The events that worker threads send to the recorder.
pub enum Event {
    /// A game was begun.
    Started(ScheduledGame),
    /// A game ended, or was aborted.
    Finished(Box<GameRecord>),
    /// A game has no opening.
    Failed(OpeningError),
    /// A thread has ended because it cannot start its engines; the others play its games.
    WorkerEnded(SpawnError),
    /// No thread can start its engines.
    EnginesUnavailable(SpawnError),
}

/// A participant: an engine, and the file that its program must be.
pub struct Participant {
    /// The engine.
    pub engine: Engine,
    /// Its file, if it has one.
    pub file: Option<ProgramFile>,
}

/// The games that wait to be played, and how many threads take them.
pub struct Queue<I>(Mutex<Pending<I>>);

struct Pending<I> {
    /// Games that threads have returned.
    returned: Vec<u64>,
    games: I,
    threads: usize,
}

impl<I: Iterator<Item = u64>> Queue<I> {
    /// These games for `threads` threads.
    pub fn new(games: I, threads: usize) -> Queue<I> {
        Queue(Mutex::new(Pending { returned: Vec::new(), games, threads }))
    }

    /// The next game. If there is none, the calling thread is done.
    fn next(&self) -> Option<u64> {
        let mut waiting = self.lock();
        let next = waiting.returned.pop().or_else(|| waiting.games.next());
        if next.is_none() {
            waiting.threads -= 1;
        }
        next
    }

    /// Returns a thread's game for the others to play; `false` if there is no other thread.
    fn return_game(&self, game: u64) -> bool {
        let mut waiting = self.lock();
        waiting.returned.push(game);
        waiting.threads -= 1;
        waiting.threads > 0
    }

    /// Notes that this many threads could not be started.
    pub fn remove_workers(&self, threads: usize) {
        self.lock().threads -= threads;
    }

    fn lock(&self) -> MutexGuard<'_, Pending<I>> {
        // The list of games is consistent at every moment, even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Number of further faults before the tournament ends; without a number, faults never end it.
pub struct FaultsLeft(Option<AtomicU64>);

impl FaultsLeft {
    /// This many.
    pub fn new(count: Option<u64>) -> FaultsLeft {
        FaultsLeft(count.map(AtomicU64::new))
    }

    /// Counts a fault; returns whether it was one too many.
    fn is_used_up(&self) -> bool {
        let take = |left: &AtomicU64| {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        };
        self.0.as_ref().is_some_and(|left| take(left).is_err())
    }
}

/// What all worker threads share.
pub struct Workers<'a, G: Text, I> {
    /// The schedule.
    pub schedule: &'a Schedule,
    /// The openings.
    pub book: &'a Book<G>,
    /// The participants, by their numbers.
    pub participants: Vec<Participant>,
    /// The variant.
    pub variant: Variant,
    /// The waiting games.
    pub queue: &'a Queue<I>,
    /// Ends the tournament at a fault.
    pub faults_left: FaultsLeft,
    /// When a player resigns.
    pub resign: Option<Resign>,
    /// Interrupts the tournament.
    pub interrupt: &'a Interrupt,
    /// Detects stalls of the machine.
    pub stalls: &'a StallDetector,
    /// Shows the games to spectators.
    pub live: Option<&'a Live>,
}

impl<G: Text, I: Iterator<Item = u64>> Workers<'_, G, I> {
    /// The work of thread `index`: plays one waiting game after another. The engines of a game are kept for the next one.
    pub fn play_all(&self, index: usize, recorder: &SyncSender<Event>) {
        let mut seated: Option<([usize; 2], [Contestant; 2])> = None;
        while let Some(game) = self.next_game() {
            let _ = recorder.send(Event::Started(game));
            let opening = match self.book.opening(self.schedule, game.pair.round) {
                Ok(opening) => opening,
                Err(error) => {
                    let _ = recorder.send(Event::Failed(error));
                    return;
                }
            };
            let contestants = match &mut seated {
                Some((engines, contestants)) if *engines == game.pair.engines => contestants,
                other => {
                    // The engines of the previous game end before the next ones take memory.
                    *other = None;
                    let Some(contestants) = self.seat(game.pair.engines) else { return };
                    &mut other.insert((game.pair.engines, contestants)).1
                }
            };
            let (record, start_error) = self.play(index, &game, &opening, contestants);
            if record.reason.is_fault() && self.faults_left.is_used_up() {
                // Here rather than in the recorder, so that this thread begins no other game meanwhile.
                self.interrupt.stop_now();
            }
            let _ = recorder.send(Event::Finished(Box::new(record)));
            if let Some(error) = start_error {
                let others_go_on = self.queue.return_game(game.number);
                let event = if others_go_on && error.is_shortage() {
                    Event::WorkerEnded(error)
                } else {
                    self.interrupt.finish_games();
                    Event::EnginesUnavailable(error)
                };
                let _ = recorder.send(event);
                return;
            }
        }
    }

    /// Plays a game, and replays it if a cause outside it may have decided it: its record, and the error that kept it from being played.
    fn play(
        &self,
        index: usize,
        game: &ScheduledGame,
        opening: &Opening<G>,
        [first, second]: &mut [Contestant; 2],
    ) -> (GameRecord, Option<SpawnError>) {
        let [first_seed, second_seed] = game.pair.seeds;
        let mut replayed = Vec::new();
        // Threads that wait for the same resource try again at different moments.
        let mut pauses = RETRY_PAUSES.iter().map(|pause| pause.mul_f64(1.0 + index as f64 / 4.0));
        loop {
            let players = match game.opener {
                0 => [(&mut *first, first_seed), (&mut *second, second_seed)],
                _ => [(&mut *second, second_seed), (&mut *first, first_seed)],
            };
            let live = self.live.and_then(|live| live.slot(index));
            if let Some(slot) = live {
                slot.begin(self.live_game(game, opening));
            }
            let mut played =
                referee::play(opening, players, self.resign.as_ref(), self.stalls, live);
            let start_error = match played.outside_cause.take() {
                Some(OutsideCause::Disturbed(what)) if replayed.len() < MAX_REPLAYS => {
                    replayed.push(format!("{}; {what}", played.detail));
                    continue;
                }
                Some(OutsideCause::Disturbed(what)) => {
                    played.detail += &format!("; {what}, as in {MAX_REPLAYS} games before");
                    None
                }
                Some(OutsideCause::StartFailed(error)) => match pauses.next() {
                    Some(pause) if !error.is_final() && !self.interrupt.is_raised_within(pause) => {
                        continue;
                    }
                    _ => Some(error),
                },
                _ => None,
            };
            return (self.record(game, opening, played, replayed), start_error);
        }
    }

    fn next_game(&self) -> Option<ScheduledGame> {
        if self.interrupt.is_raised() {
            return None;
        }
        self.schedule.game(self.queue.next()?)
    }

    fn seat(&self, engines: [usize; 2]) -> Option<[Contestant; 2]> {
        let [first, second] = engines.map(|index| {
            let Participant { engine, file } = self.participants.get(index)?;
            Some(Contestant::new(
                engine.clone(),
                file.clone(),
                self.variant,
                self.interrupt.clone(),
            ))
        });
        Some([first?, second?])
    }

    fn engine(&self, game: &ScheduledGame, player: Player) -> Option<&Engine> {
        let index = *game.pair.engines.get(game.side_of(player))?;
        self.participants.get(index).map(|participant| &participant.engine)
    }

    /// What spectators see of a game before its first move.
    fn live_game(&self, game: &ScheduledGame, opening: &Opening<G>) -> LiveGame {
        let players = [Player::Black, Player::White];
        LiveGame {
            format: RecordFormat,
            game: game.number,
            players: players.map(|player| {
                self.engine(game, player).map(|engine| engine.name.clone()).unwrap_or_default()
            }),
            opening: recorded(opening),
            moves: Vec::new(),
            clock_ms: players.map(|player| {
                Some(self.engine(game, player)?.limit?.clock()?.remaining.as_millis() as u64)
            }),
            depths: [None; 2],
            variations: [Vec::new(), Vec::new()],
            since_ms: now_ms(),
        }
    }

    fn record(
        &self,
        game: &ScheduledGame,
        opening: &Opening<G>,
        played: PlayedGame,
        replayed: Vec<String>,
    ) -> GameRecord {
        let player = |player: Player| {
            let engine = self.engine(game, player);
            PlayerRecord {
                name: engine.map(|engine| engine.name.clone()).unwrap_or_default(),
                limit: engine
                    .and_then(|engine| engine.limit)
                    .map(|limit| limit.to_string())
                    .unwrap_or_default(),
                seed: game.pair.seeds.get(game.side_of(player)).copied(),
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
            date: None,
            opening: recorded(opening),
            moves: played.moves,
            result: played.score,
            reason: played.reason,
            detail: played.detail,
            stderr_tail: played.stderr_tail,
            replayed,
        }
    }
}

fn recorded<G: Text>(opening: &Opening<G>) -> OpeningRecord {
    OpeningRecord {
        start: opening.start_line(),
        moves: opening.moves().iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_is_given_back_is_played_by_who_is_left() {
        let queue = Queue::new(1..=2, 2);
        assert_eq!((queue.next(), queue.next()), (Some(1), Some(2)));
        assert!(queue.return_game(2));
        assert_eq!(queue.next(), Some(2));
        assert!(!queue.return_game(2), "nobody is left");
    }

    #[test]
    fn who_has_gone_plays_nothing_that_is_given_back() {
        let queue = Queue::new(1..=1, 2);
        assert_eq!((queue.next(), queue.next()), (Some(1), None));
        assert!(!queue.return_game(1));
    }
}
