//! Finds the best move of any game: a Monte Carlo tree search that knows what it has proven.
//!
//! The search neither reads nor prints; it reports to an observer and is ended by its [`Limits`] or its [`Control`].

pub mod limits;
mod lines;
pub mod proof;
pub mod report;
mod select;
mod tree;
mod visit;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::game::{Estimate, Player};
pub use limits::{Budget, Clock, Control, Limits};
pub use proof::{Length, Proof};
pub use report::{Line, Report, Value};
use select::merit;
use tree::Tree;

/// What a searcher is made with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Memory for the search, in MiB.
    pub hash_mib: usize,
    /// Threads that search at once, at least 1.
    pub threads: usize,
    /// Varies the play among moves that look equal; the same seed gives the same search.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { hash_mib: 64, threads: 1, seed: 0 }
    }
}

/// Searches positions of one game, with memory that it keeps between searches.
pub struct Searcher<G> {
    settings: Settings,
    tree: Tree,
    game: std::marker::PhantomData<G>,
}

/// Visits between two looks at the clock, by each thread.
const VISITS_PER_LOOK: u32 = 32;

impl<G: Estimate> Searcher<G> {
    /// A searcher that has seen nothing yet.
    pub fn new(settings: Settings) -> Self {
        Searcher { settings, tree: Tree::new(settings.hash_mib), game: std::marker::PhantomData }
    }

    /// Changes the settings; what was learnt is kept unless the memory changes.
    pub fn configure(&mut self, settings: Settings) {
        if settings.hash_mib != self.settings.hash_mib {
            self.tree = Tree::new(settings.hash_mib);
        }
        self.settings = settings;
    }

    /// Forgets all positions seen.
    pub fn clear(&mut self) {
        self.tree.clear();
    }

    /// Searches until a limit or the control says stop, or the answer is proven. The observer gets a report each time the number of
    /// nodes has grown by half; the last one is returned and not observed. Moves among `limits.search_moves` that are not legal are
    /// passed over; if none is left, all legal moves are searched.
    pub fn run(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        observer: &mut dyn FnMut(&Report<G::Move>),
    ) -> Report<G::Move> {
        self.tree.clear();
        let run = Run::new(self, position, limits, control);
        run.prepare_root();
        std::thread::scope(|scope| {
            for _ in 1..self.settings.threads.max(1) {
                scope.spawn(|| run.work(&mut |_| ()));
            }
            run.work(observer);
        });
        run.report()
    }
}

/// One search in progress, shared by its threads.
struct Run<'a, G: Estimate> {
    tree: &'a Tree,
    seed: u64,
    position: G,
    limits: &'a Limits<G::Move>,
    control: &'a Control,
    /// The root moves to consider, as indices among the legal ones.
    root_choice: Vec<usize>,
    began: Instant,
    /// When the ponder hit came, in microseconds since the beginning; `u64::MAX` while pondering.
    clock_began: AtomicU64,
    nodes: AtomicU64,
    /// The sum of the depths of all visits.
    depths: AtomicU64,
    seldepth: AtomicU32,
    over: AtomicBool,
}

impl<'a, G: Estimate> Run<'a, G> {
    fn new(searcher: &'a Searcher<G>, position: &G, limits: &'a Limits<G::Move>, control: &'a Control) -> Self {
        let legal = position.legal_moves();
        let asked = |&index: &usize| limits.search_moves.contains(&legal[index]);
        let mut root_choice: Vec<usize> = (0..legal.len()).filter(asked).collect();
        if root_choice.is_empty() {
            root_choice = (0..legal.len()).collect();
        }
        Run {
            tree: &searcher.tree,
            seed: searcher.settings.seed,
            position: *position,
            limits,
            control,
            root_choice,
            began: Instant::now(),
            clock_began: AtomicU64::new(if control.is_pondering() { u64::MAX } else { 0 }),
            nodes: AtomicU64::new(0),
            depths: AtomicU64::new(0),
            seldepth: AtomicU32::new(0),
            over: AtomicBool::new(root_is_over(position)),
        }
    }

    /// Visits until the search is over. The thread with the observer reports.
    fn work(&self, observer: &mut dyn FnMut(&Report<G::Move>)) {
        let mut path = Vec::new();
        let mut next_report = 1;
        while !self.over.load(Relaxed) {
            for _ in 0..VISITS_PER_LOOK {
                if self.over.load(Relaxed) {
                    break;
                }
                self.visit(&mut path);
                let nodes = self.nodes.fetch_add(1, Relaxed) + 1;
                if self.is_settled() || self.limits.nodes.is_some_and(|limit| nodes >= limit) {
                    self.over.store(true, Relaxed);
                } else if nodes >= next_report {
                    next_report = nodes + nodes / 2 + 1;
                    observer(&self.report());
                }
            }
            if self.control.is_stopped() || self.is_out_of_time() || self.is_deep_enough() {
                self.over.store(true, Relaxed);
            }
        }
    }

    /// Whether no further visit can change the answer.
    fn is_settled(&self) -> bool {
        let root = self.tree.node(Tree::ROOT);
        let enough = match (root.proof(), self.limits.mate) {
            (Some(_), _) => self.limits.lines <= 1 || self.root_children().all(|child| self.tree.node(child).proof().is_some()),
            (None, _) => false,
        };
        enough || self.only_move_on_the_clock()
    }

    /// With a clock running, thinking about the only move is time lost.
    fn only_move_on_the_clock(&self) -> bool {
        self.root_choice.len() == 1 && self.limits.time.is_some() && !self.control.is_pondering()
    }

    fn is_out_of_time(&self) -> bool {
        let Some(budget) = self.limits.time else { return false };
        if self.control.is_pondering() {
            return false;
        }
        let now = self.began.elapsed();
        if self.clock_began.load(Relaxed) == u64::MAX {
            self.clock_began.store(now.as_micros() as u64, Relaxed);
        }
        let spent = now.saturating_sub(Duration::from_micros(self.clock_began.load(Relaxed)));
        spent >= budget.hard || spent >= budget.soft && self.best_is_clear()
    }

    /// Whether the most visited move is also the one with the best chance.
    fn best_is_clear(&self) -> bool {
        let player = self.position.turn();
        let by = |key: &dyn Fn(u32) -> f32| self.root_children().max_by(|&a, &b| key(a).total_cmp(&key(b)));
        let chance = |child| self.tree.node(child).chance().map_or(0.0, |chance| select::chance_of(player, chance));
        by(&|child| self.tree.node(child).visits() as f32) == by(&chance)
    }

    fn is_deep_enough(&self) -> bool {
        self.limits.depth.is_some_and(|depth| self.depth() >= depth || self.tree.permille_used() >= 999)
    }

    fn depth(&self) -> u32 {
        self.depths.load(Relaxed).checked_div(self.nodes.load(Relaxed)).unwrap_or(0) as u32
    }

    /// The children of the root that are to be considered.
    fn root_children(&self) -> impl Iterator<Item = u32> + '_ {
        let children = self.tree.children(self.tree.node(Tree::ROOT));
        self.root_choice.iter().filter_map(move |&index| children.clone().nth(index))
    }

    fn report(&self) -> Report<G::Move> {
        Report {
            depth: self.depth(),
            seldepth: self.seldepth.load(Relaxed),
            nodes: self.nodes.load(Relaxed),
            elapsed: self.began.elapsed(),
            hashfull: self.tree.permille_used(),
            lines: self.lines(),
        }
    }
}

fn root_is_over<G: Estimate>(position: &G) -> bool {
    position.outcome().is_some()
}

/// The children of one node, best first.
fn best_first(tree: &Tree, children: impl Iterator<Item = u32>, player: Player) -> Vec<u32> {
    // Taken once: other threads change the nodes while these are sorted.
    let mut order: Vec<_> = children.map(|index| (merit(tree.node(index), player), index)).collect();
    // A stable sort: among equals the first legal move stays first.
    order.sort_by(|(a, _), (b, _)| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    order.into_iter().map(|(_, index)| index).collect()
}
