//! What to play in a lost game: the moves that are hardest to answer.
//!
//! Against best play all moves of a lost position are alike, and those of one that is nearly lost are not worth much. So another search
//! asks what they are worth against a player who may err (speculative play, Uiterwijk and van den Herik 1994): one who plays every round
//! perfectly, but among the moves of a round chooses without a look at the rest of the game, each as often as its prior says.

use std::sync::atomic::Ordering::Relaxed;

use super::select::chance_of;
use super::tree::Tree;
use super::{Run, best_first};
use crate::game::Estimate;

/// A player with a lesser chance against best play counts on the opponent's errors.
const HOPELESS: f32 = 0.25;

/// Nodes with which a search knows more of the match than the search of the round does: with fewer there is no resistance.
const LEAST_NODES: u64 = 1 << 13;

/// Visits without which a resistance overrules nothing.
const LEAST_VISITS: u64 = 64;

impl<'a, G: Estimate> Run<'a, G> {
    /// Whether the game is lost or seems so against best play, though more than the round in play decides it, and there are limits
    /// and moves to choose among.
    pub(super) fn is_worth_resisting(&self) -> bool {
        let root = self.root();
        let player = self.position.turn();
        let is_lost = match root.proof() {
            Some(proof) => proof.is_win_for(!player),
            None => root.chance().is_some_and(|chance| chance_of(player, chance) < HOPELESS),
        };
        let one_answer = self.limits.lines <= 1 && self.root_choice.len() > 1;
        is_lost && self.round != self.position && self.deadline.is_limited() && one_answer
    }

    /// Whether the resistance, which gets about as many nodes as this search had, is likely to get enough of them.
    pub(super) fn is_ripe_for_resistance(&self) -> bool {
        self.root().proof().is_some() || self.deadline.nodes() >= LEAST_NODES
    }

    /// Spends what is left of the limits on a search of the same position in another tree, where the opponent may err, and settles
    /// for the move that it finds best. `tick` is called after every visit, with this search, whose score is that against best play.
    pub(super) fn resist(&mut self, tree: &'a Tree, tick: &mut dyn FnMut(&Self)) {
        let mut resistance = Run::new(tree, self.table, self.settings, &self.position, self.limits, self.deadline);
        resistance.erring = Some(!self.position.turn());
        resistance.go(&mut |_| tick(self));
        if resistance.visits.load(Relaxed) < LEAST_VISITS {
            return;
        }
        let best = best_first(tree, resistance.root_children(), self.position.turn()).first().copied();
        let first = tree.children(resistance.root()).next();
        self.root_choice = best.zip(first).map(|(best, first)| (best - first) as usize).into_iter().collect();
    }
}
