//! The time of a game: how long the turn takes, and what is left on the clocks.

use std::time::Instant;

use oshi::game::{Outcome, Player};

use super::{Clock, Game, State, TIME, milliseconds, now};

/// The time of the turn that is being thought about.
#[derive(Clone, Copy, Default)]
pub(super) struct Turn {
    /// Before it was last stopped, in milliseconds.
    pub(super) spent: u64,
    /// Since when it runs again.
    pub(super) since: Option<Instant>,
}

impl Turn {
    pub(super) fn elapsed(self) -> u64 {
        self.spent.saturating_add(self.since.map_or(0, |since| milliseconds(since.elapsed())))
    }
}

impl Game {
    /// Sets the clocks, which run from here; `None` for none.
    pub fn set_clock(&mut self, clock: Option<(u64, u64)>) {
        self.clock = clock.map(|(ms, inc)| Clock { ms, inc, since: self.head });
        self.turn.spent = 0;
        self.changed = now();
    }

    /// The player to move has run out of time, if so.
    pub fn flag(&mut self) -> bool {
        let loser = self
            .turn()
            .filter(|&player| self.state == State::Playing && self.left(player) == Some(0));
        if let Some(loser) = loser {
            self.end(Outcome::Win(!loser).into(), TIME);
        }
        loser.is_some()
    }

    /// The time of the turn runs, if the game is being played.
    pub fn run(&mut self) {
        if self.state == State::Playing && self.turn.since.is_none() {
            self.turn.since = Some(Instant::now());
        }
    }

    /// The time of the turn stands still.
    pub fn hold(&mut self) {
        self.turn = Turn { spent: self.turn.elapsed(), since: None };
    }

    /// The time of the turn so far, in milliseconds, for a file.
    pub fn spent(&self) -> u64 {
        self.turn.elapsed()
    }

    /// Sets the time of the turn so far, from a file.
    pub const fn set_spent(&mut self, ms: u64) {
        self.turn = Turn { spent: ms, since: None };
    }

    /// Whether the time of the turn runs.
    pub const fn is_running(&self) -> bool {
        self.turn.since.is_some()
    }

    /// What is left on a player's clock, in milliseconds.
    pub fn left(&self, player: Player) -> Option<u64> {
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
            left -= i128::from(self.turn.elapsed());
        }
        Some(u64::try_from(left.max(0)).unwrap_or(u64::MAX))
    }
}
