//! Training of the round network.

use oshi::games::kamisado::eval::round_net::Net;
use oshi::games::weights;
use rand_chacha::ChaCha8Rng;

use super::gradient::add_gradient;
use super::initial::random_weights;
use super::sample::{Sample, softmax_of_known};
use crate::fitting::descent::{Model, descend};
use crate::fitting::reliability::Reliability;

/// Fits a network, starting from random weights.
pub fn fit(samples: &[Sample], epochs: u32, first_rate: f32) -> Net {
    descend(Net { weights: random_weights() }, samples, epochs, first_rate)
}

impl Model for Net {
    type Sample = Sample;

    fn weights(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    fn add_gradient(&self, sample: &Sample, _rng: &mut ChaCha8Rng, gradient: &mut [f32]) {
        add_gradient(self, sample, gradient);
    }

    /// The quarters of the Brier score are by the teeth on the board: up to 3, 7, 11, and more.
    fn report(&self, epoch: u32, held_out: &[Sample]) {
        const MAX_TEETH: f64 = 16.0;
        let (mut forecasts, mut choices, mut winning_sum, mut right) = (Vec::new(), 0.0, 0.0, 0.0);
        for sample in held_out {
            let activations = self.forward(&sample.features);
            if let Some(won) = sample.won {
                let teeth: u8 = sample
                    .features
                    .towers
                    .as_flattened()
                    .iter()
                    .map(|tower| tower.values[0] / 8)
                    .sum();
                forecasts.push((
                    f64::from(teeth) / MAX_TEETH,
                    won,
                    f64::from(weights::logistic(activations.value)),
                ));
            }
            if !sample.wins.is_empty() {
                let (policy, winning) = softmax_of_known(&activations.logits, &sample.wins);
                let top = (0..policy.len()).max_by(|&a, &b| policy[a].total_cmp(&policy[b]));
                choices += 1.0;
                winning_sum += f64::from(winning);
                right += f64::from(u8::from(top.is_some_and(|top| sample.wins[top] == Some(true))));
            }
        }
        let loss: f64 = forecasts
            .iter()
            .map(|&(_, won, value)| -(if won { value } else { 1.0 - value }).max(1e-6).ln())
            .sum();
        let (loss, winning, right) =
            (loss / forecasts.len() as f64, winning_sum / choices, right / choices);
        eprintln!(
            "epoch {epoch}: {} held-out rounds, loss {loss:.4}, {}",
            forecasts.len(),
            Reliability::of(&forecasts)
        );
        eprintln!(
            "    {choices} choices, winning moves' probability {winning:.4}, \
             top move wins {right:.4}"
        );
    }
}
