//! What helps a proof search besides the rules of the game, where it works for hours.

use arrayvec::ArrayVec;

use super::exact::ExactSearch;
use super::proven::Proof;
use super::table::TranspositionTable;
use crate::game::{Evaluator, Game, MAX_MOVES, RoundProof, Searchable};
use crate::search::budget::Control;

/// Moves, and how many times as hard a win by each is taken to be.
type Harder<M> = ArrayVec<(M, f32), MAX_MOVES>;

/// What a proof search asks besides the rules.
pub trait Help<G: Game> {
    /// Whether to [look through](Help::look_through) the position rather than work on it.
    fn looks_through(position: &G) -> bool;

    /// The result of a position, unless it takes more than so many expansions or is stopped, and the expansions made.
    fn look_through(
        position: &G,
        table: &TranspositionTable,
        most: u64,
        control: Option<&Control>,
    ) -> (Option<Proof>, u64);

    /// Which of the moves are less likely to win than they look.
    fn guide(position: &G, moves: &[G::Move]) -> Harder<G::Move>;
}

/// The rules are enough: what a search of seconds does best with.
pub struct Unaided;

impl<G: Game> Help<G> for Unaided {
    fn looks_through(_: &G) -> bool {
        false
    }

    fn look_through(
        _: &G,
        _: &TranspositionTable,
        _: u64,
        _: Option<&Control>,
    ) -> (Option<Proof>, u64) {
        (None, 0)
    }

    fn guide(_: &G, _: &[G::Move]) -> Harder<G::Move> {
        ArrayVec::new()
    }
}

/// Exact search near the end of a game, and the policy of the game's evaluator before it.
pub struct ByEvaluator;

impl<G: Searchable> Help<G> for ByEvaluator {
    fn looks_through(position: &G) -> bool {
        G::Evaluator::is_near_end(position)
    }

    fn look_through(
        position: &G,
        table: &TranspositionTable,
        most: u64,
        control: Option<&Control>,
    ) -> (Option<Proof>, u64) {
        let mut exact = ExactSearch::under(control, table);
        (exact.solve(position, &mut G::Evaluator::default(), most), exact.expansions)
    }

    fn guide(position: &G, moves: &[G::Move]) -> Harder<G::Move> {
        if G::Evaluator::PROOF_GUIDANCE == 0.0 {
            return ArrayVec::new();
        }
        let logits = G::Evaluator::default()
            .evaluate(position, moves, RoundProof::Unknown, &[])
            .policy
            .logits;
        let best = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let harder = |logit: f32| 1.0 + G::Evaluator::PROOF_GUIDANCE * (best - logit);
        moves.iter().copied().zip(logits.into_iter().map(harder)).collect()
    }
}
