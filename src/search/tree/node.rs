//! A node of the search tree: visits, value, proof and bounds, shared between threads without
//! locks.

use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::game::Player;
use crate::search::proof::{Distance, Proof};

/// A position with a choice. Forced moves are played on the way to it. Its children are
/// consecutive, in the order of the legal moves.
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(C)]
pub(in crate::search) struct Node {
    /// A packed [`Value`].
    value: AtomicU64,
    /// Visits in progress on any thread.
    in_flight: AtomicU32,
    /// Index of the first child, or one of the marks below.
    first_child: AtomicU32,
    /// From the low byte up: number of children, moves of Black and of White from the parent, and
    /// marks.
    shape: AtomicU32,
    /// The bits of an `f32`: the expected share of the parent's visits.
    prior: AtomicU32,
    /// A packed [`Proof`], 0 without one.
    proof: AtomicU32,
    /// Packed [`Bounds`].
    bounds: AtomicU32,
}

const _: () = assert!(size_of::<Node>() == 32);

/// Marks in `first_child`. Index 0 is free for one, since the root is no child.
const UNEXPANDED: u32 = 0;
const BEING_EXPANDED: u32 = u32::MAX;

/// Mark in `shape`: the value includes the winner of the round.
const ROUND_KNOWN: u32 = 1 << 24;

/// Mark in `shape`: the move may give up a round or payoff that is proven to be won.
const EXCLUDED: u32 = 1 << 25;

/// Mark in `shape`: more proof search may narrow the round payoff.
const PAYOFF_OPEN: u32 = 1 << 26;

/// Number of finished visits and mean of Black's win probability. One word holds both, so that no
/// thread sees one without the other.
#[derive(Clone, Copy, Default)]
struct Value {
    visits: u32,
    /// In units of 2⁻³¹, at most 2³¹.
    win_probability: u32,
}

impl Value {
    const UNIT: f64 = (1u32 << 31) as f64;

    fn unpack(packed: u64) -> Value {
        Value { visits: (packed >> 32) as u32, win_probability: packed as u32 }
    }

    fn pack(self) -> u64 {
        u64::from(self.visits) << 32 | u64::from(self.win_probability)
    }

    fn win_probability(self) -> f64 {
        f64::from(self.win_probability) / Value::UNIT
    }

    /// The same visits with another mean.
    fn with_win_probability(self, win_probability: f64) -> Value {
        Value {
            win_probability: (win_probability.clamp(0.0, 1.0) * Value::UNIT).round() as u32,
            ..self
        }
    }

    fn with_visit(self, win_probability: f64) -> Value {
        let visits = self.visits.saturating_add(1);
        let mean = self.win_probability();
        Value {
            visits,
            ..self.with_win_probability(mean + (win_probability - mean) / f64::from(visits))
        }
    }
}

/// Bounds of Black's win probability.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::search) struct Bounds {
    pub least: f32,
    pub most: f32,
}

impl Bounds {
    const NONE: Bounds = Bounds { least: 0.0, most: 1.0 };

    const UNIT: f32 = (1 << 16) as f32 - 1.0;

    /// Packs each bound into 16 bits.
    fn pack(self) -> u32 {
        let [least, most] = [self.least, self.most]
            .map(|bound| (bound.clamp(0.0, 1.0) * Bounds::UNIT).round() as u32);
        most << 16 | least
    }

    fn unpack(packed: u32) -> Bounds {
        let [least, most] =
            [packed & 0xffff, packed >> 16].map(|bound| bound as f32 / Bounds::UNIT);
        Bounds { least, most }
    }

    fn nearest_to(self, win_probability: f32) -> f32 {
        win_probability.max(self.least).min(self.most)
    }
}

impl Node {
    fn value(&self) -> Value {
        Value::unpack(self.value.load(Relaxed))
    }

    fn update_value(&self, change: impl Fn(Value) -> Value) {
        let update = |packed| Some(change(Value::unpack(packed)).pack());
        // The update never declines, so it always succeeds.
        let _ = self.value.fetch_update(Relaxed, Relaxed, update);
    }

    pub fn visits(&self) -> u32 {
        self.value().visits
    }

    /// Finished visits plus those in progress.
    pub fn visits_begun(&self) -> u32 {
        self.visits().saturating_add(self.in_flight.load(Relaxed))
    }

    /// Black's mean win probability; `None` before the first visit.
    pub fn win_probability(&self) -> Option<f32> {
        let value = self.value();
        (value.visits > 0).then(|| value.win_probability() as f32)
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

    /// The proof as seen from the parent: its distance includes the moves to this node.
    pub fn proof_from_parent(&self) -> Option<Proof> {
        self.proof().map(|proof| Proof {
            distance: self.distance_from_parent().then(proof.distance),
            ..proof
        })
    }

    /// Distance from the parent: the move to this node and the forced moves that it includes.
    fn distance_from_parent(&self) -> Distance {
        let shape = self.shape.load(Relaxed);
        let mut distance = Distance::default();
        for (player, shift) in Player::ALL.into_iter().zip([8, 16]) {
            for _ in 0..(shape >> shift & 255) {
                distance = distance.with_move(player);
            }
        }
        distance
    }

    /// Number of children, 0 before the expansion.
    pub fn child_count(&self) -> u32 {
        self.shape.load(Relaxed) & 255
    }

    /// Indices of the children, empty before the expansion.
    pub fn children(&self) -> Range<u32> {
        // Acquire pairs with the release in `end_expansion`, so the children are complete.
        let first = self.first_child.load(Acquire);
        let count = match first {
            UNEXPANDED | BEING_EXPANDED => 0,
            _ => self.child_count(),
        };
        first..first.wrapping_add(count)
    }

    /// Claims the expansion for this thread; false if it is claimed or done.
    pub fn begin_expansion(&self) -> bool {
        self.first_child.compare_exchange(UNEXPANDED, BEING_EXPANDED, Acquire, Relaxed).is_ok()
    }

    /// Ends the expansion with these consecutive children, or without any.
    pub fn end_expansion(&self, children: Option<Range<u32>>) {
        let first = children.map_or(UNEXPANDED, |children| {
            self.shape.fetch_or(children.end - children.start, Relaxed);
            children.start
        });
        self.first_child.store(first, Release);
    }

    /// Sets the index of the first child.
    pub fn move_children(&self, first: u32) {
        self.first_child.store(first, Relaxed);
    }

    pub fn become_leaf(&self) {
        self.first_child.store(UNEXPANDED, Relaxed);
        self.shape.fetch_and(!255, Relaxed);
    }

    /// Initializes the node.
    pub fn begin(&self, new: NewNode) {
        let [black, white] =
            Player::ALL.map(|player| u32::from(new.from_parent.of(player).min(255)));
        self.value.store(Value::default().pack(), Relaxed);
        self.in_flight.store(0, Relaxed);
        self.first_child.store(UNEXPANDED, Relaxed);
        self.shape.store(black << 8 | white << 16, Relaxed);
        self.prior.store(new.prior.to_bits(), Relaxed);
        self.proof.store(Proof::pack(new.proof), Relaxed);
        self.bounds.store(Bounds::NONE.pack(), Relaxed);
    }

    pub fn copy_from(&self, other: &Node) {
        self.value.store(other.value.load(Relaxed), Relaxed);
        self.in_flight.store(0, Relaxed);
        self.first_child.store(other.first_child.load(Relaxed), Relaxed);
        self.shape.store(other.shape.load(Relaxed), Relaxed);
        self.prior.store(other.prior.load(Relaxed), Relaxed);
        self.proof.store(other.proof.load(Relaxed), Relaxed);
        self.bounds.store(other.bounds.load(Relaxed), Relaxed);
    }

    pub fn is_expanded(&self) -> bool {
        !matches!(self.first_child.load(Relaxed), UNEXPANDED | BEING_EXPANDED)
    }

    /// Whether the winner of the round or of the game is known.
    pub fn is_round_known(&self) -> bool {
        self.has_mark(ROUND_KNOWN) || self.proof().is_some()
    }

    /// Whether the move may give up a round or payoff that its player is proven to win. Only for
    /// children of the root.
    pub fn is_excluded(&self) -> bool {
        self.has_mark(EXCLUDED)
    }

    pub fn set_excluded(&self, is_excluded: bool) {
        self.mark(EXCLUDED, is_excluded);
    }

    /// Whether more proof search may narrow the round payoff.
    pub fn is_payoff_open(&self) -> bool {
        self.has_mark(PAYOFF_OPEN)
    }

    fn has_mark(&self, mark: u32) -> bool {
        self.shape.load(Relaxed) & mark != 0
    }

    /// Sets or clears a mark. Returns whether it was set before.
    fn mark(&self, mark: u32, is_so: bool) -> bool {
        let before = if is_so {
            self.shape.fetch_or(mark, Relaxed)
        } else {
            self.shape.fetch_and(!mark, Relaxed)
        };
        before & mark != 0
    }

    pub fn set_prior(&self, prior: f32) {
        self.prior.store(prior.to_bits(), Relaxed);
    }

    /// Marks the round's winner as known. Returns whether that is new.
    pub fn mark_round_known(&self) -> bool {
        !self.mark(ROUND_KNOWN, true)
    }

    /// Restricts the value to `bounds`. `is_open` tells whether more proof search may narrow them.
    pub fn set_bounds(&self, bounds: Bounds, is_open: bool) {
        self.mark(PAYOFF_OPEN, is_open);
        self.bounds.store(bounds.pack(), Relaxed);
        self.update_value(|value| {
            value.with_win_probability(bounds.nearest_to(value.win_probability() as f32).into())
        });
    }

    /// The value within the bounds that is closest to `black_win_probability`.
    pub fn bounded(&self, black_win_probability: f32) -> f32 {
        Bounds::unpack(self.bounds.load(Relaxed)).nearest_to(black_win_probability)
    }

    /// Sets the mean of all visits so far.
    pub fn revise(&self, black_win_probability: f32) {
        self.update_value(|value| value.with_win_probability(black_win_probability.into()));
    }

    pub fn begin_visit(&self) {
        self.in_flight.fetch_add(1, Relaxed);
    }

    pub fn end_visit(&self, black_win_probability: f32) {
        self.update_value(|value| value.with_visit(black_win_probability.into()));
        self.in_flight.fetch_sub(1, Relaxed);
    }
}

/// Initial contents of a node.
pub(in crate::search) struct NewNode {
    pub prior: f32,
    pub from_parent: Distance,
    pub proof: Option<Proof>,
}

#[cfg(test)]
mod tests {
    use zerocopy::FromZeros;

    use super::*;

    #[test]
    fn threads_lose_no_visit_and_values_stay_in_range() {
        let node = Node::new_zeroed();
        let visit = |win_probability: f32| {
            for _ in 0..20_000 {
                node.begin_visit();
                node.end_visit(win_probability);
                let mean = node.win_probability().unwrap_or(0.5);
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
    fn marks_the_round_as_known_only_once() {
        let node = Node::new_zeroed();
        node.set_excluded(true);
        assert_eq!([node.mark_round_known(), node.mark_round_known()], [true, false]);
        assert!(node.is_round_known() && node.is_excluded());
    }
}
