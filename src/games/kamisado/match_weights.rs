//! What matches are worth around a round, written by `cargo run --release --example fit_serve`; not for editing by hand.

use super::standing::{OPENING_FEATURES, STANDING_FEATURES};

/// For the logit of the opener winning the match, by target.
#[rustfmt::skip]
pub(super) const STANDING: [[f32; STANDING_FEATURES]; 4] = [
    [2.751, 0.000, 0.000, 0.164, -0.757, -3.455, -0.341, 0.543, 3.331],
    [1.289, -2.865, 2.464, 0.865, 0.378, -2.923, -0.843, -0.426, 2.854],
    [1.822, -3.143, 2.530, 0.898, 0.373, -2.923, -0.963, -0.760, 2.854],
    [2.540, -3.154, 2.325, 0.553, 0.054, -3.673, -0.627, -0.306, 3.110],
];

/// How likely a tower is to be the one that wins a round, by target and its teeth, relative to a plain tower.
#[rustfmt::skip]
pub(super) const TOWER: [[f32; 4]; 4] = [
    [1.000, 0.808, 0.206, 0.289],
    [1.000, 1.218, 1.002, 1.002],
    [1.000, 0.503, 0.622, 0.999],
    [1.000, 1.030, 0.228, 0.277],
];

/// How much less likely that is, by target, where it would win the match than where it would lose it.
pub(super) const RESISTED: [f32; 4] = [0.980, 0.940, 0.990, 0.960];

/// For the logit of the opener winning a round that is not yet proven.
pub(super) const OPENING: [f32; OPENING_FEATURES] = [-1.619, 1.390, 0.429, -0.365, -2.931, -0.507, 0.443, 2.053];
