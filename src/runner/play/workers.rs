//! The threads that play: each takes one waiting game after the other, and plays again what was nobody's doing at the board.

use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::interrupt::Interrupt;
use super::openings::{Book, Opening, OpeningError};
use super::player::Player as Contestant;
use super::process::SpawnError;
use super::program::ProgramFile;
use super::referee::{self, Doubt, PlayedGame};
use super::schedule::{Game as ScheduledGame, Schedule};
use super::watch::Watch;
use crate::game::{Player, Text};
use crate::games::Variant;
use crate::runner::config::Engine;
use crate::runner::records::record::{GameRecord, OpeningRecord, PlayerRecord, RecordFormat};

/// How often a game is played again whose end may be nobody's doing; after that it is taken for the engine's own.
const MOST_REPLAYS: usize = 3;

/// How long to wait between two tries to start an engine that the machine has no room for.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
];

/// What the threads tell the desk.
pub enum Event {
    /// A game was begun.
    Started(ScheduledGame),
    /// A game ended, or was broken off.
    Finished(Box<GameRecord>),
    /// A game has no opening.
    Failed(OpeningError),
    /// A thread has given up, since it cannot start its engines; the others play its games.
    Fewer(SpawnError),
    /// No game can go on.
    Hindered(SpawnError),
}

/// Who takes part: an engine and what its program's file has to be.
pub struct Entrant {
    /// The engine.
    pub engine: Engine,
    /// Its file, where it has one.
    pub file: Option<ProgramFile>,
}

/// The games that wait to be played, and how many threads take them.
pub struct Queue<I>(Mutex<Waiting<I>>);

struct Waiting<I> {
    /// Games that a thread has given back.
    returned: Vec<u64>,
    games: I,
    threads: usize,
}

impl<I: Iterator<Item = u64>> Queue<I> {
    /// These games for so many threads.
    pub fn new(games: I, threads: usize) -> Queue<I> {
        Queue(Mutex::new(Waiting { returned: Vec::new(), games, threads }))
    }

    /// The next game. Where there is none, the thread that asks is done.
    fn next(&self) -> Option<u64> {
        let mut waiting = self.lock();
        let next = waiting.returned.pop().or_else(|| waiting.games.next());
        if next.is_none() {
            waiting.threads -= 1;
        }
        next
    }

    /// A thread leaves its game to the others; whether there are any.
    fn give_back(&self, game: u64) -> bool {
        let mut waiting = self.lock();
        waiting.returned.push(game);
        waiting.threads -= 1;
        waiting.threads > 0
    }

    /// So many threads will not come.
    pub fn leave(&self, threads: usize) {
        self.lock().threads -= threads;
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<I>> {
        // Nobody panics while holding the lock; if someone did, the games would still be sound.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What all threads play.
pub struct Workers<'a, G: Text, I> {
    /// Who meets whom.
    pub schedule: &'a Schedule,
    /// From where.
    pub book: &'a Book<G>,
    /// Who takes part, by their numbers.
    pub entrants: Vec<Entrant>,
    /// What is played.
    pub variant: Variant,
    /// The games that wait.
    pub queue: &'a Queue<I>,
    /// Whether the first fault ends it all.
    pub is_strict: bool,
    /// How it is asked to end.
    pub interrupt: &'a Interrupt,
    /// Who knows when the machine stood still.
    pub watch: &'a Watch,
}

impl<G: Text, I: Iterator<Item = u64>> Workers<'_, G, I> {
    /// The work of thread `index`: plays one waiting game after the other. The engines of a game stay for the next one.
    pub fn play_all(&self, index: usize, desk: &SyncSender<Event>) {
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
            let (record, hindrance) = self.play(index, &game, &opening, contestants);
            if self.is_strict && record.reason.is_fault() {
                // Here, and not where it is counted, so that this thread begins no other game meanwhile.
                self.interrupt.stop_now();
            }
            let _ = desk.send(Event::Finished(Box::new(record)));
            if let Some(error) = hindrance {
                let others_go_on = self.queue.give_back(game.number);
                let event = if others_go_on && error.is_shortage() {
                    Event::Fewer(error)
                } else {
                    self.interrupt.finish_games();
                    Event::Hindered(error)
                };
                let _ = desk.send(event);
                return;
            }
        }
    }

    /// Plays a game, again if its end was nobody's doing; what keeps it from being played, if something does.
    fn play(
        &self,
        index: usize,
        game: &ScheduledGame,
        opening: &Opening<G>,
        [first, second]: &mut [Contestant; 2],
    ) -> (GameRecord, Option<SpawnError>) {
        let [first_seed, second_seed] = game.pair.seeds;
        let mut replayed = Vec::new();
        // Threads that wait for the same do not come back at the same moment.
        let mut pauses = PAUSES.iter().map(|pause| pause.mul_f64(1.0 + index as f64 / 4.0));
        loop {
            let players = match game.opener {
                0 => [(&mut *first, first_seed), (&mut *second, second_seed)],
                _ => [(&mut *second, second_seed), (&mut *first, first_seed)],
            };
            let mut played = referee::play(opening, players, self.watch);
            let hindrance = match played.doubt.take() {
                Some(Doubt::Disturbed(what)) if replayed.len() < MOST_REPLAYS => {
                    replayed.push(format!("{}; {what}", played.detail));
                    continue;
                }
                Some(Doubt::Disturbed(what)) => {
                    played.detail += &format!("; {what}, as in {MOST_REPLAYS} games before");
                    None
                }
                Some(Doubt::Hindered(error)) => match pauses.next() {
                    Some(pause) if !error.is_final() && !self.interrupt.is_raised_within(pause) => continue,
                    _ => Some(error),
                },
                _ => None,
            };
            return (self.record(game, opening, played, replayed), hindrance);
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
            let Entrant { engine, file } = self.entrants.get(index)?;
            Some(Contestant::new(engine.clone(), file.clone(), self.variant, self.interrupt.clone()))
        });
        Some([first?, second?])
    }

    fn record(&self, game: &ScheduledGame, opening: &Opening<G>, played: PlayedGame, replayed: Vec<String>) -> GameRecord {
        let player = |player: Player| {
            let side = game.side_of(player);
            let entrant = game.pair.engines.get(side).and_then(|&index| self.entrants.get(index));
            let engine = entrant.map(|entrant| &entrant.engine);
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
            replayed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_is_given_back_is_played_by_who_is_left() {
        let queue = Queue::new(1..=2, 2);
        assert_eq!((queue.next(), queue.next()), (Some(1), Some(2)));
        assert!(queue.give_back(2));
        assert_eq!(queue.next(), Some(2));
        assert!(!queue.give_back(2), "nobody is left");
    }

    #[test]
    fn who_has_gone_plays_nothing_that_is_given_back() {
        let queue = Queue::new(1..=1, 2);
        assert_eq!((queue.next(), queue.next()), (Some(1), None));
        assert!(!queue.give_back(1));
    }
}
