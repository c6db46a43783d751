//! The time of a game: duration of the current turn, and time left on the clocks.

use std::time::Duration;

use oshi::game::{Outcome, Player};

use super::{Clock, Game, State, TIME, Timestamp, milliseconds};

/// Time spent on the current turn.
#[derive(Clone, Copy, Default)]
pub(super) struct TurnTimer {
    /// Milliseconds before the timer was last stopped.
    pub(super) spent: u64,
    /// Monotonic time at which the timer was started, while it runs.
    pub(super) since: Option<Duration>,
}

impl TurnTimer {
    pub(super) fn elapsed(self, now: Timestamp) -> u64 {
        let running = |since| milliseconds(now.monotonic.saturating_sub(since));
        self.spent.saturating_add(self.since.map_or(0, running))
    }
}

impl Game {
    /// Sets the clocks to `(ms, inc)` at the current position, or removes them.
    pub fn set_clock(&mut self, clock: Option<(u64, u64)>, now: Timestamp) {
        self.clock = clock.map(|(ms, inc)| Clock { ms, inc, since: self.head });
        self.turn.spent = 0;
        self.changed = now.unix_ms;
    }

    /// Ends the game if the player to move has run out of time. Returns true in this case.
    pub fn end_on_time(&mut self, now: Timestamp) -> bool {
        let loser = self.turn().filter(|&player| {
            self.state == State::Playing && self.time_left(player, now) == Some(0)
        });
        if let Some(loser) = loser {
            self.end(Outcome::Win(!loser).into(), TIME, now);
        }
        loser.is_some()
    }

    /// Starts the timer of the turn if the game is in progress.
    pub fn start_timer(&mut self, now: Timestamp) {
        if self.state == State::Playing && self.turn.since.is_none() {
            self.turn.since = Some(now.monotonic);
        }
    }

    /// Stops the timer of the turn.
    pub fn stop_timer(&mut self, now: Timestamp) {
        self.turn = TurnTimer { spent: self.turn.elapsed(now), since: None };
    }

    /// Returns the time of the current turn in milliseconds.
    pub fn spent(&self, now: Timestamp) -> u64 {
        self.turn.elapsed(now)
    }

    /// Sets the time of the current turn in milliseconds and stops the timer.
    pub const fn set_spent(&mut self, ms: u64) {
        self.turn = TurnTimer { spent: ms, since: None };
    }

    /// Returns true while the timer of the turn runs.
    pub const fn is_running(&self) -> bool {
        self.turn.since.is_some()
    }

    /// Returns the time left on a player's clock in milliseconds.
    pub fn time_left(&self, player: Player, now: Timestamp) -> Option<u64> {
        let clock = self.clock?;
        let path = self.path(self.head);
        let counted = path.iter().skip_while(|&&id| id != clock.since).skip(1);
        let mut left = i128::from(clock.ms);
        for node in counted.filter_map(|id| self.nodes.get(id)) {
            let mover = node
                .parent
                .and_then(|parent| self.board(parent).ok())
                .and_then(|board| board.turn());
            if mover == Some(player) {
                left += i128::from(clock.inc) - i128::from(node.ms.unwrap_or(0));
            }
        }
        if self.turn() == Some(player) {
            left -= i128::from(self.turn.elapsed(now));
        }
        Some(u64::try_from(left.max(0)).unwrap_or(u64::MAX))
    }
}
