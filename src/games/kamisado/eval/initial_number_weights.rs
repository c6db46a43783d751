//! Weights of Kamisado's initial proof numbers, written by
//! `cargo run --release -p oshi-train -- initial-numbers`. Do not edit.

use super::initial_numbers::Weights;

#[rustfmt::skip]
pub(in crate::games::kamisado) static INITIAL_NUMBERS: Weights = Weights {
    replies: [[2.882, 0.03], [1.302, 0.507]],
    blocked: [-0.011, 1.063],
    sides: [[[0.536, 0.119, -0.021, -0.356], [-0.293, -0.175, -0.657, -0.241]], [[-0.173, -0.12, -0.466, -0.228], [0.358, 0.154, 0.121, 0.405]]],
    moved: [[-0.672, 0.241, 0.075], [0.301, -0.256, -0.129]],
};
