//! The round search, the first stage: it finds the winner of the round in play.
//!
//! If the round is only a part of the game, losing it is rarely compensated, and its winner can
//! soon be proven. So it is searched first as a game of its own. Its visits become a policy for the
//! match search.

use crate::game::Searchable;
use crate::search::limits::Limits;
use crate::search::proof::proven::Proof;
use crate::search::proof::static_result::lookup_proof;
use crate::search::proof::tt_value::TtValue;
use crate::search::tree::opponent::Opponent;
use crate::search::tree::reuse::ReusedTree;
use crate::search::tree::search::TreeSearch;

/// Nodes that an unproven round leaves to the match search, for the value of the move and the
/// reply.
const NODES_LEFT_FOR_MATCH: u64 = 64;

/// Nodes that the match search needs to overrule the move of a proven round. With fewer visits the
/// round's own choice is better.
const MIN_NODES_FOR_MATCH: u64 = 512;

/// Node limit of the round search if the limits do not set one.
const NODES_WITHOUT_LIMITS: u64 = 1 << 18;

/// Results that the round search passes to the match search.
pub(in crate::search) struct RoundSearchResult<M> {
    /// Share of the visits of each legal move, in their order; empty if the round was not searched.
    pub policy: Vec<f32>,
    /// The move to play, as an index among the legal ones, if too few nodes are left for the match
    /// search to choose another.
    pub choice: Option<usize>,
    /// The principal variation.
    pub line: Vec<M>,
}

/// The search of the round in play.
pub(in crate::search) struct RoundSearch<'s, 'a, G: Searchable> {
    /// The tree of the round.
    pub tree: &'s mut ReusedTree<G>,
    /// The search of the whole game.
    pub game: &'s TreeSearch<'a, G>,
}

impl<G: Searchable> RoundSearch<'_, '_, G> {
    /// Searches the round, unless nothing depends on it, or its winner is proven and the match
    /// search has enough nodes to choose the move. An open round may use all but a few nodes. Calls
    /// `tick` after every visit.
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
        // A proof over some of the moves proves the round only if one of them wins.
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
            game.limits.lines <= 1 && (game.budget.nodes_left() <= least || game.is_out_of_time());
        let best = game
            .immediate_losses_last(search.best_choices())
            .into_iter()
            .find(|choice| game.root_candidates.contains(choice));
        let line = best.map(|choice| search.variation(choice)).unwrap_or_default();
        RoundSearchResult { policy: search.shares(), choice: best.filter(|_| is_chosen), line }
    }
}
