//! A tree that is kept from one move of a game to the next.

use super::facts::after;
use super::tree::Tree;
use crate::game::Game;

/// A tree and the position at its root.
pub(super) struct KeptTree<G> {
    pub tree: Tree,
    pub root: Option<G>,
}

/// The most choices that lie between two turns of a player, but for the rarest chains of oshi.
const FIND_DEPTH: u32 = 4;

impl<G: Game> KeptTree<G> {
    /// An empty tree of at most `bytes`.
    pub fn new(bytes: usize) -> Self {
        KeptTree { tree: Tree::new(bytes), root: None }
    }

    pub fn clear(&mut self) {
        self.tree.clear();
        self.root = None;
    }

    /// Makes the tree one of this position, with what it already holds of it.
    pub fn move_root_to(&mut self, position: &G) {
        let found = self.root.and_then(|root| self.find(self.tree.root(), root, position, FIND_DEPTH));
        match found {
            Some(index) => self.tree.set_root(index),
            None => self.tree.clear(),
        }
        self.root = Some(*position);
    }

    /// The node of a position that is at most `depth` choices away from `here`.
    fn find(&self, index: u32, here: G, position: &G, depth: u32) -> Option<u32> {
        if here == *position {
            return Some(index);
        }
        let deeper = depth.checked_sub(1)?;
        let children = self.tree.node(index).children().zip(here.legal_moves());
        let visited = children.filter(|&(child, _)| self.tree.node(child).visits() > 0);
        visited.into_iter().find_map(|(child, mv)| self.find(child, after(&here, mv), position, deeper))
    }
}
