//! Game-specific help for df-pn. A search of seconds uses none; long proofs use the evaluator's.

use arrayvec::ArrayVec;

use super::Proof;
use super::table::TranspositionTable;
use crate::game::{Game, MAX_MOVES};
use crate::search::limits::Control;

/// Moves with the factors for their proof numbers.
pub type Weights<M> = ArrayVec<(M, f32), MAX_MOVES>;

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
