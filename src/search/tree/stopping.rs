//! The stopping rule of a search: its limits, and whether its answer is settled.

use std::sync::atomic::Ordering::Relaxed;

use super::root::best_first;
use super::search::TreeSearch;
use crate::game::Searchable;
use crate::search::budget::MIN_TIME_FOR_SPEED;

impl<G: Searchable> TreeSearch<'_, G> {
    /// Whether the nodes or the time are used up, or the search was stopped.
    pub(in crate::search) fn is_spent(&self) -> bool {
        self.budget.nodes_left() == 0 || self.is_out_of_time()
    }

    /// Whether the time is used up, or the search was stopped.
    pub(in crate::search) fn is_out_of_time(&self) -> bool {
        self.budget.is_over(|| self.best_is_clear())
    }

    /// Whether the search was stopped, or the remaining time cannot change the move.
    pub(in crate::search) fn is_over(&self) -> bool {
        self.is_out_of_time() || self.best_is_out_of_reach()
    }

    /// Whether no further visit can change the answer.
    pub(in crate::search) fn is_settled(&self) -> bool {
        let proven = self.root().proof().is_some_and(|proof| !self.is_too_long(proof))
            && (self.limits.lines <= 1 || self.all_children_proven());
        proven
            || self.chosen.is_some() && self.all_children_proven()
            || self.only_move_on_the_clock()
    }

    fn all_children_proven(&self) -> bool {
        self.root_children().all(|child| self.tree.node(child).proof().is_some())
    }

    /// Whether there is only one move and a running clock: its time is better kept.
    fn only_move_on_the_clock(&self) -> bool {
        self.searched_moves() == 1 && self.budget.is_on_a_clock()
    }

    /// Whether the most visited move also has the best value.
    fn best_is_clear(&self) -> bool {
        let player = self.position.turn();
        let by = |key: &dyn Fn(u32) -> f32| {
            self.root_children().max_by(|&a, &b| key(a).total_cmp(&key(b)))
        };
        let win_probability = |child| {
            self.tree
                .node(child)
                .win_probability()
                .map_or(0.0, |win_probability| player.relative(win_probability))
        };
        by(&|child| self.tree.node(child).visits() as f32) == by(&win_probability)
    }

    /// Whether no other move can overtake the best one in visits before the soft limit (smart
    /// pruning, as in Leela Chess Zero). Only on a clock, which keeps the time for harder moves. In
    /// a single-round game of Kamisado a proof may overrule all visits, so the rule does not apply.
    fn best_is_out_of_reach(&self) -> bool {
        let visits_decide = self.is_in_match() || G::HAS_DRAWS;
        let is_asked_for_more = self.limits.lines > 1 || self.limits.mate.is_some();
        if !visits_decide
            || is_asked_for_more
            || !self.budget.is_on_a_clock()
            || !self.best_is_clear()
        {
            return false;
        }
        let Some(to_come) = self.visits_to_come() else { return false };
        let visits = |child| f64::from(self.tree.node(child).visits());
        let order = best_first(self.tree, self.root_children(), self.position.turn());
        let Some((&best, others)) = order.split_first() else { return false };
        let open = |&&child: &&u32| self.tree.node(child).proof().is_none();
        others.iter().filter(open).all(|&other| visits(other) + to_come < visits(best))
    }

    /// Expected visits until the soft limit; `None` while the speed is unknown.
    fn visits_to_come(&self) -> Option<f64> {
        let searched = self.budget.elapsed().saturating_sub(self.start.elapsed);
        let visits = self.statistics.visits.load(Relaxed) - self.start.visits;
        let left = self.budget.left_if_clear()?;
        (searched >= MIN_TIME_FOR_SPEED)
            .then(|| visits as f64 * left.as_secs_f64() / searched.as_secs_f64())
    }

    /// Whether the requested mean depth is reached, or the tree is nearly full.
    pub(in crate::search) fn is_deep_enough(&self) -> bool {
        self.limits
            .depth
            .is_some_and(|depth| self.statistics.depth() >= depth || self.is_nearly_full())
    }

    /// Whether the tree is so full that a search to some depth ends.
    pub(in crate::search) fn is_nearly_full(&self) -> bool {
        self.tree.permille_used() >= 999
    }
}
