//! What the proof search beside the tree works on, and how much of the work it gets.

use std::sync::atomic::Ordering::Relaxed;

use super::dfpn::Prover;
use super::proven::Proof;
use super::static_result::lookup_proof;
use crate::game::{Game, RoundStage, Searchable};
use crate::search::tree::opponent::Opponent;
use crate::search::tree::search::{TreeSearch, VISITS_PER_LOOK};
use crate::search::tree::worker::Worker;

/// The most expansions that the proof search gets for each visit. It begins with as many as the root's moves have had visits on average: the
/// more moves there are, the longer the tree needs to know which of them is worth a proof.
const MOST_PER_VISIT: u64 = 128;

/// The same once all rounds are known, and with what they are won, and only the match is open, which is rarely proven before its end.
const PER_VISIT_OF_MATCH: u64 = 2;

/// In a round by itself, where proofs are what is wanted, a visit counts so much more after the first ones.
const LATER_VISIT_IN_ROUND: u64 = 256;

/// The most expansions for each visit there.
const MOST_PER_VISIT_IN_ROUND: u64 = 1 << 12;

/// So many visits are the first ones. They are all that a search of a few hundred nodes has, and it chooses better by more of them.
const FIRST_VISITS: u64 = 64;

/// Of its nodes or its time a round by itself gives one in so many to who wins it, whichever move does: a proof of the position is quickest
/// where it is not hard. Where it is, one good move is enough, and which one it is the tree knows sooner.
const ONE_IN_FOR_POSITION: u32 = 32;

/// For each visit the position gets so many expansions then: few visits are needed to know where each move leads.
const PER_VISIT_FOR_POSITION: u64 = 512;

/// As though there had been so many visits before the first one: what is soonest proven needs none.
const VISITS_BEFORE_FIRST: u64 = 16;

/// The most expansions for the position.
const MOST_FOR_POSITION: u64 = 1 << 18;

/// Expansions that the prize of the position gets at a time at least, divided by its moves: visits of a match may be so dear that there are few
/// of them.
const MIN_EXPANSIONS_FOR_ROOT_PAYOFF: u64 = 1 << 14;

/// What the proof search works on.
pub(in crate::search) enum ProofTask<G> {
    /// Who wins this round, or this contest for a prize of it.
    Round(G),
    /// Who wins this contest for the prize of the position itself.
    RootPayoff(G),
    /// Who wins the game from here.
    Game(G),
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// Gives the proof of the position its share of the work first, before any visit too, and says whether there is such a share.
    pub(in crate::search) fn prove_root(
        &self,
        Worker { thread, prover, .. }: &mut Worker<'_, G>,
    ) -> bool {
        let share = self.root_share(*thread);
        if let Some(budget) = share {
            self.prove_within_budget(prover, &self.position, budget);
            // Moves that have been refuted meanwhile are no longer looked at.
            self.adopt_proofs();
            self.end_if(self.is_settled());
        }
        share.is_some()
    }

    /// Gives the proof search its share of the work after a batch of visits.
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

    /// The expansions that the proof of the position itself gets first, in a round by itself that is asked for one move.
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
            .min(MOST_FOR_POSITION.saturating_sub(self.budget.nodes()));
        let by_visits =
            PER_VISIT_FOR_POSITION * (VISITS_BEFORE_FIRST + self.statistics.visits.load(Relaxed));
        Some(left.min(by_visits)).filter(|&share| is_asked && share > 0)
    }

    /// The expansions that the proof search gets after each batch of visits. Who wins a round it finds out sooner than the tree, which
    /// only has to know by then where it pays to begin.
    fn proof_share(&self) -> u64 {
        let visits = self.statistics.visits.load(Relaxed);
        let by_moves = (visits / self.choices()).min(MOST_PER_VISIT);
        // A refill has two moves, but what each is worth takes many visits to see: behind it lies an opening.
        let is_refill = self.round.stage == RoundStage::Between;
        let per_visit = if G::HAS_DRAWS {
            0
        } else if !self.is_in_match() {
            let later = LATER_VISIT_IN_ROUND * visits.saturating_sub(FIRST_VISITS);
            if is_refill {
                by_moves
            } else {
                ((visits + later) / self.choices()).min(MOST_PER_VISIT_IN_ROUND)
            }
        } else if self
            .root_move_with(0, |child| !child.is_round_known() || child.is_payoff_open())
            .is_some()
        {
            by_moves
        } else {
            PER_VISIT_OF_MATCH
        };
        per_visit * u64::from(VISITS_PER_LOOK)
    }

    /// How many moves there are to choose from, at least 1.
    fn choices(&self) -> u64 {
        self.searched_moves().max(1) as u64
    }

    /// First the round in play where it is only a part of the game, then the rounds that the root's moves lead to and by turns what those are
    /// won with, then the game after the moves themselves, best first: one good move is enough, and which one it is the tree knows sooner
    /// than proof numbers do. All threads work on the best move's game, unless all moves have to be refuted; of other moves each takes another one.
    fn next_task(&self, thread: usize, evaluator: &G::Evaluator) -> Option<ProofTask<G>> {
        let may_err = self.opponent != Opponent::Perfect;
        let is_proven =
            self.root().proof().is_some() || self.table.proof(self.position.proof_key()).is_some();
        if self.is_in_match() {
            if lookup_proof(&self.round.contest, self.table).is_none() {
                return Some(ProofTask::Round(self.round.contest));
            }
            let look = self.task_count.fetch_add(1, Relaxed);
            // So many threads before it have the same turn.
            let ahead = thread / 2;
            let prize = self.open_payoff(look, ahead, evaluator);
            // Every other time, from the first on, it is the turn of a prize.
            if prize.is_some() && look % 2 == 1 {
                return prize;
            }
            let ahead = if prize.is_some() { ahead } else { thread };
            if (!is_proven || may_err)
                && let Some(next) = self.root_move_with(ahead, |child| !child.is_round_known())
            {
                return Some(ProofTask::Round(next.round().contest));
            }
            if prize.is_some() {
                return prize;
            }
        }
        // That the game is lost is known by now.
        if may_err {
            return None;
        }
        let ahead = if is_proven || self.looks_refuted() { thread } else { 0 };
        self.root_move_with(ahead, |child| child.proof().is_none()).map(ProofTask::Game)
    }

    /// Whether every move seems to lose. Before the first move of a round one will win.
    fn looks_refuted(&self) -> bool {
        let win_probability = self
            .root()
            .win_probability()
            .map(|win_probability| self.position.turn().chance_of(win_probability));
        !self.round.is_opening()
            && win_probability.is_some_and(|win_probability| win_probability < 0.5)
    }

    /// Proof search that counts as nodes, and keeps to their limit.
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
