//! The Monte Carlo tree search of one position: all threads iterate on one tree and run proof tasks
//! in between, until the budget is used up or the answer is settled.

pub(super) mod arena;
mod lines;
pub(super) mod node;
mod payoffs;
pub(super) mod root;
pub(super) mod samples;
mod select;
pub(super) mod visit;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use super::Settings;
use super::budget::Budget;
use super::limits::Limits;
use super::params;
use super::proof::child_selection::VirtualProofNumbers;
use super::proof::table::TranspositionTable;
use crate::game::{Round, Searchable};
use arena::Tree;
use root::{Root, best_first};
use select::Deviation;
use visit::Worker;

/// Visits of each thread between two proof tasks.
pub(super) const VISITS_PER_BATCH: u32 = 32;

/// Nodes after which the clock is read in any case, since a visit of a round's opening may cost
/// thousands of expansions.
const NODES_PER_CLOCK_CHECK: u64 = 256;

/// A search of one position, shared by its threads.
pub(super) struct TreeSearch<'a, G: Searchable> {
    pub tree: Tree<'a>,
    pub table: TranspositionTable<'a>,
    pub settings: Settings,
    pub position: G,
    /// The round in play.
    pub round: Round<G>,
    pub limits: &'a Limits<G::Move>,
    pub budget: Budget<'a>,
    /// The moves to search, and what an earlier stage knows of them.
    pub root: Root<G::Move>,
    pub statistics: Statistics,
    /// Virtual proof numbers, if several threads run proof searches.
    virtual_numbers: Option<VirtualProofNumbers>,
    /// State at the start of this run.
    start: Start,
    over: AtomicBool,
}

/// State of a search at the start of a run.
#[derive(Clone, Copy, Default, Debug)]
struct Start {
    /// Time since `go`.
    elapsed: Duration,
    /// Visits of earlier runs.
    visits: u64,
}

/// Counters of the iterations.
pub(super) struct Statistics {
    pub visits: AtomicU64,
    /// Sum of the depths of all visits.
    depths: AtomicU64,
    seldepth: AtomicU32,
    /// Standard deviation of the backed-up values.
    pub deviation: Deviation,
}

impl Statistics {
    fn new() -> Self {
        Statistics {
            visits: AtomicU64::new(0),
            depths: AtomicU64::new(0),
            seldepth: AtomicU32::new(0),
            deviation: Deviation::new(),
        }
    }

    /// Counts a visit that reached this depth and value.
    pub fn add(&self, depth: u32, black_win_probability: f32) {
        self.seldepth.fetch_max(depth, Relaxed);
        self.visits.fetch_add(1, Relaxed);
        self.depths.fetch_add(u64::from(depth), Relaxed);
        self.deviation.add(black_win_probability);
    }

    /// Maximum depth of the visits.
    pub fn seldepth(&self) -> u32 {
        self.seldepth.load(Relaxed)
    }

    /// Mean depth of the visits. Loads the sum before the count, so that concurrent visits cannot
    /// make it too large.
    pub fn depth(&self) -> u32 {
        let depths = self.depths.load(Relaxed);
        depths.checked_div(self.visits.load(Relaxed)).unwrap_or(0) as u32
    }
}

impl<'a, G: Searchable> TreeSearch<'a, G> {
    pub fn new(
        tree: Tree<'a>,
        table: TranspositionTable<'a>,
        settings: Settings,
        position: &G,
        limits: &'a Limits<G::Move>,
        budget: Budget<'a>,
    ) -> Self {
        let round = position.round();
        let search = TreeSearch {
            tree,
            table,
            settings,
            position: *position,
            round,
            limits,
            budget: budget.in_round(&round),
            root: Root::new(position, limits),
            statistics: Statistics::new(),
            virtual_numbers: (settings.threads > 1).then(VirtualProofNumbers::new),
            start: Start::default(),
            over: AtomicBool::new(false),
        };
        search.prepare_root();
        search
    }

    /// Searches with all threads until the search is over or `budget` is used up. Calls `tick`
    /// after every visit of this thread. Afterwards the search has its former budget again.
    pub fn run(&mut self, budget: Budget<'a>, tick: &mut dyn FnMut(&Self)) {
        let former = std::mem::replace(&mut self.budget, budget.in_round(&self.round));
        self.start =
            Start { elapsed: self.budget.elapsed(), visits: self.statistics.visits.load(Relaxed) };
        self.iterate_until_over(tick);
        self.budget = former;
    }

    fn iterate_until_over(&self, tick: &mut dyn FnMut(&Self)) {
        self.prepare_root();
        self.over.store(self.position.outcome().is_some(), Relaxed);
        // A tree filled by an earlier search would end a search to some depth at once.
        if self.limits.depth.is_some() && self.is_nearly_full() {
            self.tree.recycle(&|| self.is_out_of_time());
        }
        while !self.is_ended() {
            thread::scope(|scope| {
                for thread in 1..self.settings.threads.max(1) {
                    // If the system refuses more threads, the existing ones do all the work.
                    if thread::Builder::new()
                        .spawn_scoped(scope, move || self.work(thread, &mut |_| ()))
                        .is_err()
                    {
                        break;
                    }
                }
                self.work(0, tick);
            });
            self.end_if(self.budget.nodes_left() == 0);
            if self.tree.is_full() {
                self.tree.recycle(&|| self.is_out_of_time());
            }
        }
    }

    /// Iterates on thread number `thread` until the search is over. Calls `tick` after each
    /// iteration.
    fn work(&self, thread: usize, tick: &mut dyn FnMut(&Self)) {
        let _guard = EndOnPanic(&self.over);
        let next_check = Cell::new(NODES_PER_CLOCK_CHECK);
        let is_over = |expansions: u64| {
            if expansions >= next_check.get() {
                next_check.set(expansions + NODES_PER_CLOCK_CHECK);
                self.end_if(self.is_over());
            }
            self.is_ended()
        };
        let mut worker = Worker::new(thread, self.table, self.virtual_numbers.as_ref(), &is_over);
        self.run_proof_task(&mut worker);
        while !self.is_ended() && !self.tree.is_full() {
            let mut next_check = self.budget.nodes() + NODES_PER_CLOCK_CHECK;
            for _ in 0..VISITS_PER_BATCH {
                // Spent before the iteration, so that its proof search keeps to the remaining
                // nodes.
                if self.is_ended() || self.budget.spend(1) == 0 {
                    return;
                }
                self.iterate(&mut worker);
                if self.is_settled() || self.is_deep_enough() {
                    self.end_if(true);
                } else {
                    tick(self);
                }
                let nodes = self.budget.nodes();
                if nodes >= next_check {
                    next_check = nodes + NODES_PER_CLOCK_CHECK;
                    self.end_if(self.is_over());
                }
            }
            if !self.is_ended() {
                self.run_proof_task(&mut worker);
            }
            self.end_if(self.is_over());
        }
    }

    /// Ends the search for all threads if `is_over`.
    pub fn end_if(&self, is_over: bool) {
        if is_over {
            self.over.store(true, Relaxed);
        }
    }

    pub fn is_ended(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Whether the round in play does not decide the game.
    pub fn is_in_match(&self) -> bool {
        !self.round.is_whole_game()
    }
}

/// Minimum time after which the speed of a search is measured.
const MIN_TIME_FOR_SPEED: Duration = Duration::from_millis(5);

impl<G: Searchable> TreeSearch<'_, G> {
    // The stopping rule.

    /// Whether the nodes or the time are used up, or the search was stopped.
    pub fn is_spent(&self) -> bool {
        self.budget.nodes_left() == 0 || self.is_out_of_time()
    }

    /// Whether the time is used up, or the search was stopped.
    pub fn is_out_of_time(&self) -> bool {
        self.budget.is_over(|| self.best_is_clear())
    }

    /// Whether the search was stopped, or the remaining time cannot change the move.
    fn is_over(&self) -> bool {
        self.is_out_of_time() || self.best_is_out_of_reach()
    }

    /// Whether no further visit can change the answer.
    pub fn is_settled(&self) -> bool {
        let proven = self.root_node().proof().is_some_and(|proof| !self.is_too_long(proof))
            && (self.limits.lines <= 1 || self.all_children_proven());
        proven
            || self.root.decided.is_some() && self.all_children_proven()
            || self.only_move_on_the_clock()
    }

    fn all_children_proven(&self) -> bool {
        self.searched_children().all(|child| self.tree.node(child).proof().is_some())
    }

    /// Whether there is only one move and a running clock: its time is better kept.
    fn only_move_on_the_clock(&self) -> bool {
        self.root.searched().len() == 1 && self.budget.is_on_a_clock()
    }

    /// Whether the most visited move also has the best value.
    fn best_is_clear(&self) -> bool {
        let player = self.position.turn();
        let by = |key: &dyn Fn(u32) -> f32| {
            self.searched_children().max_by(|&a, &b| key(a).total_cmp(&key(b)))
        };
        let win_probability = |child| {
            self.tree
                .node(child)
                .win_probability()
                .map_or(0.0, |win_probability| player.relative(win_probability))
        };
        by(&|child| self.tree.node(child).visits() as f32) == by(&win_probability)
    }

    /// Whether no other move can overtake the best one in visits before the soft limit (smart
    /// pruning, as in Leela Chess Zero). Only on a clock, which keeps the time for harder moves. In
    /// a single-round game of Kamisado a proof may overrule all visits, so the rule does not apply.
    fn best_is_out_of_reach(&self) -> bool {
        let visits_decide = self.is_in_match() || G::HAS_DRAWS;
        let is_asked_for_more = self.limits.lines > 1 || self.limits.mate.is_some();
        if !params::early_stop()
            || !visits_decide
            || is_asked_for_more
            || !self.budget.is_on_a_clock()
            || !self.best_is_clear()
        {
            return false;
        }
        let Some(to_come) = self.visits_to_come() else { return false };
        let visits = |child| f64::from(self.tree.node(child).visits());
        let order = best_first(self.tree, self.searched_children(), self.position.turn());
        let Some((&best, others)) = order.split_first() else { return false };
        let open = |&&child: &&u32| self.tree.node(child).proof().is_none();
        others.iter().filter(open).all(|&other| visits(other) + to_come < visits(best))
    }

    /// Expected visits until the soft limit; `None` while the speed is unknown.
    fn visits_to_come(&self) -> Option<f64> {
        let searched = self.budget.elapsed().saturating_sub(self.start.elapsed);
        let visits = self.statistics.visits.load(Relaxed) - self.start.visits;
        let left = self.budget.left_if_clear()?;
        (searched >= MIN_TIME_FOR_SPEED)
            .then(|| visits as f64 * left.as_secs_f64() / searched.as_secs_f64())
    }

    /// Whether the requested mean depth is reached, or the tree is nearly full.
    fn is_deep_enough(&self) -> bool {
        self.limits
            .depth
            .is_some_and(|depth| self.statistics.depth() >= depth || self.is_nearly_full())
    }

    /// Whether the tree is so full that a search to some depth ends.
    fn is_nearly_full(&self) -> bool {
        self.tree.permille_used() >= 999
    }
}

/// Ends the search if one of its threads panics, since the others would wait forever.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Outcome, Player};
    use crate::games::kamisado::{Match, Move, Target};
    use crate::search::fixture::with_search;
    use crate::search::limits::{Control, MoveTime};
    use crate::search::proof::Proof;

    const SOFT: Duration = Duration::from_millis(1000);

    fn on_a_clock() -> Limits<Move> {
        let time = MoveTime { soft: SOFT, hard: 3 * SOFT, is_on_a_clock: true };
        Limits { time: Some(time), ..Limits::default() }
    }

    /// Calls `check` with a search of the first `moves` moves after `milliseconds`.
    fn in_search<T>(
        target: Target,
        limits: Limits<Move>,
        moves: usize,
        milliseconds: u64,
        check: impl FnOnce(&mut TreeSearch<'_, Match>) -> T,
    ) -> T {
        let position = Match::start(target);
        let search_moves = position.legal_moves()[..moves].to_vec();
        let control = Control::with_clock(false, move || Duration::from_millis(milliseconds));
        with_search(&position, &Limits { search_moves, ..limits }, &control, check)
    }

    /// A win of Black in two moves. Black is to move.
    fn win() -> Proof {
        Proof::over(Outcome::Win(Player::Black)).after_move(Player::Black).after_move(Player::Black)
    }

    fn prove_child(search: &TreeSearch<'_, Match>, index: usize, proof: Proof) {
        search.tree.node(search.searched_children().nth(index).unwrap()).set_proof(proof);
    }

    #[test]
    fn ends_on_a_clock_once_no_other_move_can_overtake_in_visits() {
        let is_over = |target, limits, milliseconds, visits: [u32; 2], best: f32| {
            in_search(target, limits, 2, milliseconds, |search| {
                // After half of the time, 100 more visits are expected.
                search.statistics.visits.store(100, Relaxed);
                for ((child, visits), value) in
                    search.searched_children().zip(visits).zip([best, 0.5])
                {
                    for _ in 0..visits {
                        search.tree.node(child).begin_visit();
                        search.tree.node(child).end_visit(value);
                    }
                }
                let is_over = search.is_over();
                prove_child(search, 1, Proof::over(Outcome::Win(Player::White)));
                (is_over, search.is_over())
            })
        };
        let in_match = |limits, visits, best| is_over(Target::Standard, limits, 500, visits, best);
        assert_eq!(in_match(on_a_clock(), [201, 100], 0.6), (true, true));
        assert_eq!(in_match(on_a_clock(), [200, 100], 0.6), (false, true), "100 visits to come");
        assert!(!in_match(on_a_clock(), [201, 100], 0.4).0, "other value is better");
        for limits in [
            Limits { lines: 2, ..on_a_clock() },
            Limits { mate: Some(3), ..on_a_clock() },
            Limits { time: Some(MoveTime::exactly(SOFT)), ..Limits::default() },
        ] {
            assert_eq!(in_match(limits.clone(), [900, 1], 0.6), (false, false), "{limits:?}");
        }
        let single_round = is_over(Target::Simple, on_a_clock(), 500, [900, 1], 0.6);
        assert_eq!(single_round, (false, false), "a proof may overrule the visits");
        let at_once = is_over(Target::Standard, on_a_clock(), 4, [900, 1], 0.6);
        assert!(!at_once.0, "the speed is unknown");
    }

    #[test]
    fn settled_once_the_answer_is_proven() {
        let is_settled = |limits: Limits<Move>, proves_root: bool, proven: usize, decided| {
            in_search(Target::Simple, limits, 2, 0, |search| {
                (0..proven).for_each(|index| prove_child(search, index, win()));
                search.root.decided = decided;
                if proves_root {
                    search.root_node().set_proof(win());
                }
                search.is_settled()
            })
        };
        let mate = |moves| Limits { mate: Some(moves), ..Limits::default() };
        let two_lines = || Limits { lines: 2, ..Limits::default() };
        for (limits, proves_root, proven, decided, expected) in [
            (Limits::default(), false, 1, None, false),
            (Limits::default(), true, 0, None, true),
            (two_lines(), true, 1, None, false),
            (two_lines(), true, 2, None, true),
            (mate(1), true, 0, None, false),
            (mate(2), true, 0, None, true),
            (Limits::default(), false, 0, Some(0), false),
            (Limits::default(), false, 1, Some(0), true),
            (Limits::default(), false, 2, None, false),
        ] {
            assert_eq!(
                is_settled(limits.clone(), proves_root, proven, decided),
                expected,
                "{limits:?}, root {proves_root}, {proven} moves, {decided:?}"
            );
        }
    }

    #[test]
    fn only_move_needs_no_search_on_a_clock() {
        for (limits, moves, expected) in [
            (on_a_clock(), 1, true),
            (on_a_clock(), 2, false),
            (Limits { nodes: Some(100), ..Limits::default() }, 1, false),
        ] {
            let is_settled =
                in_search(Target::Standard, limits, moves, 0, |search| search.is_settled());
            assert_eq!(is_settled, expected, "{moves} moves");
        }
    }

    #[test]
    fn ends_at_the_mean_depth() {
        for (depth, expected) in [(None, false), (Some(2), true), (Some(3), false)] {
            let limits = Limits { depth, ..Limits::default() };
            let is_deep_enough = in_search(Target::Standard, limits, 2, 0, |search| {
                [1, 4, 3].iter().for_each(|&depth| search.statistics.add(depth, 0.5));
                search.is_deep_enough()
            });
            assert_eq!(is_deep_enough, expected, "{depth:?}");
        }
    }

    #[test]
    fn ponder_hit_ends_only_the_run_on_the_opponents_time() {
        let control = Control::new(true);
        with_search(&Match::start(Target::Standard), &Limits::default(), &control, |search| {
            search.run(search.budget.until_ponder_hit(), &mut |_| control.ponder_hit());
            assert!(search.statistics.visits.load(Relaxed) > 0);
            assert!(!search.is_out_of_time());
        });
    }
}
