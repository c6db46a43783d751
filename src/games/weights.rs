//! What learned models have in common: chances and logits, inner products, where weights lie, and how nets keep them in files.

use std::ops::Range;

/// The chance that this logit stands for.
pub fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}

/// The inner product of features and their weights, summed up in eight lanes.
pub fn dot<const N: usize>(features: &[f32; N], weights: &[f32; N]) -> f32 {
    let ((features, last_features), (weights, last_weights)) =
        (features.as_chunks::<8>(), weights.as_chunks::<8>());
    let mut lanes = [0.0; 8];
    for (features, weights) in features.iter().zip(weights) {
        for ((lane, feature), weight) in lanes.iter_mut().zip(features).zip(weights) {
            *lane += feature * weight;
        }
    }
    for ((lane, feature), weight) in lanes.iter_mut().zip(last_features).zip(last_weights) {
        *lane += feature * weight;
    }
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5]))
        + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

/// Where the weights lie that follow on a part.
pub const fn after(part: &Range<usize>, len: usize) -> Range<usize> {
    part.end..part.end + len
}

/// How many rows there are for numbers that have so many values each.
pub const fn rows_of<const K: usize>(sizes: [usize; K]) -> usize {
    let (mut sum, mut index) = (0, 0);
    while index < K {
        sum += sizes[index];
        index += 1;
    }
    sum
}

/// The row that starts here.
pub fn row<const N: usize>(weights: &[f32], start: usize) -> &[f32; N] {
    weights[start..].first_chunk().expect("rows lie within the weights")
}

/// One weight in a file is an `i16`, low byte first, in these units.
const UNIT: f32 = 1.0 / 2048.0;

/// So many weights of a file. One that is too short is filled up with 0, so that a net of another size than the file's plays, though badly, and
/// its weights can be fitted.
pub fn from_bytes(bytes: &[u8], len: usize) -> Vec<f32> {
    let weight = |pair: &[u8; 2]| f32::from(i16::from_le_bytes(*pair)) * UNIT;
    let mut weights: Vec<f32> = bytes.as_chunks().0.iter().map(weight).collect();
    weights.resize(len, 0.0);
    weights
}

/// The weights as a file keeps them, rounded to the nearest 1/2048 within ±16.
pub fn to_bytes(weights: &[f32]) -> Vec<u8> {
    weights.iter().flat_map(|weight| ((weight / UNIT).round() as i16).to_le_bytes()).collect()
}
