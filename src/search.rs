//! Finds the best move of any game: a Monte Carlo tree search that knows what it has proven.
//!
//! The search neither reads nor prints; it reports to an observer and is ended by its [`Limits`] or its [`Control`].

mod deadline;
mod dfpn;
mod exact;
mod kept;
pub mod limits;
mod lines;
mod mate;
pub mod proof;
pub mod report;
mod reporter;
mod resistance;
mod select;
mod spread;
mod table;
mod tree;
mod visit;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;

use crate::game::{Estimate, Game, Player, RoundProof};
pub use deadline::Control;
use deadline::Deadline;
use dfpn::Prover;
use exact::ExactSearch;
use kept::KeptTree;
pub use limits::{Budget, Clock, Limits};
pub use proof::{Length, Proof};
pub use report::{Line, Report, Value};
use reporter::Reporter;
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
        let bytes = settings.hash_mib << 20;
        Searcher { settings, tree: KeptTree::new(bytes / 4), round_tree: KeptTree::new(bytes / 4), table: Table::new(bytes / 2) }
    }

    /// Changes the settings; what was learnt is kept unless the memory changes.
    pub fn configure(&mut self, settings: Settings) {
        if settings.hash_mib != self.settings.hash_mib {
            // The old memory goes before the new comes.
            *self = Searcher::new(Settings { hash_mib: 0, ..settings });
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
    /// nodes has grown by half, and at least every second; where nodes are limited, every 65,536 of them instead, so that the same
    /// search gives the same reports. The last one is returned and not observed. Moves among `limits.search_moves` that are not legal
    /// are ignored; if none is left, all legal moves are searched.
    pub fn run(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        observer: &mut dyn FnMut(&Report<G::Move>),
    ) -> Report<G::Move> {
        let nodes = AtomicU64::new(0);
        let deadline = Deadline::new(control, &nodes, limits);
        let mut reporter = Reporter::new(limits);
        self.tree.take_over(position);
        let mut run = Run::new(&self.tree.tree, &self.table, self.settings, position, limits, deadline);
        run.prepare_root();
        run.advice = settle_round(&mut self.round_tree, &run, &mut || reporter.report_if_due(&run, observer));
        run.follow_advice_if_nothing_is_left();
        if run.is_worth_resisting() {
            run.deadline = deadline.share(5);
        }
        run.go(&mut |run| reporter.report_if_due(run, observer));
        run.deadline = deadline;
        if run.is_worth_resisting() && !run.is_over() {
            if run.is_ripe_for_resistance() {
                self.round_tree.take_over(position);
                run.resist(&self.round_tree.tree, &mut |run| reporter.report_if_due(run, observer));
            } else {
                run.go(&mut |run| reporter.report_if_due(run, observer));
            }
        }
        run.report()
    }

    /// Works for at most so many more expansions on who wins the position, by proof numbers alone, and says how far that has come:
    /// what the estimate is told of a round. What was learnt is kept, so that the next call goes on where this one stopped.
    pub fn prove(&mut self, position: &G, expansions: u64) -> RoundProof {
        let proof = Prover::new(&self.table).prove(position, expansions);
        visit::round_known(proof.map(Known::Proven).or_else(|| self.table.get(position.hash())))
    }
}

/// Where the round in play is only a part of the game, finds out first who wins it: an open round may take all but a few nodes. What its
/// search thinks of the moves: their shares of the visits, in the order of the legal moves; empty for no advice.
fn settle_round<G: Estimate>(kept: &mut KeptTree<G>, run: &Run<'_, G>, tick: &mut dyn FnMut()) -> Vec<f32> {
    let round = run.round;
    let is_settled = || visit::round_proof(&round, run.table).is_some();
    let is_asked = run.root_choice.len() > 1 && run.limits.mate.is_none();
    if !is_asked || round == run.position || round.outcome().is_some() || is_settled() {
        return Vec::new();
    }
    kept.take_over(&round);
    let limits = Limits { depth: None, mate: None, search_moves: Vec::new(), lines: 1, ..run.limits.clone() };
    let deadline = run.deadline.short_of(NODES_FOR_THE_LINE).or_nodes(ROUND_VISITS);
    let of_round = Run::new(&kept.tree, run.table, run.settings, &round, &limits, deadline);
    of_round.go(&mut |_| tick());
    if let Some(proof) = kept.tree.node(kept.tree.root()).proof() {
        run.table.put(round.hash(), Known::Proven(proof), ROUND_VISITS);
    }
    of_round.shares()
}

/// Nodes that an open round leaves, for the value of the move and the reply to it.
const NODES_FOR_THE_LINE: u64 = 64;

/// Visits that a round gets by itself where the limits set no other measure.
const ROUND_VISITS: u64 = 1 << 18;

/// One search in progress, shared by its threads.
struct Run<'a, G: Estimate> {
    tree: &'a Tree,
    table: &'a Table,
    settings: Settings,
    position: G,
    /// The round in play as a contest of its own; the position itself where nothing else counts.
    round: G,
    limits: &'a Limits<G::Move>,
    deadline: Deadline<'a>,
    /// The player who may err, if one may: see `resistance`.
    erring: Option<Player>,
    /// The root moves to consider, as indices among the legal ones.
    root_choice: Vec<usize>,
    /// What the search of the round alone thinks of the root moves; empty for nothing.
    advice: Vec<f32>,
    visits: AtomicU64,
    /// The sum of the depths of all visits.
    depths: AtomicU64,
    seldepth: AtomicU32,
    spread: Spread,
    over: AtomicBool,
}

impl<'a, G: Estimate> Run<'a, G> {
    fn new(
        tree: &'a Tree,
        table: &'a Table,
        settings: Settings,
        position: &G,
        limits: &'a Limits<G::Move>,
        deadline: Deadline<'a>,
    ) -> Self {
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
            deadline,
            erring: None,
            root_choice,
            advice: Vec::new(),
            depths: AtomicU64::new(0),
            visits: AtomicU64::new(0),
            seldepth: AtomicU32::new(0),
            spread: Spread::new(),
            over: AtomicBool::new(false),
        }
    }

    /// Searches with all threads until the search is over; `tick` is called after every visit of this thread.
    fn go(&self, tick: &mut dyn FnMut(&Self)) {
        self.prepare_root();
        self.over.store(self.position.outcome().is_some(), Relaxed);
        while !self.over.load(Relaxed) {
            thread::scope(|scope| {
                for _ in 1..self.settings.threads.max(1) {
                    let work = || {
                        let _guard = EndOnPanic(&self.over);
                        self.work(&mut |_| ());
                    };
                    // Where the system gives no more threads, those that there are do all the work.
                    if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                        break;
                    }
                }
                self.work(tick);
            });
            if self.tree.is_full() {
                self.tree.recycle(&|| self.is_told_to_end());
            }
        }
    }

    /// Where an open round has taken what there was, its favourite is the move: what is left only tells what it is worth.
    fn follow_advice_if_nothing_is_left(&mut self) {
        let favourite = self.root_choice.iter().copied().max_by(|&a, &b| {
            let share = |choice: usize| self.advice.get(choice).copied().unwrap_or_default();
            // Among equals the first legal move.
            share(a).total_cmp(&share(b)).then(b.cmp(&a))
        });
        let is_spent = self.deadline.nodes_left() <= NODES_FOR_THE_LINE || self.is_told_to_end();
        let is_open = visit::round_proof(&self.round, self.table).is_none();
        if is_spent && is_open && self.limits.lines <= 1 && !self.advice.is_empty() {
            self.root_choice = favourite.into_iter().collect();
        }
    }

    /// How the visits are shared among the root's moves, in the order of the legal moves.
    fn shares(&self) -> Vec<f32> {
        // A root that is not won has no won moves, so that what is proven of a move is that it is not worth a visit.
        let open = |child| self.tree.node(child).proof().is_none();
        let visits = |child| if open(child) { self.tree.node(child).visits() as f32 } else { 0.0 };
        let visits = self.tree.children(self.root()).map(visits);
        let sum: f32 = visits.clone().sum::<f32>().max(1.0);
        visits.map(|visits| visits / sum).collect()
    }

    /// Visits until the search is over, and calls `tick` after each.
    fn work(&self, tick: &mut dyn FnMut(&Self)) {
        let mut visitor = Visitor::new(Prover::new(self.table), ExactSearch::new(self.table));
        while !self.over.load(Relaxed) && !self.tree.is_full() {
            let mut next_look = self.deadline.nodes() + NODES_PER_LOOK;
            for _ in 0..VISITS_PER_LOOK {
                if self.over.load(Relaxed) || self.deadline.nodes_left() == 0 {
                    self.over.store(true, Relaxed);
                    break;
                }
                // Counted first, so that the proof search within it keeps to what is left.
                let nodes = self.deadline.count(1);
                self.visit(&mut visitor);
                self.visits.fetch_add(1, Relaxed);
                if self.is_settled() || self.is_deep_enough() {
                    self.over.store(true, Relaxed);
                } else {
                    tick(self);
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
            if !self.over.load(Relaxed) {
                self.work_on_mate(&mut visitor.prover);
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
    fn work_on_proof<C: Game>(&self, prover: &mut Prover<'_>, position: &C, budget: u64) -> Option<Proof> {
        let before = prover.expansions;
        let proof = prover.prove(position, budget.min(self.deadline.nodes_left()));
        self.deadline.count(prover.expansions - before);
        proof
    }

    /// The position after the best root move whose node is open in this sense.
    fn root_move_with(&self, is_open: impl Fn(&Node) -> bool) -> Option<G> {
        let first = self.tree.children(self.root()).next()?;
        let order = best_first(self.tree, self.root_children(), self.position.turn());
        let open = order.into_iter().find(|&child| is_open(self.tree.node(child)))?;
        Some(visit::after(&self.position, self.position.legal_moves()[(open - first) as usize]))
    }

    /// Whether nodes or time are used up, or the search was stopped.
    fn is_over(&self) -> bool {
        self.deadline.nodes_left() == 0 || self.is_told_to_end()
    }

    /// Whether no further visit can change the answer.
    fn is_settled(&self) -> bool {
        let proven = self.root().proof().is_some_and(|proof| !self.is_too_long(proof))
            && (self.limits.lines <= 1 || self.root_children().all(|child| self.tree.node(child).proof().is_some()));
        proven || self.only_move_on_the_clock()
    }

    /// With a clock running, thinking about the only move is time lost.
    fn only_move_on_the_clock(&self) -> bool {
        self.root_choice.len() == 1 && self.deadline.is_on_a_clock()
    }

    fn is_told_to_end(&self) -> bool {
        self.deadline.is_over(|| self.best_is_clear())
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

    fn root(&self) -> &'a Node {
        self.tree.node(self.tree.root())
    }

    fn depth(&self) -> u32 {
        self.depths.load(Relaxed).checked_div(self.visits.load(Relaxed)).unwrap_or(0) as u32
    }

    /// The children of the root that are to be considered.
    fn root_children(&self) -> impl Iterator<Item = u32> + '_ {
        let children = self.tree.children(self.root());
        self.root_choice.iter().filter_map(move |&index| children.clone().nth(index))
    }

    fn report(&self) -> Report<G::Move> {
        Report {
            depth: self.depth(),
            seldepth: self.seldepth.load(Relaxed),
            nodes: self.deadline.nodes(),
            elapsed: self.deadline.elapsed(),
            hashfull: self.tree.permille_used(),
            lines: self.lines(),
        }
    }
}

/// Ends the search where one of its threads panics: the others would never hear of it.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Relaxed);
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
