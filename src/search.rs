//! Finds the best move of any game: a Monte Carlo tree search that knows what it has proven.
//!
//! The search neither reads nor prints; it reports to an observer and is ended by its [`Limits`] or its [`Control`].

mod dfpn;
mod exact;
mod kept;
pub mod limits;
mod lines;
pub mod proof;
pub mod report;
mod resistance;
mod select;
mod spread;
mod table;
mod tree;
mod visit;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::game::{Estimate, Player, RoundProof};
use dfpn::Prover;
use exact::ExactSearch;
use kept::KeptTree;
pub use limits::{Budget, Clock, Control, Limits};
pub use proof::{Length, Proof};
pub use report::{Line, Report, Value};
use select::merit;
use spread::Spread;
use table::{Known, Table};
use tree::{Node, Tree};
use visit::Visitor;

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
    tree: KeptTree<G>,
    /// The tree of the round in play as a contest of its own, where it is only a part of the game.
    round_tree: KeptTree<G>,
    table: Table,
}

/// Visits between two looks at the clock, by each thread.
const VISITS_PER_LOOK: u32 = 32;

/// Nodes after which the clock is looked at in any case: one visit of a round's opening may be worth thousands of nodes of proof.
const NODES_PER_LOOK: u64 = 256;

impl<G: Estimate> Searcher<G> {
    /// A searcher that has seen nothing yet.
    pub fn new(settings: Settings) -> Self {
        // A quarter for each tree and half for the table, whose proofs outlive both.
        let mib = settings.hash_mib;
        Searcher { settings, tree: KeptTree::new(mib / 4), round_tree: KeptTree::new(mib / 4), table: Table::new(mib / 2) }
    }

    /// Changes the settings; what was learnt is kept unless the memory changes.
    pub fn configure(&mut self, settings: Settings) {
        if settings.hash_mib != self.settings.hash_mib {
            *self = Searcher::new(settings);
        }
        self.settings = settings;
    }

    /// Forgets all positions seen.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.round_tree.clear();
        self.table.clear();
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
        let order = Order { limits, control, began: Instant::now() };
        let advice = self.settle_round(position, order);
        self.tree.take_over(position);
        let mut run = Run::new(&self.tree.tree, &self.table, self.settings, position, order, advice);
        let half = limits.tenths(5);
        if run.is_worth_resisting() {
            run.limits = &half;
        }
        run.go(observer);
        run.limits = limits;
        if run.is_worth_resisting() && !run.is_told_to_end() && !run.is_out_of_nodes() {
            self.round_tree.take_over(position);
            run.resist(&self.round_tree.tree, order);
        }
        run.report()
    }

    /// Works for at most so many more expansions on who wins the position, by proof numbers alone, and says how far that has come:
    /// what the estimate is told of a round. What was learnt is kept, so that the next call goes on where this one stopped.
    pub fn prove(&mut self, position: &G, expansions: u64) -> RoundProof {
        let proof = Prover::new(&self.table).prove(position, expansions);
        visit::round_known(proof.map(Known::Proven).or_else(|| self.table.get(position.hash())))
    }

    /// Where the round in play is only a part of the game, finds out first who wins it, with at most nine tenths of what the
    /// limits give.
    fn settle_round(&mut self, position: &G, order: Order<'_, G::Move>) -> Advice {
        let limits = order.limits;
        let round = position.round_only();
        let only = position.count_legal_moves() == 1 || limits.search_moves.len() == 1;
        if only || round == *position || round.outcome().is_some() || visit::round_proof(&round, &self.table).is_some() {
            return Advice::default();
        }
        // While pondering the clock stands still.
        let timed = limits.time.is_some() && !order.control.is_pondering();
        let mut round_limits = Limits { depth: None, mate: None, search_moves: Vec::new(), lines: 1, ..limits.tenths(9) };
        round_limits.nodes = round_limits.nodes.or((!timed).then_some(ROUND_VISITS));
        self.round_tree.take_over(&round);
        let tree = &self.round_tree.tree;
        let order = Order { limits: &round_limits, ..order };
        let run = Run::new(tree, &self.table, self.settings, &round, order, Advice::default());
        run.go(&mut |_| ());
        if let Some(proof) = tree.node(Tree::ROOT).proof() {
            self.table.put(round.hash(), Known::Proven(proof), ROUND_VISITS);
        }
        run.advice()
    }
}

/// Visits that a round gets by itself where the limits set no other measure.
const ROUND_VISITS: u64 = 1 << 18;

/// What a search was asked to do, and when.
struct Order<'a, M> {
    limits: &'a Limits<M>,
    control: &'a Control,
    began: Instant,
}

impl<M> Clone for Order<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Order<'_, M> {}

/// What the search of the round alone thinks of the moves: their shares of the visits, in the order of the legal moves; empty for
/// no advice. And its cost.
#[derive(Default)]
struct Advice {
    shares: Vec<f32>,
    nodes: u64,
}

/// One search in progress, shared by its threads.
struct Run<'a, G: Estimate> {
    tree: &'a Tree,
    table: &'a Table,
    settings: Settings,
    position: G,
    /// The round in play as a contest of its own; the position itself where nothing else counts.
    round: G,
    limits: &'a Limits<G::Move>,
    control: &'a Control,
    /// The player who may err, if one may: see `resistance`.
    erring: Option<Player>,
    /// The root moves to consider, as indices among the legal ones.
    root_choice: Vec<usize>,
    /// What the search of the round alone thinks of the root moves; empty for nothing.
    advice: Vec<f32>,
    began: Instant,
    /// When the ponder hit came, in microseconds since the beginning; `u64::MAX` while pondering.
    clock_began: AtomicU64,
    /// Visits, and expansions of the proof search.
    nodes: AtomicU64,
    visits: AtomicU64,
    /// The sum of the depths of all visits.
    depths: AtomicU64,
    seldepth: AtomicU32,
    spread: Spread,
    /// The number of nodes at which to report next.
    next_report: AtomicU64,
    over: AtomicBool,
}

impl<'a, G: Estimate> Run<'a, G> {
    fn new(
        tree: &'a Tree,
        table: &'a Table,
        settings: Settings,
        position: &G,
        order: Order<'a, G::Move>,
        advice: Advice,
    ) -> Self {
        let Order { limits, control, began } = order;
        let legal = position.legal_moves();
        let asked = |&index: &usize| limits.search_moves.contains(&legal[index]);
        let mut root_choice: Vec<usize> = (0..legal.len()).filter(asked).collect();
        if root_choice.is_empty() {
            root_choice = (0..legal.len()).collect();
        }
        Run {
            tree,
            table,
            settings,
            position: *position,
            round: position.round_only(),
            limits,
            control,
            erring: None,
            root_choice,
            began,
            clock_began: AtomicU64::new(if control.is_pondering() { u64::MAX } else { 0 }),
            nodes: AtomicU64::new(advice.nodes),
            advice: advice.shares,
            depths: AtomicU64::new(0),
            visits: AtomicU64::new(0),
            seldepth: AtomicU32::new(0),
            spread: Spread::new(),
            next_report: AtomicU64::new(1),
            over: AtomicBool::new(position.outcome().is_some()),
        }
    }

    /// Searches with all threads until the search is over.
    fn go(&self, observer: &mut dyn FnMut(&Report<G::Move>)) {
        self.prepare_root();
        while !self.over.load(Relaxed) {
            thread::scope(|scope| {
                for _ in 1..self.settings.threads.max(1) {
                    // Where the system gives no more threads, those that there are do all the work.
                    if thread::Builder::new().spawn_scoped(scope, || self.work(&mut |_| ())).is_err() {
                        break;
                    }
                }
                self.work(observer);
            });
            if self.tree.is_full() {
                self.tree.keep(Tree::ROOT, self.tree.busy_visits());
            }
            if self.table.is_crowded() {
                self.table.grow();
            }
        }
    }

    fn advice(&self) -> Advice {
        // A root that is not won has no won moves, so that what is proven of a move is that it is not worth a visit.
        let open = |child| self.tree.node(child).proof().is_none();
        let visits = |child| if open(child) { self.tree.node(child).visits() as f32 } else { 0.0 };
        let visits = self.tree.children(self.tree.node(Tree::ROOT)).map(visits);
        let sum: f32 = visits.clone().sum::<f32>().max(1.0);
        Advice { shares: visits.map(|visits| visits / sum).collect(), nodes: self.nodes.load(Relaxed) }
    }

    /// Visits until the search is over. The thread with the observer reports.
    fn work(&self, observer: &mut dyn FnMut(&Report<G::Move>)) {
        let mut visitor = Visitor::new(Prover::new(self.table), ExactSearch::new(self.table));
        while !self.over.load(Relaxed) && !self.tree.is_full() && !self.table.is_crowded() {
            let mut next_look = self.nodes.load(Relaxed) + NODES_PER_LOOK;
            for _ in 0..VISITS_PER_LOOK {
                if self.over.load(Relaxed) || self.is_out_of_nodes() {
                    self.over.store(true, Relaxed);
                    break;
                }
                // Counted first, so that the proof search within it keeps to what is left.
                let nodes = self.nodes.fetch_add(1, Relaxed) + 1;
                self.visit(&mut visitor);
                self.visits.fetch_add(1, Relaxed);
                if self.is_settled() || self.is_deep_enough() {
                    self.over.store(true, Relaxed);
                } else if nodes >= self.next_report.load(Relaxed) {
                    self.next_report.store(nodes + nodes / 2 + 1, Relaxed);
                    observer(&self.report());
                }
                if nodes >= next_look {
                    next_look = nodes + NODES_PER_LOOK;
                    if self.is_told_to_end() {
                        self.over.store(true, Relaxed);
                    }
                }
            }
            let budget = self.proof_share(self.visits.load(Relaxed));
            if budget > 0 && !self.over.load(Relaxed) {
                self.prove_root(&mut visitor.prover, budget);
            }
            if self.is_told_to_end() {
                self.over.store(true, Relaxed);
            }
        }
    }

    /// The expansions that the proof search gets after each batch of visits. Who wins a round it finds out sooner than the tree, which
    /// only has to know by then where it pays to begin. A match is rarely proven before its end.
    fn proof_share(&self, visits: u64) -> u64 {
        let per_visit = if G::HAS_DRAWS {
            0
        } else if self.round == self.position || self.root_move_with(|child| !child.is_round_known()).is_some() {
            (visits / 16).min(32)
        } else {
            2
        };
        per_visit * u64::from(VISITS_PER_LOOK)
    }

    /// Goes on with the proof of the round, then of the rounds that the root moves lead to, then of the whole game, and when all is
    /// proven of the root moves that this leaves open. Where the answer of a round is to have several lines, all its moves
    /// are to be proven from the start.
    fn prove_root(&self, prover: &mut Prover<'_>, budget: u64) {
        let in_match = self.round != self.position;
        if in_match && visit::round_proof(&self.round, self.table).is_none() {
            if self.work_on_proof(prover, &self.round, budget).is_some() {
                self.adopt_rounds();
            }
            return;
        }
        let is_proven = self.table.proof(self.position.hash()).is_some();
        let open_round = self.root_move_with(|child| !child.is_round_known()).filter(|_| in_match);
        let wants_all = is_proven || self.limits.lines > 1 && !in_match;
        let found = match open_round {
            Some(next) if !wants_all || self.erring.is_some() => {
                if self.work_on_proof(prover, &next.round_only(), budget).is_some() {
                    self.adopt_rounds();
                }
                None
            }
            // That the game is lost is known by now.
            _ if self.erring.is_some() => None,
            _ if wants_all => {
                let open = self.root_move_with(|child| child.proof().is_none());
                open.and_then(|next| self.work_on_proof(prover, &next, budget))
            }
            _ => self.work_on_proof(prover, &self.position, budget),
        };
        if found.is_some() {
            self.adopt_proofs();
            if self.is_settled() {
                self.over.store(true, Relaxed);
            }
        }
    }

    /// Proof search that counts as nodes, and keeps to their limit.
    fn work_on_proof(&self, prover: &mut Prover<'_>, position: &G, budget: u64) -> Option<Proof> {
        let left = self.limits.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(self.nodes.load(Relaxed)));
        let before = prover.expansions;
        let proof = prover.prove(position, budget.min(left));
        self.nodes.fetch_add(prover.expansions - before, Relaxed);
        proof
    }

    /// The position after the best root move whose node is open in this sense.
    fn root_move_with(&self, is_open: impl Fn(&Node) -> bool) -> Option<G> {
        let first = self.tree.children(self.tree.node(Tree::ROOT)).next()?;
        let order = best_first(self.tree, self.root_children(), self.position.turn());
        let open = order.into_iter().find(|&child| is_open(self.tree.node(child)))?;
        Some(visit::after(&self.position, self.position.legal_moves()[(open - first) as usize]))
    }

    fn is_out_of_nodes(&self) -> bool {
        self.limits.nodes.is_some_and(|limit| self.nodes.load(Relaxed) >= limit)
    }

    /// Whether no further visit can change the answer.
    fn is_settled(&self) -> bool {
        let root = self.tree.node(Tree::ROOT);
        let proven = root.proof().is_some()
            && (self.limits.lines <= 1 || self.root_children().all(|child| self.tree.node(child).proof().is_some()));
        proven || self.only_move_on_the_clock()
    }

    /// With a clock running, thinking about the only move is time lost.
    fn only_move_on_the_clock(&self) -> bool {
        self.root_choice.len() == 1 && self.limits.time.is_some_and(|time| time.soft < time.hard) && !self.control.is_pondering()
    }

    fn is_told_to_end(&self) -> bool {
        self.control.is_stopped() || self.is_out_of_time()
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
        self.depths.load(Relaxed).checked_div(self.visits.load(Relaxed)).unwrap_or(0) as u32
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

/// The children of one node, best first.
fn best_first(tree: &Tree, children: impl Iterator<Item = u32>, player: Player) -> Vec<u32> {
    // Taken once: other threads change the nodes while these are sorted.
    let mut order: Vec<_> = children.map(|index| (merit(tree.node(index), player), index)).collect();
    // A stable sort: among equals the first legal move stays first.
    order.sort_by(|(a, _), (b, _)| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    order.into_iter().map(|(_, index)| index).collect()
}
