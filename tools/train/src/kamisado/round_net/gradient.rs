//! The gradient of the round network's loss. A variable `d_x` is the derivative by `x`.

use oshi::games::kamisado::eval::features::{Features, MOVE_SIZES, PUSH, TOWER_SIZES};
use oshi::games::kamisado::eval::layers::{SUM_SCALE, Towers, add_scaled, rows, sum_selected};
use oshi::games::kamisado::eval::round_net::{Activations, MOVE, Net, TOWER, parts};
use oshi::games::weights;

use super::sample::{Sample, d_logits};
use crate::fitting::backprop::{Backprop, relu};
use crate::kamisado::messages;

/// Adds the gradient of the sample's loss.
pub fn add_gradient(net: &Net, sample: &Sample, gradient: &mut [f32]) {
    let mut backprop = Backprop { weights: &net.weights, gradient };
    let features = &sample.features;
    let activations = net.forward(features);
    let d_logits = d_logits(&activations.logits, &sample.wins);
    let mut d_updated = [[[0.0; TOWER]; 8]; 2];
    let mut d_sides = [0.0; 2 * TOWER];
    let (mut d_sum, mut d_best) = ([0.0; MOVE], [0.0; MOVE]);
    if let (Some(won), Some(called)) = (sample.won, features.called) {
        let d_value_logit = weights::logistic(activations.value) - f32::from(u8::from(won));
        backprop.gradient[parts::VALUE_CONSTANT] += d_value_logit;
        let mut d_hidden = [0.0; MOVE];
        backprop.dot(parts::VALUE_OUTPUT, &activations.value_hidden, d_value_logit, &mut d_hidden);
        relu(&mut d_hidden, &activations.value_hidden);
        backprop.row(parts::VALUE_BIAS.start, &d_hidden);
        let called = usize::from(called);
        backprop.matrix(
            &parts::VALUE_TOWER,
            &activations.updated[0][called],
            &d_hidden,
            &mut d_updated[0][called],
        );
        backprop.matrix(&parts::VALUE_MOVES, &activations.sum, &d_hidden, &mut d_sum);
        backprop.matrix(&parts::VALUE_BEST, &activations.best, &d_hidden, &mut d_best);
        backprop.matrix(&parts::VALUE_SIDES, &activations.sides, &d_hidden, &mut d_sides);
    }
    let mut d_replies = [[0.0; MOVE]; 9];
    for (mv, d_logit) in features.moves.iter().zip(d_logits) {
        let after = net.move_vector(&activations.replies, mv);
        let mut d_move = d_sum.map(|derivative| derivative * SUM_SCALE);
        backprop.dot(parts::POLICY_OUTPUT, &after, d_logit, &mut d_move);
        for number in (0..MOVE).filter(|&number| after[number] == activations.best[number]) {
            // If several moves have the maximum, the first receives the derivative.
            d_move[number] += std::mem::take(&mut d_best[number]);
        }
        relu(&mut d_move, &after);
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.values);
        rows.into_iter().for_each(|row| backprop.row(row, &d_move));
        add_scaled(&mut d_replies[usize::from(mv.callee)], &d_move, 1.0);
    }
    let mut d_all = [0.0; MOVE];
    for (colour, d_reply) in d_replies.iter().enumerate() {
        add_scaled(&mut d_all, d_reply, 1.0);
        if colour == usize::from(PUSH) {
            backprop.row(parts::PUSH_BIAS.start, d_reply);
            continue;
        }
        backprop.row(parts::REPLY_BIAS.start, d_reply);
        backprop.matrix(
            &parts::REPLY_TOWER,
            &activations.updated[1][colour],
            d_reply,
            &mut d_updated[1][colour],
        );
        let calls = features.towers[1][colour].calls;
        let mut d_called = [0.0; TOWER];
        backprop.matrix(
            &parts::REPLY_CALLED,
            &sum_selected(&activations.updated[0], calls),
            d_reply,
            &mut d_called,
        );
        messages::sum(&mut d_updated[0], calls, &d_called);
    }
    backprop.matrix(&parts::REPLY_SIDES, &activations.sides, &d_all, &mut d_sides);
    for (d_updated, d_side) in d_updated.iter_mut().zip(d_sides.as_chunks().0) {
        messages::sum(d_updated, u8::MAX, d_side);
    }
    messages_to_towers(&mut backprop, features, &activations, d_updated);
}

/// Propagates through the message layer and the tower layer.
fn messages_to_towers(
    backprop: &mut Backprop<'_>,
    features: &Features,
    Activations { towers, updated, .. }: &Activations,
    d_updated: Towers<TOWER>,
) {
    let mut d_towers = backprop.messages(&parts::MESSAGES, features, [towers, updated], d_updated);
    let layers = d_towers
        .as_flattened_mut()
        .iter_mut()
        .zip(towers.as_flattened())
        .zip(features.towers.as_flattened());
    for ((d_tower, tower), tower_features) in layers {
        relu(d_tower, tower);
        backprop.row(parts::TOWER_BIAS.start, d_tower);
        let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, tower_features.values);
        rows.into_iter().for_each(|row| backprop.row(row, d_tower));
    }
}

#[cfg(test)]
mod tests {
    use oshi::game::Game;
    use oshi::games::kamisado::Match;

    use super::*;
    use crate::fitting::backprop::assert_is_gradient;
    use crate::kamisado::round_net::initial::random_weights;
    use crate::kamisado::round_net::sample::{POLICY_WEIGHT, softmax_of_known};

    /// Result, whether the moves have results, and position. The results are invented.
    const ROUNDS: [(char, bool, &str); 4] = [
        ('-', true, "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1"),
        ('w', true, "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 1"),
        ('w', false, "OLVPYR1B/8/8/4G3/4+y3/8/8/bgr1pvlo b y 0-0 1"),
        ('l', false, "OLVPYRGB/8/8/8/8/2r5/8/bg1ypvlo w r 0-0 1"),
    ];

    fn loss(net: &Net, sample: &Sample) -> f32 {
        let activations = net.forward(&sample.features);
        let value_loss = sample.won.map_or(0.0, |won| {
            -weights::logistic(if won { activations.value } else { -activations.value }).ln()
        });
        let policy_loss = if sample.wins.is_empty() {
            0.0
        } else {
            -softmax_of_known(&activations.logits, &sample.wins).1.ln()
        };
        value_loss + POLICY_WEIGHT * policy_loss
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        for (result, with_moves, position) in ROUNDS {
            let moves = position.parse::<Match>().unwrap().legal_moves().len();
            let digits = if with_moves {
                "10-".chars().cycle().take(moves).collect()
            } else {
                "-".to_owned()
            };
            let sample = Sample::from_line(&format!("{result} {digits} {position}")).unwrap();
            let net = Net { weights: random_weights() };
            let mut gradient = vec![0.0; parts::LEN];
            add_gradient(&net, &sample, &mut gradient);
            assert_is_gradient(
                &gradient,
                net.weights,
                |weights| loss(&Net { weights: weights.to_vec() }, &sample),
                position,
            );
        }
    }
}
