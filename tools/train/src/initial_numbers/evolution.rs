//! Optimisation by separable natural evolution strategies (Schaul, Glasmachers and Schmidhuber
//! 2011).

use rand::{Rng, RngExt};

/// Individuals per generation.
const POPULATION: usize = 16;

/// The search distribution: independent normal distributions.
pub struct Evolution<const N: usize> {
    pub mean: [f32; N],
    deviations: [f32; N],
}

/// A candidate solution.
pub struct Individual<const N: usize> {
    pub numbers: [f32; N],
    /// Distance from the mean, in standard deviations.
    steps: [f32; N],
}

impl<const N: usize> Evolution<N> {
    pub fn new(mean: [f32; N], deviations: [f32; N]) -> Self {
        Evolution { mean, deviations }
    }

    /// Draws a generation, in pairs on opposite sides of the mean.
    pub fn sample(&self, rng: &mut impl Rng) -> Vec<Individual<N>> {
        let mut population = Vec::with_capacity(POPULATION);
        while population.len() < POPULATION {
            let steps: [f32; N] = std::array::from_fn(|_| standard_normal(rng));
            for steps in [steps, steps.map(|step| -step)] {
                let numbers = std::array::from_fn(|index| {
                    self.mean[index] + self.deviations[index] * steps[index]
                });
                population.push(Individual { numbers, steps });
            }
        }
        population
    }

    /// Moves the distribution towards the individuals of least cost.
    pub fn update(&mut self, population: Vec<Individual<N>>, costs: &[f64]) {
        let mut ranked: Vec<(Individual<N>, f64)> =
            population.into_iter().zip(costs.iter().copied()).collect();
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
            self.mean[index] += self.deviations[index] * gradient(&|step| step);
            self.deviations[index] *= (rate / 2.0 * gradient(&|step| step * step - 1.0)).exp();
        }
    }
}

/// Draws from the standard normal distribution (Box and Muller 1958).
fn standard_normal(rng: &mut impl Rng) -> f32 {
    let (radius, angle): (f32, f32) = (rng.random(), rng.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f32::consts::TAU * angle).cos()
}
