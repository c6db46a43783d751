//! Layers of both networks: embedding rows, matrices, and messages between towers along calls.

use std::ops::Range;

use super::features::Features;
use crate::games::weights::{after, row};

/// Factor of sums over towers and moves. It keeps a sum about as large as its terms.
pub const SUM_SCALE: f32 = 1.0 / 8.0;

/// A vector of `N` numbers for each tower: those of the player to move and the enemy's, by colour.
pub type Towers<const N: usize> = [[[f32; N]; 8]; 2];

/// Starts of the rows of categorical features with these `values`. `sizes` holds the number of
/// values of each feature, and `first` is the start of the first row.
pub fn rows<const K: usize>(
    first: usize,
    width: usize,
    sizes: [usize; K],
    values: [u8; K],
) -> [usize; K] {
    let mut next = first;
    std::array::from_fn(|index| {
        let row = next + usize::from(values[index]) * width;
        next += sizes[index] * width;
        row
    })
}

/// Adds the product of `numbers` and a matrix with a row for each of them.
pub fn multiply_add<const N: usize, const K: usize>(
    weights: &[f32],
    sums: &mut [f32; N],
    matrix: &Range<usize>,
    numbers: &[f32; K],
) {
    let rows: &[[f32; N]] = weights[matrix.clone()].as_chunks().0;
    // The compiler keeps sums in registers only if nothing else can refer to them.
    let mut local = *sums;
    for (row, &number) in rows.iter().zip(numbers) {
        add_scaled(&mut local, row, number);
    }
    *sums = local;
}

/// Sum over the towers in `set`, a set of bits, times [`SUM_SCALE`].
pub fn sum_selected<const N: usize>(towers: &[[f32; N]; 8], mut set: u8) -> [f32; N] {
    let mut sum = [0.0; N];
    while set != 0 {
        add(&mut sum, &towers[set.trailing_zeros() as usize]);
        set &= set - 1;
    }
    sum.map(|sum| sum * SUM_SCALE)
}

/// Rectifier: replaces negative numbers by 0.
pub fn relu<const N: usize>(sums: &mut [f32; N]) {
    sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
}

/// Adds a row to `sums`.
pub fn add<const N: usize>(sums: &mut [f32; N], row: &[f32; N]) {
    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
}

/// Adds a row times a factor to `sums`.
#[inline(always)]
pub fn add_scaled<const N: usize>(sums: &mut [f32; N], row: &[f32; N], factor: f32) {
    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number * factor);
}

/// Weights of a message-passing layer (Gilmer et al. 2017). A tower receives messages from the
/// towers that it can call, since its value depends on them. All towers share the weights, because
/// a tower's colour only determines the squares that call it.
pub struct MessageLayer {
    /// Matrix from the tower itself.
    pub own: Range<usize>,
    /// Matrix from the sum of the towers that it can call.
    pub called: Range<usize>,
    /// Bias.
    pub bias: Range<usize>,
}

impl MessageLayer {
    /// A layer with its weights after a part, for vectors of `width` numbers.
    pub const fn after(part: &Range<usize>, width: usize) -> MessageLayer {
        let own = after(part, width * width);
        let called = after(&own, width * width);
        let bias = after(&called, width);
        MessageLayer { own, called, bias }
    }

    /// Computes the towers' vectors after this layer.
    pub fn forward<const N: usize>(
        &self,
        weights: &[f32],
        features: &Features,
        towers: &Towers<N>,
    ) -> Towers<N> {
        let mut updated = [[[0.0; N]; 8]; 2];
        for side in [0, 1] {
            for (colour, updated) in updated[side].iter_mut().enumerate() {
                *updated = *row(weights, self.bias.start);
                multiply_add(weights, updated, &self.own, &towers[side][colour]);
                multiply_add(
                    weights,
                    updated,
                    &self.called,
                    &sum_selected(&towers[1 - side], features.towers[side][colour].calls),
                );
                relu(updated);
            }
        }
        updated
    }
}
