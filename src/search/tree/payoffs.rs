//! What a round is won with.
//!
//! Who wins a round is a question for proof numbers. With what it is won is another of the same kind, once for each prize but the least: the
//! winner of the round wins it by this prize or a better one, or not. The answers are bounds of the chance of a position; and while there are
//! moves at the root that keep what is proven, none is played that risks it.

use super::conversion_risk::ConversionRisk;
use super::node::{Bounds, Node};
use super::opponent::Opponent;
use super::search::TreeSearch;
use super::worker::Worker;
use crate::game::{Evaluator, Game, Player, Prize, Prizes, Round, RoundStage, Searchable};
use crate::search::proof::scheduler::ProofTask;
use crate::search::proof::static_result::{after, lookup_proof};
use crate::search::proof::table::TranspositionTable;
use crate::search::proof::tt_value::TtValue;

/// So far the bounds are widened on both sides: what follows a round depends on more than its prize.
const MARGIN: f32 = 0.03;

/// What is known of what a round is won with.
pub(in crate::search) struct PayoffBounds<G> {
    /// Black's chance with the least and with the most that it may be.
    win_probabilities: [f32; 2],
    /// The question that would narrow them.
    pub open: Option<G>,
}

impl<G: Game> PayoffBounds<G> {
    /// Of a round that this player wins, with these prizes; `None` where there are none.
    fn of(
        prizes: &[Prize<G>],
        winner: Player,
        table: TranspositionTable<'_>,
    ) -> Option<PayoffBounds<G>> {
        let (any, better) = prizes.split_last()?;
        let (mut sure, mut open) = (any, None);
        for prize in better {
            match lookup_proof(&prize.contest, table) {
                Some(proof) if proof.is_win_for(winner) => {
                    sure = prize;
                    break;
                }
                Some(_) => {}
                None => open = open.or(Some(prize)),
            }
        }
        let hoped = open.unwrap_or(sure);
        Some(PayoffBounds {
            win_probabilities: [sure.value.min(hoped.value), sure.value.max(hoped.value)],
            open: open.map(|prize| prize.contest),
        })
    }

    /// The chance that this player has at least.
    pub fn least(&self, player: Player) -> f32 {
        player.chance_of(self.win_probabilities[player.index()])
    }

    /// The same where the opener may let the round slip.
    fn with_risk(mut self, conversion_risk: Option<ConversionRisk>) -> Self {
        if let Some(conversion_risk) = conversion_risk {
            self.win_probabilities = self
                .win_probabilities
                .map(|win_probability| conversion_risk.apply_to(win_probability));
        }
        self
    }

    /// Lets a node know them.
    pub fn apply_to(&self, node: &Node) {
        let [least, most] = self.win_probabilities;
        node.set_bounds(Bounds { least: least - MARGIN, most: most + MARGIN }, self.open.is_some());
    }
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// Whether it is asked with what this round is won: not against a player who errs, who keeps no prize; nor before it begins, when the choice
    /// of its opening decides more.
    fn uses_payoffs(&self, round: &Round<G>) -> bool {
        self.is_in_match()
            && self.opponent == Opponent::Perfect
            && round.stage != RoundStage::Between
    }

    /// The stakes at a position of whose round the winner is known.
    fn payoff_bounds(&self, position: &G, evaluator: &G::Evaluator) -> Option<PayoffBounds<G>> {
        let round = position.round();
        if !self.uses_payoffs(&round) {
            return None;
        }
        let winner = lookup_proof(&round.contest, self.table)?.outcome.winner()?;
        PayoffBounds::of(&evaluator.prizes(position, winner), winner, self.table)
    }

    /// Works on what the round of a node is won with, of which the winner is known, and lets the node know it.
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

    /// What the proof search may be asked about prizes: by turns about that of the position and about that of the best move which leaves one
    /// open. Where there are few moves, the former is soon proven, and it says which of them to look at. It is the `look` of a thread with so many
    /// others `ahead` that ask about the best moves' prizes.
    pub(in crate::search) fn open_payoff(
        &self,
        look: u64,
        ahead: usize,
        evaluator: &G::Evaluator,
    ) -> Option<ProofTask<G>> {
        let of = |position: &G| self.payoff_bounds(position, evaluator)?.open;
        let of_position = || of(&self.position).map(ProofTask::RootPayoff);
        let of_best_move =
            || of(&self.root_move_with(ahead, Node::is_payoff_open)?).map(ProofTask::Round);
        if look % 4 == 1 {
            of_position().or_else(of_best_move)
        } else {
            of_best_move().or_else(of_position)
        }
    }

    /// The stakes after each move at the root, where the round is still won by the same player then. Counted are the prizes of the root: a
    /// move may end the round.
    pub(in crate::search) fn payoff_bounds_after(
        &self,
        moves: &[G::Move],
        evaluator: &G::Evaluator,
    ) -> Vec<Option<PayoffBounds<G>>> {
        let contest = &self.round.contest;
        let winner = lookup_proof(contest, self.table)
            .and_then(|proof| proof.outcome.winner())
            .filter(|_| self.uses_payoffs(&self.round));
        let prizes =
            winner.map(|winner| evaluator.prizes(&self.position, winner)).unwrap_or_default();
        let payoff_bounds_after = |&mv| {
            let (winner, round) = (winner?, after(contest, mv));
            let prizes: Prizes<G> = prizes
                .iter()
                .map(|prize| Prize { contest: after(&prize.contest, mv), ..*prize })
                .collect();
            let is_won = |contest| {
                lookup_proof(contest, self.table).filter(|proof| proof.is_win_for(winner))
            };
            if is_won(&round).is_none() {
                // Who wins a prize wins the round.
                let proof = prizes.iter().find_map(|prize| is_won(&prize.contest))?;
                self.table.put(round.proof_key(), TtValue::Proven(proof), 0..0);
            }
            PayoffBounds::of(&prizes, winner, self.table)
        };
        moves.iter().map(payoff_bounds_after).collect()
    }
}
