//! The worker threads. Each takes one pending game after another, and replays games that a cause
//! outside them may have decided.

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

/// Maximum number of replays of a game. Then the result stands.
const MAX_REPLAYS: usize = 3;

/// Pauses between attempts to start an engine when the machine lacks resources.
const RETRY_PAUSES: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
];

/// Events that workers send to the recorder.
pub enum Event {
    /// A game has started.
    Started(ScheduledGame),
    /// A game has ended or was aborted.
    Finished(Box<GameRecord>),
    /// A game has no opening.
    Failed(OpeningError),
    /// A worker has ended because it cannot start its engines. Others play its games.
    WorkerEnded(SpawnError),
    /// No worker can start its engines.
    EnginesUnavailable(SpawnError),
}

/// An engine, and the file that its program must be.
pub struct Participant {
    /// The engine.
    pub engine: Engine,
    /// Expected file of its program, if known.
    pub file: Option<ProgramFile>,
}

/// The pending games, and the number of workers that take them.
pub struct Queue<I>(Mutex<Pending<I>>);

struct Pending<I> {
    /// Games that workers have returned.
    returned: Vec<u64>,
    games: I,
    threads: usize,
}

impl<I: Iterator<Item = u64>> Queue<I> {
    /// A queue of these games for `threads` workers.
    pub fn new(games: I, threads: usize) -> Queue<I> {
        Queue(Mutex::new(Pending { returned: Vec::new(), games, threads }))
    }

    /// The next game. Without one, the calling worker is done.
    fn next(&self) -> Option<u64> {
        let mut waiting = self.lock();
        let next = waiting.returned.pop().or_else(|| waiting.games.next());
        if next.is_none() {
            waiting.threads -= 1;
        }
        next
    }

    /// Returns a game to the queue as the calling worker ends; false if no other worker is left.
    fn return_game(&self, game: u64) -> bool {
        let mut waiting = self.lock();
        waiting.returned.push(game);
        waiting.threads -= 1;
        waiting.threads > 0
    }

    /// Notes that this many workers could not be started.
    pub fn remove_workers(&self, threads: usize) {
        self.lock().threads -= threads;
    }

    fn lock(&self) -> MutexGuard<'_, Pending<I>> {
        // The queue is consistent at every moment, even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Number of faults left before the tournament ends; unlimited without a number.
pub struct FaultsLeft(Option<AtomicU64>);

impl FaultsLeft {
    /// Allows `count` faults.
    pub fn new(count: Option<u64>) -> FaultsLeft {
        FaultsLeft(count.map(AtomicU64::new))
    }

    /// Counts a fault; returns whether it exceeds the limit.
    fn is_used_up(&self) -> bool {
        let take = |left: &AtomicU64| {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        };
        self.0.as_ref().is_some_and(|left| take(left).is_err())
    }
}

/// State shared by all workers.
pub struct Workers<'a, G: Text, I> {
    /// Schedule of the tournament.
    pub schedule: &'a Schedule,
    /// Openings of the tournament.
    pub book: &'a Book<G>,
    /// Engines, by index.
    pub participants: Vec<Participant>,
    /// Variant to play.
    pub variant: Variant,
    /// Pending games.
    pub queue: &'a Queue<I>,
    /// Faults left before the tournament ends.
    pub faults_left: FaultsLeft,
    /// Rule for resignation.
    pub resign: Option<Resign>,
    /// The tournament's interrupt flag.
    pub interrupt: &'a Interrupt,
    /// Detector of the machine's stalls.
    pub stalls: &'a StallDetector,
    /// Games in progress for spectators.
    pub live: Option<&'a Live>,
}

impl<G: Text, I: Iterator<Item = u64>> Workers<'_, G, I> {
    /// Runs worker `index`: plays one pending game after another. Engines stay for the next game of
    /// the same pairing.
    pub fn play_all(&self, index: usize, recorder: &SyncSender<Event>) {
        let _span = tracing::info_span!("worker", index).entered();
        let mut seated: Option<([usize; 2], [Contestant; 2])> = None;
        while let Some(game) = self.next_game() {
            let _span = tracing::info_span!("game", number = game.number).entered();
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
                    // The previous engines must end before the next ones take memory.
                    *other = None;
                    let Some(contestants) = self.seat(game.pair.engines) else { return };
                    &mut other.insert((game.pair.engines, contestants)).1
                }
            };
            let (record, start_error) = self.play(index, &game, &opening, contestants);
            if record.reason.is_fault() && self.faults_left.is_used_up() {
                // Done here rather than in the recorder, so that this worker does not start another
                // game.
                self.interrupt.stop_now();
            }
            let _ = recorder.send(Event::Finished(Box::new(record)));
            if let Some(error) = start_error {
                let has_others = self.queue.return_game(game.number);
                let event = if has_others && error.is_shortage() {
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

    /// Plays a game, and replays it if a cause outside it may have decided it. Returns its record,
    /// and the error if an engine could not be started.
    fn play(
        &self,
        index: usize,
        game: &ScheduledGame,
        opening: &Opening<G>,
        [first, second]: &mut [Contestant; 2],
    ) -> (GameRecord, Option<SpawnError>) {
        let [first_seed, second_seed] = game.pair.seeds;
        let mut replayed = Vec::new();
        // Each worker retries at different moments, so that they do not compete for the same
        // resource.
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
        self.participants.get(game.engine_of(player)).map(|participant| &participant.engine)
    }

    /// The game before its first move, for spectators.
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
                seed: Some(game.seed_of(player)),
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
    fn returned_game_goes_to_another_worker() {
        let queue = Queue::new(1..=2, 2);
        assert_eq!((queue.next(), queue.next()), (Some(1), Some(2)));
        assert!(queue.return_game(2));
        assert_eq!(queue.next(), Some(2));
        assert!(!queue.return_game(2), "no worker is left");
    }

    #[test]
    fn finished_worker_gets_no_returned_game() {
        let queue = Queue::new(1..=1, 2);
        assert_eq!((queue.next(), queue.next()), (Some(1), None));
        assert!(!queue.return_game(1));
    }
}
