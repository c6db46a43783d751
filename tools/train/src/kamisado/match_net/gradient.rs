//! The gradient of the match network's loss. A variable `d_x` is the derivative by `x`.

use oshi::games::kamisado::eval::features::{MOVE_SIZES, PASS, PUSH, TOWER_SIZES};
use oshi::games::kamisado::eval::layers::{Towers, add_scaled, rows, sum_selected};
use oshi::games::kamisado::eval::match_features::{MatchFeatures, STATE_SIZES};
use oshi::games::kamisado::eval::match_net::{Activations, MOVE, Net, TOWER, parts};
use oshi::games::weights;

use super::sample::{Sample, d_logits, d_value};
use crate::fitting::backprop::{Backprop, relu};
use crate::kamisado::messages;

/// Adds the gradient of the sample's loss for these features of it.
pub fn add_gradient(net: &Net, features: &MatchFeatures, sample: &Sample, gradient: &mut [f32]) {
    let mut backprop = Backprop { weights: &net.weights, gradient };
    let activations = net.forward(features);
    let mut d = Derivatives {
        updated: [[[0.0; TOWER]; 8]; 2],
        sides: [0.0; 2 * TOWER],
        replies: [[0.0; MOVE]; 9],
        movers: [[0.0; MOVE]; 9],
        mean: [0.0; MOVE],
        best: [0.0; MOVE],
    };
    if features.round.called.is_some() {
        let d_value_logit = d_value(weights::logistic(activations.value), sample);
        value_to_moves(&mut backprop, features, &activations, d_value_logit, &mut d);
    }
    let share = 1.0 / features.round.moves.len() as f32;
    for (choice, d_logit) in d_logits(&activations.logits, sample.played).into_iter().enumerate() {
        let after = net.move_vector(&activations.replies, &activations.movers, features, choice);
        let mut d_move = d.mean.map(|derivative| derivative * share);
        backprop.dot(parts::POLICY_OUTPUT, &after, d_logit, &mut d_move);
        for number in (0..MOVE).filter(|&number| after[number] == activations.best[number]) {
            // If several moves have the maximum, the first receives the derivative.
            d_move[number] += std::mem::take(&mut d.best[number]);
        }
        relu(&mut d_move, &after);
        let mv = &features.round.moves[choice];
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.values);
        rows.into_iter().for_each(|row| backprop.row(row, &d_move));
        backprop.row(parts::winner_row(features.winner(), features.winners[choice]), &d_move);
        add_scaled(&mut d.replies[usize::from(mv.callee)], &d_move, 1.0);
        add_scaled(&mut d.movers[usize::from(mv.mover)], &d_move, 1.0);
    }
    moves_to_messages(&mut backprop, features, &activations, &mut d);
    messages_to_towers(&mut backprop, features, &activations, d.updated);
}

/// Derivatives by the outputs of each layer.
struct Derivatives {
    updated: Towers<TOWER>,
    sides: [f32; 2 * TOWER],
    replies: [[f32; MOVE]; 9],
    movers: [[f32; MOVE]; 9],
    mean: [f32; MOVE],
    best: [f32; MOVE],
}

/// Propagates from the value to moves and towers.
fn value_to_moves(
    backprop: &mut Backprop<'_>,
    features: &MatchFeatures,
    activations: &Activations,
    d_value_logit: f32,
    d: &mut Derivatives,
) {
    backprop.gradient[parts::VALUE_CONSTANT] += d_value_logit;
    backprop.gradient[parts::STATE_SCALE] += d_value_logit * features.state_logit;
    let mut d_hidden = [0.0; MOVE];
    backprop.dot(parts::VALUE_OUTPUT, &activations.value_hidden, d_value_logit, &mut d_hidden);
    relu(&mut d_hidden, &activations.value_hidden);
    backprop.row(parts::VALUE_BIAS.start, &d_hidden);
    if let Some(called) = features.round.called {
        let called = usize::from(called);
        backprop.matrix(
            &parts::VALUE_TOWER,
            &activations.updated_twice[0][called],
            &d_hidden,
            &mut d.updated[0][called],
        );
    }
    backprop.matrix(&parts::VALUE_MOVES, &activations.mean, &d_hidden, &mut d.mean);
    backprop.matrix(&parts::VALUE_BEST, &activations.best, &d_hidden, &mut d.best);
    backprop.matrix(&parts::VALUE_SIDES, &activations.sides, &d_hidden, &mut d.sides);
    let rows = rows(parts::VALUE_STATE.start, MOVE, STATE_SIZES, features.state);
    rows.into_iter().for_each(|row| backprop.row(row, &d_hidden));
}

/// Propagates from moves to the second message layer.
fn moves_to_messages(
    backprop: &mut Backprop<'_>,
    features: &MatchFeatures,
    activations: &Activations,
    d: &mut Derivatives,
) {
    let updated = &activations.updated_twice;
    let mut d_all = [0.0; MOVE];
    for (colour, d_reply) in d.replies.iter().enumerate() {
        add_scaled(&mut d_all, d_reply, 1.0);
        if colour == usize::from(PUSH) {
            backprop.row(parts::PUSH_BIAS.start, d_reply);
            continue;
        }
        backprop.row(parts::REPLY_BIAS.start, d_reply);
        backprop.matrix(
            &parts::REPLY_TOWER,
            &updated[1][colour],
            d_reply,
            &mut d.updated[1][colour],
        );
        let calls = features.round.towers[1][colour].calls;
        let mut d_called = [0.0; TOWER];
        backprop.matrix(
            &parts::REPLY_CALLED,
            &sum_selected(&updated[0], calls),
            d_reply,
            &mut d_called,
        );
        messages::sum(&mut d.updated[0], calls, &d_called);
    }
    for (colour, d_mover) in d.movers.iter().enumerate().take(usize::from(PASS)) {
        backprop.matrix(&parts::MOVER, &updated[0][colour], d_mover, &mut d.updated[0][colour]);
    }
    let rows = rows(parts::STATE_ROWS.start, MOVE, STATE_SIZES, features.state);
    rows.into_iter().for_each(|row| backprop.row(row, &d_all));
    backprop.matrix(&parts::REPLY_SIDES, &activations.sides, &d_all, &mut d.sides);
    for (d_updated, d_side) in d.updated.iter_mut().zip(d.sides.as_chunks().0) {
        messages::sum(d_updated, u8::MAX, d_side);
    }
}

/// Propagates through the message layers and the tower layer.
fn messages_to_towers(
    backprop: &mut Backprop<'_>,
    features: &MatchFeatures,
    activations: &Activations,
    d_updated_twice: Towers<TOWER>,
) {
    let Activations { towers, updated, updated_twice, .. } = activations;
    let d_updated = backprop.messages(
        &parts::SECOND_MESSAGES,
        &features.round,
        [updated, updated_twice],
        d_updated_twice,
    );
    let mut d_towers =
        backprop.messages(&parts::FIRST_MESSAGES, &features.round, [towers, updated], d_updated);
    let tower_features =
        features.round.towers.as_flattened().iter().zip(features.payoff_classes.as_flattened());
    for ((d_tower, tower), (tower_features, &payoff_class)) in
        d_towers.as_flattened_mut().iter_mut().zip(towers.as_flattened()).zip(tower_features)
    {
        relu(d_tower, tower);
        backprop.row(parts::TOWER_BIAS.start, d_tower);
        let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, tower_features.values);
        rows.into_iter().for_each(|row| backprop.row(row, d_tower));
        backprop.row(parts::payoff_row(tower_features.values[4], payoff_class), d_tower);
    }
}

#[cfg(test)]
mod tests {
    use oshi::game::Game;
    use oshi::games::kamisado::Match;

    use super::*;
    use crate::fitting::backprop::assert_is_gradient;
    use crate::kamisado::match_net::initial::random_weights;
    use crate::kamisado::match_net::sample::{softmax, target};

    /// An opening, and later positions with and without pushes and Sumos.
    const MATCHES: [&str; 4] = [
        "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 7",
        "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 3",
        "OLVPYR1B/8/8/4G3/4+y3/8/8/bgr1pvlo b y 1-0 15",
        "OLVPYRGB/8/8/8/8/2r5/8/bg1ypvlo w r 0-0 7",
    ];

    #[test]
    fn gradient_agrees_with_finite_differences() {
        for line in MATCHES {
            let position: Match = line.parse().unwrap();
            let moves = position.legal_moves();
            let winners: String = "10-".chars().cycle().take(moves.len()).collect();
            let sample =
                Sample::from_line(&format!("{winners} {} 0.4 1 {line}", moves[1])).unwrap();
            let net = Net { weights: random_weights() };
            let mut gradient = vec![0.0; parts::LEN];
            add_gradient(&net, &sample.features, &sample, &mut gradient);
            let loss = |changed: &[f32]| {
                let activations = Net { weights: changed.to_vec() }.forward(&sample.features);
                let (target, value) = (target(&sample), weights::logistic(activations.value));
                let value_loss = -target * value.ln() - (1.0 - target) * (1.0 - value).ln();
                value_loss - softmax(&activations.logits)[sample.played].ln()
            };
            assert_is_gradient(&gradient, net.weights, loss, line);
        }
    }
}
