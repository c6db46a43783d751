//! The net of rounds is fitted to solved positions.

use oshi::games::kamisado::eval::round_net::{MOVE, Net, TOWER, parts};
use oshi::games::weights;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::sample::{Sample, shares};
use super::slopes::add_gradient;
use crate::fitting::descent::{Learner, descend};
use crate::fitting::reliability::Reliability;

/// The net that was fitted to these samples from random weights.
pub fn fit(samples: &[Sample], epochs: u32, first_rate: f32) -> Net {
    descend(
        Net { weights: first_weights(&mut ChaCha8Rng::seed_from_u64(1)) },
        samples,
        epochs,
        first_rate,
    )
}

impl Learner for Net {
    type Sample = Sample;

    fn weights(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    fn add_gradient(&self, sample: &Sample, _rng: &mut ChaCha8Rng, gradient: &mut [f32]) {
        add_gradient(self, sample, gradient);
    }

    /// The rounds by the teeth on the board: up to 3, 7, 11 and more.
    fn report(&self, epoch: u32, held_out: &[Sample]) {
        const MOST_TEETH: f64 = 16.0;
        let (mut told, mut choices, mut winning_shares, mut right) = (Vec::new(), 0.0, 0.0, 0.0);
        for sample in held_out {
            let activations = self.forward(&sample.view);
            if let Some(won) = sample.won {
                let teeth: u8 =
                    sample.view.towers.as_flattened().iter().map(|tower| tower.values[0] / 8).sum();
                told.push((
                    f64::from(teeth) / MOST_TEETH,
                    won,
                    f64::from(weights::logistic(activations.value)),
                ));
            }
            if !sample.wins.is_empty() {
                let (shares, winning) = shares(&activations.logits, &sample.wins);
                let favourite = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
                choices += 1.0;
                winning_shares += f64::from(winning);
                right += f64::from(u8::from(
                    favourite.is_some_and(|favourite| sample.wins[favourite] == Some(true)),
                ));
            }
        }
        let loss: f64 = told
            .iter()
            .map(|&(_, won, chance)| -(if won { chance } else { 1.0 - chance }).max(1e-6).ln())
            .sum();
        let (loss, winning, right) =
            (loss / told.len() as f64, winning_shares / choices, right / choices);
        eprintln!(
            "epoch {epoch}: {} rounds held out, loss {loss:.4}, {}",
            told.len(),
            Reliability::of(&told)
        );
        eprintln!(
            "    {choices} choices, the winning moves' share {winning:.4}, the favourite wins {right:.4}"
        );
    }
}

/// Random weights, the smaller the more numbers are summed up.
pub fn first_weights(rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut weights = vec![0.0; parts::LEN];
    let by_width = |width: usize| 1.0 / (width as f32).sqrt();
    let spreads = [
        (parts::TOWER_ROWS, 0.2),
        (parts::MESSAGES.own, by_width(TOWER)),
        (parts::MESSAGES.called, by_width(TOWER)),
        (parts::REPLY_TOWER, by_width(TOWER)),
        (parts::REPLY_CALLED, by_width(TOWER)),
        (parts::REPLY_SIDES, by_width(2 * TOWER)),
        (parts::MOVE_ROWS, 0.2),
        (parts::POLICY_OUTPUT, by_width(MOVE)),
        (parts::VALUE_TOWER, by_width(TOWER)),
        (parts::VALUE_MOVES, by_width(MOVE)),
        (parts::VALUE_BEST, by_width(MOVE)),
        (parts::VALUE_SIDES, by_width(2 * TOWER)),
        (parts::VALUE_OUTPUT, by_width(MOVE)),
    ];
    for (part, spread) in spreads {
        weights[part].fill_with(|| (2.0 * rng.random::<f32>() - 1.0) * spread);
    }
    for part in [
        parts::TOWER_BIAS,
        parts::MESSAGES.bias,
        parts::REPLY_BIAS,
        parts::PUSH_BIAS,
        parts::VALUE_BIAS,
    ] {
        weights[part].fill(0.1);
    }
    weights
}
