//! Shared code of learned models: logistic function, inner product, layout and files of weights.

use std::ops::Range;

/// Probability of a logit.
pub fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}

/// Inner product, summed in eight lanes so that it can be vectorised.
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

/// Range of the `len` weights after a part.
pub const fn after(part: &Range<usize>, len: usize) -> Range<usize> {
    part.end..part.end + len
}

/// Number of rows for categorical features with `sizes` values each.
pub const fn rows_of<const K: usize>(sizes: [usize; K]) -> usize {
    let (mut sum, mut index) = (0, 0);
    while index < K {
        sum += sizes[index];
        index += 1;
    }
    sum
}

/// Row of `N` weights from `start` on.
///
/// # Panics
/// If the row exceeds the weights.
pub fn row<const N: usize>(weights: &[f32], start: usize) -> &[f32; N] {
    weights[start..].first_chunk().expect("rows lie within the weights")
}

/// Unit of a weight in a file. The file stores each as a little-endian `i16`.
const UNIT: f32 = 1.0 / 2048.0;

/// Reads `len` weights from a file. Pads a short file with zeros, so that a network of a new size
/// runs and can be trained.
pub fn from_bytes(bytes: &[u8], len: usize) -> Vec<f32> {
    let weight = |pair: &[u8; 2]| f32::from(i16::from_le_bytes(*pair)) * UNIT;
    let mut weights: Vec<f32> = bytes.as_chunks().0.iter().map(weight).collect();
    weights.resize(len, 0.0);
    weights
}

/// Bytes of a file with these weights, each rounded to the nearest 1/2048 and limited to ±16.
pub fn to_bytes(weights: &[f32]) -> Vec<u8> {
    weights.iter().flat_map(|weight| ((weight / UNIT).round() as i16).to_le_bytes()).collect()
}
