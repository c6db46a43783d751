//! The net of the match is fitted to the moves that were played, the chances that were said and the results.

use oshi::games::kamisado::eval::match_features::MatchFeatures;
use oshi::games::kamisado::eval::match_net::{MOVE, Net, TOWER, parts};
use oshi::games::weights::logistic;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::sample::{Sample, shares};
use super::slopes::add_gradient;
use crate::fitting::descent::{Learner, descend};

/// How often a position is seen without what is known of its moves.
const UNASKED: f64 = 0.25;

/// The net that was fitted to these samples from these weights.
pub fn fit(first: Vec<f32>, samples: &[Sample], epochs: u32, first_rate: f32) -> Net {
    descend(Net { weights: first }, samples, epochs, first_rate)
}

impl Learner for Net {
    type Sample = Sample;

    fn weights(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    fn add_gradient(&self, sample: &Sample, rng: &mut ChaCha8Rng, gradient: &mut [f32]) {
        // In a search too, leaves are judged of which nobody has asked what their moves lead to.
        if rng.random_bool(UNASKED) {
            let view = sample.view.without_winners();
            add_gradient(self, &view, sample, gradient);
        } else {
            add_gradient(self, &sample.view, sample, gradient);
        }
    }

    /// By who is known to win the round, and where any tower may move: there are many more moves.
    fn report(&self, epoch: u32, held_out: &[Sample]) {
        let kinds = ["round open", "round won", "round lost", "any tower"];
        let kind_of = |view: &MatchFeatures| {
            if view.round.called.is_none() { 3 } else { usize::from(view.winner()) }
        };
        for (number, kind) in kinds.into_iter().enumerate() {
            let samples: Vec<&Sample> =
                held_out.iter().filter(|sample| kind_of(&sample.view) == number).collect();
            let mut sums = [0.0; 5];
            for Sample { view, played, won, said } in &samples {
                let activations = self.forward(view);
                let shares = shares(&activations.logits);
                let is_favourite = shares.iter().all(|share| share <= &shares[*played]);
                let chances = [logistic(activations.value), logistic(view.state_logit), *said];
                let [brier, of_standing, of_search] =
                    chances.map(|chance| (chance - f32::from(u8::from(*won))).powi(2));
                let told = [
                    -shares[*played].max(1e-6).ln(),
                    f32::from(u8::from(is_favourite)),
                    brier,
                    of_standing,
                    of_search,
                ];
                sums.iter_mut().zip(told).for_each(|(sum, told)| *sum += f64::from(told));
            }
            let [loss, favourites, brier, of_standing, of_search] =
                sums.map(|sum| sum / samples.len() as f64);
            eprint!(
                "epoch {epoch}, {kind}: {} moves, loss {loss:.4}, the favourite was played {favourites:.4}",
                samples.len()
            );
            eprintln!(
                ", Brier score {brier:.4}, by the standing {of_standing:.4}, of the search {of_search:.4}"
            );
        }
    }
}

/// Random weights, the smaller the more numbers are summed up.
pub fn random_weights() -> Vec<f32> {
    const ROWS: f32 = 0.2;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut weights = vec![0.0; parts::LEN];
    let by_width = |width: usize| 1.0 / (width as f32).sqrt();
    let spreads = [
        (parts::TOWER_ROWS, ROWS),
        (parts::TOWER_PAYOFFS, ROWS),
        (parts::FIRST_MESSAGES.own, by_width(TOWER)),
        (parts::FIRST_MESSAGES.called, by_width(TOWER)),
        (parts::SECOND_MESSAGES.own, by_width(TOWER)),
        (parts::SECOND_MESSAGES.called, by_width(TOWER)),
        (parts::REPLY_TOWER, by_width(TOWER)),
        (parts::REPLY_CALLED, by_width(TOWER)),
        (parts::REPLY_SIDES, by_width(2 * TOWER)),
        (parts::STATE_ROWS, ROWS),
        (parts::WINNER_ROWS, ROWS),
        (parts::MOVER, by_width(TOWER)),
        (parts::MOVE_ROWS, ROWS),
        (parts::POLICY_OUTPUT, by_width(MOVE)),
        (parts::VALUE_TOWER, by_width(TOWER)),
        (parts::VALUE_MOVES, by_width(MOVE)),
        (parts::VALUE_BEST, by_width(MOVE)),
        (parts::VALUE_SIDES, by_width(2 * TOWER)),
        (parts::VALUE_STATE, ROWS),
        // At first the chance is what the standing alone says.
        (parts::VALUE_OUTPUT, 0.1 * by_width(MOVE)),
    ];
    for (part, spread) in spreads {
        weights[part].fill_with(|| (2.0 * rng.random::<f32>() - 1.0) * spread);
    }
    let biases = [
        parts::TOWER_BIAS,
        parts::FIRST_MESSAGES.bias,
        parts::SECOND_MESSAGES.bias,
        parts::REPLY_BIAS,
        parts::PUSH_BIAS,
        parts::VALUE_BIAS,
    ];
    for part in biases {
        weights[part].fill(0.1);
    }
    weights[parts::STATE_SCALE] = 1.0;
    weights
}
