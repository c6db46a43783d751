//! When a search is over: when its limits say so, and when it has found what it was asked for.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::root::best_first;
use super::search::TreeSearch;
use crate::game::Searchable;
use crate::search::budget::MIN_TIME_FOR_SPEED;

/// Where a search stood when it was set to run.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::search) struct Start {
    /// The time since the `go`.
    pub elapsed: Duration,
    /// Visits that it had made before.
    pub visits: u64,
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// Whether nodes or time are used up, or the search was stopped.
    pub(in crate::search) fn is_spent(&self) -> bool {
        self.budget.nodes_left() == 0 || self.is_stopped()
    }

    /// Whether its time is used up, or it was stopped.
    pub(in crate::search) fn is_stopped(&self) -> bool {
        self.budget.is_over(|| self.best_is_clear())
    }

    /// The same, or whether the time that is left can change nothing.
    pub(in crate::search) fn is_over(&self) -> bool {
        self.is_stopped() || self.best_is_out_of_reach()
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

    /// With a clock running, thinking about the only move is time lost.
    fn only_move_on_the_clock(&self) -> bool {
        self.searched_moves() == 1 && self.budget.is_on_a_clock()
    }

    /// Whether the most visited move is also the one with the best chance.
    fn best_is_clear(&self) -> bool {
        let player = self.position.turn();
        let by = |key: &dyn Fn(u32) -> f32| {
            self.root_children().max_by(|&a, &b| key(a).total_cmp(&key(b)))
        };
        let win_probability = |child| {
            self.tree
                .node(child)
                .win_probability()
                .map_or(0.0, |win_probability| player.chance_of(win_probability))
        };
        by(&|child| self.tree.node(child).visits() as f32) == by(&win_probability)
    }

    /// Whether, with a clock running, no other move can have as many visits as the one to be played by the time that ends a search whose answer
    /// is clear (smart pruning, as in Leela Chess Zero): the clock keeps that time for moves that are harder to choose. In a round by itself a
    /// proof may overrule all visits.
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

    /// About how many visits will be made at this pace until a clear answer ends the search; `None` while the pace is unknown.
    fn visits_to_come(&self) -> Option<f64> {
        let searched = self.budget.elapsed().saturating_sub(self.began.elapsed);
        let visits = self.statistics.visits.load(Relaxed) - self.began.visits;
        let left = self.budget.left_if_clear()?;
        (searched >= MIN_TIME_FOR_SPEED)
            .then(|| visits as f64 * left.as_secs_f64() / searched.as_secs_f64())
    }

    /// Whether the mean depth that was asked for is reached, or as much of it as the memory holds.
    pub(in crate::search) fn is_deep_enough(&self) -> bool {
        self.limits
            .depth
            .is_some_and(|depth| self.statistics.depth() >= depth || self.is_nearly_full())
    }

    /// Whether the tree is as full as a search to some depth makes it.
    pub(in crate::search) fn is_nearly_full(&self) -> bool {
        self.tree.permille_used() >= 999
    }
}
