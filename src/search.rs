//! The search: finds the best move of a position of any game.
//!
//! A search runs up to three stages within one budget. The round search finds the winner of the
//! round in play. The tree search then values the moves of the whole game. If the game is proven
//! lost, the last stage chooses the move likeliest to provoke an error. [`Searcher::run`] shows
//! their order, and `docs/search.md` describes them.
//!
//! A search neither reads nor prints: it reports to an observer. It ends at its [`Limits`], by its
//! [`Control`], or when its answer is proven.

mod budget;
#[cfg(test)]
mod fixture;
pub mod limits;
pub mod params;
pub(crate) mod proof;
pub mod report;
mod stages;
mod tree;

use crate::game::{RoundProof, Searchable};
use tracing::debug_span;

use budget::{Budget, Nodes};
pub use limits::{Clock, Control, Limits, MoveTime};
use proof::dfpn::Prover;
use proof::exact::ExactSearch;
use proof::static_result::{lookup_proof, to_round_proof};
pub use proof::table::TableMemory;
use proof::tt_value::TtValue;
use proof::win_within::WinWithin;
pub use proof::{Distance, Proof};
use report::Reporter;
pub use report::{Line, Report, Value};
pub use stages::Stage;
use stages::defence::{defend, is_lost};
use stages::game::{promise, search_game};
use stages::round::search_round;
use tree::TreeSearch;
use tree::arena::{ReusedTree, TreeMemory};
pub use tree::samples::TrainingSample;
use tree::samples::observe_samples;

/// Memory, threads and seed of a searcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Memory for the trees and the table, in MiB.
    pub hash_mib: usize,
    /// Search threads, at least 1.
    pub threads: usize,
    /// Seed of the small changes to move priors. On one thread, equal seeds give equal searches.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { hash_mib: 64, threads: 1, seed: 0 }
    }
}

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
    tree: ReusedTree<G>,
    /// Tree of the round search.
    round_tree: TreeMemory,
    table: TableMemory,
    /// The win that the last search had proven for the position after its move.
    promised: Option<WinWithin<G>>,
}

impl<G: Searchable> Searcher<G> {
    /// A searcher with empty memory.
    pub fn new(settings: Settings) -> Self {
        // A quarter for each tree and half for the table, since its proofs outlive both.
        let bytes = settings.hash_mib.saturating_mul(1 << 20);
        Searcher {
            settings,
            tree: ReusedTree::new(bytes / 4),
            round_tree: TreeMemory::new(bytes / 4),
            table: TableMemory::new(bytes / 2),
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
        self.tree.clear();
        self.table.clear();
        self.promised = None;
    }

    /// Searches until a limit is reached, the control says stop, or the answer is proven. Returns
    /// the last report.
    ///
    /// The observer gets the earlier reports: each time the nodes have grown by half, and at least
    /// once a second. With a node limit, it gets one at least every 65,536 nodes instead, so that
    /// equal searches give equal reports. A lost game is also reported once it is
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
        let budget = Budget::new(control, &nodes, limits);
        let mut reporter = Reporter::new(budget, observer);
        let tree = self.tree.move_root_to(position);
        let table = self.table.table();
        let mut game = TreeSearch::new(tree, table, self.settings, position, limits, budget);

        let by_round = loop {
            let found = debug_span!("round_search").in_scope(|| {
                search_round(&game, &mut self.round_tree, &mut |round| {
                    reporter.report_round_if_due(&game, round);
                })
            });
            // A second round search, after a ponder hit, is skipped if the round is proven by then.
            let decision = found.and_then(|found| game.follow(found));
            if !control.is_pondering() {
                break decision;
            }
            // The rest of the opponent's time goes to the tree search. After the ponder hit, an
            // open round is searched again.
            debug_span!("tree_search", ponder = true).in_scope(|| {
                game.run(budget.until_ponder_hit(), &mut |game| reporter.report_if_due(game));
            });
            if control.is_pondering() || control.is_stopped() {
                break decision;
            }
        };
        let promised = self.promised.take();
        let by_game = debug_span!("tree_search").in_scope(|| {
            let tick = &mut |game: &TreeSearch<'_, G>| reporter.report_if_due(game);
            search_game(&mut game, budget, by_round, promised, tick)
        });
        let by_defence = is_lost(&game).then(|| {
            // The proof is reported before the move is chosen.
            reporter.send(&game.report());
            debug_span!("defence").in_scope(|| defend(&game))
        });
        let decision = by_defence.flatten().or(by_game);
        let lines = debug_span!("complete_lines").in_scope(|| game.final_lines(decision));
        self.promised = lines.first().and_then(|line| promise(&game, line));
        game.report_with(lines, decision.map(|decision| decision.stage))
    }

    /// Calls `observe` with each position in the tree of the last search that is proven or has at
    /// least `min_visits` visits.
    pub fn observe_samples(&mut self, min_visits: u32, observe: &mut dyn FnMut(TrainingSample<G>)) {
        if let Some((tree, root)) = self.tree.root() {
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
