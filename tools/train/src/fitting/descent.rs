//! How the nets are fitted: samples from files, and a descent that some of them are held out of.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use oshi::games::weights;
use oshi::text::Lines;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::adam::Adam;

/// The longest line of a sample, in bytes.
const LONGEST_LINE: usize = 1 << 16;

/// The batch size, in positions.
const BATCH: usize = 512;

/// A net that learns.
pub trait Learner {
    /// A position and what is to be said of it.
    type Sample;

    fn weights(&mut self) -> &mut [f32];

    /// Adds the gradient of the sample's loss.
    fn add_gradient(&self, sample: &Self::Sample, rng: &mut ChaCha8Rng, gradient: &mut [f32]);

    /// Prints what the net says of samples that it was not fitted to.
    fn report(&self, epoch: u32, held_out: &[Self::Sample]);
}

/// A sample of each line of these files. Those of one file are prepared together.
///
/// # Errors
///
/// Says which file cannot be read, which line is none that was labelled, or that there are too few to fit anything.
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
            if lines.read(&mut bytes, LONGEST_LINE).with_context(cannot_read)?.is_none() {
                break;
            }
            let line = String::from_utf8_lossy(&bytes);
            let sample = from_line(&line);
            samples.push(sample.with_context(|| {
                format!("{}, line {number}: no labelled position: {line}", file.display())
            })?);
        }
        prepare(&mut samples[first..]);
    }
    anyhow::ensure!(
        samples.len() >= 20 * BATCH,
        "{} positions are too few: {} are needed",
        samples.len(),
        20 * BATCH
    );
    Ok(samples)
}

/// The weights of a net that has so many: those in this file, or random ones.
///
/// # Errors
///
/// Says that the file cannot be read, or that it holds another number of weights.
pub fn first_weights(
    from: Option<&Path>,
    count: usize,
    random: impl FnOnce() -> Vec<f32>,
) -> anyhow::Result<Vec<f32>> {
    let Some(file) = from else { return Ok(random()) };
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let held = weights::to_bytes(&vec![0.0; count]).len();
    anyhow::ensure!(
        bytes.len() == held,
        "{} has {} bytes and not the {held} of {count} weights",
        file.display(),
        bytes.len()
    );
    Ok(weights::from_bytes(&bytes, count))
}

/// The net after a descent with a rate that falls linearly to 0. The last twentieth of the samples is held out.
pub fn descend<L: Learner>(mut net: L, samples: &[L::Sample], epochs: u32, first_rate: f32) -> L {
    let (samples, held_out) = samples.split_at(samples.len() - samples.len() / 20);
    net.report(0, held_out);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut adam = Adam::new(net.weights().len());
    let mut order: Vec<&L::Sample> = samples.iter().collect();
    let steps = epochs as usize * (samples.len() / BATCH);
    let mut step = 0;
    for epoch in 1..=epochs {
        order.shuffle(&mut rng);
        for batch in order.chunks_exact(BATCH) {
            let mut gradient = vec![0.0; net.weights().len()];
            batch.iter().for_each(|sample| net.add_gradient(sample, &mut rng, &mut gradient));
            gradient.iter_mut().for_each(|slope| *slope /= BATCH as f32);
            step += 1;
            adam.descend(net.weights(), &gradient, first_rate * (1.0 - step as f32 / steps as f32));
        }
        net.report(epoch, held_out);
    }
    net
}
