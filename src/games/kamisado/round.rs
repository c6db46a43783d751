//! One round: moves, forced passes, oshi, deadlock.

use super::board::Board;
use super::square::{Colour, FAR_ROW, Square};
use crate::game::Player;

/// A position of a round: board, player to move and called tower.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RoundPosition {
    pub board: Board,
    pub turn: Player,
    /// `None` before a round's first move, when the choice is free (T1).
    pub called: Option<Colour>,
    /// Bitboard of the called tower's targets, as its owner sees them. Empty if it is blocked or
    /// the choice is free.
    targets: u64,
}

/// Effect of a move on the round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The round is not over.
    Continues,
    /// The round is over, and this tower of the winner takes the tooth.
    Won { winner: Player, tower: Colour },
}

/// Error: no tower can ever move again, so the round has ended (D8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Deadlocked;

impl RoundPosition {
    /// A round before its first move. Every tower on a home row can move.
    pub fn opening(board: Board, turn: Player) -> RoundPosition {
        RoundPosition { board, turn, called: None, targets: 0 }
    }

    /// A round with this player to move. The choice of the tower is free if `called` is `None`.
    ///
    /// # Errors
    /// No tower can ever move.
    pub fn new(
        board: Board,
        turn: Player,
        called: Option<Colour>,
    ) -> Result<RoundPosition, Deadlocked> {
        let mut round = RoundPosition::opening(board, turn);
        let alive = match called {
            Some(colour) => round.call(turn, colour),
            None => round.count_moves() > 0,
        };
        alive.then_some(round).ok_or(Deadlocked)
    }

    /// Bitboard of the targets of a tower that may move, as its owner sees them.
    #[inline]
    pub fn targets(&self, colour: Colour) -> u64 {
        match self.called {
            Some(_) => self.targets,
            None => self.board.targets(self.turn, colour),
        }
    }

    /// The called tower, or all towers if the choice is free.
    pub fn callable(&self) -> impl Iterator<Item = Colour> + use<> {
        let all: &'static [Colour] = &Colour::ALL;
        let callable = self.called.map_or(all, |called| &all[called.index()..=called.index()]);
        callable.iter().copied()
    }

    /// Whether the called tower is blocked (D6).
    #[inline]
    pub fn must_pass(&self) -> bool {
        self.called.is_some() && self.targets == 0
    }

    /// Number of legal moves. A pass counts as one.
    #[inline]
    pub fn count_moves(&self) -> usize {
        match self.called {
            Some(_) => self.targets.count_ones().max(1) as usize,
            None => self.callable().map(|colour| self.targets(colour).count_ones() as usize).sum(),
        }
    }

    /// Passes with the blocked tower (D6). The move before has excluded a deadlock.
    pub fn pass(&mut self) {
        if let Some(blocked) = self.called {
            let next = self.board.tower(self.turn, blocked).colour();
            self.set_called(!self.turn, next);
        }
    }

    /// Moves a tower of the player to move, or pushes with it if `to` is an occupied square ahead.
    pub fn step(&mut self, colour: Colour, to: Square) -> Step {
        match self.board.oshi(self.turn, colour) {
            Some(pushed) if self.board.tower(self.turn, colour).ahead(1) == Some(to) => {
                self.push(colour, pushed)
            }
            _ => self.slide(colour, to),
        }
    }

    fn slide(&mut self, colour: Colour, to: Square) -> Step {
        self.board.move_tower(self.turn, colour, to);
        if FAR_ROW & to.bit() != 0 {
            return Step::Won { winner: self.turn, tower: colour };
        }
        self.call_after_move(!self.turn, to.colour(), to)
    }

    /// Pushes: moves the rearmost tower first and the pusher last. The opponent then misses a turn
    /// (S6–S8).
    fn push(&mut self, colour: Colour, pushed: u8) -> Step {
        let from = self.board.tower(self.turn, colour);
        let squares = |n| from.ahead(n).zip(from.ahead(n + 1));
        for (square, beyond) in (1..=pushed).rev().filter_map(squares) {
            if let Some(enemy) = self.board.tower_at(!self.turn, square.half_turn()) {
                self.board.move_tower(!self.turn, enemy, beyond.half_turn());
            }
        }
        let (ahead, rearmost) =
            (from.ahead(1).unwrap_or(from), from.ahead(pushed + 1).unwrap_or(from));
        self.board.move_tower(self.turn, colour, ahead);
        self.call_after_move(self.turn, rearmost.colour(), ahead)
    }

    /// Calls a tower after a tower move that ended on `landed`. In a deadlock the mover loses (D8).
    fn call_after_move(&mut self, player: Player, colour: Colour, landed: Square) -> Step {
        let mover = self.turn;
        if self.call(player, colour) {
            Step::Continues
        } else {
            Step::Won { winner: !mover, tower: landed.colour() }
        }
    }

    /// Calls a tower. Returns whether it, or a tower after a chain of passes, can move.
    #[inline]
    fn call(&mut self, player: Player, colour: Colour) -> bool {
        self.set_called(player, colour);
        self.targets != 0 || self.passes_end(player, colour)
    }

    #[inline]
    fn set_called(&mut self, player: Player, colour: Colour) {
        self.turn = player;
        self.called = Some(colour);
        self.targets = self.board.targets(player, colour);
    }

    /// Whether a chain of passes that begins with this blocked tower reaches one that can move.
    fn passes_end(&self, mut player: Player, mut colour: Colour) -> bool {
        // After 16 passes a tower has been called twice, and the chain repeats.
        for _ in 0..16 {
            let square = self.board.tower(player, colour);
            (player, colour) = (!player, square.colour());
            if self.board.targets(player, colour) != 0 {
                return true;
            }
        }
        false
    }
}
