//! Heuristics of long proofs: exact search near the end, and proof-number weights from the policy.

use arrayvec::ArrayVec;

use crate::game::{Evaluator, RoundProof, Searchable};
use crate::search::Control;
use crate::search::proof::Proof;
use crate::search::proof::exact::ExactSearch;
use crate::search::proof::heuristics::{Heuristics, Weights};
use crate::search::proof::table::TranspositionTable;

/// Exact search near the end of the game, and weights from the evaluator's policy before that.
pub struct WithEvaluator;

impl<G: Searchable> Heuristics<G> for WithEvaluator {
    fn is_near_end(position: &G) -> bool {
        G::Evaluator::is_near_end(position)
    }

    fn solve_exactly(
        position: &G,
        table: TranspositionTable<'_>,
        limit: u64,
        control: Option<&Control>,
    ) -> (Option<Proof>, u64) {
        let mut exact = ExactSearch::with_control(control, table);
        (exact.solve(position, &mut G::Evaluator::default(), limit), exact.expansions)
    }

    fn weights(position: &G, moves: &[G::Move]) -> Weights<G::Move> {
        if G::Evaluator::POLICY_PROOF_WEIGHT == 0.0 {
            return ArrayVec::new();
        }
        let logits = G::Evaluator::default()
            .evaluate(position, moves, RoundProof::Unknown, &[])
            .policy
            .logits;
        let best = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weight = |logit: f32| 1.0 + G::Evaluator::POLICY_PROOF_WEIGHT * (best - logit);
        moves.iter().copied().zip(logits.into_iter().map(weight)).collect()
    }
}
