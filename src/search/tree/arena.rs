//! The search tree: an arena of small nodes, shared between threads without locks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use super::node::{NewNode, Node};
use crate::search::memory::Memory;
use crate::search::proof::proven::Distance;

/// The least nodes of a tree.
const MIN_NODES: usize = 1 << 16;

/// The memory of a tree, kept between searches.
pub(in crate::search) struct TreeMemory {
    nodes: Memory<Node>,
    root: AtomicU32,
    used: AtomicU32,
    full: AtomicBool,
}

/// A tree as one search sees it, shared by all its threads.
#[derive(Clone, Copy)]
pub(in crate::search) struct Tree<'m> {
    nodes: &'m [Node],
    root: &'m AtomicU32,
    used: &'m AtomicU32,
    full: &'m AtomicBool,
}

/// Blocks of children moved between two looks at whether to go on.
const BLOCKS_PER_LOOK: u32 = 1 << 10;

/// Nodes counted between two such looks.
const NODES_PER_LOOK: u32 = 1 << 16;

impl TreeMemory {
    /// A tree of at most `bytes`, and at least 2 MiB; half of it, or less, where the system does not give so much.
    pub fn new(bytes: usize) -> TreeMemory {
        // Indices are 32 bits wide and the last one is a mark.
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

    /// The tree in this memory.
    pub fn tree(&mut self) -> Tree<'_> {
        let TreeMemory { nodes, root, used, full } = self;
        Tree { nodes: nodes.values(), root, used, full }
    }
}

impl<'m> Tree<'m> {
    /// Forgets everything but an unvisited root.
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

    /// The index of the root.
    pub fn root(self) -> u32 {
        self.root.load(Relaxed)
    }

    /// Makes another node the root. What does not lie below it is forgotten when the tree is [recycled](Tree::recycle).
    pub fn set_root(self, index: u32) {
        self.root.store(index, Relaxed);
    }

    /// How many nodes are in use, in permille of those that fit.
    pub fn permille_used(self) -> u32 {
        (u64::from(self.used.load(Relaxed)) * 1000 / self.nodes.len() as u64) as u32
    }

    /// Whether a node was refused its children since the last [`clear`](Tree::clear) or [`recycle`](Tree::recycle).
    pub fn is_full(self) -> bool {
        self.full.load(Relaxed)
    }

    /// Makes room: forgets what does not lie below the root, and the children of the nodes with the fewest visits where more than half
    /// of the tree would stay in use. Where it must end before, it forgets more.
    ///
    /// Only for a moment when no search is under way: nodes change their places.
    pub fn recycle(self, must_end: &dyn Fn() -> bool) {
        self.keep(0, must_end);
        if self.used.load(Relaxed) as usize > self.nodes.len() / 2 {
            self.keep(self.busy_visits(must_end), must_end);
        }
    }

    /// Forgets all that does not lie below the root, and the children of nodes with fewer visits than `least`.
    ///
    /// Children always stand behind their parents, so everything kept moves forward in one pass, in the order in which it stands. What
    /// has not moved when it must end is forgotten.
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
            let room = if blocks.is_multiple_of(BLOCKS_PER_LOOK) && must_end() {
                None
            } else {
                self.reserve(parent.child_count())
            };
            // Blocks move forward or stay, so there is always room.
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

    /// A number of visits that so few nodes have that their children fill at most a quarter of the tree; all nodes must be below the
    /// root. Where it must end before, at a number that next to none has.
    fn busy_visits(self, must_end: &dyn Fn() -> bool) -> u32 {
        let used = self.used.load(Relaxed);
        // At n the children of the nodes with 2ⁿ⁻¹ visits or more, less than 2ⁿ.
        let mut children = [0; 33];
        for index in 0..used {
            if index.is_multiple_of(NODES_PER_LOOK) && must_end() {
                return u32::MAX;
            }
            let node = self.node(index);
            children[(u32::BITS - node.visits().leading_zeros()) as usize] += node.child_count();
        }
        let mut reused = 0;
        let cut = (0..children.len()).rev().find(|&bits| {
            reused += children[bits];
            reused > used / 4
        });
        1 << cut.unwrap_or(0).min(31)
    }

    pub fn node(self, index: u32) -> &'m Node {
        &self.nodes[index as usize]
    }

    /// Gives a node its children. `false`, and nothing done, if another thread does that right now or the tree is full.
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

    /// So many places side by side; `None` where the tree is full.
    fn reserve(self, count: u32) -> Option<u32> {
        let fits =
            |used: u32| used.checked_add(count).filter(|&end| end as usize <= self.nodes.len());
        self.used.fetch_update(Relaxed, Relaxed, fits).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_root_keeps_what_lies_below_it_when_the_tree_is_recycled() {
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
