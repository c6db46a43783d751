//! One round: moves, forced passes, oshi, deadlock.

use super::board::{Board, Colour, FAR_ROW, Square};
use crate::game::Player;

/// A round in play: the board, whose turn it is, and which tower is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RoundPosition {
    pub board: Board,
    pub turn: Player,
    /// `None` where the choice is free, in a round's first move (T1).
    pub called: Option<Colour>,
    /// Where the called tower can go, as its owner sees it; none if it is blocked. Also none where the choice is free.
    targets: u64,
}

/// What a move did to the round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The round goes on.
    Continues,
    /// The round is over; this tower of the winner takes the tooth.
    Won { winner: Player, tower: Colour },
}

/// No tower can ever move again: the position is no round in play (D8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Deadlocked;

impl RoundPosition {
    /// The round in which this player has a free choice. From the home rows, every tower can move.
    pub fn opening(board: Board, turn: Player) -> RoundPosition {
        RoundPosition { board, turn, called: None, targets: 0 }
    }

    /// The round in which this player is to move, with this tower or any.
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

    /// Where a tower that may move can go, as its owner sees it: the called one, or any. Passes are not among it.
    #[inline]
    pub fn targets(&self, colour: Colour) -> u64 {
        match self.called {
            Some(_) => self.targets,
            None => self.board.targets(self.turn, colour),
        }
    }

    /// The towers that may move: the called one, or all.
    pub fn callable(&self) -> impl Iterator<Item = Colour> + use<> {
        let all: &'static [Colour] = &Colour::ALL;
        let callable = self.called.map_or(all, |called| &all[called.index()..=called.index()]);
        callable.iter().copied()
    }

    /// Whether the called tower is blocked, so that its owner must pass (D6).
    #[inline]
    pub fn must_pass(&self) -> bool {
        self.called.is_some() && self.targets == 0
    }

    /// The number of moves, a pass counted as one.
    #[inline]
    pub fn count_moves(&self) -> usize {
        match self.called {
            Some(_) => self.targets.count_ones().max(1) as usize,
            None => self.callable().map(|colour| self.targets(colour).count_ones() as usize).sum(),
        }
    }

    /// The zero-length move of a blocked tower (D6). The round has already been tested for deadlock.
    pub fn pass(&mut self) {
        if let Some(blocked) = self.called {
            let next = self.board.tower(self.turn, blocked).colour();
            self.set_called(!self.turn, next);
        }
    }

    /// Moves or pushes the player's tower on `from`; both squares as that player sees them.
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

    /// An oshi: the rearmost tower goes back first, the pusher last; then the opponent misses a turn (S6–S8).
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

    /// Calls a tower after a real move that ended on `landed`; if that is a deadlock, its maker loses (D8).
    fn call_after_move(&mut self, player: Player, colour: Colour, landed: Square) -> Step {
        let mover = self.turn;
        if self.call(player, colour) {
            Step::Continues
        } else {
            Step::Won { winner: !mover, tower: landed.colour() }
        }
    }

    /// Calls a tower and says whether the chain of passes that may begin with it reaches one that can move.
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

    fn passes_end(&self, mut player: Player, mut colour: Colour) -> bool {
        // Each of the 16 towers is called at most once before the chain repeats.
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
