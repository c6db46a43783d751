//! `go mate N`: whether the player to move can force a win within N own moves.

use super::dfpn::Prover;
use super::proven::Proof;
use super::static_result::{after, static_proof};
use super::tt_value::TtValue;
use super::win_within::WinWithin;
use crate::game::{Game, Searchable};
use crate::search::tree::root::best_first;
use crate::search::tree::search::TreeSearch;

/// Expansions for this question after each batch of visits.
const EXPANSIONS_PER_BATCH: u64 = 1 << 10;

impl<G: Searchable> TreeSearch<'_, G> {
    /// Works on whether a root move wins within the requested number of moves. Ends the search once
    /// that is decided.
    pub(in crate::search) fn work_on_mate(&self, prover: &mut Prover<'_>) {
        let Some(moves) = self.limits.mate else { return };
        let player = self.position.turn();
        let contest = WinWithin::own_moves(&self.position, player, moves);
        let legal = self.position.legal_moves();
        let Some(first) = self.root().children().next() else { return };
        // The move with the least proof number; of equal ones the best by the tree search.
        let open =
            best_first(self.tree, self.root_children(), player).into_iter().filter_map(|child| {
                let next = after(&contest, legal[(child - first) as usize]);
                let known = static_proof(&next)
                    .map(TtValue::Proven)
                    .or_else(|| self.table.get(next.proof_key()));
                match known {
                    Some(TtValue::Proven(proof)) if proof.is_win_for(player) => {
                        Some((0, child, next))
                    }
                    Some(TtValue::Proven(_)) => None,
                    Some(TtValue::Open(numbers)) => Some((numbers.of(player), child, next)),
                    None => Some((1, child, next)),
                }
            });
        let Some((_, child, next)) = open.min_by_key(|&(number, ..)| number) else {
            // No move wins in time.
            return self.end_if(true);
        };
        if let Some(proof) = self
            .prove_within_budget(prover, &next, EXPANSIONS_PER_BATCH)
            .filter(|proof| proof.is_win_for(player))
        {
            self.tree.node(child).set_proof(proof);
            self.prove(self.tree.root(), player);
            self.end_if(true);
        }
    }

    /// Whether this win is longer than requested.
    pub(in crate::search) fn is_too_long(&self, proof: Proof) -> bool {
        let player = self.position.turn();
        self.limits.mate.is_some_and(|moves| {
            proof.is_win_for(player) && u32::from(proof.distance.of(player)) > moves
        })
    }
}
