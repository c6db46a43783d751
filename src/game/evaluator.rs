//! What a game tells the search about a position that nothing is proven of.

use arrayvec::ArrayVec;

use super::player::{Outcome, Player};
use super::rules::{Game, MAX_MOVES};

/// A game that can be searched: it names its evaluator.
pub trait Searchable: Game {
    /// What judges its positions.
    type Evaluator: Evaluator<Self>;
}

/// How far a search has come with the question who wins the round in play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundProof {
    /// It has not been asked.
    Unknown,
    /// It is open. The proof numbers (Allis 1994) of a win for Black and of one for White, each at least 1: how many positions at
    /// least have still to be decided for it, in the unit of the game's efforts.
    Open([u32; 2]),
    /// This player wins it.
    Won(Player),
}

/// What is seen of a legal move at a glance. A class is certain, and proofs are made of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveClass {
    /// It wins the game, with the mover's own moves that it takes counted from this one: at least 1.
    Wins {
        /// How many.
        own_moves: u8,
    },
    /// The opponent wins with the next move.
    Loses,
    /// Neither is seen.
    Open,
}

/// What is thought of the legal moves of a position, in their order.
#[derive(Clone, Default, Debug)]
pub struct Policy {
    /// How likely each is the best one, as a logit: any finite number.
    pub logits: ArrayVec<f32, MAX_MOVES>,
    /// What is seen of each. It may end with the first that wins, and where it was not looked at, it is empty.
    pub classes: ArrayVec<MoveClass, MAX_MOVES>,
}

/// What is thought of a position and of its moves.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The chance that Black wins, draws counted half: 0 to 1.
    pub value: f32,
    /// Its moves.
    pub policy: Policy,
}

/// Something that the winner of a round may win with it.
#[derive(Clone, Copy, Debug)]
pub struct RoundPayoff<G> {
    /// The round as a contest of its own in which a win by less than this prize is a loss.
    pub contest: G,
    /// The chance that Black wins the game once it is won: 0 to 1.
    pub value: f32,
}

/// No round has more prizes.
pub const MAX_PAYOFFS: usize = 4;

/// The prizes of a round for one player, best first. The last is there for any win of the round.
pub type RoundPayoffs<G> = ArrayVec<RoundPayoff<G>, MAX_PAYOFFS>;

/// Judges positions of a game. Each thread of a search has an evaluator of its own, which may remember what changes rarely from one
/// position to the next; what it answers depends on the position and the round's proof alone.
pub trait Evaluator<G: Game>: Default {
    /// How strongly the search draws visits to moves that had few, in units of the spread of values: the more, the less the policy is to
    /// be trusted.
    const EXPLORATION: f32 = 2.0;

    /// How much harder than by the favourite of the policy a proof search takes a win by another move to be, for each logit between the two:
    /// 0 where the policy is not worth its time there.
    const POLICY_PROOF_WEIGHT: f32 = 0.0;

    /// The value of a position that is not over and its policy over the legal `moves`. `round` is what is known of the round in play, and
    /// `winners` says of each move who is known to win the round after it; it is empty where nobody has asked.
    fn evaluate(
        &mut self,
        position: &G,
        moves: &[G::Move],
        round: RoundProof,
        winners: &[Option<Player>],
    ) -> Evaluation;

    /// The value alone. Games override this where it is cheaper than that with the policy.
    fn value(&mut self, position: &G, round: RoundProof) -> f32 {
        self.evaluate(position, &position.legal_moves(), round, &[]).value
    }

    /// What this player may win with the round in play. None where all wins are worth about the same.
    fn round_payoffs(&self, _position: &G, _winner: Player) -> RoundPayoffs<G> {
        RoundPayoffs::new()
    }

    /// What exact search, which has little time for each position, is told of the legal `moves`: their classes, and logits for the order
    /// in which to try the open ones. Games override this where more can be seen, or sooner.
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

    /// How many more moves each player is likely to make, for the use of the clock. At least 1; moves that cost no thought count less.
    fn expected_moves(&self, _position: &G) -> u32 {
        24
    }

    /// How many positions exact search may look at from here, where so few are likely to be enough to find the result; 0 where not.
    fn exact_budget(&self, _position: &G) -> u64 {
        0
    }

    /// Whether so little is left of a game that a proof search does best to look through it exactly.
    fn is_near_end(_position: &G) -> bool {
        false
    }
}
