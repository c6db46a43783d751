//! The scheduler of proof tasks: the positions that the proof search works on between the visits of
//! the tree, and its share of the nodes.

use std::sync::atomic::Ordering::Relaxed;

use super::dfpn::Prover;
use super::proven::Proof;
use super::static_result::lookup_proof;
use crate::game::{Game, RoundStage, Searchable};
use crate::search::tree::opponent::Opponent;
use crate::search::tree::search::{TreeSearch, VISITS_PER_BATCH};
use crate::search::tree::worker::Worker;

/// Maximum expansions per visit. The share grows with the mean visits of a root move: with more
/// moves, the tree needs longer to find the one that is worth a proof.
const MAX_PER_VISIT: u64 = 128;

/// Expansions per visit once all rounds and payoffs are decided. The match itself is rarely proven
/// before its end.
const PER_VISIT_OF_MATCH: u64 = 2;

/// Expansions per visit after the first ones, in a single-round game.
const LATER_VISIT_IN_ROUND: u64 = 256;

/// Maximum expansions per visit in a single-round game.
const MAX_PER_VISIT_IN_ROUND: u64 = 1 << 12;

/// Visits before the share rises. A search of a few hundred nodes makes no more visits, and chooses
/// better moves if it spends its nodes on them.
const FIRST_VISITS: u64 = 64;

/// Part of the budget, as 1/n, for the proof of the position itself in a single-round game. An easy
/// proof is found soonest at the position. For a hard one, a single good move suffices, and the
/// tree finds that move sooner.
const ONE_IN_FOR_POSITION: u32 = 32;

/// Expansions for the position per visit. The allowance is this number times
/// [`VISITS_BEFORE_FIRST`] plus the visits.
const PER_VISIT_FOR_POSITION: u64 = 512;

/// Visits that the allowance includes before the first one, so that easy proofs are found at once.
const VISITS_BEFORE_FIRST: u64 = 16;

/// Maximum expansions for the position.
const MAX_FOR_POSITION: u64 = 1 << 18;

/// A root-payoff task gets at least this number of expansions divided by the root moves. Visits in
/// a match may be expensive and therefore few.
const MIN_EXPANSIONS_FOR_ROOT_PAYOFF: u64 = 1 << 14;

/// A task of the proof search.
pub(in crate::search) enum ProofTask<G> {
    /// The winner of this round, or of this contest for its payoff.
    Round(G),
    /// The winner of this contest for the payoff of the position itself.
    RootPayoff(G),
    /// The winner of the game from this position.
    Game(G),
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// Works on the proof of the position, also before the first visit. Returns whether it had a
    /// share left.
    pub(in crate::search) fn prove_root(
        &self,
        Worker { thread, prover, .. }: &mut Worker<'_, G>,
    ) -> bool {
        let share = self.root_share(*thread);
        if let Some(budget) = share {
            self.prove_within_budget(prover, &self.position, budget);
            // The tree stops visiting moves that are refuted now.
            self.adopt_proofs();
            self.end_if(self.is_settled());
        }
        share.is_some()
    }

    /// Runs one proof task after a batch of visits.
    pub(in crate::search) fn run_proof_task(&self, worker: &mut Worker<'_, G>) {
        if self.prove_root(worker) {
            return;
        }
        let Worker { thread, prover, evaluator, .. } = worker;
        let share = self.proof_share();
        if share == 0 {
            return;
        }
        let Some(task) = self.next_task(*thread, evaluator) else { return };
        let (position, budget) = match task {
            ProofTask::Round(position) | ProofTask::Game(position) => (position, share),
            ProofTask::RootPayoff(contest) => {
                (contest, share.max(MIN_EXPANSIONS_FOR_ROOT_PAYOFF / self.choices()))
            }
        };
        if self.prove_within_budget(prover, &position, budget).is_none() {
            return;
        }
        if let ProofTask::Game(_) = task {
            self.adopt_proofs();
            self.end_if(self.is_settled());
        } else {
            self.adopt_round_proofs(evaluator);
        }
    }

    /// Expansions for the proof of the position: only in a single-round game, and only if the
    /// search reports one line.
    fn root_share(&self, thread: usize) -> Option<u64> {
        let is_alone =
            !G::HAS_DRAWS && !self.is_in_match() && self.round.stage != RoundStage::Between;
        let is_whole = self.limits.lines <= 1 && self.searches_all_moves();
        let is_asked = is_alone
            && is_whole
            && thread == 0
            && self.opponent == Opponent::Perfect
            && self.root().proof().is_none();
        let left = self
            .budget
            .left_of_first(ONE_IN_FOR_POSITION)
            .min(MAX_FOR_POSITION.saturating_sub(self.budget.nodes()));
        let by_visits =
            PER_VISIT_FOR_POSITION * (VISITS_BEFORE_FIRST + self.statistics.visits.load(Relaxed));
        Some(left.min(by_visits)).filter(|&share| is_asked && share > 0)
    }

    /// Expansions of the proof task after a batch of visits. Proof search finds the winner of a
    /// round sooner than the tree, which only needs to know the best moves by then.
    fn proof_share(&self) -> u64 {
        let visits = self.statistics.visits.load(Relaxed);
        let by_moves = (visits / self.choices()).min(MAX_PER_VISIT);
        // A refill has two moves, but an opening follows each, so their values need many visits.
        let is_refill = self.round.stage == RoundStage::Between;
        let per_visit = if G::HAS_DRAWS {
            0
        } else if !self.is_in_match() {
            let later = LATER_VISIT_IN_ROUND * visits.saturating_sub(FIRST_VISITS);
            if is_refill {
                by_moves
            } else {
                ((visits + later) / self.choices()).min(MAX_PER_VISIT_IN_ROUND)
            }
        } else if self
            .root_move_with(0, |child| !child.is_round_known() || child.is_payoff_open())
            .is_some()
        {
            by_moves
        } else {
            PER_VISIT_OF_MATCH
        };
        per_visit * u64::from(VISITS_PER_BATCH)
    }

    /// Number of moves to choose from, at least 1.
    fn choices(&self) -> u64 {
        self.searched_moves().max(1) as u64
    }

    /// The next proof task: first the round in play if it does not decide the game; then the rounds
    /// after the root moves, in turns with the payoffs; then the game after the root moves, best
    /// first. One good move suffices, and the tree finds it sooner than proof numbers do. All
    /// threads work on the game after the best move, unless all moves must be refuted. Otherwise
    /// each takes another move.
    fn next_task(&self, thread: usize, evaluator: &G::Evaluator) -> Option<ProofTask<G>> {
        let may_err = self.opponent != Opponent::Perfect;
        let is_proven =
            self.root().proof().is_some() || self.table.proof(self.position.proof_key()).is_some();
        if self.is_in_match() {
            if lookup_proof(&self.round.contest, self.table).is_none() {
                return Some(ProofTask::Round(self.round.contest));
            }
            let turn = self.task_count.fetch_add(1, Relaxed);
            // Half of the threads before this one have the same turn.
            let ahead = thread / 2;
            let payoff = self.open_payoff(turn, ahead, evaluator);
            // Payoffs have every other turn, from the first on.
            if payoff.is_some() && turn % 2 == 1 {
                return payoff;
            }
            let ahead = if payoff.is_some() { ahead } else { thread };
            if (!is_proven || may_err)
                && let Some(next) = self.root_move_with(ahead, |child| !child.is_round_known())
            {
                return Some(ProofTask::Round(next.round().contest));
            }
            if payoff.is_some() {
                return payoff;
            }
        }
        // The game is known to be lost.
        if may_err {
            return None;
        }
        let ahead = if is_proven || self.looks_refuted() { thread } else { 0 };
        self.root_move_with(ahead, |child| child.proof().is_none()).map(ProofTask::Game)
    }

    /// Whether all moves seem to lose. Not before the first move of a round: one of its many moves
    /// will win.
    fn looks_refuted(&self) -> bool {
        let win_probability = self
            .root()
            .win_probability()
            .map(|win_probability| self.position.turn().relative(win_probability));
        !self.round.is_opening()
            && win_probability.is_some_and(|win_probability| win_probability < 0.5)
    }

    /// Runs the proof search within the budget and charges its expansions as nodes.
    pub(in crate::search) fn prove_within_budget<C: Game>(
        &self,
        prover: &mut Prover<'_>,
        position: &C,
        budget: u64,
    ) -> Option<Proof> {
        let before = prover.expansions;
        self.budget.spend_up_to(budget, |budget| {
            (prover.prove(position, budget), prover.expansions - before)
        })
    }
}
