//! The last phase: what to play in a lost game, the moves that are hardest to answer.
//!
//! Against best play all moves of a lost position are alike, and those of one that is nearly lost are not worth much. So another search
//! asks what they are worth against a player who may err (speculative play, Uiterwijk and van den Herik 1994): one who looks ahead at nothing, and
//! chooses each move as often as its prior says.

use std::sync::atomic::Ordering::Relaxed;

use crate::game::Searchable;
use crate::search::tree::opponent::Opponent;
use crate::search::tree::reuse::ReusedTree;
use crate::search::tree::search::TreeSearch;

/// A player with a lesser chance against best play counts on the opponent's errors.
const LOST_BELOW: f32 = 0.06;

/// Tenths of what is left that a match which seems lost gets before it is resisted.
pub(in crate::search) const TENTHS_BEFORE: u32 = 5;

/// Nodes with which a search knows more of the match than the search of the round does: with fewer there is no resistance.
const MIN_NODES: u64 = 1 << 13;

/// Visits without which a resistance overrules nothing.
const MIN_VISITS: u64 = 64;

/// Whether the game is lost or seems so against best play, and there are limits and moves to choose among. Where a round is the whole game, one that is
/// not proven lost is worth more than errors are likely; where it cannot be drawn besides, there is a better look at them than by policy (`swindle.rs`).
pub(in crate::search) fn looks_lost<G: Searchable>(search: &TreeSearch<'_, G>) -> bool {
    let seems_lost = || {
        search.root().win_probability().is_some_and(|win_probability| {
            search.position.turn().chance_of(win_probability) < LOST_BELOW
        })
    };
    let is_lost = match search.root().proof() {
        Some(_) => search.is_proven_lost() && (search.is_in_match() || G::HAS_DRAWS),
        None => search.is_in_match() && seems_lost(),
    };
    is_lost && search.budget.is_limited() && search.is_free_to_choose()
}

/// Whether a resistance after this search, which gets about as many nodes as it had, is likely to get enough of them.
pub(in crate::search) fn has_enough_nodes<G: Searchable>(search: &TreeSearch<'_, G>) -> bool {
    search.root().proof().is_some() || search.budget.nodes() >= MIN_NODES
}

/// The search of a lost position in another tree, against an opponent who chooses by policy.
pub(in crate::search) struct OpponentModelSearch<'s, 'a, G: Searchable> {
    /// The tree that it stands in, with what an earlier resistance has found there.
    pub tree: &'s mut ReusedTree<G>,
    /// The search that sees the game lost.
    pub game: &'s TreeSearch<'a, G>,
}

impl<G: Searchable> OpponentModelSearch<'_, '_, G> {
    /// Spends what is left of the limits. The move that it finds best, as an index among the legal ones, if it has looked closely enough
    /// to overrule the search. `tick` is called after every visit.
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
