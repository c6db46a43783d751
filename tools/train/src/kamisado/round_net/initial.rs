//! Initial weights of the round network.

use oshi::games::kamisado::eval::round_net::{MOVE, TOWER, parts};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random weights, in a range that falls with the number of inputs.
pub fn random_weights() -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut weights = vec![0.0; parts::LEN];
    let by_width = |width: usize| 1.0 / (width as f32).sqrt();
    let ranges = [
        (parts::TOWER_ROWS, 0.2),
        (parts::MESSAGES.own, by_width(TOWER)),
        (parts::MESSAGES.called, by_width(TOWER)),
        (parts::REPLY_TOWER, by_width(TOWER)),
        (parts::REPLY_CALLED, by_width(TOWER)),
        (parts::REPLY_SIDES, by_width(2 * TOWER)),
        (parts::MOVE_ROWS, 0.2),
        (parts::POLICY_OUTPUT, by_width(MOVE)),
        (parts::VALUE_TOWER, by_width(TOWER)),
        (parts::VALUE_MOVES, by_width(MOVE)),
        (parts::VALUE_BEST, by_width(MOVE)),
        (parts::VALUE_SIDES, by_width(2 * TOWER)),
        (parts::VALUE_OUTPUT, by_width(MOVE)),
    ];
    for (part, range) in ranges {
        weights[part].fill_with(|| (2.0 * rng.random::<f32>() - 1.0) * range);
    }
    for part in [
        parts::TOWER_BIAS,
        parts::MESSAGES.bias,
        parts::REPLY_BIAS,
        parts::PUSH_BIAS,
        parts::VALUE_BIAS,
    ] {
        weights[part].fill(0.1);
    }
    weights
}
