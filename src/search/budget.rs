//! The budget of a search stage: the nodes and time that it may use.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::limits::Control;
use super::limits::{Limits, MoveTime};
use crate::game::Round;

/// Node counts of a search, over all its threads.
#[derive(Default)]
pub(super) struct Nodes {
    spent: AtomicU64,
    /// Spent nodes plus those granted to work in progress.
    claimed: AtomicU64,
}

/// The limit by which the stages are planned. Other limits only end the search. A depth or `mate`
/// without a node limit removes the plan by time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plan {
    /// By nodes. The time may end the search, but no stage gets a share of it.
    Nodes,
    /// By time.
    Time,
    /// Without a share of nodes or time for each stage: no such limit is set, or the search ends at
    /// a depth or with the answer to `mate`.
    Unlimited,
}

/// Upper bound of the search speed, in nodes per microsecond. A node limit that cannot be reached
/// in the time even at this speed is not planned by.
const MOST_NODES_PER_MICROSECOND: u64 = 16;

impl Plan {
    fn of<M>(limits: &Limits<M>) -> Plan {
        let most = |time: MoveTime| u64::try_from(time.hard.as_micros()).unwrap_or(u64::MAX);
        let may_run_out = |nodes| {
            limits
                .time
                .is_none_or(|time| nodes <= most(time).saturating_mul(MOST_NODES_PER_MICROSECOND))
        };
        let ends_by_answer = limits.depth.is_some() || limits.mate.is_some();
        match limits.nodes {
            Some(nodes) if may_run_out(nodes) => Plan::Nodes,
            _ if limits.time.is_some() && !ends_by_answer => Plan::Time,
            _ => Plan::Unlimited,
        }
    }
}

/// Nodes and time up to which a stage may go. All stages count into the same sums, so each one gets
/// its share of what the earlier ones left.
#[derive(Clone, Copy)]
pub(super) struct Budget<'a> {
    control: &'a Control,
    /// Nodes of all stages so far.
    nodes: &'a Nodes,
    most_nodes: Option<u64>,
    /// Node limit of a stage that nothing else limits.
    most_nodes_unbounded: Option<u64>,
    /// Whether the ponder hit ends the stage.
    ends_at_ponder_hit: bool,
    /// Time on the player's own clock.
    time: Option<MoveTime>,
    plan: Plan,
}

impl<'a> Budget<'a> {
    /// The budget of a whole search.
    pub fn new<M>(control: &'a Control, nodes: &'a Nodes, limits: &Limits<M>) -> Self {
        Budget {
            control,
            nodes,
            most_nodes: limits.nodes,
            most_nodes_unbounded: None,
            ends_at_ponder_hit: false,
            time: limits.time,
            plan: Plan::of(limits),
        }
    }

    /// The budget of a stage that may use `tenths` tenths of the remaining time, 0 to 10. A search
    /// that is not planned by time shares none.
    pub fn share_of_time(self, tenths: u32) -> Self {
        let spent = self.control.spent();
        let part = |time: Duration| spent.min(time) + time.saturating_sub(spent) * tenths / 10;
        let shared =
            |time: MoveTime| MoveTime { soft: part(time.soft), hard: part(time.hard), ..time };
        let time = if self.plan == Plan::Time { self.time.map(shared) } else { self.time };
        Budget { time, ..self }
    }

    /// Reserves `nodes` nodes, at most 1/50 of those left, for a later stage. Time is not reserved.
    pub fn short_of(self, nodes: u64) -> Self {
        Budget {
            most_nodes: self.most_nodes.map(|most| most - nodes.min(self.nodes_left() / 50)),
            ..self
        }
    }

    /// Limits the stage to `nodes` more, unless the search is planned by nodes or by a running
    /// clock.
    pub fn or_nodes(self, nodes: u64) -> Self {
        Budget { most_nodes_unbounded: Some(self.nodes() + nodes), ..self }
    }

    /// Ends the stage at the ponder hit.
    pub fn until_ponder_hit(self) -> Self {
        Budget { ends_at_ponder_hit: true, ..self }
    }

    /// The node limit that applies now.
    fn most(self) -> Option<u64> {
        let is_unbounded = self.plan != Plan::Time || self.control.is_pondering();
        self.most_nodes.or(self.most_nodes_unbounded.filter(|_| is_unbounded))
    }

    /// Adjusts the time to the round. The opening move is worth the most time, since an opener can
    /// nearly always win, but with few of many moves. So the opening of a single-round game is
    /// searched to the hard limit.
    pub fn in_round<G>(self, round: &Round<G>) -> Self {
        let to_the_last = round.is_whole_game() && round.is_opening();
        let soft = |time: MoveTime| if to_the_last { time.hard } else { time.soft };
        Budget { time: self.time.map(|time| MoveTime { soft: soft(time), ..time }), ..self }
    }

    /// Nodes of the whole search so far.
    pub fn nodes(self) -> u64 {
        self.nodes.spent.load(Relaxed)
    }

    /// Charges up to `nodes` nodes, as far as the budget allows, and returns the number charged.
    pub fn spend(self, nodes: u64) -> u64 {
        self.spend_up_to(nodes, |granted| (granted, granted))
    }

    /// Runs `work` with a grant of up to `nodes` nodes, as far as the budget allows, and charges
    /// what it used. `work` returns its result and the nodes used. Other threads cannot spend the
    /// grant.
    pub fn spend_up_to<T>(self, nodes: u64, work: impl FnOnce(u64) -> (T, u64)) -> T {
        let most = self.most().unwrap_or(u64::MAX);
        let granted = |claimed: u64| nodes.min(most.saturating_sub(claimed));
        let before = self
            .nodes
            .claimed
            .fetch_update(Relaxed, Relaxed, |claimed| Some(claimed + granted(claimed)));
        let granted = before.map_or(0, granted);
        let (result, spent) = work(granted);
        self.nodes.claimed.fetch_sub(granted - spent, Relaxed);
        self.nodes.spent.fetch_add(spent, Relaxed);
        result
    }

    /// Nodes that are neither spent nor granted.
    pub fn nodes_left(self) -> u64 {
        self.most().map_or(u64::MAX, |most| most.saturating_sub(self.nodes.claimed.load(Relaxed)))
    }

    /// Nodes left in the first 1/`one_in` of the budget, at a microsecond per node; `u64::MAX`
    /// without a budget.
    pub fn left_of_first(self, one_in: u32) -> u64 {
        let by_time = |time: MoveTime| {
            (time.soft / one_in).saturating_sub(self.control.spent()).as_micros() as u64
        };
        let left = match self.plan {
            Plan::Time if !self.control.is_pondering() => self.time.map(by_time),
            _ => self.most().map(|most| (most / u64::from(one_in)).saturating_sub(self.nodes())),
        };
        left.unwrap_or(u64::MAX)
    }

    /// Time since `go`.
    pub fn elapsed(self) -> Duration {
        self.control.elapsed()
    }

    /// Whether time or nodes limit the search.
    pub fn is_limited(self) -> bool {
        self.plan == Plan::Time || self.most().is_some()
    }

    /// Whether the search is planned by nodes.
    pub fn is_planned_by_nodes(self) -> bool {
        self.plan == Plan::Nodes
    }

    /// Whether the search is planned by a clock that also serves later moves.
    pub fn is_on_a_clock(self) -> bool {
        let is_clock = self.plan == Plan::Time && self.time.is_some_and(|time| time.is_on_a_clock);
        is_clock && !self.control.is_pondering()
    }

    /// Time left until a search with a clear answer ends; `None` without a time limit.
    pub fn left_if_clear(self) -> Option<Duration> {
        self.time.map(|time| time.soft.saturating_sub(self.control.spent()))
    }

    /// Whether the search was stopped or is out of time. The soft limit counts only if the answer
    /// `is_clear`.
    pub fn is_over(self, is_clear: impl FnOnce() -> bool) -> bool {
        let is_late = |time: MoveTime| {
            let spent = self.control.spent();
            spent >= time.hard || spent >= time.soft && is_clear()
        };
        let is_out_of_time = || self.ends_at_ponder_hit || self.time.is_some_and(is_late);
        self.control.is_stopped() || !self.control.is_pondering() && is_out_of_time()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::game::RoundStage;

    /// A clock set by hand, in milliseconds.
    fn clock() -> (Arc<AtomicU64>, impl Fn() -> Duration + Send + Sync + 'static) {
        let time = Arc::new(AtomicU64::new(0));
        let shown = Arc::clone(&time);
        (time, move || Duration::from_millis(shown.load(Relaxed)))
    }

    fn spent(nodes: u64) -> Nodes {
        Nodes { spent: nodes.into(), claimed: nodes.into() }
    }

    fn limits(milliseconds: u64, nodes: Option<u64>) -> Limits<()> {
        Limits {
            time: Some(MoveTime::exactly(Duration::from_millis(milliseconds))),
            nodes,
            ..Limits::default()
        }
    }

    #[test]
    fn does_not_charge_time_spent_pondering() {
        let (time, now) = clock();
        let control = Control::with_clock(true, now);
        let nodes = Nodes::default();
        let budget = Budget::new(&control, &nodes, &limits(1000, None));
        time.store(5000, Relaxed);
        assert!(!budget.is_over(|| true));
        control.ponder_hit();
        time.store(5999, Relaxed);
        assert!(!budget.is_over(|| true));
        time.store(6000, Relaxed);
        assert!(budget.is_over(|| true));
    }

    #[test]
    fn shares_the_time_that_earlier_stages_left() {
        let (time, now) = clock();
        let control = Control::with_clock(false, now);
        let nodes = Nodes::default();
        let by_nodes = Budget::new(&control, &nodes, &limits(1000, Some(1000)));
        time.store(600, Relaxed);
        assert_eq!(by_nodes.spend(900), 900);
        assert_eq!((by_nodes.share_of_time(5).nodes_left(), by_nodes.nodes_left()), (100, 100));
        let whole = Budget::new(&control, &nodes, &limits(1000, None));
        let half = whole.share_of_time(5);
        time.store(799, Relaxed);
        assert!(!half.is_over(|| true));
        time.store(800, Relaxed);
        assert!(half.is_over(|| true) && !whole.is_over(|| true));
        time.store(5000, Relaxed);
        assert!(whole.share_of_time(5).is_over(|| true), "no time is left to share");
    }

    #[test]
    fn does_not_share_time_when_nodes_or_depth_end_the_search() {
        let (time, now) = clock();
        let control = Control::with_clock(false, now);
        let nodes = spent(10);
        let on_a_clock =
            MoveTime { is_on_a_clock: true, ..MoveTime::exactly(Duration::from_millis(1000)) };
        let by = |limits: Limits<()>| {
            Budget::new(&control, &nodes, &Limits { time: Some(on_a_clock), ..limits })
        };
        let by_nodes = by(Limits { nodes: Some(2000), ..Limits::default() });
        let by_depth = by(Limits { depth: Some(3), ..Limits::default() });
        let by_time = by(Limits { nodes: Some(1 << 40), ..Limits::default() });
        let tenth = by_time.share_of_time(1);
        for milliseconds in [0, 900] {
            time.store(milliseconds, Relaxed);
            let planned = [by_nodes, by_depth].map(|by| (by.left_of_first(10), by.is_limited()));
            assert_eq!(planned, [(190, true), (u64::MAX, false)]);
            assert!(
                [by_nodes, by_depth]
                    .iter()
                    .all(|by| !by.is_on_a_clock() && !by.share_of_time(1).is_over(|| true))
            );
            assert_eq!(by_depth.or_nodes(7).nodes_left(), 7);
        }
        assert!(by_time.is_on_a_clock() && tenth.is_over(|| true), "2^40 nodes cannot run out");
        time.store(1000, Relaxed);
        assert!(
            [by_nodes, by_depth].iter().all(|by| by.is_over(|| false)),
            "the time limit still ends them"
        );
    }

    #[test]
    fn spends_no_more_nodes_than_the_limit() {
        let control = Control::default();
        let nodes = Nodes::default();
        let budget = Budget::new(&control, &nodes, &limits(1000, Some(100)));
        assert_eq!([60, 60, 60].map(|nodes| budget.spend(nodes)), [60, 40, 0]);
        assert_eq!((budget.nodes(), budget.nodes_left()), (100, 0));
    }

    #[test]
    fn reserves_granted_nodes_without_counting_them_as_spent() {
        let control = Control::default();
        let nodes = Nodes::default();
        let budget = Budget::new(&control, &nodes, &limits(1000, Some(100)));
        let result = budget.spend_up_to(60, |granted| {
            assert_eq!((granted, budget.nodes(), budget.spend(50)), (60, 0, 40));
            ("done", 25)
        });
        assert_eq!((result, budget.nodes(), budget.nodes_left()), ("done", 65, 35));
    }

    #[test]
    fn first_part_follows_the_tightest_limit() {
        let (time, now) = clock();
        let control = Control::with_clock(false, now);
        let nodes = spent(10);
        let left = |limits| Budget::new(&control, &nodes, &limits).left_of_first(10);
        assert_eq!(
            [left(limits(1000, Some(2000))), left(limits(1, None)), left(Limits::<()>::default())],
            [190, 100, u64::MAX]
        );
        time.store(99, Relaxed);
        assert_eq!([left(limits(1000, None)), left(limits(900, None))], [1000, 0]);
    }

    #[test]
    fn keeps_back_at_most_a_fiftieth() {
        let control = Control::default();
        let nodes = spent(900);
        let left =
            |most| Budget::new(&control, &nodes, &limits(1000, most)).short_of(64).nodes_left();
        assert_eq!(
            [Some(10_900), Some(1_000), Some(905), Some(900), None].map(left),
            [9_936, 98, 5, 0, u64::MAX]
        );
    }

    #[test]
    fn unclear_answer_may_use_the_hard_limit() {
        let (time, now) = clock();
        let control = Control::with_clock(false, now);
        let nodes = Nodes::default();
        let move_time = MoveTime {
            soft: Duration::from_millis(100),
            hard: Duration::from_millis(300),
            is_on_a_clock: true,
        };
        let budget = Budget::new(
            &control,
            &nodes,
            &Limits::<()> { time: Some(move_time), ..Limits::default() },
        );
        time.store(299, Relaxed);
        assert!(budget.is_over(|| true) && !budget.is_over(|| false));
        let round = |is_whole, stage| Round::of_match((), [is_whole; 2], stage);
        let opens = round(true, RoundStage::Opening);
        assert!(
            !budget.in_round(&opens).is_over(|| true),
            "an opening search with a clear answer uses the hard limit"
        );
        assert!(budget.in_round(&round(true, RoundStage::Underway)).is_over(|| true));
        assert!(
            budget.in_round(&round(false, RoundStage::Opening)).is_over(|| true),
            "the round does not decide the game"
        );
        time.store(300, Relaxed);
        assert!(budget.in_round(&opens).is_over(|| false));
        assert!(budget.is_over(|| false));
    }

    #[test]
    fn extra_node_limit_applies_only_without_other_limits() {
        let control = Control::default();
        let pondering = Control::new(true);
        let nodes = spent(10);
        let left = |control, limits: &Limits<()>| {
            Budget::new(control, &nodes, limits).or_nodes(7).nodes_left()
        };
        assert_eq!(left(&control, &Limits::default()), 7);
        assert_eq!(left(&control, &limits(1000, None)), u64::MAX);
        assert_eq!(left(&pondering, &limits(1000, None)), 7);
        assert_eq!(left(&control, &limits(1000, Some(100))), 90);
        let timed = limits(1000, None);
        let begun = Budget::new(&pondering, &nodes, &timed).or_nodes(7);
        let until_hit = begun.until_ponder_hit();
        assert!(!until_hit.is_over(|| true));
        pondering.ponder_hit();
        assert_eq!(begun.nodes_left(), u64::MAX, "the clock limits it from now on");
        assert!(until_hit.is_over(|| false) && !begun.is_over(|| true));
    }
}
