//! Finds the best move of any game: a Monte Carlo tree search that knows what it has proven.
//!
//! A search has three phases, which divide one deadline: the round in play is settled, the match is searched, and where it looks lost, it is
//! resisted. [`Searcher::run`] is their order, `docs/search.md` their description on one page. The search neither reads nor prints; it
//! reports to an observer and ends with its [`Limits`], with its [`Control`], or when its answer is proven. A proven loss may be resisted with
//! the limits that remain. If the lost round is the whole game, the opponent is likeliest to err after the chosen move.

mod budget;
pub mod limits;
mod memory;
mod proof;
pub mod report;
mod reporter;
pub mod settings;
mod stages;
mod tree;

use crate::game::{RoundProof, Searchable};
pub use budget::Control;
use budget::{Budget, Nodes};
pub use limits::{Clock, Limits, MoveTime};
pub use proof::certificate;
use proof::dfpn::Prover;
use proof::exact::ExactSearch;
pub use proof::objective::Objective;
pub use proof::proven::{Distance, Proof};
pub use proof::solver::{Query, Solver};
pub use proof::table::TableMemory;
use proof::tt_value::TtValue;
use proof::win_within::WinWithin;
pub use report::{Line, Report, Value};
use reporter::Reporter;
pub use settings::Settings;
use stages::opponent_model::OpponentModelSearch;
use stages::round::RoundSearch;
use stages::swindle::Swindle;
use tree::opponent::Opponent;
use tree::reuse::ReusedTree;
use tree::search::TreeSearch;
pub use tree::training_samples::TrainingSample;
use tree::training_samples::observe_samples;

/// Searches positions of one game, with memory that it keeps between searches.
pub struct Searcher<G> {
    settings: Settings,
    match_tree: ReusedTree<G>,
    /// The tree of the other phases: of the round in play as a contest of its own, then of the match that is resisted.
    side_tree: ReusedTree<G>,
    table: TableMemory,
    /// Nodes a second of the last search that took long enough to tell.
    nodes_per_second: Option<f64>,
    /// WinWithin how many moves the winner wins after the move that the last search has chosen, if
    /// that was proven.
    promised: Option<WinWithin<G>>,
}

impl<G: Searchable> Searcher<G> {
    /// A searcher that has seen nothing yet.
    pub fn new(settings: Settings) -> Self {
        // A quarter for each tree and half for the table, whose proofs outlive both.
        let bytes = settings.hash_mib << 20;
        Searcher {
            settings,
            match_tree: ReusedTree::new(bytes / 4),
            side_tree: ReusedTree::new(bytes / 4),
            table: TableMemory::new(bytes / 2),
            nodes_per_second: None,
            promised: None,
        }
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
        self.match_tree.clear();
        self.side_tree.clear();
        self.table.clear();
        self.promised = None;
    }

    /// Searches until a limit or the control says stop, or the answer is proven. The observer gets a report each time the number of
    /// nodes has grown by half, and at least every second; where nodes are limited, every 65,536 of them instead, so that the same
    /// search gives the same reports; and as soon as a round that is the whole game is proven lost, since its search goes on then for the
    /// move that is hardest to answer. The last one is returned and not observed. Moves among `limits.search_moves` that are not legal
    /// are ignored; if none is left, all legal moves are searched.
    pub fn run(
        &mut self,
        position: &G,
        limits: &Limits<G::Move>,
        control: &Control,
        observer: &mut dyn FnMut(&Report<G::Move>),
    ) -> Report<G::Move> {
        let nodes = Nodes::default();
        let budget =
            Budget::new(control, &nodes, limits).with_previous_speed(self.nodes_per_second);
        let mut reporter = Reporter::new(budget, observer);
        let tree = self.match_tree.move_root_to(position, Opponent::Perfect);
        let mut search =
            TreeSearch::new(tree, self.table.table(), self.settings, position, limits, budget);
        let budget = search.budget;
        search.prepare_root();

        let found = loop {
            let round_search = RoundSearch { tree: &mut self.side_tree, game: &search };
            let found = round_search.run(&mut |round| reporter.report_round_if_due(&search, round));
            // Query again after a ponder hit, a round that has been proven meanwhile has nothing to add.
            if !found.policy.is_empty() {
                (search.round_policy, search.round_line) = (found.policy, found.line);
            }
            if !control.is_pondering() {
                break found.choice;
            }
            // The opponent's time goes to the match, once the round has had its nodes; from the ponder hit on the round comes first again.
            search.budget = budget.until_ponder_hit();
            search.run(&mut |search| reporter.report_if_due(search));
            search.budget = budget;
            if control.is_pondering() || control.is_stopped() {
                break found.choice;
            }
        };
        // What is left only tells what the move is worth.
        search.chosen = found;

        let is_shared = stages::opponent_model::looks_lost(&search);
        search.budget =
            if is_shared { budget.share(stages::opponent_model::TENTHS_BEFORE) } else { budget };
        search.run(&mut |search| reporter.report_if_due(search));
        search.budget = budget;
        let promised = self.promised.take();
        search.shorten_proof(promised);

        if stages::opponent_model::looks_lost(&search)
            && stages::opponent_model::has_enough_nodes(&search)
            && !search.is_spent()
        {
            search.keep_lines();
            let model_search = OpponentModelSearch { tree: &mut self.side_tree, game: &search };
            // The score stays that against best play.
            search.chosen = model_search.run(&mut || reporter.report_if_due(&search));
        } else if stages::swindle::is_lost_round(&search) {
            // Whoever waits for the proof need not wait for the choice.
            search.keep_lines();
            reporter.report(&search);
            search.chosen = Swindle::new(&search).run();
        } else if is_shared {
            // The half that was kept for a resistance is the match's again.
            search.run(&mut |search| reporter.report_if_due(search));
            search.shorten_proof(promised);
        }
        search.keep_lines();
        let report = search.report();
        self.promised = search.promise(&report);
        self.nodes_per_second = budget.nodes_per_second();
        report
    }

    /// Calls `observe` with each position in the tree of the match that the last search has proven or visited so often. Examples make labels with it.
    pub fn observe_samples(&mut self, min_visits: u32, observe: &mut dyn FnMut(TrainingSample<G>)) {
        if let Some((tree, root)) = self.match_tree.root() {
            observe_samples(tree, tree.root(), root, min_visits, observe);
        }
    }

    /// Works for at most `expansions` on who wins the position, by proof numbers alone, and says how far that has come:
    /// in the form that evaluators take. Examples make labels with it. What was learnt is kept, so that the next call goes on where this one stopped.
    pub fn prove(&mut self, position: &G, expansions: u64) -> RoundProof {
        let table = self.table.table();
        let proof = Prover::new(table).prove(position, expansions);
        proof::static_result::to_round_proof(
            proof.map(TtValue::Proven).or_else(|| table.get(position.proof_key())),
        )
    }

    /// The result of the position against best play, unless finding it takes more than so many `expansions`: by proof numbers, or by exact search
    /// in games that may be drawn. What was learnt is kept, so that the next call goes on where this one stopped.
    pub fn solve(&mut self, position: &G, expansions: u64) -> Option<Proof> {
        let table = self.table.table();
        if !G::HAS_DRAWS {
            return Prover::new(table).prove(position, expansions);
        }
        proof::static_result::lookup_proof(position, table).or_else(|| {
            ExactSearch::new(table).solve(position, &mut G::Evaluator::default(), expansions)
        })
    }
}
