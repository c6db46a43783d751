//! The first phase: who wins the round in play?
//!
//! Where a round is only a part of the game, losing it is rarely worth anything else, and who wins it is soon known. So it is searched
//! first as a contest of its own, and what its search finds becomes a policy for the search of the match.

use crate::game::Searchable;
use crate::search::limits::Limits;
use crate::search::proof::proven::Proof;
use crate::search::proof::static_result::round_proof;
use crate::search::proof::tt_value::Known;
use crate::search::tree::opponent::Opponent;
use crate::search::tree::reuse::KeptTree;
use crate::search::tree::search::TreeSearch;

/// Nodes that an open round leaves to the match, for the value of the move and the reply to it.
const NODES_LEFT_FOR_MATCH: u64 = 64;

/// Nodes without which a match that goes on after a proven round overrules nothing: among few visits the round's own choice is the better one.
const LEAST_FOR_MATCH: u64 = 512;

/// Nodes that a round gets by itself where the limits set no other measure.
const NODES_OF_UNBOUNDED: u64 = 1 << 18;

/// What the search of a round leaves to that of the match.
pub(in crate::search) struct Settled<M> {
    /// How its visits are shared among the moves, in the order of the legal ones; empty where it was not asked.
    pub policy: Vec<f32>,
    /// Its best move, as an index among the legal ones, where too few nodes are left for the match to choose another.
    pub choice: Option<usize>,
    /// The moves that it expects.
    pub line: Vec<M>,
}

/// The search of the round in play, for the search of a match.
pub(in crate::search) struct Settling<'s, 'a, G: Searchable> {
    /// The tree of the round.
    pub tree: &'s mut KeptTree<G>,
    /// The search that wants to know.
    pub of: &'s TreeSearch<'a, G>,
}

impl<G: Searchable> Settling<'_, '_, G> {
    /// Searches the round, unless nothing depends on it, or it is proven and the match has nodes enough to choose by itself. An open round
    /// may take all but a few nodes. `tick` is called after every visit.
    pub fn run(self, tick: &mut dyn FnMut(&TreeSearch<'_, G>)) -> Settled<G::Move> {
        let Settling { tree, of } = self;
        let round = of.round.contest;
        let is_asked = of.root_candidates.len() > 1 && of.limits.mate.is_none() && of.is_in_match();
        let is_proven = || round_proof(&round, of.table).is_some();
        if !is_asked
            || round.outcome().is_some()
            || of.deadline.nodes_left() > LEAST_FOR_MATCH && is_proven()
        {
            return Settled { policy: Vec::new(), choice: None, line: Vec::new() };
        }
        tree.move_root_to(&round, Opponent::Perfect);
        let limits = Limits { depth: None, mate: None, lines: 1, ..of.limits.clone() };
        let deadline = of.deadline.short_of(NODES_LEFT_FOR_MATCH).or_nodes(NODES_OF_UNBOUNDED);
        let before = deadline.nodes();
        let mut search =
            TreeSearch::new(&tree.tree, of.table, of.settings, &round, &limits, deadline);
        search.run(tick);
        // That some of the moves lose is no proof of the round.
        let is_whole =
            |proof: &Proof| of.limits.search_moves.is_empty() || proof.is_win_for(round.turn());
        if let Some(proof) = search.root().proof().filter(is_whole) {
            of.table.put(round.proof_key(), Known::Proven(proof), before..deadline.nodes());
        }
        let least =
            if search.root().proof().is_some() { LEAST_FOR_MATCH } else { NODES_LEFT_FOR_MATCH };
        let is_chosen =
            of.limits.lines <= 1 && (of.deadline.nodes_left() <= least || of.is_stopped());
        let best = of
            .gifts_last(search.best_choices())
            .into_iter()
            .find(|choice| of.root_candidates.contains(choice));
        let line = best.map(|choice| search.variation(choice)).unwrap_or_default();
        Settled { policy: search.shares(), choice: best.filter(|_| is_chosen), line }
    }
}
