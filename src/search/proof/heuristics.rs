//! Heuristics of long proofs: exact search near the end, and proof-number weights from the policy.

use arrayvec::ArrayVec;

use super::exact::ExactSearch;
use super::proven::Proof;
use super::table::TranspositionTable;
use crate::game::{Evaluator, Game, MAX_MOVES, RoundProof, Searchable};
use crate::search::control::Control;

/// Moves with the factors for their proof numbers.
type Weights<M> = ArrayVec<(M, f32), MAX_MOVES>;

/// Game-specific help for a proof search.
pub trait Heuristics<G: Game> {
    /// Whether to [solve](Heuristics::solve_exactly) the position exactly.
    fn is_near_end(position: &G) -> bool;

    /// The result of a position, if it takes at most `limit` expansions and is not stopped, and the
    /// expansions used.
    fn solve_exactly(
        position: &G,
        table: TranspositionTable<'_>,
        limit: u64,
        control: Option<&Control>,
    ) -> (Option<Proof>, u64);

    /// Factors for the numbers of wins by these moves; moves without one have the factor 1.
    fn weights(position: &G, moves: &[G::Move]) -> Weights<G::Move>;
}

/// No heuristics, which is fastest in searches of seconds.
pub struct RulesOnly;

impl<G: Game> Heuristics<G> for RulesOnly {
    fn is_near_end(_: &G) -> bool {
        false
    }

    fn solve_exactly(
        _: &G,
        _: TranspositionTable<'_>,
        _: u64,
        _: Option<&Control>,
    ) -> (Option<Proof>, u64) {
        (None, 0)
    }

    fn weights(_: &G, _: &[G::Move]) -> Weights<G::Move> {
        ArrayVec::new()
    }
}

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
