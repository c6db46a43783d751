//! Kamisado with other weights of the initial proof numbers.

use std::num::NonZeroUsize;

use oshi::game::{
    Evaluation, Evaluator, Game, InitialNumbers, MoveList, Outcome, Player, Policy, RoundProof,
    Searchable,
};
use oshi::games::kamisado::eval::initial_numbers::Weights;
use oshi::games::kamisado::{Match, Move};
use oshi::search::{Control, TableMemory};
use oshi::solver::{Query, Solver};

/// Memory of a proof in bytes, more than the expansions need.
const MEMORY: usize = 32 << 20;

/// A match with these weights. They are static because `Game` requires positions without borrows.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Weighted {
    position: Match,
    weights: &'static Weights,
}

/// Returns the expansions of proving the round's winner, about `limit` if the proof needs more.
pub fn expansions_of_proof(position: Match, weights: &'static Weights, limit: u64) -> u64 {
    let mut memory = TableMemory::new(MEMORY);
    let solver = Solver::new(&mut memory, NonZeroUsize::MIN);
    // The winner does not depend on the weights.
    let _ = solver.try_to_answer(
        &Weighted { position, weights },
        Query::Winner,
        limit,
        &Control::default(),
    );
    solver.expansions()
}

impl Eq for Weighted {}

impl Game for Weighted {
    type Move = Move;

    fn turn(&self) -> Player {
        self.position.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn legal_moves(&self) -> MoveList<Move> {
        self.position.legal_moves()
    }

    fn count_legal_moves(&self) -> usize {
        self.position.count_legal_moves()
    }

    fn play(&mut self, mv: Move) {
        self.position.play(mv);
    }

    fn winning_move(&self) -> Option<Move> {
        self.position.winning_move()
    }

    fn safe_moves(&self) -> MoveList<Move> {
        self.position.safe_moves()
    }

    fn count_safe_moves(&self) -> usize {
        self.position.count_safe_moves()
    }

    fn initial_numbers(&self) -> impl Fn(&Self) -> InitialNumbers {
        let numbers_of = self.position.initial_numbers_by(self.weights);
        move |next| numbers_of(&next.position)
    }

    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn proof_key(&self) -> u64 {
        self.position.proof_key()
    }
}

impl Searchable for Weighted {
    type Evaluator = NoEvaluator;
}

/// A proof calls no evaluator.
#[derive(Default)]
struct NoEvaluator;

impl Evaluator<Weighted> for NoEvaluator {
    fn evaluate(
        &mut self,
        _: &Weighted,
        moves: &[Move],
        _: RoundProof,
        _: &[Option<Player>],
    ) -> Evaluation {
        let logits = moves.iter().map(|_| 0.0).collect();
        Evaluation { value: 0.5, policy: Policy { logits, classes: Default::default() } }
    }
}
