//! Selection of the child to visit next, and ranking of the moves to play.

use super::arena::Tree;
use super::node::Node;
use crate::game::{Outcome, Player};
use crate::search::proof::proven::Proof;

/// First-play urgency: the value of an unvisited move is that of its parent less this number of
/// standard deviations.
const FIRST_PLAY_REDUCTION: f32 = 0.4;

/// Selects the child with the highest value plus exploration bonus (PUCT, Rosin 2011, with priors
/// as in AlphaZero, Silver et al. 2018). Skips proven children; `None` if all are proven.
///
/// `deviation` is the standard deviation of the values in the search, the unit of `exploration` (as
/// in KataGo, Wu 2020). In a long match all values are close together, and the bonus must not
/// outweigh them. `exploration` is a constant of the game.
pub(in crate::search) fn select(
    tree: Tree<'_>,
    parent: &Node,
    children: impl Iterator<Item = u32>,
    player: Player,
    exploration: f32,
    deviation: f32,
) -> Option<u32> {
    let unvisited =
        player.relative(parent.win_probability().unwrap_or(0.5)) - FIRST_PLAY_REDUCTION * deviation;
    let exploration = exploration * deviation * (parent.visits_begun() as f32).sqrt();
    let score = |child: &Node| {
        let visits = child.visits();
        let begun = child.visits_begun();
        let win_probability = child
            .win_probability()
            .map_or(unvisited, |win_probability| player.relative(win_probability));
        // Virtual loss spreads the threads (Chaslot, Winands and van den Herik 2008).
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

/// Selects a child for a player who moves by policy: over many visits, each child in proportion to
/// its prior, proven or not.
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

/// Rank of a child as the move to play, higher for better moves: a proven win first (shorter ones
/// before longer), a proven loss last (longer ones before shorter). Open moves rank by visits,
/// those above ½ before a proven draw and the others behind it. Excluded moves rank just above
/// losses.
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
        .is_some_and(|win_probability| player.relative(win_probability) > 0.5);
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
