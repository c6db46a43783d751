//! Round payoffs: how much winning the round in play is worth.
//!
//! The value of a won round depends on the tower that wins it. Each payoff but the least is a
//! contest of its own for the proof search: the round's winner either wins with this payoff or a
//! better one, or not. The proofs bound the value of a position. At the root, no move is played
//! that gives up a proven payoff while others keep it.

use super::conversion_risk::ConversionRisk;
use super::node::{Bounds, Node};
use super::opponent::Opponent;
use super::search::TreeSearch;
use super::worker::Worker;
use crate::game::{
    Evaluator, Game, Player, Round, RoundPayoff, RoundPayoffs, RoundStage, Searchable,
};
use crate::search::proof::scheduler::ProofTask;
use crate::search::proof::static_result::{after, lookup_proof};
use crate::search::proof::table::TranspositionTable;
use crate::search::proof::tt_value::TtValue;

/// Widening of the bounds on both sides, since the value after a round depends on more than its
/// payoff.
const MARGIN: f32 = 0.03;

/// Bounds of the value of a position in a decided round.
pub(in crate::search) struct PayoffBounds<G> {
    /// Black's lower and upper bound.
    range: [f32; 2],
    /// The contest that would narrow the bounds.
    pub open: Option<G>,
}

impl<G: Game> PayoffBounds<G> {
    /// The bounds in a round that `winner` wins with one of these payoffs, best first; `None`
    /// without payoffs.
    fn of(
        payoffs: &[RoundPayoff<G>],
        winner: Player,
        table: TranspositionTable<'_>,
    ) -> Option<PayoffBounds<G>> {
        let (any, better) = payoffs.split_last()?;
        let (mut proven, mut open) = (any, None);
        for payoff in better {
            match lookup_proof(&payoff.contest, table) {
                Some(proof) if proof.is_win_for(winner) => {
                    proven = payoff;
                    break;
                }
                Some(_) => {}
                None => open = open.or(Some(payoff)),
            }
        }
        let possible = open.unwrap_or(proven);
        Some(PayoffBounds {
            range: [proven.value.min(possible.value), proven.value.max(possible.value)],
            open: open.map(|payoff| payoff.contest),
        })
    }

    /// Lower bound of this player's win probability.
    pub fn least(&self, player: Player) -> f32 {
        player.relative(self.range[player.index()])
    }

    /// Includes the risk that the opener loses the round.
    fn with_risk(mut self, conversion_risk: Option<ConversionRisk>) -> Self {
        if let Some(conversion_risk) = conversion_risk {
            self.range = self.range.map(|bound| conversion_risk.apply_to(bound));
        }
        self
    }

    /// Stores the bounds in a node.
    pub fn apply_to(&self, node: &Node) {
        let [least, most] = self.range;
        node.set_bounds(Bounds { least: least - MARGIN, most: most + MARGIN }, self.open.is_some());
    }
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// Whether the payoffs of the round are searched. Not against an opponent model, since a
    /// fallible player keeps no payoff. Not between rounds, since the choice of the opening matters
    /// more there.
    fn uses_payoffs(&self, round: &Round<G>) -> bool {
        self.is_in_match()
            && self.opponent == Opponent::Perfect
            && round.stage != RoundStage::Between
    }

    /// The bounds at a position, if its round has a proven winner.
    fn payoff_bounds(&self, position: &G, evaluator: &G::Evaluator) -> Option<PayoffBounds<G>> {
        let round = position.round();
        if !self.uses_payoffs(&round) {
            return None;
        }
        let winner = lookup_proof(&round.contest, self.table)?.outcome.winner()?;
        PayoffBounds::of(&evaluator.round_payoffs(position, winner), winner, self.table)
    }

    /// Works on the payoff of a node in a decided round, and stores the bounds in the node.
    pub(in crate::search) fn prove_payoff(
        &self,
        node: &Node,
        position: &G,
        worker: &mut Worker<'_, G>,
        expansions: u64,
    ) {
        let mut payoff_bounds = self.payoff_bounds(position, &worker.evaluator);
        if let Some(PayoffBounds { open: Some(contest), .. }) = payoff_bounds
            && self.prove_within_budget(&mut worker.prover, &contest, expansions).is_some()
        {
            payoff_bounds = self.payoff_bounds(position, &worker.evaluator);
        }
        if let Some(payoff_bounds) = payoff_bounds {
            payoff_bounds
                .with_risk(self.conversion_risk(position, &mut worker.evaluator))
                .apply_to(node);
        }
    }

    /// The next payoff to prove, if one is open. Every second payoff turn takes the root's payoff,
    /// the other turns that of the best root move with an open payoff. If that is not open, the
    /// other one is taken. The proof of the root's payoff shows which moves to work on. `turn`
    /// counts the tasks, from 1; odd ones are payoff turns. `ahead` is the number of better moves
    /// left to other threads.
    pub(in crate::search) fn open_payoff(
        &self,
        turn: u64,
        ahead: usize,
        evaluator: &G::Evaluator,
    ) -> Option<ProofTask<G>> {
        let of = |position: &G| self.payoff_bounds(position, evaluator)?.open;
        let of_position = || of(&self.position).map(ProofTask::RootPayoff);
        let of_best_move =
            || of(&self.root_move_with(ahead, Node::is_payoff_open)?).map(ProofTask::Round);
        if turn % 4 == 1 {
            of_position().or_else(of_best_move)
        } else {
            of_best_move().or_else(of_position)
        }
    }

    /// The bounds after each root move, if the same player still wins the round. They use the
    /// payoffs of the root, since a move may end the round.
    pub(in crate::search) fn payoff_bounds_after(
        &self,
        moves: &[G::Move],
        evaluator: &G::Evaluator,
    ) -> Vec<Option<PayoffBounds<G>>> {
        let contest = &self.round.contest;
        let winner = lookup_proof(contest, self.table)
            .and_then(|proof| proof.outcome.winner())
            .filter(|_| self.uses_payoffs(&self.round));
        let payoffs = winner
            .map(|winner| evaluator.round_payoffs(&self.position, winner))
            .unwrap_or_default();
        let payoff_bounds_after = |&mv| {
            let (winner, round) = (winner?, after(contest, mv));
            let payoffs: RoundPayoffs<G> = payoffs
                .iter()
                .map(|payoff| RoundPayoff { contest: after(&payoff.contest, mv), ..*payoff })
                .collect();
            let is_won = |contest| {
                lookup_proof(contest, self.table).filter(|proof| proof.is_win_for(winner))
            };
            if is_won(&round).is_none() {
                // The winner of a payoff also wins the round.
                let proof = payoffs.iter().find_map(|payoff| is_won(&payoff.contest))?;
                self.table.put(round.proof_key(), TtValue::Proven(proof), 0..0);
            }
            PayoffBounds::of(&payoffs, winner, self.table)
        };
        moves.iter().map(payoff_bounds_after).collect()
    }
}
