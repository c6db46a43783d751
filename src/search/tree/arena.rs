//! The memory of a search tree: an arena of 32-byte nodes, shared between threads without locks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use super::node::{NewNode, Node};
use crate::game::Game;
use crate::memory::Memory;
use crate::search::proof::Distance;
use crate::search::proof::static_result::after;

/// Minimum nodes of a tree.
const MIN_NODES: usize = 1 << 16;

/// A tree's memory, kept between searches.
pub(in crate::search) struct TreeMemory {
    nodes: Memory<Node>,
    root: AtomicU32,
    used: AtomicU32,
    full: AtomicBool,
}

/// A view of a tree for one search and all its threads.
#[derive(Clone, Copy)]
pub(in crate::search) struct Tree<'m> {
    nodes: &'m [Node],
    root: &'m AtomicU32,
    used: &'m AtomicU32,
    full: &'m AtomicBool,
}

/// Blocks of children moved between two calls of `must_end`.
const BLOCKS_PER_CLOCK_CHECK: u32 = 1 << 10;

/// Nodes counted between two calls of `must_end`.
const NODES_PER_CLOCK_CHECK: u32 = 1 << 16;

impl TreeMemory {
    /// Allocates a tree of at most `bytes`, but at least 2 MiB. If the system has less memory, the
    /// tree is a half of that, a quarter and so on.
    pub fn new(bytes: usize) -> TreeMemory {
        // Indices have 32 bits, and the last one is a mark.
        let nodes = (bytes / size_of::<Node>()).clamp(MIN_NODES, u32::MAX as usize);
        let mut memory = TreeMemory {
            nodes: Memory::at_most(nodes, MIN_NODES),
            root: AtomicU32::new(0),
            used: AtomicU32::new(0),
            full: AtomicBool::new(false),
        };
        memory.tree().clear();
        memory
    }

    /// A view of the tree.
    pub fn tree(&mut self) -> Tree<'_> {
        let TreeMemory { nodes, root, used, full } = self;
        Tree { nodes: nodes.values(), root, used, full }
    }
}

impl<'m> Tree<'m> {
    /// Forgets everything except an unvisited root.
    pub fn clear(self) {
        self.root.store(0, Relaxed);
        self.used.store(0, Relaxed);
        self.full.store(false, Relaxed);
        self.allocate(std::iter::once(NewNode {
            prior: 1.0,
            from_parent: Distance::default(),
            proof: None,
        }));
    }

    /// Index of the root.
    pub fn root(self) -> u32 {
        self.root.load(Relaxed)
    }

    /// Makes another node the root. [`recycle`](Tree::recycle) then forgets all nodes that are not
    /// below it.
    pub fn set_root(self, index: u32) {
        self.root.store(index, Relaxed);
    }

    /// Used nodes, in permille of the memory.
    pub fn permille_used(self) -> u32 {
        (u64::from(self.used.load(Relaxed)) * 1000 / self.nodes.len() as u64) as u32
    }

    /// Whether a node was refused children since the last [`clear`](Tree::clear) or
    /// [`recycle`](Tree::recycle).
    pub fn is_full(self) -> bool {
        self.full.load(Relaxed)
    }

    /// Makes room. Forgets all nodes that are not below the root. If they fill more than half of
    /// the memory, forgets the children of the least visited nodes too. Forgets more if `must_end`
    /// returns true.
    ///
    /// Call it only while no thread searches, since nodes change their indices.
    pub fn recycle(self, must_end: &dyn Fn() -> bool) {
        self.keep(0, must_end);
        if self.used.load(Relaxed) as usize > self.nodes.len() / 2 {
            self.keep(self.busy_visits(must_end), must_end);
        }
    }

    /// Forgets all nodes that are not below the root, and the children of nodes with fewer than
    /// `min_visits` visits.
    ///
    /// Children always follow their parents, so one pass moves all remaining nodes forward in
    /// order. If `must_end` returns true, nodes not yet moved are forgotten.
    fn keep(self, min_visits: u32, must_end: &dyn Fn() -> bool) {
        self.node(0).copy_from(self.node(self.root()));
        self.root.store(0, Relaxed);
        self.used.store(1, Relaxed);
        self.full.store(false, Relaxed);
        let mut pending = BinaryHeap::new();
        let hold = |tree: Tree<'_>, index: u32, min_visits: u32, pending: &mut BinaryHeap<_>| {
            let node = tree.node(index);
            if node.is_expanded() && node.visits() >= min_visits {
                pending.push(Reverse((node.children().start, index)));
            } else {
                node.become_leaf();
            }
        };
        hold(self, 0, 0, &mut pending);
        let mut blocks = 0u32;
        while let Some(Reverse((first, parent))) = pending.pop() {
            let parent = self.node(parent);
            blocks += 1;
            let room = if blocks.is_multiple_of(BLOCKS_PER_CLOCK_CHECK) && must_end() {
                None
            } else {
                self.reserve(parent.child_count())
            };
            // Blocks never move back, so there is always room.
            let Some(moved) = room else {
                parent.become_leaf();
                pending
                    .into_iter()
                    .for_each(|Reverse((_, parent))| self.node(parent).become_leaf());
                return;
            };
            parent.move_children(moved);
            for offset in 0..parent.child_count() {
                if moved != first {
                    self.node(moved + offset).copy_from(self.node(first + offset));
                }
                hold(self, moved + offset, min_visits, &mut pending);
            }
        }
    }

    /// A number of visits such that the children of all nodes with at least that many fill at most
    /// a quarter of the used nodes. All nodes must be below the root. If `must_end` returns true, a
    /// number that hardly any node reaches.
    fn busy_visits(self, must_end: &dyn Fn() -> bool) -> u32 {
        let used = self.used.load(Relaxed);
        // At index n: the children of nodes with 2ⁿ⁻¹ to 2ⁿ − 1 visits.
        let mut children = [0; 33];
        for index in 0..used {
            if index.is_multiple_of(NODES_PER_CLOCK_CHECK) && must_end() {
                return u32::MAX;
            }
            let node = self.node(index);
            children[(u32::BITS - node.visits().leading_zeros()) as usize] += node.child_count();
        }
        let mut kept = 0;
        let cut = (0..children.len()).rev().find(|&bits| {
            kept += children[bits];
            kept > used / 4
        });
        1 << cut.unwrap_or(0).min(31)
    }

    pub fn node(self, index: u32) -> &'m Node {
        &self.nodes[index as usize]
    }

    /// Gives a node its children. Returns false and does nothing if another thread is doing that or
    /// the tree is full.
    pub fn expand(self, node: &Node, children: impl ExactSizeIterator<Item = NewNode>) -> bool {
        if !node.begin_expansion() {
            return false;
        }
        let count = children.len() as u32;
        let first = self.allocate(children);
        if first.is_none() {
            self.full.store(true, Relaxed);
        }
        node.end_expansion(first.map(|first| first..first + count));
        first.is_some()
    }

    fn allocate(self, nodes: impl ExactSizeIterator<Item = NewNode>) -> Option<u32> {
        let first = self.reserve(nodes.len() as u32)?;
        for (index, new) in (first..).zip(nodes) {
            self.node(index).begin(new);
        }
        Some(first)
    }

    /// Reserves `count` consecutive nodes; `None` if the tree is full.
    fn reserve(self, count: u32) -> Option<u32> {
        let fits =
            |used: u32| used.checked_add(count).filter(|&end| end as usize <= self.nodes.len());
        self.used.fetch_update(Relaxed, Relaxed, fits).ok()
    }
}

/// A tree with the position at its root.
pub(in crate::search) struct ReusedTree<G> {
    memory: TreeMemory,
    root: Option<G>,
}

/// Maximum choices between two turns of a player, except in rare chains of oshi.
const FIND_DEPTH: u32 = 4;

impl<G: Game> ReusedTree<G> {
    /// An empty tree of at most `bytes`.
    pub fn new(bytes: usize) -> Self {
        ReusedTree { memory: TreeMemory::new(bytes), root: None }
    }

    pub fn clear(&mut self) {
        self.memory.tree().clear();
        self.root = None;
    }

    /// The tree and the position at its root; `None` before the first search.
    pub fn root(&mut self) -> Option<(Tree<'_>, G)> {
        Some((self.memory.tree(), self.root?))
    }

    /// Makes `position` the root and returns the tree. Visits of an earlier search stay if it
    /// visited the position.
    pub fn move_root_to(&mut self, position: &G) -> Tree<'_> {
        let tree = self.memory.tree();
        let found = self.root.and_then(|root| find(tree, tree.root(), root, position, FIND_DEPTH));
        match found {
            Some(index) => tree.set_root(index),
            None => tree.clear(),
        }
        self.root = Some(*position);
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

    #[test]
    fn recycling_keeps_all_nodes_below_the_root() {
        let mut memory = TreeMemory::new(0);
        let tree = memory.tree();
        let child = |prior| NewNode { prior, from_parent: Distance::default(), proof: None };
        assert!(tree.expand(tree.node(tree.root()), [child(0.1), child(0.2)].into_iter()));
        let second = tree.node(tree.root()).children().nth(1).unwrap();
        assert!(tree.expand(tree.node(second), [child(0.3), child(0.4), child(0.5)].into_iter()));
        tree.set_root(second);
        for must_end in [false, true] {
            tree.recycle(&|| must_end);
            let priors: Vec<f32> =
                tree.node(tree.root()).children().map(|child| tree.node(child).prior()).collect();
            assert_eq!(priors, [0.3, 0.4, 0.5]);
            assert_eq!(tree.used.load(Relaxed), 4);
        }
    }
}
