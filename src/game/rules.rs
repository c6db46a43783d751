//! The rules of a game.

use std::fmt::Debug;
use std::hash::Hash;

use arrayvec::ArrayVec;
use rand::Rng;

use super::player::{Outcome, Player};
use super::round::Round;

/// Maximum number of legal moves in a position of any game.
pub const MAX_MOVES: usize = 128;

/// The legal moves of a position.
pub type MoveList<M> = ArrayVec<M, MAX_MOVES>;

/// Initial proof and disproof number of a position (Allis 1994): estimates of how many positions
/// must be decided to prove that the player to move wins, or does not.
///
/// A game may use a finer unit than one position, the same in all its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitialNumbers {
    /// Proof number, at least 1.
    pub proof: u32,
    /// Disproof number; 0 exactly if there is no safe move.
    pub disproof: u32,
}

impl InitialNumbers {
    /// Counts the safe moves: each must be refuted to prove that the player to move does not win
    /// (Breuker 1998).
    pub fn by_safe_moves<G: Game>(position: &G) -> InitialNumbers {
        InitialNumbers { proof: 1, disproof: position.count_safe_moves() as u32 }
    }
}

/// A position of a game, with its rules.
///
/// Players need not alternate: after an oshi the same player moves again, and the winner of a round
/// chooses the refill before the loser opens the next. Ask [`turn`](Game::turn).
///
/// ```
/// use oshi::game::{Game, Outcome, Player, Text};
/// use oshi::games::kamisado::Match;
///
/// let mut position: Match = "OLVPYRG1/7b/8/7B/8/8/8/1grypvlo b b 0-0 1".parse()?;
/// let winning = position.winning_move().expect("h8 is free");
/// position.play(winning);
/// assert_eq!(position.outcome(), Some(Outcome::Win(Player::Black)));
/// assert!(position.legal_moves().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Contract
/// Implementations guarantee, and the integration test `contract` checks:
/// - [`legal_moves`](Game::legal_moves) is empty exactly if [`outcome`](Game::outcome) is known. It
///   has no duplicates, and its order depends only on the position.
/// - Every sequence of legal moves ends. No position repeats.
/// - Equal positions have equal [`hash`](Game::hash)es. Positions with equal hashes have the same
///   legal moves in the same order, the same turn and outcome, and equal hashes after each move.
///   The search ignores accidental collisions, one in 2⁶⁴ pairs of positions.
/// - Positions with equal hashes have equal [`proof_key`](Game::proof_key)s. Positions with equal
///   proof keys have the same winner and distance to the end.
/// - Static results are correct: [`winning_move`](Game::winning_move),
///   [`safe_moves`](Game::safe_moves), [`static_loss`](Game::static_loss) and each
///   [`MoveClass`](super::MoveClass). Proofs rely on them.
/// - The [`contest`](Round::contest) of an unfinished [`round`](Game::round) has the position's
///   legal moves. Its winner wins the round, and the game if
///   [`decides_for`](Round::decides_for) is true. The contest is its own round.
pub trait Game: Copy + Eq + Debug + Send + Sync + 'static {
    /// A move.
    type Move: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// Whether the game can be drawn. Proof-number search has only two results, so it proves bounds
    /// in such games.
    const HAS_DRAWS: bool = false;

    /// Returns the player to move. After the end, any player, fixed by the game.
    fn turn(&self) -> Player;

    /// Returns the result, if the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Lists all legal moves.
    fn legal_moves(&self) -> MoveList<Self::Move>;

    /// Plays a legal move. An illegal move leads to an unspecified position.
    fn play(&mut self, mv: Self::Move);

    /// Returns a 64-bit hash of everything that the rules depend on. [`play`](Game::play) updates
    /// it.
    fn hash(&self) -> u64;

    /// Returns a 64-bit key of everything that decides the winner and the distance to the end.
    /// Positions that a symmetry maps to each other share the key, and so share proofs, though
    /// their moves differ.
    fn proof_key(&self) -> u64 {
        self.hash()
    }

    /// Draws a random start of the same variant: an arrangement of towers, or a layout of tokens. A
    /// game with one start returns `self`.
    fn random_start<R: Rng>(&self, _rng: &mut R) -> Self {
        *self
    }

    /// Returns the round in play. A game without rounds is one round.
    fn round(&self) -> Round<Self> {
        Round::whole_game(*self)
    }

    /// Counts the legal moves. Override this if counting is cheaper than listing.
    fn count_legal_moves(&self) -> usize {
        self.legal_moves().len()
    }

    /// Returns a move that wins the game at once, if there is one. Override this if the game can
    /// find it without playing every move.
    fn winning_move(&self) -> Option<Self::Move> {
        self.legal_moves().into_iter().find(|&mv| {
            let mut next = *self;
            next.play(mv);
            next.outcome() == Some(Outcome::Win(self.turn()))
        })
    }

    /// Lists the legal moves, in their order, without some that lose the game at once or let the
    /// opponent win at once. An implementation need not find all of those, but leaves out no other
    /// move. Override this if the game can find them without playing every move.
    fn safe_moves(&self) -> MoveList<Self::Move> {
        self.legal_moves()
    }

    /// Counts the safe moves. Override this together with [`safe_moves`](Game::safe_moves).
    fn count_safe_moves(&self) -> usize {
        self.count_legal_moves()
    }

    /// Returns an upper bound of the opponent's remaining moves if static analysis shows that the
    /// player to move loses. If `a_draw_is_lost`, a proof that the player does not win suffices.
    fn static_loss(&self, _a_draw_is_lost: bool) -> Option<u8> {
        None
    }

    /// Returns a function that estimates the proof numbers of positions one move ahead, and of
    /// those after the forced replies. Override this if the game can estimate better than by the
    /// number of safe moves. Work that all moves share is then done once, before the function is
    /// returned.
    fn initial_numbers(&self) -> impl Fn(&Self) -> InitialNumbers {
        InitialNumbers::by_safe_moves
    }

    /// Plays a legal move that is known not to win the game. Override this if it is faster than
    /// [`play`](Game::play).
    fn play_non_winning(&mut self, mv: Self::Move) {
        self.play(mv);
    }
}
