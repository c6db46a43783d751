//! The search tree: an arena of small nodes that grows on demand up to a fixed size, shared between threads without locks.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, TryReserveError};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use super::proof::{Length, Proof};
use crate::game::Player;

/// A node is a position with a choice to make: moves that leave no choice are played on the way to it.
/// Its children stand side by side, in the order of the legal moves.
#[derive(Default)]
pub(super) struct Node {
    /// A [`Value`], packed.
    value: AtomicU64,
    /// Visits that are under way in some thread.
    in_flight: AtomicU32,
    /// The index of the first child, or one of the marks below.
    first_child: AtomicU32,
    /// From the low byte up: number of children, Black's and White's moves on the way from the parent, and a mark.
    shape: AtomicU32,
    /// The bits of an `f32`: the share of the parent's visits that the move deserves beforehand.
    prior: AtomicU32,
    /// A packed [`Proof`], 0 while nothing is proven.
    proof: AtomicU32,
}

const _: () = assert!(size_of::<Node>() == 32);

/// Marks of `first_child`: no index, since the root has index 0 and is nobody's child.
const UNEXPANDED: u32 = 0;
const BEING_EXPANDED: u32 = u32::MAX;

/// Mark of `shape`: the chances tell who wins the round.
const ROUND_KNOWN: u32 = 1 << 24;

/// Mark of `shape`: the move here may give away a round that is known to be won.
const RISKS_ROUND: u32 = 1 << 25;

/// The finished visits of a node and Black's mean chance over them. Both change at once, so that no thread ever sees the one without
/// the other.
#[derive(Clone, Copy, Default)]
struct Value {
    visits: u32,
    /// In units of 2⁻³¹, at most 2³¹.
    chance: u32,
}

impl Value {
    const UNIT: f64 = (1u32 << 31) as f64;

    fn unpack(packed: u64) -> Value {
        Value { visits: (packed >> 32) as u32, chance: packed as u32 }
    }

    fn pack(self) -> u64 {
        u64::from(self.visits) << 32 | u64::from(self.chance)
    }

    fn chance(self) -> f64 {
        f64::from(self.chance) / Value::UNIT
    }

    /// The same visits with another mean.
    fn with_chance(self, chance: f64) -> Value {
        Value { chance: (chance.clamp(0.0, 1.0) * Value::UNIT).round() as u32, ..self }
    }

    fn with_visit(self, chance: f64) -> Value {
        let visits = self.visits.saturating_add(1);
        let mean = self.chance();
        Value { visits, ..self.with_chance(mean + (chance - mean) / f64::from(visits)) }
    }
}

impl Node {
    fn value(&self) -> Value {
        Value::unpack(self.value.load(Relaxed))
    }

    fn update_value(&self, change: impl Fn(Value) -> Value) {
        let update = |packed| Some(change(Value::unpack(packed)).pack());
        // The change is never declined.
        let _ = self.value.fetch_update(Relaxed, Relaxed, update);
    }

    pub fn visits(&self) -> u32 {
        self.value().visits
    }

    /// Finished visits and those under way.
    pub fn visits_begun(&self) -> u32 {
        self.visits() + self.in_flight.load(Relaxed)
    }

    /// Black's chance as the mean over the visits; `None` before the first.
    pub fn chance(&self) -> Option<f32> {
        let value = self.value();
        (value.visits > 0).then(|| value.chance() as f32)
    }

    pub fn prior(&self) -> f32 {
        f32::from_bits(self.prior.load(Relaxed))
    }

    pub fn proof(&self) -> Option<Proof> {
        Proof::unpack(self.proof.load(Relaxed))
    }

    pub fn set_proof(&self, proof: Proof) {
        self.proof.store(Proof::pack(Some(proof)), Relaxed);
    }

    pub fn forget_proof(&self) {
        self.proof.store(Proof::pack(None), Relaxed);
    }

    /// The proof as seen from the parent: the moves on the way here belong to its length.
    pub fn proof_from_parent(&self) -> Option<Proof> {
        self.proof().map(|proof| Proof { length: self.way().then(proof.length), ..proof })
    }

    fn way(&self) -> Length {
        let shape = self.shape.load(Relaxed);
        let mut way = Length::default();
        for (player, shift) in Player::ALL.into_iter().zip([8, 16]) {
            for _ in 0..(shape >> shift & 255) {
                way = way.with_move(player);
            }
        }
        way
    }

    /// How many children it has, 0 if it is not expanded.
    fn child_count(&self) -> u32 {
        self.shape.load(Relaxed) & 255
    }

    fn become_leaf(&self) {
        self.first_child.store(UNEXPANDED, Relaxed);
        self.shape.fetch_and(!255, Relaxed);
    }

    fn copy_from(&self, other: &Node) {
        self.value.store(other.value.load(Relaxed), Relaxed);
        self.in_flight.store(0, Relaxed);
        self.first_child.store(other.first_child.load(Relaxed), Relaxed);
        self.shape.store(other.shape.load(Relaxed), Relaxed);
        self.prior.store(other.prior.load(Relaxed), Relaxed);
        self.proof.store(other.proof.load(Relaxed), Relaxed);
    }

    pub fn is_expanded(&self) -> bool {
        !matches!(self.first_child.load(Relaxed), UNEXPANDED | BEING_EXPANDED)
    }

    /// Whether it is known who wins the round, or even the game.
    pub fn is_round_known(&self) -> bool {
        self.shape.load(Relaxed) & ROUND_KNOWN != 0 || self.proof().is_some()
    }

    /// Whether the move here may give away a round that its player is known to win. Kept for children of the root only.
    pub fn risks_round(&self) -> bool {
        self.shape.load(Relaxed) & RISKS_ROUND != 0
    }

    pub fn set_risks_round(&self, risks: bool) {
        if risks {
            self.shape.fetch_or(RISKS_ROUND, Relaxed);
        } else {
            self.shape.fetch_and(!RISKS_ROUND, Relaxed);
        }
    }

    pub fn set_prior(&self, prior: f32) {
        self.prior.store(prior.to_bits(), Relaxed);
    }

    /// Takes all visits so far as if they had found this chance of Black, since it is known now who wins the round.
    pub fn learn_round(&self, black_chance: f32) {
        self.shape.fetch_or(ROUND_KNOWN, Relaxed);
        self.revise(black_chance);
    }

    /// Takes all visits so far as if they had found this chance of Black.
    pub fn revise(&self, black_chance: f32) {
        self.update_value(|value| value.with_chance(black_chance.into()));
    }

    pub fn begin_visit(&self) {
        self.in_flight.fetch_add(1, Relaxed);
    }

    pub fn end_visit(&self, black_chance: f32) {
        self.update_value(|value| value.with_visit(black_chance.into()));
        self.in_flight.fetch_sub(1, Relaxed);
    }
}

/// What a child is born with.
pub(super) struct NewNode {
    pub prior: f32,
    pub way: Length,
    pub proof: Option<Proof>,
}

/// Nodes are allocated in pieces of this many, so that memory is only taken when it is used.
const PIECE: usize = 1 << 16;

pub(super) struct Tree {
    pieces: Vec<OnceLock<Box<[Node]>>>,
    root: AtomicU32,
    used: AtomicU32,
    full: AtomicBool,
}

/// Blocks of children moved between two looks at whether to go on.
const BLOCKS_PER_LOOK: u32 = 1 << 10;

impl Tree {
    /// A tree of at most `bytes`, and at least one piece (2 MiB).
    pub fn new(bytes: usize) -> Tree {
        let nodes = bytes / size_of::<Node>();
        // Indices are 32 bits wide and the last one is a mark.
        let pieces = (nodes / PIECE).clamp(1, (u32::MAX as usize) / PIECE - 1);
        let tree = Tree {
            pieces: std::iter::repeat_with(OnceLock::new).take(pieces).collect(),
            root: AtomicU32::new(0),
            used: AtomicU32::new(0),
            full: AtomicBool::new(false),
        };
        tree.clear();
        tree
    }

    /// Forgets everything but an unvisited root.
    pub fn clear(&self) {
        self.root.store(0, Relaxed);
        self.used.store(0, Relaxed);
        self.full.store(false, Relaxed);
        self.allocate(std::iter::once(NewNode { prior: 1.0, way: Length::default(), proof: None }));
    }

    /// The index of the root.
    pub fn root(&self) -> u32 {
        self.root.load(Relaxed)
    }

    /// Makes another node the root. What does not lie below it is forgotten when the tree is [recycled](Tree::recycle).
    pub fn set_root(&self, index: u32) {
        self.root.store(index, Relaxed);
    }

    fn capacity(&self) -> u64 {
        (self.pieces.len() * PIECE) as u64
    }

    /// How many nodes are in use, in permille of those that fit.
    pub fn permille_used(&self) -> u32 {
        let capacity = self.capacity();
        (u64::from(self.used.load(Relaxed)).min(capacity) * 1000 / capacity) as u32
    }

    /// Whether a node was refused its children since the last [`clear`](Tree::clear) or [`recycle`](Tree::recycle).
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// Makes room: forgets what does not lie below the root, and the children of the nodes with the fewest visits where more than half
    /// of the tree would stay in use. Where it must end before, it forgets more.
    ///
    /// Only for a moment when no search is under way: nodes change their places.
    pub fn recycle(&self, must_end: &dyn Fn() -> bool) {
        self.keep(0, must_end);
        if 2 * u64::from(self.used.load(Relaxed)) > self.capacity() {
            self.keep(self.busy_visits(must_end), must_end);
        }
    }

    /// Forgets all that does not lie below the root, and the children of nodes with fewer visits than `least`.
    ///
    /// Children always stand behind their parents, so everything kept moves forward in one pass, in the order in which it stands. What
    /// has not moved when it must end is forgotten.
    fn keep(&self, least: u32, must_end: &dyn Fn() -> bool) {
        self.node(0).copy_from(self.node(self.root()));
        self.root.store(0, Relaxed);
        self.used.store(1, Relaxed);
        self.full.store(false, Relaxed);
        let mut pending = BinaryHeap::new();
        let hold = |tree: &Tree, index: u32, least: u32, pending: &mut BinaryHeap<_>| {
            let node = tree.node(index);
            if node.is_expanded() && node.visits() >= least {
                pending.push(Reverse((node.first_child.load(Relaxed), index)));
            } else {
                node.become_leaf();
            }
        };
        hold(self, 0, 0, &mut pending);
        let mut blocks = 0u32;
        while let Some(Reverse((first, parent))) = pending.pop() {
            let parent = self.node(parent);
            blocks += 1;
            let room =
                if blocks.is_multiple_of(BLOCKS_PER_LOOK) && must_end() { None } else { self.reserve(parent.child_count()) };
            // Blocks move forward or stay, so there is always room.
            let Some(moved) = room else {
                parent.become_leaf();
                pending.into_iter().for_each(|Reverse((_, parent))| self.node(parent).become_leaf());
                return;
            };
            parent.first_child.store(moved, Relaxed);
            for offset in 0..parent.child_count() {
                if moved != first {
                    self.node(moved + offset).copy_from(self.node(first + offset));
                }
                hold(self, moved + offset, least, &mut pending);
            }
        }
    }

    /// A number of visits that so few nodes have that their children fill at most a quarter of the tree; all nodes must be below the
    /// root. Where it must end before, at a number that next to none has.
    fn busy_visits(&self, must_end: &dyn Fn() -> bool) -> u32 {
        let used = self.used.load(Relaxed);
        // Children of the nodes with 2ⁿ visits or more, less than 2ⁿ⁺¹.
        let mut children = [0; 33];
        for index in 0..used {
            if index.is_multiple_of(PIECE as u32) && must_end() {
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

    pub fn node(&self, index: u32) -> &Node {
        // Only the root's piece may be asked for before a node was made in it.
        let piece =
            self.pieces[index as usize / PIECE].get_or_init(|| std::iter::repeat_with(Node::default).take(PIECE).collect());
        &piece[index as usize % PIECE]
    }

    /// The children of a node, none if it is not expanded.
    pub fn children(&self, node: &Node) -> impl ExactSizeIterator<Item = u32> + Clone + use<> {
        // What the expanding thread wrote into the children is seen by whoever sees the mark.
        let first = node.first_child.load(Acquire);
        let count = match first {
            UNEXPANDED | BEING_EXPANDED => 0,
            _ => node.child_count(),
        };
        first..first.wrapping_add(count)
    }

    /// Gives a node its children. `false`, and nothing done, if another thread does that right now or the tree is full.
    pub fn expand(&self, node: &Node, children: impl ExactSizeIterator<Item = NewNode>) -> bool {
        if node.first_child.compare_exchange(UNEXPANDED, BEING_EXPANDED, Acquire, Relaxed).is_err() {
            return false;
        }
        let count = children.len() as u32;
        let first = self.allocate(children);
        match first {
            Some(_) => node.shape.fetch_or(count, Relaxed),
            None => u32::from(self.full.swap(true, Relaxed)),
        };
        node.first_child.store(first.unwrap_or(UNEXPANDED), Release);
        first.is_some()
    }

    fn allocate(&self, nodes: impl ExactSizeIterator<Item = NewNode>) -> Option<u32> {
        let first = self.reserve(nodes.len() as u32)?;
        for (index, new) in (first..).zip(nodes) {
            let node = self.node(index);
            let [black, white] = Player::ALL.map(|player| u32::from(new.way.of(player).min(255)));
            node.value.store(Value::default().pack(), Relaxed);
            node.in_flight.store(0, Relaxed);
            node.first_child.store(UNEXPANDED, Relaxed);
            node.shape.store(black << 8 | white << 16, Relaxed);
            node.prior.store(new.prior.to_bits(), Relaxed);
            node.proof.store(Proof::pack(new.proof), Relaxed);
        }
        Some(first)
    }

    /// So many places side by side within one piece; `None` where the tree is full, or the system gives it no more memory.
    fn reserve(&self, count: u32) -> Option<u32> {
        let piece = PIECE as u32;
        let fit = |used: u32| {
            let first = if used % piece + count > piece { used.next_multiple_of(piece) } else { used };
            (first as usize / PIECE < self.pieces.len()).then_some(first)
        };
        let used = self.used.fetch_update(Relaxed, Relaxed, |used| Some(fit(used)? + count)).ok()?;
        let first = fit(used)?;
        let place = &self.pieces[first as usize / PIECE];
        if place.get().is_none() {
            // Another thread may be quicker; then this piece goes again.
            let _ = place.set(new_piece().ok()?);
        }
        Some(first)
    }
}

fn new_piece() -> Result<Box<[Node]>, TryReserveError> {
    let mut piece = Vec::new();
    piece.try_reserve_exact(PIECE)?;
    piece.resize_with(PIECE, Node::default);
    Ok(piece.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_visit_is_lost_and_no_chance_leaves_its_range_when_threads_share_a_node() {
        let node = Node::default();
        let visit = |chance: f32| {
            for _ in 0..20_000 {
                node.begin_visit();
                node.end_visit(chance);
                let mean = node.chance().unwrap_or(0.5);
                assert!((0.0..=1.0).contains(&mean), "{mean}");
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| visit(1.0));
            scope.spawn(|| visit(0.0));
            scope.spawn(|| (0..20_000).for_each(|_| node.revise(1.0)));
        });
        assert_eq!((node.visits(), node.visits_begun()), (40_000, 40_000));
    }

    #[test]
    fn a_new_root_keeps_what_lies_below_it_when_the_tree_is_recycled() {
        let tree = Tree::new(0);
        let child = |prior| NewNode { prior, way: Length::default(), proof: None };
        assert!(tree.expand(tree.node(tree.root()), [child(0.1), child(0.2)].into_iter()));
        let second = tree.children(tree.node(tree.root())).nth(1).unwrap();
        assert!(tree.expand(tree.node(second), [child(0.3), child(0.4), child(0.5)].into_iter()));
        tree.set_root(second);
        for must_end in [false, true] {
            tree.recycle(&|| must_end);
            let priors: Vec<f32> = tree.children(tree.node(tree.root())).map(|child| tree.node(child).prior()).collect();
            assert_eq!(priors, [0.3, 0.4, 0.5]);
            assert_eq!(tree.used.load(Relaxed), 4);
        }
    }
}
