//! Reports of a search: its best lines with their values, and when they are due.

use std::time::Duration;

use super::budget::Budget;
use super::stages::Stage;
use super::tree::TreeSearch;
use crate::game::Searchable;

/// Value of a position or move for the player to move at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// Proven: the player wins within this number of own moves, an upper bound.
    Win(u32),
    /// Proven: the player loses within this number of own moves against best play.
    Loss(u32),
    /// Proven: a draw against best play.
    Draw,
    /// Not proven: win probability from 0 to 1, a draw counting half.
    WinProbability(f32),
}

impl Value {
    /// Whether the value is proven.
    pub const fn is_proven(self) -> bool {
        !matches!(self, Value::WinProbability(_))
    }

    /// Win probability from 0 to 1, a draw counting half.
    pub const fn win_probability(self) -> f32 {
        match self {
            Value::Win(_) => 1.0,
            Value::Loss(_) => 0.0,
            Value::Draw => 0.5,
            Value::WinProbability(win_probability) => win_probability,
        }
    }
}

impl Value {
    /// Sort key, higher for better values: wins first, shorter ones before longer ones; then
    /// unproven values and draws; then losses, longer ones first.
    pub(super) fn rank(self) -> f64 {
        match self {
            Value::Win(moves) => 2.0 + 1.0 / (1.0 + f64::from(moves)),
            Value::Loss(moves) => -1.0 - 1.0 / (1.0 + f64::from(moves)),
            value => value.win_probability().into(),
        }
    }
}

/// A root move and its principal variation.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<M> {
    /// Value for the player to move at the root.
    pub value: Value,
    /// Expected moves from the root move on, passes included; never empty.
    pub moves: Vec<M>,
}

/// State of a search at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Report<M> {
    /// Mean depth of the visits, in plies with a choice. If the answer is proven, the distance to
    /// the end in plies.
    pub depth: u32,
    /// Maximum depth reached, at least `depth`.
    pub seldepth: u32,
    /// Visits of the search trees plus expansions of the proof searches.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// Used share of the tree's memory, in permille.
    pub hashfull: u32,
    /// The stage that chose the first line's move; `None` while the search runs.
    pub stage: Option<Stage>,
    /// The best root moves, best first; empty only if the game is over.
    pub lines: Vec<Line<M>>,
}

impl<M: Copy> Report<M> {
    /// The move to play; `None` only if the game is over.
    pub fn best_move(&self) -> Option<M> {
        self.lines.first().and_then(|line| line.moves.first().copied())
    }

    /// The expected reply, to ponder on; `None` if the line ends before it.
    pub fn ponder_move(&self) -> Option<M> {
        self.lines.first().and_then(|line| line.moves.get(1).copied())
    }
}

/// Nodes between two readings of the clock.
const NODES_PER_CLOCK_CHECK: u64 = 1 << 10;

/// Maximum nodes between two reports of a search with a node limit, less than a second's work.
/// Counting nodes alone, equal searches give equal reports.
const MOST_NODES_BETWEEN: u64 = 1 << 16;

/// Maximum time between two reports of a search without a node limit.
const LONGEST_SILENCE: Duration = Duration::from_millis(900);

/// Reports each time the nodes have grown by half, and at least once a second.
pub(super) struct Reporter<'o, M> {
    observer: &'o mut dyn FnMut(&Report<M>),
    schedule: Schedule,
}

/// When the next report is due.
struct Schedule {
    has_node_limit: bool,
    /// Nodes at which a report is due.
    next: u64,
    /// Nodes at which to read the clock.
    next_check: u64,
    /// Time of the last report.
    last: Duration,
}

impl<'o, M> Reporter<'o, M> {
    pub fn new(budget: Budget<'_>, observer: &'o mut dyn FnMut(&Report<M>)) -> Self {
        Reporter { observer, schedule: Schedule::new(budget.is_planned_by_nodes()) }
    }

    /// Passes this report on.
    pub fn send(&mut self, report: &Report<M>) {
        (self.observer)(report);
    }

    /// Reports the state of the search if a report is due.
    pub fn report_if_due<G: Searchable<Move = M>>(&mut self, search: &TreeSearch<'_, G>) {
        self.show_if_due(search, || search.report());
    }

    /// Reports the state of the game's search during the round search, if a report is due.
    pub fn report_round_if_due<G: Searchable<Move = M>>(
        &mut self,
        search: &TreeSearch<'_, G>,
        round: &TreeSearch<'_, G>,
    ) {
        self.show_if_due(search, || search.report_of_round(round));
    }

    fn show_if_due<G: Searchable<Move = M>>(
        &mut self,
        search: &TreeSearch<'_, G>,
        report: impl Fn() -> Report<M>,
    ) {
        if self.schedule.is_due(search.budget.nodes(), || search.budget.elapsed()) {
            (self.observer)(&report());
        }
    }
}

impl Schedule {
    fn new(has_node_limit: bool) -> Schedule {
        Schedule {
            has_node_limit,
            next: 1,
            next_check: NODES_PER_CLOCK_CHECK,
            last: Duration::ZERO,
        }
    }

    fn is_due(&mut self, nodes: u64, now: impl Fn() -> Duration) -> bool {
        let mut is_due = nodes >= self.next;
        if !self.has_node_limit && nodes >= self.next_check {
            self.next_check = nodes + NODES_PER_CLOCK_CHECK;
            is_due |= now().saturating_sub(self.last) >= LONGEST_SILENCE;
        }
        if is_due {
            let more =
                if self.has_node_limit { (nodes / 2).min(MOST_NODES_BETWEEN) } else { nodes / 2 };
            self.next = nodes + more + 1;
            self.last = now();
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of the reports up to `nodes`, if each node takes the time `node`.
    fn reports(limit: Option<u64>, node: Duration, nodes: u64) -> Vec<u64> {
        let mut schedule = Schedule::new(limit.is_some());
        (1..=nodes).filter(|&nodes| schedule.is_due(nodes, || node * nodes as u32)).collect()
    }

    #[test]
    fn reports_when_nodes_have_grown_by_half() {
        assert_eq!(reports(None, Duration::ZERO, 20), [1, 2, 4, 7, 11, 17]);
    }

    #[test]
    fn reports_at_least_once_a_second() {
        let times = reports(None, Duration::from_micros(10), 1_000_000);
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] < 100_000), "{times:?}");
    }

    #[test]
    fn node_limit_makes_reports_independent_of_the_clock() {
        let [fast, slow] = [1, 1_000_000]
            .map(|nanoseconds| reports(Some(500_000), Duration::from_nanos(nanoseconds), 500_000));
        assert_eq!(fast, slow);
        assert!(
            fast.windows(2).all(|pair| pair[1] - pair[0] <= MOST_NODES_BETWEEN + 1),
            "{fast:?}"
        );
    }
}
