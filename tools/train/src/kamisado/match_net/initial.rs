//! Initial weights of the match network.

use oshi::games::kamisado::eval::match_net::{MOVE, TOWER, parts};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random weights, in a range that falls with the number of inputs.
pub fn random_weights() -> Vec<f32> {
    const ROWS: f32 = 0.2;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut weights = vec![0.0; parts::LEN];
    let by_width = |width: usize| 1.0 / (width as f32).sqrt();
    let ranges = [
        (parts::TOWER_ROWS, ROWS),
        (parts::TOWER_PAYOFFS, ROWS),
        (parts::FIRST_MESSAGES.own, by_width(TOWER)),
        (parts::FIRST_MESSAGES.called, by_width(TOWER)),
        (parts::SECOND_MESSAGES.own, by_width(TOWER)),
        (parts::SECOND_MESSAGES.called, by_width(TOWER)),
        (parts::REPLY_TOWER, by_width(TOWER)),
        (parts::REPLY_CALLED, by_width(TOWER)),
        (parts::REPLY_SIDES, by_width(2 * TOWER)),
        (parts::STATE_ROWS, ROWS),
        (parts::WINNER_ROWS, ROWS),
        (parts::MOVER, by_width(TOWER)),
        (parts::MOVE_ROWS, ROWS),
        (parts::POLICY_OUTPUT, by_width(MOVE)),
        (parts::VALUE_TOWER, by_width(TOWER)),
        (parts::VALUE_MOVES, by_width(MOVE)),
        (parts::VALUE_BEST, by_width(MOVE)),
        (parts::VALUE_SIDES, by_width(2 * TOWER)),
        (parts::VALUE_STATE, ROWS),
        // Small, so that the value starts as that of the match state.
        (parts::VALUE_OUTPUT, 0.1 * by_width(MOVE)),
    ];
    for (part, range) in ranges {
        weights[part].fill_with(|| (2.0 * rng.random::<f32>() - 1.0) * range);
    }
    let biases = [
        parts::TOWER_BIAS,
        parts::FIRST_MESSAGES.bias,
        parts::SECOND_MESSAGES.bias,
        parts::REPLY_BIAS,
        parts::PUSH_BIAS,
        parts::VALUE_BIAS,
    ];
    for part in biases {
        weights[part].fill(0.1);
    }
    weights[parts::STATE_SCALE] = 1.0;
    weights
}
