//! The first phase: who wins the round in play?
//!
//! Where a round is only a part of the game, losing it is rarely worth anything else, and who wins it is soon known. So it is searched
//! first as a contest of its own, and what its search finds becomes a policy for the search of the match.

use crate::game::Searchable;
use crate::search::limits::Limits;
use crate::search::proof::proven::Proof;
use crate::search::proof::static_result::lookup_proof;
use crate::search::proof::tt_value::TtValue;
use crate::search::tree::opponent::Opponent;
use crate::search::tree::reuse::ReusedTree;
use crate::search::tree::search::TreeSearch;

/// Nodes that an open round leaves to the match, for the value of the move and the reply to it.
const NODES_LEFT_FOR_MATCH: u64 = 64;

/// Nodes without which a match that goes on after a proven round overrules nothing: among few visits the round's own choice is the better one.
const MIN_NODES_FOR_MATCH: u64 = 512;

/// Nodes that a round gets by itself where the limits set no other measure.
const NODES_WITHOUT_LIMITS: u64 = 1 << 18;

/// What the search of a round leaves to that of the match.
pub(in crate::search) struct RoundSearchResult<M> {
    /// How its visits are shared among the moves, in the order of the legal ones; empty where it was not asked.
    pub policy: Vec<f32>,
    /// Its best move, as an index among the legal ones, where too few nodes are left for the match to choose another.
    pub choice: Option<usize>,
    /// The moves that it expects.
    pub line: Vec<M>,
}

/// The search of the round in play, for the search of a match.
pub(in crate::search) struct RoundSearch<'s, 'a, G: Searchable> {
    /// The tree of the round.
    pub tree: &'s mut ReusedTree<G>,
    /// The search that wants to know.
    pub game: &'s TreeSearch<'a, G>,
}

impl<G: Searchable> RoundSearch<'_, '_, G> {
    /// Searches the round, unless nothing depends on it, or it is proven and the match has nodes enough to choose by itself. An open round
    /// may take all but a few nodes. `tick` is called after every visit.
    pub fn run(self, tick: &mut dyn FnMut(&TreeSearch<'_, G>)) -> RoundSearchResult<G::Move> {
        let RoundSearch { tree, game } = self;
        let round = game.round.contest;
        let is_useful =
            game.root_candidates.len() > 1 && game.limits.mate.is_none() && game.is_in_match();
        let is_proven = || lookup_proof(&round, game.table).is_some();
        if !is_useful
            || round.outcome().is_some()
            || game.budget.nodes_left() > MIN_NODES_FOR_MATCH && is_proven()
        {
            return RoundSearchResult { policy: Vec::new(), choice: None, line: Vec::new() };
        }
        let tree = tree.move_root_to(&round, Opponent::Perfect);
        let limits = Limits { depth: None, mate: None, lines: 1, ..game.limits.clone() };
        let budget = game.budget.short_of(NODES_LEFT_FOR_MATCH).or_nodes(NODES_WITHOUT_LIMITS);
        let before = budget.nodes();
        let mut search = TreeSearch::new(tree, game.table, game.settings, &round, &limits, budget);
        search.run(tick);
        // That some of the moves lose is no proof of the round.
        let is_whole =
            |proof: &Proof| game.limits.search_moves.is_empty() || proof.is_win_for(round.turn());
        if let Some(proof) = search.root().proof().filter(is_whole) {
            game.table.put(round.proof_key(), TtValue::Proven(proof), before..budget.nodes());
        }
        let least = if search.root().proof().is_some() {
            MIN_NODES_FOR_MATCH
        } else {
            NODES_LEFT_FOR_MATCH
        };
        let is_chosen =
            game.limits.lines <= 1 && (game.budget.nodes_left() <= least || game.is_stopped());
        let best = game
            .immediate_losses_last(search.best_choices())
            .into_iter()
            .find(|choice| game.root_candidates.contains(choice));
        let line = best.map(|choice| search.variation(choice)).unwrap_or_default();
        RoundSearchResult { policy: search.shares(), choice: best.filter(|_| is_chosen), line }
    }
}
