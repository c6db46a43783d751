//! What the nets of rounds and of the match are made of: rows of weights, matrices, and messages between towers along calls.

use std::ops::Range;

use super::features::Features;
use crate::games::weights::{after, row};

/// What sums over towers and moves count for, so that they are about as large as what is summed up.
pub const SUM_SCALE: f32 = 1.0 / 8.0;

/// So many numbers for each tower: those of the player to move and the enemy's, by colour.
pub type Towers<const N: usize> = [[[f32; N]; 8]; 2];

/// Where the rows of these numbers start.
pub fn rows<const K: usize>(
    first: usize,
    width: usize,
    sizes: [usize; K],
    numbers: [u8; K],
) -> [usize; K] {
    let mut next = first;
    std::array::from_fn(|index| {
        let row = next + usize::from(numbers[index]) * width;
        next += sizes[index] * width;
        row
    })
}

/// Adds what these numbers become by this matrix, which has a row for each of them.
pub fn multiply_add<const N: usize, const K: usize>(
    weights: &[f32],
    sums: &mut [f32; N],
    matrix: &Range<usize>,
    numbers: &[f32; K],
) {
    let rows: &[[f32; N]] = weights[matrix.clone()].as_chunks().0;
    // Sums that are known to lie nowhere else stay in registers.
    let mut local = *sums;
    for (row, &number) in rows.iter().zip(numbers) {
        add_scaled(&mut local, row, number);
    }
    *sums = local;
}

/// The share of the sum of those whose bits are set.
pub fn sum_selected<const N: usize>(towers: &[[f32; N]; 8], mut set: u8) -> [f32; N] {
    let mut sum = [0.0; N];
    while set != 0 {
        add(&mut sum, &towers[set.trailing_zeros() as usize]);
        set &= set - 1;
    }
    sum.map(|sum| sum * SUM_SCALE)
}

/// Nothing below 0 goes on.
pub fn relu<const N: usize>(sums: &mut [f32; N]) {
    sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
}

/// Adds the row.
pub fn add<const N: usize>(sums: &mut [f32; N], row: &[f32; N]) {
    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
}

/// Adds the row, each number times this factor.
#[inline(always)]
pub fn add_scaled<const N: usize>(sums: &mut [f32; N], row: &[f32; N], factor: f32) {
    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number * factor);
}

/// Where the weights lie by which towers hear those that they can call (Gilmer et al. 2017): against the direction of play, since what a
/// tower comes to depends on those that it calls. All towers share them, for a tower's colour says only which squares call it.
pub struct MessageLayer {
    /// What a tower hears of itself.
    pub own: Range<usize>,
    /// What it hears of the towers that it can call.
    pub called: Range<usize>,
    /// What it hears anyway.
    pub bias: Range<usize>,
}

impl MessageLayer {
    /// The weights that follow on a part, for towers of this many numbers.
    pub const fn after(part: &Range<usize>, width: usize) -> MessageLayer {
        let own = after(part, width * width);
        let called = after(&own, width * width);
        let bias = after(&called, width);
        MessageLayer { own, called, bias }
    }

    /// What each tower has heard.
    pub fn forward<const N: usize>(
        &self,
        weights: &[f32],
        view: &Features,
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
                    &sum_selected(&towers[1 - side], view.towers[side][colour].calls),
                );
                relu(updated);
            }
        }
        updated
    }
}
