//! Evaluation: the game's evaluator applied to a position and its moves, with the proofs of rounds
//! as input.

use std::sync::atomic::Ordering::Relaxed;

use arrayvec::ArrayVec;

use super::conversion_risk::ConversionRisk;
use super::opponent::Opponent;
use super::search::TreeSearch;
use crate::game::{Evaluation, Evaluator, MAX_MOVES, Player, Round, RoundProof, Searchable, mix};
use crate::search::proof::static_result::{after, lookup_proof, to_round_proof};

/// Maximum change of a logit by the seed, so that other seeds play other games.
const JITTER: f32 = 0.05;

impl<G: Searchable> TreeSearch<'_, G> {
    /// Status of the round in play, as input of the evaluator.
    fn round_status(&self, position: &G) -> RoundProof {
        let round = position.round();
        let is_used = !round.is_whole_game() || round.is_opening();
        to_round_proof(if is_used { self.table.get(round.contest.proof_key()) } else { None })
    }

    /// Black's win probability by the game's evaluator.
    pub(in crate::search) fn value(&self, position: &G, evaluator: &mut G::Evaluator) -> f32 {
        evaluator.value(position, self.round_status(position))
    }

    /// The evaluation of a position, with the logits turned into priors: expected shares of the
    /// visits.
    pub(in crate::search) fn evaluate(
        &self,
        position: &G,
        moves: &[G::Move],
        evaluator: &mut G::Evaluator,
    ) -> Evaluation {
        let winners = self.winners_after(position, moves);
        let mut evaluation =
            evaluator.evaluate(position, moves, self.round_status(position), &winners);
        let priors = &mut evaluation.policy.logits;
        self.jitter(position, priors);
        softmax(priors);
        if *position == self.position {
            for (prior, advised) in priors.iter_mut().zip(&self.round_policy) {
                *prior = (*prior + advised) / 2.0;
            }
        }
        evaluation
    }

    /// The proven winner of the round after each move; empty if the round decides the game.
    fn winners_after(
        &self,
        position: &G,
        moves: &[G::Move],
    ) -> ArrayVec<Option<Player>, MAX_MOVES> {
        let round = position.round();
        if round.is_whole_game() {
            return ArrayVec::new();
        }
        let nexts: ArrayVec<G, MAX_MOVES> =
            moves.iter().map(|&mv| after(&round.contest, mv)).collect();
        nexts.iter().for_each(|next| self.table.prefetch(next.proof_key()));
        nexts.iter().map(|next| lookup_proof(next, self.table)?.outcome.winner()).collect()
    }

    /// The conversion risk at `position`, if it is the opening of a later round that its opener is
    /// not proven to lose.
    pub(in crate::search) fn conversion_risk(
        &self,
        position: &G,
        evaluator: &mut G::Evaluator,
    ) -> Option<ConversionRisk> {
        let opener = position.turn();
        if !self.is_in_match() || self.opponent != Opponent::Perfect || *position == self.position {
            return None;
        }
        let round = Some(position.round()).filter(Round::is_opening)?;
        let key = round.contest.proof_key();
        let may_win = self.table.proof(key).is_none_or(|proof| proof.is_win_for(opener));
        may_win.then(|| {
            ConversionRisk::new(
                evaluator.value(position, RoundProof::Won(!opener)),
                self.table.work(key),
                self.expected_total_nodes.load(Relaxed),
                opener == self.position.turn(),
            )
        })
    }

    /// Changes each logit by up to [`JITTER`].
    fn jitter(&self, position: &G, logits: &mut [f32]) {
        let start = position.hash() ^ mix(self.settings.seed);
        for (number, logit) in (0..).zip(logits) {
            let share = (mix(start.wrapping_add(number)) >> 40) as f32 / (1 << 24) as f32;
            *logit += (share - 0.5) * (2.0 * JITTER);
        }
    }
}

/// Turns logits into probabilities.
fn softmax(logits: &mut [f32]) {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = libm::expf(*logit - highest));
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|share| *share /= sum);
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::game::{Game, Outcome, Text};
    use crate::games::kamisado::Match;
    use crate::search::budget::{Budget, Nodes};
    use crate::search::control::Control;
    use crate::search::limits::Limits;
    use crate::search::proof::proven::Proof;
    use crate::search::proof::table::TableMemory;
    use crate::search::proof::tt_value::TtValue;
    use crate::search::settings::Settings;
    use crate::search::tree::arena::TreeMemory;

    #[test]
    fn move_that_ends_the_round_wins_it() {
        let position: Match = "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 3".parse().unwrap();
        let (mut trees, mut tables) = (TreeMemory::new(1 << 16), TableMemory::new(1 << 16));
        let (tree, table, nodes) = (trees.tree(), tables.table(), Nodes::default());
        let (control, limits) = (Control::default(), Limits::default());
        let budget = Budget::new(&control, &nodes, &limits);
        let search = TreeSearch::new(tree, table, Settings::default(), &position, &limits, budget);
        let moves = position.legal_moves();
        let arrival = position.parse_move("e4e8").unwrap();
        let next = after(&position, arrival).round().contest;
        table.put(
            next.proof_key(),
            TtValue::Proven(Proof::over(Outcome::Win(Player::White))),
            0..0,
        );
        let winners = search.winners_after(&position, &moves);
        let of_arrival = moves.iter().position(|&mv| mv == arrival).map(|index| winners[index]);
        assert_eq!(of_arrival, Some(Some(Player::Black)));
    }
}
