//! Kamisado under other weights.

use std::num::NonZeroUsize;

use oshi::game::{
    Evaluation, Evaluator, Game, InitialNumbers, MoveList, Outcome, Player, Policy, RoundProof,
    Searchable,
};
use oshi::games::kamisado::eval::initial_numbers::Weights;
use oshi::games::kamisado::{Match, Move};
use oshi::search::{Control, Query, Solver, TableMemory};

/// Memory of a proof, in bytes: for some expansions more than any of them gets.
const MEMORY: usize = 32 << 20;

/// A match whose proof numbers begin by these weights. A position of a game borrows nothing that ends before it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Weighed {
    position: Match,
    weights: &'static Weights,
}

/// So many expansions it takes to prove who wins the round, `most` if it takes more.
pub fn expansions_of_proof(position: Match, weights: &'static Weights, most: u64) -> u64 {
    let mut memory = TableMemory::new(MEMORY);
    let solver = Solver::new(&mut memory, NonZeroUsize::MIN);
    // The answer is the same by any weights.
    let _ = solver.try_to_answer(
        &Weighed { position, weights },
        Query::Winner,
        most,
        &Control::default(),
    );
    solver.expansions()
}

impl Eq for Weighed {}

impl Game for Weighed {
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

impl Searchable for Weighed {
    type Evaluator = Unasked;
}

/// A proof of a round asks no evaluator.
#[derive(Default)]
struct Unasked;

impl Evaluator<Weighed> for Unasked {
    fn evaluate(
        &mut self,
        _: &Weighed,
        moves: &[Move],
        _: RoundProof,
        _: &[Option<Player>],
    ) -> Evaluation {
        let logits = moves.iter().map(|_| 0.0).collect();
        Evaluation { value: 0.5, policy: Policy { logits, classes: Default::default() } }
    }
}
