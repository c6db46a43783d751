//! Interrupts of a tournament: the first request lets games finish, the second stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// An interrupt flag shared by all threads of a tournament.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<AtomicU8>);

/// Interval between two checks of a waiting thread.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// How long to wait for an interrupt before an engine's end counts as a fault: a signal to all
/// processes may reach the engine first.
pub const GRACE: Duration = Duration::from_secs(1);

const FINISH_GAMES: u8 = 1;
const STOP_NOW: u8 = 2;

impl Interrupt {
    /// Requests to finish the games in progress; a second call requests to stop at once.
    pub fn raise(&self) {
        let next = if self.is_raised() { STOP_NOW } else { FINISH_GAMES };
        self.0.fetch_max(next, Ordering::Relaxed);
    }

    /// Requests to start no more games.
    pub fn finish_games(&self) {
        self.0.fetch_max(FINISH_GAMES, Ordering::Relaxed);
    }

    /// Requests to stop at once.
    pub fn stop_now(&self) {
        self.0.fetch_max(STOP_NOW, Ordering::Relaxed);
    }

    /// Whether no more games may be started.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= FINISH_GAMES
    }

    /// Waits at most `time` for an interrupt; returns whether there is one.
    pub fn is_raised_within(&self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while !self.is_raised() && Instant::now() < deadline {
            std::thread::sleep(POLL_INTERVAL.min(time));
        }
        self.is_raised()
    }

    /// Whether games in progress must be aborted.
    pub fn must_stop_now(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= STOP_NOW
    }
}
