//! The search: finds the best move of a position of any game.
//!
//! A search runs up to three stages within one budget. The round search finds the winner of the
//! round in play. The tree search then values the moves of the whole game. If the game looks lost,
//! a last stage chooses a move that is hard to answer. [`Searcher::run`] shows their order, and
//! `docs/search.md` describes them.
//!
//! A search neither reads nor prints: it reports to an observer. It ends at its [`Limits`], by its
//! [`Control`], or when its answer is proven.

mod budget;
mod control;
pub mod limits;
mod memory;
mod proof;
pub mod report;
mod reporter;
pub mod settings;
mod stages;
mod tree;

use crate::game::{RoundProof, Searchable};
use tracing::debug_span;

use budget::{Budget, Nodes};
pub use control::Control;
pub use limits::{Clock, Limits, MoveTime};
pub use proof::certificate;
use proof::dfpn::Prover;
use proof::exact::ExactSearch;
pub use proof::objective::Objective;
pub use proof::proven::{Distance, Proof};
pub use proof::solver::{Query, Solver};
use proof::static_result::{lookup_proof, to_round_proof};
pub use proof::table::TableMemory;
use proof::tt_value::TtValue;
use proof::win_within::WinWithin;
pub use report::{Line, Report, Value};
use reporter::Reporter;
pub use settings::Settings;
use stages::opponent_model::{OpponentModelSearch, TENTHS_BEFORE, has_enough_nodes, looks_lost};
use stages::round::RoundSearch;
use stages::swindle::{Swindle, is_lost_round};
use tree::opponent::Opponent;
use tree::reuse::ReusedTree;
use tree::search::TreeSearch;
pub use tree::training_samples::TrainingSample;
use tree::training_samples::observe_samples;

/// Searches positions of one game, in memory that it keeps between searches.
///
/// ```
/// use oshi::games::kamisado::{Match, Target};
/// use oshi::search::{Control, Limits, Searcher, Settings};
///
/// let mut searcher = Searcher::new(Settings { hash_mib: 4, ..Settings::default() });
/// let limits = Limits { nodes: Some(500), ..Limits::default() };
/// let start = Match::start(Target::Simple);
/// let report = searcher.run(&start, &limits, &Control::default(), &mut |_| ());
/// assert!(report.best_move().is_some() && report.nodes <= 500);
/// ```
pub struct Searcher<G> {
    settings: Settings,
    match_tree: ReusedTree<G>,
    /// Tree of the round search and the opponent-model search.
    side_tree: ReusedTree<G>,
    table: TableMemory,
    /// Speed of the last search that took long enough to measure it.
    nodes_per_second: Option<f64>,
    /// The contest that the last search had proven after its move.
    promised: Option<WinWithin<G>>,
}

impl<G: Searchable> Searcher<G> {
    /// A searcher with empty memory.
    pub fn new(settings: Settings) -> Self {
        // A quarter for each tree and half for the table, since its proofs outlive both.
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

    /// Changes the settings. Another memory size discards all results.
    pub fn configure(&mut self, settings: Settings) {
        if settings.hash_mib != self.settings.hash_mib {
            // Free the old memory first, so that both never coexist.
            *self = Searcher::new(Settings { hash_mib: 0, ..settings });
            *self = Searcher::new(settings);
        }
        self.settings = settings;
    }

    /// Discards all results.
    pub fn clear(&mut self) {
        self.match_tree.clear();
        self.side_tree.clear();
        self.table.clear();
        self.promised = None;
    }

    /// Searches until a limit is reached, the control says stop, or the answer is proven. Returns
    /// the last report.
    ///
    /// The observer gets the earlier reports: each time the nodes have grown by half, and at least
    /// once a second. With a node limit, it gets one at least every 65,536 nodes instead, so that
    /// equal searches give equal reports. A lost single-round game is also reported once it is
    /// proven, since the search then continues to choose its move.
    ///
    /// Illegal moves in `limits.search_moves` are ignored. Without a legal one, all moves are
    /// searched.
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

        search.chosen = loop {
            let found = debug_span!("round_search").in_scope(|| {
                RoundSearch { tree: &mut self.side_tree, game: &search }
                    .run(&mut |round| reporter.report_round_if_due(&search, round))
            });
            // A second round search, after a ponder hit, is skipped if the round is proven by then.
            if !found.policy.is_empty() {
                (search.round_policy, search.round_line) = (found.policy, found.line);
            }
            if !control.is_pondering() {
                break found.choice;
            }
            // The rest of the opponent's time goes to the tree search. After the ponder hit, an
            // open round is searched again.
            search.budget = budget.until_ponder_hit();
            debug_span!("tree_search", ponder = true)
                .in_scope(|| search.run(&mut |search| reporter.report_if_due(search)));
            search.budget = budget;
            if control.is_pondering() || control.is_stopped() {
                break found.choice;
            }
        };

        // If the round search has chosen the move, the tree search only values it.
        let is_shared = looks_lost(&search);
        search.budget = if is_shared { budget.share(TENTHS_BEFORE) } else { budget };
        debug_span!("tree_search")
            .in_scope(|| search.run(&mut |search| reporter.report_if_due(search)));
        search.budget = budget;
        let promised = self.promised.take();
        debug_span!("shorten_proof").in_scope(|| search.shorten_proof(promised));

        if looks_lost(&search) && has_enough_nodes(&search) && !search.is_spent() {
            // The reported values stay those against best play.
            search.keep_lines();
            search.chosen = debug_span!("opponent_model_search").in_scope(|| {
                OpponentModelSearch { tree: &mut self.side_tree, game: &search }
                    .run(&mut || reporter.report_if_due(&search))
            });
        } else if is_lost_round(&search) {
            // The proof is reported before the move is chosen.
            search.keep_lines();
            reporter.report(&search);
            search.chosen = debug_span!("swindle").in_scope(|| Swindle::new(&search).run());
        } else if is_shared {
            // The tree search gets the rest of the budget if no opponent-model search needs it.
            debug_span!("tree_search")
                .in_scope(|| search.run(&mut |search| reporter.report_if_due(search)));
            debug_span!("shorten_proof").in_scope(|| search.shorten_proof(promised));
        }
        debug_span!("complete_lines").in_scope(|| search.keep_lines());
        let report = search.report();
        self.promised = search.promise(&report);
        self.nodes_per_second = budget.nodes_per_second();
        report
    }

    /// Calls `observe` with each position in the tree of the last search that is proven or has at
    /// least `min_visits` visits.
    pub fn observe_samples(&mut self, min_visits: u32, observe: &mut dyn FnMut(TrainingSample<G>)) {
        if let Some((tree, root)) = self.match_tree.root() {
            observe_samples(tree, tree.root(), root, min_visits, observe);
        }
    }

    /// Works on the winner of the position by df-pn alone, for at most `expansions`. Returns what
    /// is known then, as evaluators receive it. The table keeps the results, so the next call
    /// continues this one.
    pub fn prove(&mut self, position: &G, expansions: u64) -> RoundProof {
        let table = self.table.table();
        let proof = Prover::new(table).prove(position, expansions);
        to_round_proof(proof.map(TtValue::Proven).or_else(|| table.get(position.proof_key())))
    }

    /// The result of the position against best play, by df-pn or, in games with draws, by exact
    /// search; `None` if it takes more than `expansions`. The table keeps the results, so the next
    /// call continues this one.
    ///
    /// ```
    /// use oshi::game::{Outcome, Player};
    /// use oshi::games::kamisado::Match;
    /// use oshi::search::{Searcher, Settings};
    ///
    /// let lost: Match = "B2L2PY/1r2R3/8/1o6/2O2Gl1/2g5/5V2/1y1v2pb b p 0-0 1".parse()?;
    /// let mut searcher = Searcher::new(Settings { hash_mib: 4, ..Settings::default() });
    /// let proof = searcher.solve(&lost, 10_000).ok_or("open")?;
    /// assert_eq!(proof.outcome, Outcome::Win(Player::White));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve(&mut self, position: &G, expansions: u64) -> Option<Proof> {
        let table = self.table.table();
        if !G::HAS_DRAWS {
            return Prover::new(table).prove(position, expansions);
        }
        lookup_proof(position, table).or_else(|| {
            ExactSearch::new(table).solve(position, &mut G::Evaluator::default(), expansions)
        })
    }
}
