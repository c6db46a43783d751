//! The opponent-model search: the choice of a move in a lost game.
//!
//! Against best play, all moves of a lost position are equal, and those of a nearly lost one are
//! worth little. So a second tree search values them against a fallible opponent (speculative
//! play, Uiterwijk and van den Herik 1994). The model does not look ahead: it chooses each move
//! with the probability of its prior.

use std::sync::atomic::Ordering::Relaxed;

use crate::game::Searchable;
use crate::search::tree::opponent::Opponent;
use crate::search::tree::reuse::ReusedTree;
use crate::search::tree::search::TreeSearch;

/// Win probability below which an unproven position counts as lost.
const LOST_BELOW: f32 = 0.06;

/// Tenths of the remaining budget that the match search gets if the game looks lost. The rest is
/// for the opponent-model search.
pub(in crate::search) const TENTHS_BEFORE: u32 = 5;

/// Nodes of all stages below which an unproven match runs no opponent-model search. With fewer, the
/// match search knows no more than the round search.
const MIN_NODES: u64 = 1 << 13;

/// Visits below which the result is not used.
const MIN_VISITS: u64 = 64;

/// Whether the game is lost or nearly lost against best play, and there are limits and several
/// moves to choose from.
///
/// A single-round game must be proven lost: until then, a win is likelier than an error.
/// If it cannot be drawn either, `swindle.rs` chooses the move.
pub(in crate::search) fn looks_lost<G: Searchable>(search: &TreeSearch<'_, G>) -> bool {
    let seems_lost = || {
        search.root().win_probability().is_some_and(|win_probability| {
            search.position.turn().relative(win_probability) < LOST_BELOW
        })
    };
    let is_lost = match search.root().proof() {
        Some(_) => search.is_proven_lost() && (search.is_in_match() || G::HAS_DRAWS),
        None => search.is_in_match() && seems_lost(),
    };
    is_lost && search.budget.is_limited() && search.is_free_to_choose()
}

/// Whether an opponent-model search would get enough nodes, or the game is proven lost. It gets
/// about the number of nodes spent so far.
pub(in crate::search) fn has_enough_nodes<G: Searchable>(search: &TreeSearch<'_, G>) -> bool {
    search.root().proof().is_some() || search.budget.nodes() >= MIN_NODES
}

/// A tree search of a lost position against an opponent who moves by policy.
pub(in crate::search) struct OpponentModelSearch<'s, 'a, G: Searchable> {
    /// The tree to search in, reused from an earlier opponent-model search if possible.
    pub tree: &'s mut ReusedTree<G>,
    /// The search that found the game lost.
    pub game: &'s TreeSearch<'a, G>,
}

impl<G: Searchable> OpponentModelSearch<'_, '_, G> {
    /// Spends the remaining budget. Returns the best move as an index among the legal ones, or
    /// `None` after too few visits. Calls `tick` after every visit.
    pub fn run(self, tick: &mut dyn FnMut()) -> Option<usize> {
        let OpponentModelSearch { tree, game } = self;
        let player = game.position.turn();
        let opponent = Opponent::ByPolicy(!player);
        let tree = tree.move_root_to(&game.position, opponent);
        let mut search = TreeSearch::new(
            tree,
            game.table,
            game.settings,
            &game.position,
            game.limits,
            game.budget,
        );
        search.opponent = opponent;
        search.run(&mut |_| tick());
        if search.statistics.visits.load(Relaxed) < MIN_VISITS {
            return None;
        }
        search.best_choices().first().copied()
    }
}
