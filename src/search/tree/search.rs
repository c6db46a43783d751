//! The tree search of one position: all threads iterate on one tree and run proof tasks in between,
//! until the budget is used up or the answer is settled.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use super::arena::Tree;
use super::deviation::Deviation;
use super::opponent::Opponent;
use super::worker::Worker;
use crate::game::{Round, Searchable};
use crate::search::budget::Budget;
use crate::search::limits::Limits;
use crate::search::proof::table::TranspositionTable;
use crate::search::proof::virtual_numbers::VirtualProofNumbers;
use crate::search::report::{Line, Report};
use crate::search::settings::Settings;

/// Visits of each thread between two readings of the clock.
pub(in crate::search) const VISITS_PER_BATCH: u32 = 32;

/// Nodes after which the clock is read in any case, since a visit of a round's opening may cost
/// thousands of expansions.
const NODES_PER_CLOCK_CHECK: u64 = 256;

/// A search of one position, shared by its threads.
pub(in crate::search) struct TreeSearch<'a, G: Searchable> {
    pub tree: Tree<'a>,
    pub table: TranspositionTable<'a>,
    pub settings: Settings,
    pub position: G,
    /// The round in play.
    pub round: Round<G>,
    pub limits: &'a Limits<G::Move>,
    pub budget: Budget<'a>,
    /// Virtual proof numbers, if several threads run proof searches.
    virtual_numbers: Option<VirtualProofNumbers>,
    pub opponent: Opponent,
    /// Indices of the moves that may be played.
    pub root_candidates: Vec<usize>,
    /// The candidate that an earlier stage has chosen. No other is searched.
    pub chosen: Option<usize>,
    /// Share of the round search's visits for each legal move; empty without a round search.
    pub round_policy: Vec<f32>,
    /// Principal variation of the round search.
    pub round_line: Vec<G::Move>,
    /// The final lines; empty until they are kept.
    pub proven_lines: Vec<Line<G::Move>>,
    pub statistics: Statistics,
    /// Expected nodes of the whole search at the last reading of the clock.
    pub expected_total_nodes: AtomicU64,
    /// Counts the choices of a proof task, from 1. Tasks that alternate go to different threads.
    pub task_count: AtomicU64,
    /// State at the start of this run.
    pub start: Start,
    over: AtomicBool,
}

/// State of a search at the start of a run.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::search) struct Start {
    /// Time since `go`.
    pub elapsed: Duration,
    /// Visits of earlier runs.
    pub visits: u64,
}

/// Counters of the iterations.
pub(in crate::search) struct Statistics {
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
        let budget = budget.in_round(&round);
        let legal = position.legal_moves();
        let asked = |&index: &usize| limits.search_moves.contains(&legal[index]);
        let mut root_candidates: Vec<usize> = (0..legal.len()).filter(asked).collect();
        if root_candidates.is_empty() {
            root_candidates = (0..legal.len()).collect();
        }
        TreeSearch {
            tree,
            table,
            settings,
            position: *position,
            round,
            limits,
            budget,
            virtual_numbers: (settings.threads > 1).then(VirtualProofNumbers::new),
            opponent: Opponent::Perfect,
            root_candidates,
            chosen: None,
            round_policy: Vec::new(),
            round_line: Vec::new(),
            proven_lines: Vec::new(),
            statistics: Statistics::new(),
            expected_total_nodes: AtomicU64::new(budget.expected_total_nodes().unwrap_or(u64::MAX)),
            task_count: AtomicU64::new(1),
            start: Start::default(),
            over: AtomicBool::new(false),
        }
    }

    /// Searches with all threads until the search is over. Calls `tick` after every visit of this
    /// thread.
    pub fn run(&mut self, tick: &mut dyn FnMut(&Self)) {
        self.start =
            Start { elapsed: self.budget.elapsed(), visits: self.statistics.visits.load(Relaxed) };
        self.iterate_until_over(tick);
    }

    fn iterate_until_over(&self, tick: &mut dyn FnMut(&Self)) {
        self.update_expected_nodes();
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
        self.prove_root(&mut worker);
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
            self.update_expected_nodes();
            if !self.is_ended() {
                self.run_proof_task(&mut worker);
            }
            if !self.is_ended() {
                self.work_on_mate(&mut worker.prover);
            }
            self.end_if(self.is_over());
        }
    }

    /// Updates the expected nodes of the whole search.
    fn update_expected_nodes(&self) {
        if let Some(nodes) = self.budget.expected_total_nodes() {
            self.expected_total_nodes.store(nodes, Relaxed);
        }
    }

    /// Ends the search for all threads if `is_over`.
    pub fn end_if(&self, is_over: bool) {
        if is_over {
            self.over.store(true, Relaxed);
        }
    }

    fn is_ended(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Whether the round in play does not decide the game.
    pub fn is_in_match(&self) -> bool {
        !self.round.is_whole_game()
    }

    /// A report while the round search runs. The round search ranks the moves and gives the lines;
    /// this search gives their values.
    pub fn report_of_round(&self, round: &Self) -> Report<G::Move> {
        Report { lines: self.lines_by(round), ..round.report_without_lines() }
    }

    /// A report of the search. The depth of a proven answer is its distance.
    pub fn report(&self) -> Report<G::Move> {
        let (lines, report) = (self.lines_by(self), self.report_without_lines());
        let is_proven = lines.first().is_some_and(|line| line.value.is_proven());
        match self.root().proof().filter(|_| is_proven).map(|proof| proof.distance.plies()) {
            Some(plies) => {
                Report { depth: plies, seldepth: report.seldepth.max(plies), lines, ..report }
            }
            None => Report { lines, ..report },
        }
    }

    fn report_without_lines(&self) -> Report<G::Move> {
        Report {
            depth: self.statistics.depth(),
            seldepth: self.statistics.seldepth.load(Relaxed),
            nodes: self.budget.nodes(),
            elapsed: self.budget.elapsed(),
            hashfull: self.tree.permille_used(),
            lines: Vec::new(),
        }
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
