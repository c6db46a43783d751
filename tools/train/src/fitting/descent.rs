//! Training of the networks: samples from files, and stochastic gradient descent.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use oshi::games::weights;
use oshi::text::Lines;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::adam::Adam;

/// Maximum length of a sample's line, in bytes.
const MAX_LINE: usize = 1 << 16;

/// Samples per step.
const BATCH: usize = 512;

/// Minimum number of samples.
const MIN_SAMPLES: usize = 20 * BATCH;

/// One sample in this number is held out.
const HELD_OUT: usize = 20;

/// A trainable network.
pub trait Model {
    /// A position with its targets.
    type Sample;

    fn weights(&mut self) -> &mut [f32];

    /// Adds the gradient of the sample's loss.
    fn add_gradient(&self, sample: &Self::Sample, rng: &mut ChaCha8Rng, gradient: &mut [f32]);

    /// Prints statistics on the held-out samples.
    fn report(&self, epoch: u32, held_out: &[Self::Sample]);
}

/// Reads one sample per line. `prepare` is called with the samples of each file.
///
/// # Errors
///
/// If a file cannot be read, a line has the wrong form, or there are too few samples.
pub fn read_samples<S>(
    files: &[PathBuf],
    from_line: impl Fn(&str) -> Option<S>,
    prepare: impl Fn(&mut [S]),
) -> anyhow::Result<Vec<S>> {
    let mut samples = Vec::new();
    for file in files {
        let first = samples.len();
        let cannot_read = || format!("cannot read {}", file.display());
        let mut lines = File::open(file).and_then(Lines::of_file).with_context(cannot_read)?;
        let mut bytes = Vec::new();
        for number in 1.. {
            if lines.read(&mut bytes, MAX_LINE).with_context(cannot_read)?.is_none() {
                break;
            }
            let line = String::from_utf8_lossy(&bytes);
            let sample = from_line(&line);
            samples.push(sample.with_context(|| {
                format!("{}: line {number}: expected a sample, found `{line}`", file.display())
            })?);
        }
        prepare(&mut samples[first..]);
    }
    anyhow::ensure!(
        samples.len() >= MIN_SAMPLES,
        "too few samples: expected at least {MIN_SAMPLES}, found {}",
        samples.len(),
    );
    Ok(samples)
}

/// Returns the weights in `file`, or random ones without a file.
///
/// # Errors
///
/// If the file cannot be read or does not hold `count` weights.
pub fn initial_weights(
    file: Option<&Path>,
    count: usize,
    random: impl FnOnce() -> Vec<f32>,
) -> anyhow::Result<Vec<f32>> {
    let Some(file) = file else { return Ok(random()) };
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let expected = weights::to_bytes(&vec![0.0; count]).len();
    anyhow::ensure!(
        bytes.len() == expected,
        "{}: expected {count} weights in {expected} bytes, found {} bytes",
        file.display(),
        bytes.len()
    );
    Ok(weights::from_bytes(&bytes, count))
}

/// Trains a model with a learning rate that falls linearly to 0. Holds out the last samples.
pub fn descend<M: Model>(mut model: M, samples: &[M::Sample], epochs: u32, first_rate: f32) -> M {
    let (samples, held_out) = samples.split_at(samples.len() - samples.len() / HELD_OUT);
    model.report(0, held_out);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut adam = Adam::new(model.weights().len());
    let mut order: Vec<&M::Sample> = samples.iter().collect();
    let steps = epochs as usize * (samples.len() / BATCH);
    let mut step = 0;
    for epoch in 1..=epochs {
        order.shuffle(&mut rng);
        for batch in order.chunks_exact(BATCH) {
            let mut gradient = vec![0.0; model.weights().len()];
            batch.iter().for_each(|sample| model.add_gradient(sample, &mut rng, &mut gradient));
            gradient.iter_mut().for_each(|slope| *slope /= BATCH as f32);
            step += 1;
            let rate = first_rate * (1.0 - step as f32 / steps as f32);
            adam.step(model.weights(), &gradient, rate);
        }
        model.report(epoch, held_out);
    }
    model
}
