//! Gradients, back from what comes out of a net's layers to what goes in (back propagation, Rumelhart, Hinton and Williams 1986).

use std::ops::Range;

use oshi::games::kamisado::eval::layers::add_scaled;
use oshi::games::weights;

/// The slopes of the loss by a net's weights, summed up over samples.
pub struct Slopes<'a> {
    pub weights: &'a [f32],
    pub gradient: &'a mut [f32],
}

impl Slopes<'_> {
    /// Back through a matrix, from the slopes of what came out to those of what went in.
    pub fn back<const N: usize>(
        &mut self,
        matrix: &Range<usize>,
        numbers: &[f32],
        by_sums: &[f32; N],
        by_numbers: &mut [f32],
    ) {
        let rows = self.weights[matrix.clone()].as_chunks().0;
        let slopes = self.gradient[matrix.clone()].as_chunks_mut().0;
        for (((row, slopes), &number), by_number) in
            rows.iter().zip(slopes).zip(numbers).zip(by_numbers)
        {
            add_scaled(slopes, by_sums, number);
            *by_number += weights::dot(row, by_sums);
        }
    }

    /// Back through an inner product with weights.
    pub fn back_from_product<const N: usize>(
        &mut self,
        part: Range<usize>,
        numbers: &[f32; N],
        by_product: f32,
        by_numbers: &mut [f32; N],
    ) {
        for (index, (number, by_number)) in part.zip(numbers.iter().zip(by_numbers)) {
            self.gradient[index] += by_product * number;
            *by_number += by_product * self.weights[index];
        }
    }

    /// To the row of weights that starts here.
    pub fn add_to(&mut self, start: usize, slopes: &[f32]) {
        self.gradient[start..].iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
    }
}

/// Back through what goes no further below 0.
pub fn only_where_positive<const N: usize>(slopes: &mut [f32; N], numbers: &[f32; N]) {
    slopes
        .iter_mut()
        .zip(numbers)
        .filter(|(_, number)| **number <= 0.0)
        .for_each(|(slope, _)| *slope = 0.0);
}

/// That the gradient is the slope of the loss by each weight, but for a few: where a number passes 0 or another one becomes the greatest, the
/// two may differ.
#[cfg(test)]
pub fn assert_is_gradient(
    gradient: &[f32],
    mut weights: Vec<f32>,
    loss: impl Fn(&[f32]) -> f32,
    of: &str,
) {
    const STEP: f32 = 1e-2;
    let (mut wrong, mut sloping) = (0, 0);
    for (index, told) in gradient.iter().enumerate() {
        let weight = weights[index];
        let [above, below] = [STEP, -STEP].map(|step| {
            weights[index] = weight + step;
            loss(&weights)
        });
        weights[index] = weight;
        let slope = (above - below) / (2.0 * STEP);
        sloping += u32::from(slope != 0.0);
        wrong += u32::from((slope - told).abs() > 0.02 + 0.1 * slope.abs());
    }
    assert!(sloping > 100 && 50 * wrong <= sloping, "{wrong} of {sloping} slopes of {of}");
}
