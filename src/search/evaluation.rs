//! Evaluation: what the game's estimate says of a position and its moves, told what is proven of rounds.

use arrayvec::ArrayVec;

use super::facts::{after, round_known};
use super::tree_search::TreeSearch;
use crate::game::{Evaluation, Evaluator, MAX_MOVES, RoundProof, Searchable, mix};

/// How much the policy's logits count where more than the round in play decides the game: a policy says which moves win the round, and
/// nothing of how much one of them is worth more than another.
const ROUND_IN_MATCH: f32 = 0.3;

/// What a proof of the round adds to the logit of a move, as the policy of the round would say it.
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
        self.look_past_round(position, moves, priors);
        self.jitter(position, priors);
        softmax(priors);
        if *position == self.position {
            for (prior, advised) in priors.iter_mut().zip(&self.round_policy) {
                *prior = (*prior + advised) / 2.0;
            }
        }
        evaluation
    }

    /// Where the round does not decide the game, moves are the likelier to be good as they seem, or are known, to win it, and not by more.
    fn look_past_round(&self, position: &G, moves: &[G::Move], logits: &mut [f32]) {
        if position.round().is_whole_game() {
            return;
        }
        let keys: ArrayVec<u64, MAX_MOVES> = moves.iter().map(|&mv| after(position, mv).round().contest.proof_key()).collect();
        self.table.prefetch(keys.iter().copied());
        for (logit, &key) in logits.iter_mut().zip(&keys) {
            if let Some(winner) = self.table.proof(key).and_then(|proof| proof.outcome.winner()) {
                *logit += if winner == position.turn() { KNOWN_ROUND } else { -KNOWN_ROUND };
            }
            *logit *= ROUND_IN_MATCH;
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
