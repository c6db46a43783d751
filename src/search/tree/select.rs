//! Selection of the child to visit next, and ranking of the moves to play.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::arena::Tree;
use super::node::Node;
use crate::game::{Outcome, Player};
use crate::search::params;
use crate::search::proof::Proof;

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
    let unvisited = player.relative(parent.win_probability().unwrap_or(0.5))
        - params::first_play_reduction() * deviation;
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

/// Standard deviation of win probabilities, collected by all threads.
pub(in crate::search) struct Deviation {
    count: AtomicU64,
    /// Sum in units of 2⁻²⁴.
    sum: AtomicU64,
    squares: AtomicU64,
}

const UNIT: f32 = (1 << 24) as f32;

/// Initial sample: this number of values, spread evenly at this deviation around ½.
const FIRST_COUNT: u64 = 16;

impl Deviation {
    pub fn new() -> Deviation {
        let sums = |each: f32| AtomicU64::new(FIRST_COUNT * (each * UNIT) as u64);
        Deviation {
            count: AtomicU64::new(FIRST_COUNT),
            sum: sums(0.5),
            squares: sums(0.25 + params::first_deviation().powi(2)),
        }
    }

    pub fn add(&self, win_probability: f32) {
        self.count.fetch_add(1, Relaxed);
        self.sum.fetch_add((win_probability * UNIT) as u64, Relaxed);
        self.squares.fetch_add((win_probability * win_probability * UNIT) as u64, Relaxed);
    }

    /// The standard deviation, at least the minimum.
    pub fn get(&self) -> f32 {
        let count = self.count.load(Relaxed) as f32 * UNIT;
        let mean = self.sum.load(Relaxed) as f32 / count;
        let square = self.squares.load(Relaxed) as f32 / count;
        (square - mean * mean).max(0.0).sqrt().max(params::min_deviation())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::fixture::{DRAW, visit};
    use crate::search::proof::Distance;
    use crate::search::proof::static_result::win_in;
    use crate::search::tree::arena::TreeMemory;
    use crate::search::tree::node::NewNode;

    /// A child. The mean of its visits is the win probability of the player to move at the parent.
    #[derive(Clone, Copy, Default, Debug)]
    struct Child {
        visits: u32,
        mean: f32,
        in_flight: u32,
        prior: f32,
        proof: Option<Proof>,
        is_excluded: bool,
    }

    fn visited(visits: u32, mean: f32, prior: f32) -> Child {
        Child { visits, mean, prior, ..Child::default() }
    }

    fn running(visits: u32, in_flight: u32, mean: f32, prior: f32) -> Child {
        Child { in_flight, ..visited(visits, mean, prior) }
    }

    fn unvisited(prior: f32) -> Child {
        visited(0, 0.0, prior)
    }

    fn proven(proof: Proof) -> Child {
        Child { proof: Some(proof), ..unvisited(0.9) }
    }

    /// A tree with these children of its root, one move of `player` away.
    fn tree_of<'m>(memory: &'m mut TreeMemory, player: Player, children: &[Child]) -> Tree<'m> {
        let tree = memory.tree();
        let root = tree.node(tree.root());
        let from_parent = Distance::default().with_move(player);
        let new = |child: &Child| NewNode { prior: child.prior, from_parent, proof: child.proof };
        tree.expand(root, children.iter().map(new));
        for (index, child) in root.children().zip(children) {
            let node = tree.node(index);
            node.set_excluded(child.is_excluded);
            visit(node, child.visits, player.relative(child.mean));
            (0..child.in_flight).for_each(|_| node.begin_visit());
        }
        tree
    }

    #[test]
    fn selects_the_highest_score_by_hand() {
        let lost = |player: Player| proven(win_in(!player, 1));
        for player in Player::ALL {
            // With 4 visits of the parent at 0.6 and a deviation of 0.25, an unvisited child is
            // worth 0.6 − 0.4 · 0.25 = 0.5, and the factor of the prior is 2 · 0.25 · √4 = 1.
            let cases: &[(u32, f32, &[Child], Option<u32>)] = &[
                // 0.8 + 0.2 / 2 against 0.5 + prior.
                (4, 0.25, &[visited(1, 0.8, 0.2), unvisited(0.39)], Some(0)),
                (4, 0.25, &[visited(1, 0.8, 0.2), unvisited(0.41)], Some(1)),
                // Twice the deviation: 0.8 + 2 · 0.2 / 2 against 0.4 + 2 · prior.
                (4, 0.5, &[visited(1, 0.8, 0.2), unvisited(0.29)], Some(0)),
                (4, 0.5, &[visited(1, 0.8, 0.2), unvisited(0.31)], Some(1)),
                // 0.6 + 0.4 / 4 against 0.5 + prior / 2.
                (4, 0.25, &[visited(3, 0.6, 0.4), visited(1, 0.5, 0.39)], Some(0)),
                (4, 0.25, &[visited(3, 0.6, 0.4), visited(1, 0.5, 0.41)], Some(1)),
                // An unvisited parent: 0.5 − 0.4 · 0.25 without a bonus.
                (0, 0.25, &[unvisited(0.9), visited(1, 0.39, 0.0)], Some(0)),
                (0, 0.25, &[unvisited(0.9), visited(1, 0.41, 0.0)], Some(1)),
                // Virtual loss: 0.8 · 1 / 2 + 0.3 / 3.
                (4, 0.25, &[running(1, 1, 0.8, 0.3), visited(1, 0.49, 0.0)], Some(0)),
                (4, 0.25, &[running(1, 1, 0.8, 0.3), visited(1, 0.51, 0.0)], Some(1)),
                // Virtual loss before the first visit ends: 0.5 / 3 + 0.4 / 4.
                (4, 0.25, &[running(0, 3, 0.0, 0.4), visited(1, 0.26, 0.0)], Some(0)),
                (4, 0.25, &[running(0, 3, 0.0, 0.4), visited(1, 0.28, 0.0)], Some(1)),
                (4, 0.25, &[unvisited(0.3), unvisited(0.3)], Some(0)),
                (4, 0.25, &[lost(player), proven(DRAW), unvisited(0.1)], Some(2)),
                (4, 0.25, &[lost(player), proven(win_in(player, 1))], None),
            ];
            for &(visits, deviation, children, expected) in cases {
                let mut memory = TreeMemory::new(0);
                let tree = tree_of(&mut memory, player, children);
                let parent = tree.node(tree.root());
                visit(parent, visits, player.relative(0.6));
                let all = parent.children();
                let selected = select(tree, parent, all.clone(), player, 2.0, deviation);
                let choice = selected.map(|child| child - all.start);
                assert_eq!(choice, expected, "{player:?} {visits} {deviation} {children:?}");
            }
        }
    }

    #[test]
    fn ranks_moves_by_proof_then_exclusion_then_visits() {
        for player in Player::ALL {
            let best_first = [
                proven(win_in(player, 1)),
                proven(win_in(player, 3)),
                visited(10, 0.51, 0.0),
                visited(5, 0.9, 0.0),
                proven(DRAW),
                visited(200, 0.5, 0.0),
                unvisited(0.9),
                unvisited(0.1),
                Child { is_excluded: true, ..visited(500, 0.9, 0.0) },
                Child { is_excluded: true, ..unvisited(0.5) },
                proven(win_in(!player, 3)),
                proven(win_in(!player, 1)),
            ];
            let mut memory = TreeMemory::new(0);
            let tree = tree_of(&mut memory, player, &best_first);
            let ranks: Vec<_> = tree
                .node(tree.root())
                .children()
                .map(|child| move_rank(tree.node(child), player))
                .collect();
            assert!(ranks.is_sorted_by(|better, worse| better > worse), "{player:?} {ranks:?}");
        }
    }

    #[test]
    fn proof_of_children_includes_the_moves_to_them() {
        for player in Player::ALL {
            let [win, loss] =
                [player, !player].map(|winner| [win_in(winner, 1), win_in(winner, 2)]);
            let cases = [
                (vec![unvisited(0.5), proven(win[1]), proven(win[0])], Some(win[0])),
                (vec![proven(loss[0]), proven(loss[1])], Some(loss[1])),
                (vec![proven(loss[0]), proven(DRAW)], Some(DRAW)),
                (vec![proven(loss[0]), unvisited(0.5)], None),
                (vec![proven(DRAW), unvisited(0.5)], None),
            ];
            for (children, expected) in cases {
                let mut memory = TreeMemory::new(0);
                let tree = tree_of(&mut memory, player, &children);
                let proof = proof_of_children(tree, tree.node(tree.root()).children(), player);
                let expected = expected.map(|proof| proof.after_move(player));
                assert_eq!(proof, expected, "{player:?} {children:?}");
            }
        }
    }

    #[test]
    fn deviation_follows_the_values_down_to_a_minimum() {
        // The initial sample counts as 16 values with a variance of 0.09. 16 values of 0 and 1 have
        // a variance of 0.25; that of equal values is 0.
        let cases = [(0, [0.5; 2], 0.3), (8, [0.0, 1.0], 0.17f32.sqrt()), (500, [0.5; 2], 0.2)];
        for (times, values, expected) in cases {
            let deviation = Deviation::new();
            (0..times).for_each(|_| values.iter().for_each(|&value| deviation.add(value)));
            assert!((deviation.get() - expected).abs() < 1e-4, "{times} {}", deviation.get());
        }
    }
}
