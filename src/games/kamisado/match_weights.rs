//! What matches are worth around a round, written by `cargo run --release --example fit_serve`; not for editing by hand.

use super::standing::{OPENING_FEATURES, STANDING_FEATURES};

/// For the logit of the opener winning the match, by target.
#[rustfmt::skip]
pub(super) const STANDING: [[f32; STANDING_FEATURES]; 4] = [
    [2.715, 0.000, 0.000, 0.166, -0.757, -3.453, -0.334, 0.547, 3.334],
    [1.213, -2.826, 2.484, 0.882, 0.382, -2.911, -0.826, -0.427, 2.848],
    [1.375, -3.024, 2.622, 0.930, 0.467, -2.911, -0.934, -0.679, 2.848],
    [1.626, -2.975, 2.461, 0.574, 0.124, -3.494, -0.603, -0.241, 3.246],
];

/// How likely a tower is to be the one that wins a round, by target and its teeth, relative to a plain tower.
#[rustfmt::skip]
pub(super) const TOWER: [[f32; 4]; 4] = [
    [1.000, 0.820, 0.203, 0.320],
    [1.000, 1.218, 1.002, 1.002],
    [1.000, 0.506, 0.622, 0.999],
    [1.000, 1.032, 0.231, 0.275],
];

/// How much less likely that is, by target, where it would win the match than where it would lose it.
pub(super) const RESISTED: [f32; 4] = [0.990, 0.940, 0.990, 0.960];

/// For the logit of the opener winning a round that is not yet proven.
pub(super) const OPENING: [f32; OPENING_FEATURES] = [-5.757, 2.550, 0.256, -0.399, -2.233, -0.413, 0.227, 2.157];
