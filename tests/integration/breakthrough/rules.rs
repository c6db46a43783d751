//! The rules, on bitboards. Black begins on the lowest two ranks and moves up, White on the highest two and moves down.
//!
//! A player who has a pawn always has a move, so that no rule for being stuck is needed: no pawn of theirs stands ahead of the foremost one,
//! and so each square diagonally ahead of it is free or holds a pawn to capture.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use oshi::game::{Game, MoveList, Outcome, Player};
use rand::Rng;

/// A position on a board of `FILES` files, at least 2, and `RANKS` ranks, at least 4; at most 64 squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Breakthrough<const FILES: usize, const RANKS: usize> {
    /// By player: a bit for each pawn, a1 the lowest, rank by rank.
    pub(super) pawns: [u64; 2],
    pub(super) turn: Player,
}

/// File and rank, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    pub file: u8,
    pub rank: u8,
}

/// A move of one pawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    pub from: Square,
    pub to: Square,
}

impl<const FILES: usize, const RANKS: usize> Breakthrough<FILES, RANKS> {
    const FIRST_RANK: u64 = (1 << FILES) - 1;

    /// Both players have two full ranks; Black opens.
    pub fn start() -> Self {
        const { assert!(FILES >= 2 && RANKS >= 4 && FILES * RANKS <= 64) };
        let black = Self::FIRST_RANK << FILES | Self::FIRST_RANK;
        Breakthrough { pawns: [black, black << (FILES * (RANKS - 2))], turn: Player::Black }
    }

    pub(super) fn owner(&self, square: Square) -> Option<Player> {
        Player::ALL.into_iter().find(|player| self.pawns[player.index()] & Self::bit(square) != 0)
    }

    /// The squares of this player's pawns.
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

    /// Whether this player has a pawn on the rank that the opponent's pawns come from.
    pub(super) fn has_broken_through(&self, player: Player) -> bool {
        let far_rank =
            [Self::FIRST_RANK << (FILES * (RANKS - 1)), Self::FIRST_RANK][player.index()];
        self.pawns[player.index()] & far_rank != 0
    }

    /// Where the pawn may step: straight or diagonally ahead on free squares, and diagonally on the opponent's.
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

    /// There is one start only.
    fn random_start<R: Rng>(&self, _rng: &mut R) -> Self {
        Self::start()
    }
}
