//! The first phase: who wins the round in play?
//!
//! Where a round is only a part of the game, losing it is rarely worth anything else, and who wins it is soon known. So it is searched
//! first as a contest of its own, and what its search finds becomes a policy for the search of the match.

use super::facts::round_proof;
use super::kept::KeptTree;
use super::limits::Limits;
use super::transposition::Known;
use super::tree_search::TreeSearch;
use crate::game::Searchable;

/// Nodes that an open round leaves to the match, for the value of the move and the reply to it.
pub(super) const NODES_LEFT_FOR_MATCH: u64 = 64;

/// Visits that a round gets by itself where the limits set no other measure.
const ROUND_VISITS: u64 = 1 << 18;

/// The search of the round in play, for the search of a match.
pub(super) struct Settling<'s, 'a, G: Searchable> {
    /// The tree of the round.
    pub tree: &'s mut KeptTree<G>,
    /// The search that wants to know.
    pub of: &'s TreeSearch<'a, G>,
}

impl<G: Searchable> Settling<'_, '_, G> {
    /// Searches the round, unless it is settled or nothing depends on it. An open round may take all but a few nodes. What its search
    /// thinks of the moves: their shares of the visits, in the order of the legal moves; empty where it was not asked. `tick` is called after
    /// every visit.
    pub fn run(self, tick: &mut dyn FnMut()) -> Vec<f32> {
        let Settling { tree, of } = self;
        let round = of.round.contest;
        let is_asked = of.root_candidates.len() > 1 && of.limits.mate.is_none() && of.is_in_match();
        if !is_asked || round.outcome().is_some() || round_proof(&round, of.table).is_some() {
            return Vec::new();
        }
        tree.move_root_to(&round);
        let limits = Limits { depth: None, mate: None, search_moves: Vec::new(), lines: 1, ..of.limits.clone() };
        let deadline = of.deadline.short_of(NODES_LEFT_FOR_MATCH).or_nodes(ROUND_VISITS);
        let search = TreeSearch::new(&tree.tree, of.table, of.settings, &round, &limits, deadline);
        search.run(&mut |_| tick());
        if let Some(proof) = search.root().proof() {
            of.table.put(round.hash(), Known::Proven(proof), ROUND_VISITS);
        }
        search.shares()
    }
}
