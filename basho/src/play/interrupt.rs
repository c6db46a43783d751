//! Interrupting a tournament: the first request lets games finish, the second stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// A switch shared by all threads of a tournament.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<AtomicU8>);

/// How often a waiting thread checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long to wait before the end of an engine is judged: a signal to all processes may reach it before it reaches basho.
pub const GRACE: Duration = Duration::from_secs(1);

const FINISH_GAMES: u8 = 1;
const STOP_NOW: u8 = 2;

impl Interrupt {
    /// The first call asks to finish the games in progress, every later one to stop at once.
    pub fn raise(&self) {
        let next = if self.is_raised() { STOP_NOW } else { FINISH_GAMES };
        self.0.fetch_max(next, Ordering::Relaxed);
    }

    /// Asks to begin no more games.
    pub fn finish_games(&self) {
        self.0.fetch_max(FINISH_GAMES, Ordering::Relaxed);
    }

    /// Asks to stop at once.
    pub fn stop_now(&self) {
        self.0.fetch_max(STOP_NOW, Ordering::Relaxed);
    }

    /// Whether to begin no more games.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= FINISH_GAMES
    }

    /// Waits until no more games are to be begun, but at most this long; returns whether that is so.
    pub fn is_raised_within(&self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while !self.is_raised() && Instant::now() < deadline {
            std::thread::sleep(POLL_INTERVAL.min(time));
        }
        self.is_raised()
    }

    /// Whether to abort the games in progress.
    pub fn must_stop_now(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= STOP_NOW
    }
}
