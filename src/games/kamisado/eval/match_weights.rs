//! Weights of the value of a match around a round, written by
//! `cargo run --release -p oshi-train -- match-value`. Do not edit.

use super::match_state::{OPENING_FEATURES, STATE_FEATURES};

/// Weights of the logit that the opener wins the match, by target.
#[rustfmt::skip]
pub(super) const STATE: [[f32; STATE_FEATURES]; 4] = [
    [3.334, 0.000, 0.000, 0.283, -0.737, -4.134, -0.500, 0.589, 3.909],
    [3.269, -7.098, 6.087, 1.970, 0.001, -3.730, -1.981, -0.160, 3.665],
    [4.548, -7.124, 5.328, 1.021, 0.606, -3.730, -1.296, -1.344, 3.665],
    [3.692, -5.920, 4.635, 0.210, -0.790, -4.550, -0.332, 0.381, 3.852],
];

/// Relative likelihood that a tower wins the round, by target and teeth; 1 for a plain tower.
#[rustfmt::skip]
pub(super) const TOWER: [[f32; 4]; 4] = [
    [1.000, 1.823, 1.065, 0.480],
    [1.000, 0.860, 1.000, 1.000],
    [1.000, 1.374, 0.622, 1.000],
    [1.000, 3.035, 1.300, 0.615],
];

/// Weights of the logit that the opener wins a round that is not proven.
pub(super) const OPENING: [f32; OPENING_FEATURES] =
    [-2.170, 1.567, 0.374, -0.372, -2.580, -0.528, 0.341, 2.154];
