//! Back propagation through layers (Rumelhart, Hinton and Williams 1986).
//!
//! A variable `d_x` is the derivative of the loss by `x`.

use std::ops::Range;

use oshi::games::kamisado::eval::layers::add_scaled;
use oshi::games::weights;

/// The weights of a network and the gradient of the loss, summed over samples.
pub struct Backprop<'a> {
    pub weights: &'a [f32],
    pub gradient: &'a mut [f32],
}

impl Backprop<'_> {
    /// Propagates through a matrix with one row per input.
    pub fn matrix<const N: usize>(
        &mut self,
        matrix: &Range<usize>,
        inputs: &[f32],
        d_outputs: &[f32; N],
        d_inputs: &mut [f32],
    ) {
        let rows = self.weights[matrix.clone()].as_chunks().0;
        let gradients = self.gradient[matrix.clone()].as_chunks_mut().0;
        for (((row, gradient), &input), d_input) in
            rows.iter().zip(gradients).zip(inputs).zip(d_inputs)
        {
            add_scaled(gradient, d_outputs, input);
            *d_input += weights::dot(row, d_outputs);
        }
    }

    /// Propagates through an inner product with weights.
    pub fn dot<const N: usize>(
        &mut self,
        part: Range<usize>,
        inputs: &[f32; N],
        d_output: f32,
        d_inputs: &mut [f32; N],
    ) {
        for (index, (input, d_input)) in part.zip(inputs.iter().zip(d_inputs)) {
            self.gradient[index] += d_output * input;
            *d_input += d_output * self.weights[index];
        }
    }

    /// Adds to the gradient of the row that starts at `start`.
    pub fn row(&mut self, start: usize, d_row: &[f32]) {
        self.gradient[start..].iter_mut().zip(d_row).for_each(|(sum, d_weight)| *sum += d_weight);
    }
}

/// Propagates through a rectifier.
pub fn relu<const N: usize>(d_outputs: &mut [f32; N], outputs: &[f32; N]) {
    d_outputs
        .iter_mut()
        .zip(outputs)
        .filter(|(_, output)| **output <= 0.0)
        .for_each(|(d_output, _)| *d_output = 0.0);
}

/// Asserts that the gradient agrees with finite differences. A few weights may differ, because a
/// rectifier or a maximum may switch within the step.
#[cfg(test)]
pub fn assert_is_gradient(
    gradient: &[f32],
    mut weights: Vec<f32>,
    loss: impl Fn(&[f32]) -> f32,
    name: &str,
) {
    const STEP: f32 = 1e-2;
    let (mut wrong, mut nonzero) = (0, 0);
    for (index, computed) in gradient.iter().enumerate() {
        let weight = weights[index];
        let [above, below] = [STEP, -STEP].map(|step| {
            weights[index] = weight + step;
            loss(&weights)
        });
        weights[index] = weight;
        let difference = (above - below) / (2.0 * STEP);
        nonzero += u32::from(difference != 0.0);
        wrong += u32::from((difference - computed).abs() > 0.02 + 0.1 * difference.abs());
    }
    assert!(
        nonzero > 100 && 50 * wrong <= nonzero,
        "{name}: {wrong} of {nonzero} derivatives are wrong"
    );
}
