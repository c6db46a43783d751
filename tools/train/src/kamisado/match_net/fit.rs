//! Training of the match network.

use oshi::games::kamisado::eval::match_features::MatchFeatures;
use oshi::games::kamisado::eval::match_net::Net;
use oshi::games::weights::logistic;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::gradient::add_gradient;
use super::sample::{Sample, softmax};
use crate::fitting::descent::{Model, descend};

/// Probability of training a sample without the results of its moves. Leaves of the search often
/// lack them too.
const HIDE_RESULTS: f64 = 0.25;

/// Fits a network, starting from these weights.
pub fn fit(first: Vec<f32>, samples: &[Sample], epochs: u32, first_rate: f32) -> Net {
    descend(Net { weights: first }, samples, epochs, first_rate)
}

impl Model for Net {
    type Sample = Sample;

    fn weights(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    fn add_gradient(&self, sample: &Sample, rng: &mut ChaCha8Rng, gradient: &mut [f32]) {
        if rng.random_bool(HIDE_RESULTS) {
            let features = sample.features.without_winners();
            add_gradient(self, &features, sample, gradient);
        } else {
            add_gradient(self, &sample.features, sample, gradient);
        }
    }

    /// Reports by the known result of the round. Free choices are apart: they have many more moves.
    fn report(&self, epoch: u32, held_out: &[Sample]) {
        let kinds = ["round open", "round won", "round lost", "free choice"];
        let kind_of = |features: &MatchFeatures| {
            if features.round.called.is_none() { 3 } else { usize::from(features.winner()) }
        };
        for (number, kind) in kinds.into_iter().enumerate() {
            let samples: Vec<&Sample> =
                held_out.iter().filter(|sample| kind_of(&sample.features) == number).collect();
            let mut sums = [0.0; 5];
            for Sample { features, played, won, reported } in &samples {
                let activations = self.forward(features);
                let policy = softmax(&activations.logits);
                let is_top = policy.iter().all(|probability| probability <= &policy[*played]);
                let forecasts =
                    [logistic(activations.value), logistic(features.state_logit), *reported];
                let [brier, of_state, of_search] =
                    forecasts.map(|forecast| (forecast - f32::from(u8::from(*won))).powi(2));
                let statistics = [
                    -policy[*played].max(1e-6).ln(),
                    f32::from(u8::from(is_top)),
                    brier,
                    of_state,
                    of_search,
                ];
                sums.iter_mut().zip(statistics).for_each(|(sum, number)| *sum += f64::from(number));
            }
            let [loss, top_moves, brier, of_state, of_search] =
                sums.map(|sum| sum / samples.len() as f64);
            eprintln!(
                "epoch {epoch}, {kind}: {} moves, policy loss {loss:.4}, top move played \
                 {top_moves:.4}, Brier score {brier:.4}, of the match state {of_state:.4}, \
                 of the search {of_search:.4}",
                samples.len()
            );
        }
    }
}
