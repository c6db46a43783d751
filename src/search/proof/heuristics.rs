//! What helps a proof search besides the rules of the game, where it works for hours.

use arrayvec::ArrayVec;

use super::exact::ExactSearch;
use super::proven::Proof;
use super::table::TranspositionTable;
use crate::game::{Evaluator, Game, MAX_MOVES, RoundProof, Searchable};
use crate::search::budget::Control;

/// Moves, and how many times as hard a win by each is taken to be.
type Weights<M> = ArrayVec<(M, f32), MAX_MOVES>;

/// What a proof search asks besides the rules.
pub trait Heuristics<G: Game> {
    /// Whether to [look through](Heuristics::look_through) the position rather than work on it.
    fn is_near_end(position: &G) -> bool;

    /// The result of a position, unless it takes more than so many expansions or is stopped, and the expansions made.
    fn solve_exactly(
        position: &G,
        table: TranspositionTable<'_>,
        limit: u64,
        control: Option<&Control>,
    ) -> (Option<Proof>, u64);

    /// Which of the moves are less likely to win than they look.
    fn weights(position: &G, moves: &[G::Move]) -> Weights<G::Move>;
}

/// The rules are enough: what a search of seconds does best with.
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

/// Exact search near the end of a game, and the policy of the game's evaluator before it.
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
        if G::Evaluator::PROOF_GUIDANCE == 0.0 {
            return ArrayVec::new();
        }
        let logits = G::Evaluator::default()
            .evaluate(position, moves, RoundProof::Unknown, &[])
            .policy
            .logits;
        let best = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weight = |logit: f32| 1.0 + G::Evaluator::PROOF_GUIDANCE * (best - logit);
        moves.iter().copied().zip(logits.into_iter().map(weight)).collect()
    }
}
