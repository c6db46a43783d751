//! What standings of a match are worth, written by `cargo run --release --example fit_serve`; not for editing by hand.

use super::standing::STANDING_FEATURES;

/// For the logit of the opener winning the match, by target.
#[rustfmt::skip]
pub(super) const OPENING: [[f32; STANDING_FEATURES]; 4] = [
    [2.751, 0.000, 0.000, 0.164, -0.757, -3.455, -0.341, 0.543, 3.331],
    [1.289, -2.865, 2.464, 0.865, 0.378, -2.923, -0.843, -0.426, 2.854],
    [1.822, -3.143, 2.530, 0.898, 0.373, -2.923, -0.963, -0.760, 2.854],
    [2.540, -3.154, 2.325, 0.553, 0.054, -3.673, -0.627, -0.306, 3.110],
];

/// How likely a tower is to be the one that wins a round, by target and its teeth, relative to a plain tower.
#[rustfmt::skip]
pub(super) const TOWER: [[f32; 4]; 4] = [
    [1.000, 1.000, 1.000, 1.000],
    [1.000, 1.250, 1.000, 1.000],
    [1.000, 0.510, 0.630, 1.000],
    [1.000, 1.030, 0.230, 0.250],
];

/// How much less likely that is, by target, where it would win the match than where it would lose it.
pub(super) const RESISTED: [f32; 4] = [0.000, 0.940, 0.990, 0.950];
