//! Which child a visit goes to next.

use super::arena::Tree;
use super::node::Node;
use crate::game::{Outcome, Player};
use crate::search::proof::proven::Proof;

/// How much worse than its parent a move is taken to be before its first visit, in units of the spread of chances.
const FIRST_PLAY_REDUCTION: f32 = 0.4;

/// The child to visit next among these: the one with the highest chance plus the bonus that its prior still deserves (PUCT, Rosin
/// 2011, as in AlphaZero). Children with a proven result are done with and left out; `None` if no other is left.
///
/// `spread` is the standard deviation of the chances that the search meets: where a round is only a step of a long match, all
/// chances lie close together, and curiosity must not outweigh them (as in KataGo, Wu 2020). `exploration` is the game's, in units
/// of the spread.
pub(in crate::search) fn select(
    tree: Tree<'_>,
    parent: &Node,
    children: impl Iterator<Item = u32>,
    player: Player,
    exploration: f32,
    deviation: f32,
) -> Option<u32> {
    let unvisited = player.chance_of(parent.win_probability().unwrap_or(0.5))
        - FIRST_PLAY_REDUCTION * deviation;
    let exploration = exploration * deviation * (parent.visits_begun() as f32).sqrt();
    let score = |child: &Node| {
        let visits = child.visits();
        let begun = child.visits_begun();
        let win_probability = child
            .win_probability()
            .map_or(unvisited, |win_probability| player.chance_of(win_probability));
        // A visit under way counts as lost, so that threads spread out (Chaslot, Winands and van den Herik 2008).
        let win_probability = if begun > 0 {
            win_probability * (visits.max(1) as f32 / begun as f32).min(1.0)
        } else {
            win_probability
        };
        win_probability + exploration * child.prior() / (1.0 + begun as f32)
    };
    let mut best = None;
    let mut best_score = f32::NEG_INFINITY;
    for index in children {
        let child = tree.node(index);
        if child.proof().is_some() {
            continue;
        }
        let score = score(child);
        if score > best_score {
            best_score = score;
            best = Some(index);
        }
    }
    best
}

/// The child to visit next of a player who errs: in the long run each as often as its prior says, proven or not.
pub(in crate::search) fn sample(
    tree: Tree<'_>,
    children: impl Iterator<Item = u32>,
) -> Option<u32> {
    let due = |&child: &u32| {
        let child = tree.node(child);
        child.prior() / (1 + child.visits_begun()) as f32
    };
    children.max_by(|a, b| due(a).total_cmp(&due(b)))
}

/// How good a child is as the move to play, larger for the better: a proven win first (the shorter the better), a proven loss last
/// (the longer the better), in between the more visited. A proven draw stands between those that promise more and less. A won round
/// is not put at risk while anything else is left.
pub(in crate::search) fn move_rank(child: &Node, player: Player) -> (u8, f32) {
    if let Some(proof) = child.proof_from_parent() {
        let moves = f32::from(proof.distance.of(player));
        return match proof.outcome {
            Outcome::Win(winner) if winner == player => (5, -moves),
            Outcome::Win(_) => (0, moves),
            Outcome::Draw => (3, 0.0),
        };
    }
    let promising = child
        .win_probability()
        .is_some_and(|win_probability| player.chance_of(win_probability) > 0.5);
    let class = match (child.is_excluded(), promising) {
        (true, _) => 1,
        (false, false) => 2,
        (false, true) => 4,
    };
    (class, child.visits() as f32 + child.prior())
}

/// The proof of a node from those of its children.
pub(in crate::search) fn proof_of_children(
    tree: Tree<'_>,
    children: impl Iterator<Item = u32>,
    player: Player,
) -> Option<Proof> {
    Proof::of_moves(player, children.map(|child| tree.node(child).proof_from_parent()))
}
