//! The rules on bitboards. Black starts on the lowest two ranks and moves up, White on the highest
//! two and moves down.
//!
//! A player with a pawn always has a move. No own pawn stands ahead of the foremost one, so the
//! squares diagonally ahead of it are free or hold a pawn to capture.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use oshi::game::{Game, MoveList, Outcome, Player};
use rand::Rng;

/// A position on a board of `FILES` files, at least 2, and `RANKS` ranks, at least 4; at most 64
/// squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Breakthrough<const FILES: usize, const RANKS: usize> {
    /// A bit for each pawn by player, rank by rank from a1.
    pub(super) pawns: [u64; 2],
    pub(super) turn: Player,
}

/// File and rank, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    pub file: u8,
    pub rank: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    pub from: Square,
    pub to: Square,
}

impl<const FILES: usize, const RANKS: usize> Breakthrough<FILES, RANKS> {
    const FIRST_RANK: u64 = (1 << FILES) - 1;

    /// The start: two full ranks each, Black to move.
    pub fn start() -> Self {
        const { assert!(FILES >= 2 && RANKS >= 4 && FILES * RANKS <= 64) };
        let black = Self::FIRST_RANK << FILES | Self::FIRST_RANK;
        Breakthrough { pawns: [black, black << (FILES * (RANKS - 2))], turn: Player::Black }
    }

    pub(super) fn owner(&self, square: Square) -> Option<Player> {
        Player::ALL.into_iter().find(|player| self.pawns[player.index()] & Self::bit(square) != 0)
    }

    pub(super) fn pawns_of(&self, player: Player) -> impl Iterator<Item = Square> {
        Self::squares().filter(move |&square| self.pawns[player.index()] & Self::bit(square) != 0)
    }

    /// All squares, rank by rank.
    pub(super) fn squares() -> impl Iterator<Item = Square> {
        (0..RANKS as u8).flat_map(|rank| (0..FILES as u8).map(move |file| Square { file, rank }))
    }

    pub(super) fn bit(square: Square) -> u64 {
        1 << (FILES * usize::from(square.rank) + usize::from(square.file))
    }

    /// Whether this player has a pawn on the opponent's first rank.
    pub(super) fn has_broken_through(&self, player: Player) -> bool {
        let far_rank =
            [Self::FIRST_RANK << (FILES * (RANKS - 1)), Self::FIRST_RANK][player.index()];
        self.pawns[player.index()] & far_rank != 0
    }

    /// Steps of a pawn: straight or diagonally ahead onto free squares, diagonally onto enemy
    /// pawns.
    fn steps(&self, from: Square) -> impl Iterator<Item = Step> {
        let rank = [from.rank.wrapping_add(1), from.rank.wrapping_sub(1)][self.turn.index()];
        [from.file.wrapping_sub(1), from.file, from.file.wrapping_add(1)]
            .into_iter()
            .filter(move |&file| usize::from(file) < FILES && usize::from(rank) < RANKS)
            .map(move |file| Step { from, to: Square { file, rank } })
            .filter(move |step| match self.owner(step.to) {
                None => true,
                Some(owner) => owner != self.turn && step.to.file != from.file,
            })
    }
}

impl<const FILES: usize, const RANKS: usize> Game for Breakthrough<FILES, RANKS> {
    type Move = Step;

    fn turn(&self) -> Player {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_over = self.pawns[self.turn.index()] == 0 || self.has_broken_through(!self.turn);
        is_over.then_some(Outcome::Win(!self.turn))
    }

    fn legal_moves(&self) -> MoveList<Step> {
        let pawns = self.pawns_of(self.turn).filter(|_| self.outcome().is_none());
        pawns.flat_map(|from| self.steps(from)).collect()
    }

    fn play(&mut self, step: Step) {
        self.pawns[self.turn.index()] ^= Self::bit(step.from) | Self::bit(step.to);
        self.turn = !self.turn;
        self.pawns[self.turn.index()] &= !Self::bit(step.to);
    }

    fn hash(&self) -> u64 {
        BuildHasherDefault::<DefaultHasher>::default().hash_one(self)
    }

    /// The game has only one start.
    fn random_start<R: Rng>(&self, _rng: &mut R) -> Self {
        Self::start()
    }
}
