//! Evaluation: what the game's estimate says of a position and its moves, told what is proven of rounds.

use arrayvec::ArrayVec;

use super::facts::{after, round_known};
use super::tree_search::TreeSearch;
use crate::game::{Estimate, Foresight, MAX_MOVES, mix};

/// What a proof of the round adds to the logit of a move.
const KNOWN_ROUND: f32 = 2.0;

impl<G: Estimate> TreeSearch<'_, G> {
    /// The game's estimate, which is told who wins the round where that is known.
    pub(super) fn assess(&self, position: &G) -> f32 {
        self.assess_and_foresee(position, &[], &mut [], &mut ArrayVec::new())
    }

    /// The same, with the logits of the moves and what the game foresees of them on the way.
    fn assess_and_foresee(
        &self,
        position: &G,
        moves: &[G::Move],
        logits: &mut [f32],
        foresights: &mut ArrayVec<Foresight, MAX_MOVES>,
    ) -> f32 {
        let round = position.round_only();
        let known = if round == *position && !position.opens_round() { None } else { self.table.get(round.hash()) };
        position.assess_and_foresee(round_known(known), moves, logits, foresights)
    }

    /// The share of visits that each move deserves beforehand, and Black's chance.
    pub(super) fn prior_shares(
        &self,
        position: &G,
        moves: &[G::Move],
        priors: &mut [f32],
        foresights: &mut ArrayVec<Foresight, MAX_MOVES>,
    ) -> f32 {
        let chance = self.assess_and_foresee(position, moves, priors, foresights);
        self.favour_won_rounds(position, moves, priors);
        self.jitter(position, priors);
        softmax(priors);
        if *position == self.position {
            for (prior, advised) in priors.iter_mut().zip(&self.advice) {
                *prior = (*prior + advised) / 2.0;
            }
        }
        chance
    }

    /// Moves that are known to win or lose the round are that much more or less likely to be good.
    fn favour_won_rounds(&self, position: &G, moves: &[G::Move], logits: &mut [f32]) {
        if position.round_only() == *position {
            return;
        }
        let keys: ArrayVec<u64, MAX_MOVES> = moves.iter().map(|&mv| after(position, mv).round_only().hash()).collect();
        self.table.warm(keys.iter().copied());
        for (logit, &key) in logits.iter_mut().zip(&keys) {
            if let Some(winner) = self.table.proof(key).and_then(|proof| proof.outcome.winner()) {
                *logit += if winner == position.turn() { KNOWN_ROUND } else { -KNOWN_ROUND };
            }
        }
    }

    /// Moves priors by up to ±0.05, so that another seed plays another game.
    fn jitter(&self, position: &G, logits: &mut [f32]) {
        let start = position.hash() ^ mix(self.settings.seed);
        for (number, logit) in (0..).zip(logits) {
            *logit += ((mix(start.wrapping_add(number)) >> 40) as f32 / (1 << 24) as f32 - 0.5) * 0.1;
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
