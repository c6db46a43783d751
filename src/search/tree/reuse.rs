//! A tree that is reused from one move of a game to the next.

use super::arena::{Tree, TreeMemory};
use super::opponent::Opponent;
use crate::game::Game;
use crate::search::proof::static_result::after;

/// A tree with the position at its root and the opponent that it was searched against.
pub(in crate::search) struct ReusedTree<G> {
    memory: TreeMemory,
    root: Option<G>,
    opponent: Opponent,
}

/// Maximum choices between two turns of a player, except in rare chains of oshi.
const FIND_DEPTH: u32 = 4;

impl<G: Game> ReusedTree<G> {
    /// An empty tree of at most `bytes`.
    pub fn new(bytes: usize) -> Self {
        ReusedTree { memory: TreeMemory::new(bytes), root: None, opponent: Opponent::Perfect }
    }

    pub fn clear(&mut self) {
        self.memory.tree().clear();
        self.root = None;
    }

    /// The tree and the position at its root; `None` before the first search.
    pub fn root(&mut self) -> Option<(Tree<'_>, G)> {
        Some((self.memory.tree(), self.root?))
    }

    /// Makes `position` the root and returns the tree. Visits of an earlier search stay if it had
    /// the same opponent and visited the position.
    pub fn move_root_to(&mut self, position: &G, opponent: Opponent) -> Tree<'_> {
        let tree = self.memory.tree();
        let found = self
            .root
            .filter(|_| self.opponent == opponent)
            .and_then(|root| find(tree, tree.root(), root, position, FIND_DEPTH));
        match found {
            Some(index) => tree.set_root(index),
            None => tree.clear(),
        }
        (self.root, self.opponent) = (Some(*position), opponent);
        tree
    }
}

/// The visited node of `position`, at most `depth` choices below the node `index` of `here`.
fn find<G: Game>(tree: Tree<'_>, index: u32, here: G, position: &G, depth: u32) -> Option<u32> {
    if here == *position {
        return Some(index);
    }
    let deeper = depth.checked_sub(1)?;
    let children = tree.node(index).children().zip(here.legal_moves());
    let visited = children.filter(|&(child, _)| tree.node(child).visits() > 0);
    visited
        .into_iter()
        .find_map(|(child, mv)| find(tree, child, after(&here, mv), position, deeper))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Player;
    use crate::games::kamon::Kamon;

    #[test]
    fn forgets_visits_when_the_opponent_changes() {
        let mut reused = ReusedTree::new(1 << 20);
        let position = Kamon::start();
        let mut visits = |opponent| {
            let tree = reused.move_root_to(&position, opponent);
            let root = tree.node(tree.root());
            let before = root.visits();
            root.begin_visit();
            root.end_visit(0.5);
            before
        };
        let opponents = [
            Opponent::Perfect,
            Opponent::Perfect,
            Opponent::ByPolicy(Player::Black),
            Opponent::ByPolicy(Player::White),
        ];
        assert_eq!(opponents.map(&mut visits), [0, 1, 0, 0]);
    }
}
