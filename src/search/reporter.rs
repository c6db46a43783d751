//! Decides when a running search reports.

use std::time::Duration;

use super::budget::Budget;
use super::report::Report;
use crate::game::Searchable;
use crate::search::tree::search::TreeSearch;

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

    /// Reports the state of the search now.
    pub fn report<G: Searchable<Move = M>>(&mut self, search: &TreeSearch<'_, G>) {
        (self.observer)(&search.report());
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
