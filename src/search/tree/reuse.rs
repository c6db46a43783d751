//! A tree that is kept from one move of a game to the next.

use super::arena::Tree;
use super::opponent::Opponent;
use crate::game::Game;
use crate::search::proof::static_result::after;

/// A tree, the position at its root, and against whom it was searched.
pub(in crate::search) struct ReusedTree<G> {
    pub tree: Tree,
    pub root: Option<G>,
    opponent: Opponent,
}

/// The most choices that lie between two turns of a player, but for the rarest chains of oshi.
const FIND_DEPTH: u32 = 4;

impl<G: Game> ReusedTree<G> {
    /// An empty tree of at most `bytes`.
    pub fn new(bytes: usize) -> Self {
        ReusedTree { tree: Tree::new(bytes), root: None, opponent: Opponent::Perfect }
    }

    pub fn clear(&mut self) {
        self.tree.clear();
        self.root = None;
    }

    /// Makes the tree one of this position against such an opponent, with what it already holds of it.
    pub fn move_root_to(&mut self, position: &G, opponent: Opponent) {
        let found = self
            .root
            .filter(|_| self.opponent == opponent)
            .and_then(|root| self.find(self.tree.root(), root, position, FIND_DEPTH));
        match found {
            Some(index) => self.tree.set_root(index),
            None => self.tree.clear(),
        }
        (self.root, self.opponent) = (Some(*position), opponent);
    }

    /// The node of a position that is at most `depth` choices away from `here`.
    fn find(&self, index: u32, here: G, position: &G, depth: u32) -> Option<u32> {
        if here == *position {
            return Some(index);
        }
        let deeper = depth.checked_sub(1)?;
        let children = self.tree.node(index).children().zip(here.legal_moves());
        let visited = children.filter(|&(child, _)| self.tree.node(child).visits() > 0);
        visited
            .into_iter()
            .find_map(|(child, mv)| self.find(child, after(&here, mv), position, deeper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Player;
    use crate::games::kamon::Kamon;

    #[test]
    fn what_was_found_against_one_player_says_nothing_of_play_against_another() {
        let mut reused = ReusedTree::new(1 << 20);
        let position = Kamon::start();
        let mut visits = |opponent| {
            reused.move_root_to(&position, opponent);
            let root = reused.tree.node(reused.tree.root());
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
