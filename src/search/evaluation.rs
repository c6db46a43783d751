//! Evaluation: what the game's estimate says of a position and its moves, told what is proven of rounds.

use arrayvec::ArrayVec;

use super::facts::{after, round_known};
use super::tree_search::TreeSearch;
use crate::game::{Evaluation, Evaluator, MAX_MOVES, RoundProof, Searchable, mix};

/// What a proof of the round adds to the logit of a move.
const KNOWN_ROUND: f32 = 2.0;

/// How far the seed moves logits up or down, so that another seed plays another game.
const JITTER: f32 = 0.05;

impl<G: Searchable> TreeSearch<'_, G> {
    /// What the evaluator is told of the round in play.
    fn known_of_round(&self, position: &G) -> RoundProof {
        let round = position.round();
        let is_asked = !round.is_whole_game() || round.is_opening();
        round_known(if is_asked { self.table.get(round.contest.proof_key()) } else { None })
    }

    /// Black's chance, as the game's evaluator sees it.
    pub(super) fn value(&self, position: &G, evaluator: &mut G::Evaluator) -> f32 {
        evaluator.value(position, self.known_of_round(position))
    }

    /// The evaluation of a position whose logits have become priors: the share of visits that each move deserves beforehand.
    pub(super) fn evaluate(&self, position: &G, moves: &[G::Move], evaluator: &mut G::Evaluator) -> Evaluation {
        let mut evaluation = evaluator.evaluate(position, moves, self.known_of_round(position));
        let priors = &mut evaluation.policy.logits;
        self.favour_won_rounds(position, moves, priors);
        self.jitter(position, priors);
        softmax(priors);
        if *position == self.position {
            for (prior, advised) in priors.iter_mut().zip(&self.round_policy) {
                *prior = (*prior + advised) / 2.0;
            }
        }
        evaluation
    }

    /// Moves that are known to win or lose the round are that much more or less likely to be good.
    fn favour_won_rounds(&self, position: &G, moves: &[G::Move], logits: &mut [f32]) {
        if position.round().is_whole_game() {
            return;
        }
        let keys: ArrayVec<u64, MAX_MOVES> = moves.iter().map(|&mv| after(position, mv).round().contest.proof_key()).collect();
        self.table.prefetch(keys.iter().copied());
        for (logit, &key) in logits.iter_mut().zip(&keys) {
            if let Some(winner) = self.table.proof(key).and_then(|proof| proof.outcome.winner()) {
                *logit += if winner == position.turn() { KNOWN_ROUND } else { -KNOWN_ROUND };
            }
        }
    }

    /// Moves each logit by up to [`JITTER`].
    fn jitter(&self, position: &G, logits: &mut [f32]) {
        let start = position.hash() ^ mix(self.settings.seed);
        for (number, logit) in (0..).zip(logits) {
            let share = (mix(start.wrapping_add(number)) >> 40) as f32 / (1 << 24) as f32;
            *logit += (share - 0.5) * (2.0 * JITTER);
        }
    }
}

/// Turns logits into shares that add up to 1.
fn softmax(logits: &mut [f32]) {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = libm::expf(*logit - highest));
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|share| *share /= sum);
}
