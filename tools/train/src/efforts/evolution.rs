//! Finds good numbers by trying: separable natural evolution strategies (Schaul, Glasmachers and Schmidhuber 2011).

use rand::{Rng, RngExt};

/// How many are tried at a time.
const SAMPLE: usize = 16;

/// Where the numbers are looked for: independent normal distributions.
pub struct Evolution<const N: usize> {
    pub mean: [f32; N],
    spreads: [f32; N],
}

/// Numbers to try.
pub struct Individual<const N: usize> {
    pub numbers: [f32; N],
    /// How far they lie from the mean, in spreads.
    steps: [f32; N],
}

impl<const N: usize> Evolution<N> {
    pub fn new(mean: [f32; N], spreads: [f32; N]) -> Self {
        Evolution { mean, spreads }
    }

    /// Numbers to try, in pairs on opposite sides of the mean.
    pub fn sample(&self, rng: &mut impl Rng) -> Vec<Individual<N>> {
        let mut sample = Vec::with_capacity(SAMPLE);
        while sample.len() < SAMPLE {
            let steps: [f32; N] = std::array::from_fn(|_| standard_normal(rng));
            for steps in [steps, steps.map(|step| -step)] {
                let numbers = std::array::from_fn(|index| {
                    self.mean[index] + self.spreads[index] * steps[index]
                });
                sample.push(Individual { numbers, steps });
            }
        }
        sample
    }

    /// Moves to where those lie that cost least.
    pub fn learn(&mut self, sample: Vec<Individual<N>>, costs: &[f64]) {
        let mut ranked: Vec<(Individual<N>, f64)> =
            sample.into_iter().zip(costs.iter().copied()).collect();
        ranked.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let count = ranked.len() as f32;
        let raw: Vec<f32> = (1..=ranked.len())
            .map(|rank| ((count / 2.0 + 1.0).ln() - (rank as f32).ln()).max(0.0))
            .collect();
        let sum: f32 = raw.iter().sum();
        let utilities: Vec<f32> = raw.iter().map(|utility| utility / sum - 1.0 / count).collect();
        let rate = (3.0 + (N as f32).ln()) / (5.0 * (N as f32).sqrt());
        for index in 0..N {
            let gradient = |of: &dyn Fn(f32) -> f32| -> f32 {
                ranked
                    .iter()
                    .zip(&utilities)
                    .map(|((individual, _), utility)| utility * of(individual.steps[index]))
                    .sum()
            };
            self.mean[index] += self.spreads[index] * gradient(&|step| step);
            self.spreads[index] *= (rate / 2.0 * gradient(&|step| step * step - 1.0)).exp();
        }
    }
}

/// A number of the standard normal distribution (Box and Muller 1958).
fn standard_normal(rng: &mut impl Rng) -> f32 {
    let (radius, angle): (f32, f32) = (rng.random(), rng.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f32::consts::TAU * angle).cos()
}
