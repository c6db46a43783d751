//! The root of a search: its candidate moves, their proofs and exclusions.

use super::arena::Tree;
use super::node::Node;
use super::search::TreeSearch;
use super::select::move_rank;
use crate::game::{Player, Searchable};
use crate::search::proof::static_result::{after, allows_immediate_win, known_proof, lookup_proof};

/// Minimum share of the most visited move's visits in the round search. While the round is open,
/// other moves are excluded.
const MIN_SHARE: f32 = 0.5;

impl<'a, G: Searchable> TreeSearch<'a, G> {
    /// Expands the root.
    pub(in crate::search) fn prepare_root(&self) {
        let root = self.root();
        let mut evaluator = G::Evaluator::default();
        if self.position.outcome().is_none() && !root.is_expanded() {
            self.expand(root, &self.position, &mut evaluator);
        }
        // An earlier search may have proven its root for only some of the moves.
        root.forget_proof();
        self.adopt_round_proofs(&mut evaluator);
        self.prove(self.tree.root(), self.position.turn());
    }

    pub(in crate::search) fn root(&self) -> &'a Node {
        self.tree.node(self.tree.root())
    }

    /// Root children to search: the chosen one, or all candidates.
    pub(in crate::search) fn root_children(&self) -> impl Iterator<Item = u32> + '_ {
        let children = self.root().children();
        let searched = self.chosen.as_ref().map_or(&*self.root_candidates, std::slice::from_ref);
        searched.iter().filter_map(move |&index| children.clone().nth(index))
    }

    /// Root children that may be played.
    pub(in crate::search) fn candidate_children(&self) -> impl Iterator<Item = u32> + '_ {
        let children = self.root().children();
        self.root_candidates.iter().filter_map(move |&index| children.clone().nth(index))
    }

    /// The position after the best root move with an open node, by `is_open`. Different threads get
    /// different moves if there are enough.
    pub(in crate::search) fn root_move_with(
        &self,
        thread: usize,
        is_open: impl Fn(&Node) -> bool,
    ) -> Option<G> {
        let first = self.root().children().next()?;
        let mut open = best_first(self.tree, self.root_children(), self.position.turn());
        open.retain(|&child| is_open(self.tree.node(child)));
        let child = open.get(thread.checked_rem(open.len())?)?;
        Some(after(&self.position, self.position.legal_moves()[(child - first) as usize]))
    }

    /// Number of root moves that are searched.
    pub(in crate::search) fn searched_moves(&self) -> usize {
        self.chosen.map_or(self.root_candidates.len(), |_| 1)
    }

    /// Whether every legal move may be played.
    pub(in crate::search) fn considers_all_moves(&self) -> bool {
        self.root_candidates.len() == self.root().child_count() as usize
    }

    /// Whether every legal move is searched.
    pub(in crate::search) fn searches_all_moves(&self) -> bool {
        self.searched_moves() == self.root().child_count() as usize
    }

    /// Whether the player to move is proven to lose.
    pub(in crate::search) fn is_proven_lost(&self) -> bool {
        self.root().proof().is_some_and(|proof| proof.is_win_for(!self.position.turn()))
    }

    /// Whether the search has one move to find, no `mate`, and several candidates.
    pub(in crate::search) fn is_free_to_choose(&self) -> bool {
        let asks_for_one = self.limits.lines <= 1 && self.limits.mate.is_none();
        asks_for_one && self.chosen.is_none() && self.root_candidates.len() > 1
    }

    /// Root candidates, best first, as indices among the legal moves.
    pub(in crate::search) fn best_choices(&self) -> Vec<usize> {
        let first = self.root().children().next().unwrap_or(0);
        let best = best_first(self.tree, self.candidate_children(), self.position.turn());
        self.immediate_losses_last(best.into_iter().map(|child| (child - first) as usize).collect())
    }

    /// Moves those choices to the end that let the opponent win the game at once.
    pub(in crate::search) fn immediate_losses_last(&self, mut choices: Vec<usize>) -> Vec<usize> {
        let moves = self.position.legal_moves();
        choices.sort_by_key(|&choice| {
            moves.get(choice).is_some_and(|&mv| allows_immediate_win(&self.position, mv))
        });
        choices
    }

    /// Share of the visits of each legal root move.
    pub(in crate::search) fn shares(&self) -> Vec<f32> {
        // If the root is not won, a proven move is not a win, so it gets no share.
        let open = |child| self.tree.node(child).proof().is_none();
        let visits = |child| if open(child) { self.tree.node(child).visits() as f32 } else { 0.0 };
        let visits = self.root().children().map(visits);
        let sum: f32 = visits.clone().sum::<f32>().max(1.0);
        visits.map(|visits| visits / sum).collect()
    }

    /// Applies the proofs of the round in play and of the rounds after the root moves.
    pub(in crate::search) fn adopt_round_proofs(&self, evaluator: &mut G::Evaluator) {
        if self.round.is_whole_game() {
            return;
        }
        let root = self.root();
        let moves = self.position.legal_moves();
        let priors = self.evaluate(&self.position, &moves, evaluator).policy.logits;
        let player = self.position.turn();
        let proof = |contest: &G| lookup_proof(contest, self.table);
        let won = proof(&self.round.contest).map(|proof| proof.is_win_for(player));
        let most_visits = self.round_policy.iter().copied().fold(0.0, f32::max);
        let payoff_bounds = self.payoff_bounds_after(&moves, evaluator);
        let least = |choice: usize| {
            payoff_bounds[choice].as_ref().map(|payoff_bounds| payoff_bounds.least(player))
        };
        let best_least = self.root_candidates.iter().copied().filter_map(least).fold(0.0, f32::max);
        let gives_round_up = |choice: usize, mv| match won {
            Some(won) => {
                won && !proof(&after(&self.round.contest, mv))
                    .is_some_and(|proof| proof.is_win_for(player))
            }
            None => {
                self.round_policy.get(choice).is_some_and(|&share| share < most_visits * MIN_SHARE)
            }
        };
        for ((child, (choice, &mv)), &prior) in
            root.children().zip(moves.iter().enumerate()).zip(&priors)
        {
            let child = self.tree.node(child);
            child.set_prior(prior);
            child.set_excluded(
                gives_round_up(choice, mv) || least(choice).is_some_and(|least| least < best_least),
            );
            let next = after(&self.position, mv);
            if !child.is_round_known()
                && let Some(proof) = proof(&next.round().contest)
            {
                self.apply_round_proof(child, &next, proof, evaluator);
            }
            payoff_bounds[choice].iter().for_each(|payoff_bounds| payoff_bounds.apply_to(child));
        }
        self.prove(self.tree.root(), self.position.turn());
    }

    /// Applies the proofs of the root moves.
    pub(in crate::search) fn adopt_proofs(&self) {
        let root = self.root();
        for (child, mv) in root.children().zip(self.position.legal_moves()) {
            let next = after(&self.position, mv);
            if let Some(proof) = known_proof(&next, self.table) {
                self.tree.node(child).set_proof(proof);
            }
        }
        self.prove(self.tree.root(), self.position.turn());
    }
}

/// The children of one node, best first.
pub(in crate::search) fn best_first(
    tree: Tree<'_>,
    children: impl Iterator<Item = u32>,
    player: Player,
) -> Vec<u32> {
    // Ranks are read once, since other threads change the nodes.
    let mut order: Vec<_> =
        children.map(|index| (move_rank(tree.node(index), player), index)).collect();
    // A stable sort: of equal moves the first legal one stays first.
    order.sort_by(|(a, _), (b, _)| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    order.into_iter().map(|(_, index)| index).collect()
}
