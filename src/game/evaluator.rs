//! Evaluation of positions that are not proven.

use arrayvec::ArrayVec;

use super::player::{Outcome, Player};
use super::rules::{Game, MAX_MOVES};

/// A game with an evaluator, which the search needs.
pub trait Searchable: Game {
    /// The evaluator of its positions.
    type Evaluator: Evaluator<Self>;
}

/// A search's knowledge of the winner of the round in play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundProof {
    /// The search has not worked on it.
    Unknown,
    /// The winner is not proven. The proof numbers (Allis 1994) of a win for Black and for White,
    /// each at least 1, in the unit of the game's [`InitialNumbers`](super::InitialNumbers).
    Open([u32; 2]),
    /// This player is proven to win.
    Won(Player),
}

/// Static result of a legal move. It is certain: proofs rely on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveClass {
    /// The move wins the game.
    Wins {
        /// Number of the mover's moves until the end, at least 1, with this one.
        own_moves: u8,
    },
    /// The opponent wins with the next move.
    Loses,
    /// Neither is known.
    Open,
}

/// Evaluation of a position's legal moves, in their order.
#[derive(Clone, Default, Debug)]
pub struct Policy {
    /// For each move, a finite logit of the probability that it is best.
    pub logits: ArrayVec<f32, MAX_MOVES>,
    /// Static results of the moves. Empty without static analysis; the list may end after the first
    /// winning move.
    pub classes: ArrayVec<MoveClass, MAX_MOVES>,
}

/// Value and policy of a position.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Black's win probability, 0 to 1. A draw counts half.
    pub value: f32,
    /// Policy over the legal moves.
    pub policy: Policy,
}

/// A kind of win of a round, and its value.
#[derive(Clone, Copy, Debug)]
pub struct RoundPayoff<G> {
    /// The round as a game of its own. There, a win with a smaller payoff is a loss.
    pub contest: G,
    /// Black's win probability in the game after such a win, 0 to 1.
    pub value: f32,
}

/// Maximum number of payoffs of a round for one player.
pub const MAX_PAYOFFS: usize = 4;

/// The payoffs of a round for one player, best first. Any win of the round has at least the last.
pub type RoundPayoffs<G> = ArrayVec<RoundPayoff<G>, MAX_PAYOFFS>;

/// Evaluates positions of a game. Each search thread owns one.
///
/// An evaluator may cache data between calls. Its results must depend only on the arguments.
pub trait Evaluator<G: Game>: Default {
    /// Exploration constant of PUCT, in standard deviations of the values. The less the policy can
    /// be trusted, the larger it should be.
    const EXPLORATION: f32 = 2.0;

    /// Proof-number weight from the policy. A proof search multiplies a move's proof number by 1
    /// plus this constant times the distance of its logit from the best one. With 0 it ignores the
    /// policy.
    const POLICY_PROOF_WEIGHT: f32 = 0.0;

    /// Evaluates a position that is not over, with its legal `moves`.
    ///
    /// `round` is the search's knowledge of the round in play. `winners` holds the proven winner of
    /// the round after each move; it is empty if the search has no proofs.
    fn evaluate(
        &mut self,
        position: &G,
        moves: &[G::Move],
        round: RoundProof,
        winners: &[Option<Player>],
    ) -> Evaluation;

    /// Returns the value without the policy. Override this if it is cheaper than
    /// [`evaluate`](Evaluator::evaluate).
    fn value(&mut self, position: &G, round: RoundProof) -> f32 {
        self.evaluate(position, &position.legal_moves(), round, &[]).value
    }

    /// Returns the payoffs with which this player may win the round in play. The list is empty if
    /// all have about the same value.
    fn round_payoffs(&self, _position: &G, _winner: Player) -> RoundPayoffs<G> {
        RoundPayoffs::new()
    }

    /// Returns static results of the legal `moves`, and logits that order the open moves in exact
    /// search. Override this if the game can see more, or work faster.
    fn classify_moves(&mut self, position: &G, moves: &[G::Move]) -> Policy {
        let mut policy = Policy::default();
        for &mv in moves {
            let mut next = *position;
            next.play(mv);
            let wins = next.outcome() == Some(Outcome::Win(position.turn()));
            policy.classes.push(match next.winning_move() {
                _ if wins => MoveClass::Wins { own_moves: 1 },
                Some(_) if next.turn() != position.turn() => MoveClass::Loses,
                _ => MoveClass::Open,
            });
            policy.logits.push(-(next.count_legal_moves() as f32));
        }
        policy
    }

    /// Estimates how many more moves each player will make, at least 1, to divide the remaining
    /// time. Moves that need little time count less.
    fn expected_moves(&self, _position: &G) -> u32 {
        24
    }

    /// Returns the node budget of an exact search from here, or 0 if it is unlikely to succeed.
    fn exact_budget(&self, _position: &G) -> u64 {
        0
    }

    /// Whether the game is so near its end that a proof search should search it exactly.
    fn is_near_end(_position: &G) -> bool {
        false
    }
}
