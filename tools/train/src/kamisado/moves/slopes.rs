//! The gradient of the loss of the net of the match.

use oshi::games::kamisado::eval::features::{MOVE_SIZES, PASS, PUSH, TOWER_SIZES};
use oshi::games::kamisado::eval::layers::{Towers, add_scaled, rows, sum_selected};
use oshi::games::kamisado::eval::match_features::{MatchFeatures, STATE_SIZES};
use oshi::games::kamisado::eval::match_net::{Activations, MOVE, Net, TOWER, parts};
use oshi::games::weights;

use super::sample::{Sample, by_chance, by_logits};
use crate::fitting::slopes::{Slopes, only_where_positive};
use crate::kamisado::messages::back_sum;

/// Adds the gradient of the sample's loss where it is seen like this.
pub fn add_gradient(net: &Net, view: &MatchFeatures, sample: &Sample, gradient: &mut [f32]) {
    let mut slopes = Slopes { weights: &net.weights, gradient };
    let activations = net.forward(view);
    let mut by = Layers {
        updated: [[[0.0; TOWER]; 8]; 2],
        sides: [0.0; 2 * TOWER],
        replies: [[0.0; MOVE]; 9],
        movers: [[0.0; MOVE]; 9],
        mean: [0.0; MOVE],
        best: [0.0; MOVE],
    };
    if view.round.called.is_some() {
        let by_chance = by_chance(weights::logistic(activations.value), sample);
        back_from_chance(&mut slopes, view, &activations, by_chance, &mut by);
    }
    let share = 1.0 / view.round.moves.len() as f32;
    for (choice, by_logit) in by_logits(&activations.logits, sample.played).into_iter().enumerate()
    {
        let after = net.after(&activations.replies, &activations.movers, view, choice);
        let mut by_after = by.mean.map(|slope| slope * share);
        slopes.back_from_product(parts::POLICY_OUTPUT, &after, by_logit, &mut by_after);
        for number in (0..MOVE).filter(|&number| after[number] == activations.best[number]) {
            // The first of several that are equally great takes all.
            by_after[number] += std::mem::take(&mut by.best[number]);
        }
        only_where_positive(&mut by_after, &after);
        let mv = &view.round.moves[choice];
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.values);
        rows.into_iter().for_each(|row| slopes.add_to(row, &by_after));
        slopes.add_to(parts::winner_row(view.winner(), view.winners[choice]), &by_after);
        add_scaled(&mut by.replies[usize::from(mv.callee)], &by_after, 1.0);
        add_scaled(&mut by.movers[usize::from(mv.mover)], &by_after, 1.0);
    }
    back_to_updated(&mut slopes, view, &activations, &mut by);
    back_to_towers(&mut slopes, view, &activations, by.updated);
}

/// The slopes by the numbers of each layer.
struct Layers {
    updated: Towers<TOWER>,
    sides: [f32; 2 * TOWER],
    replies: [[f32; MOVE]; 9],
    movers: [[f32; MOVE]; 9],
    mean: [f32; MOVE],
    best: [f32; MOVE],
}

/// From the chance to what the position gets from its moves and towers.
fn back_from_chance(
    slopes: &mut Slopes<'_>,
    view: &MatchFeatures,
    activations: &Activations,
    by_chance: f32,
    by: &mut Layers,
) {
    slopes.gradient[parts::VALUE_CONSTANT] += by_chance;
    slopes.gradient[parts::STATE_SCALE] += by_chance * view.state_logit;
    let mut by_value = [0.0; MOVE];
    slopes.back_from_product(
        parts::VALUE_OUTPUT,
        &activations.value_hidden,
        by_chance,
        &mut by_value,
    );
    only_where_positive(&mut by_value, &activations.value_hidden);
    slopes.add_to(parts::VALUE_BIAS.start, &by_value);
    if let Some(called) = view.round.called {
        let called = usize::from(called);
        slopes.back(
            &parts::VALUE_TOWER,
            &activations.updated_twice[0][called],
            &by_value,
            &mut by.updated[0][called],
        );
    }
    slopes.back(&parts::VALUE_MOVES, &activations.mean, &by_value, &mut by.mean);
    slopes.back(&parts::VALUE_BEST, &activations.best, &by_value, &mut by.best);
    slopes.back(&parts::VALUE_SIDES, &activations.sides, &by_value, &mut by.sides);
    let rows = rows(parts::VALUE_STATE.start, MOVE, STATE_SIZES, view.state);
    rows.into_iter().for_each(|row| slopes.add_to(row, &by_value));
}

/// From what moves get to what towers have heard twice.
fn back_to_updated(
    slopes: &mut Slopes<'_>,
    view: &MatchFeatures,
    activations: &Activations,
    by: &mut Layers,
) {
    let updated = &activations.updated_twice;
    let mut by_all = [0.0; MOVE];
    for (colour, by_reply) in by.replies.iter().enumerate() {
        add_scaled(&mut by_all, by_reply, 1.0);
        if colour == usize::from(PUSH) {
            slopes.add_to(parts::PUSH_BIAS.start, by_reply);
            continue;
        }
        slopes.add_to(parts::REPLY_BIAS.start, by_reply);
        slopes.back(&parts::REPLY_TOWER, &updated[1][colour], by_reply, &mut by.updated[1][colour]);
        let calls = view.round.towers[1][colour].calls;
        let mut by_called = [0.0; TOWER];
        slopes.back(
            &parts::REPLY_CALLED,
            &sum_selected(&updated[0], calls),
            by_reply,
            &mut by_called,
        );
        back_sum(&mut by.updated[0], calls, &by_called);
    }
    for (colour, by_mover) in by.movers.iter().enumerate().take(usize::from(PASS)) {
        slopes.back(&parts::MOVER, &updated[0][colour], by_mover, &mut by.updated[0][colour]);
    }
    let rows = rows(parts::STATE_ROWS.start, MOVE, STATE_SIZES, view.state);
    rows.into_iter().for_each(|row| slopes.add_to(row, &by_all));
    slopes.back(&parts::REPLY_SIDES, &activations.sides, &by_all, &mut by.sides);
    for (by_updated, by_side) in by.updated.iter_mut().zip(by.sides.as_chunks().0) {
        back_sum(by_updated, u8::MAX, by_side);
    }
}

/// Through the layers of towers.
fn back_to_towers(
    slopes: &mut Slopes<'_>,
    view: &MatchFeatures,
    activations: &Activations,
    by_updated_twice: Towers<TOWER>,
) {
    let Activations { towers, updated, updated_twice, .. } = activations;
    let by_updated = slopes.back_messages(
        &parts::SECOND_MESSAGES,
        &view.round,
        [updated, updated_twice],
        by_updated_twice,
    );
    let mut by_towers =
        slopes.back_messages(&parts::FIRST_MESSAGES, &view.round, [towers, updated], by_updated);
    let seen = view.round.towers.as_flattened().iter().zip(view.payoff_classes.as_flattened());
    for ((by_tower, tower), (seen, &payoff_class)) in
        by_towers.as_flattened_mut().iter_mut().zip(towers.as_flattened()).zip(seen)
    {
        only_where_positive(by_tower, tower);
        slopes.add_to(parts::TOWER_BIAS.start, by_tower);
        let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, seen.values);
        rows.into_iter().for_each(|row| slopes.add_to(row, by_tower));
        slopes.add_to(parts::payoff_row(seen.values[4], payoff_class), by_tower);
    }
}

#[cfg(test)]
mod tests {
    use oshi::game::Game;
    use oshi::games::kamisado::Match;

    use super::*;
    use crate::fitting::slopes::assert_is_gradient;
    use crate::kamisado::moves::fit::random_weights;
    use crate::kamisado::moves::sample::{shares, target};

    /// An opening, and later positions with and without pushes and Sumos, with moves that are made up.
    const MATCHES: [&str; 4] = [
        "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 7",
        "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 3",
        "OLVPYR1B/8/8/4G3/4+y3/8/8/bgr1pvlo b y 1-0 15",
        "OLVPYRGB/8/8/8/8/2r5/8/bg1ypvlo w r 0-0 7",
    ];

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        for line in MATCHES {
            let position: Match = line.parse().unwrap();
            let moves = position.legal_moves();
            let winners: String = "10-".chars().cycle().take(moves.len()).collect();
            let sample =
                Sample::from_line(&format!("{winners} {} 0.4 1 {line}", moves[1])).unwrap();
            let net = Net { weights: random_weights() };
            let mut gradient = vec![0.0; parts::LEN];
            add_gradient(&net, &sample.view, &sample, &mut gradient);
            let loss = |changed: &[f32]| {
                let activations = Net { weights: changed.to_vec() }.forward(&sample.view);
                let (target, chance) = (target(&sample), weights::logistic(activations.value));
                let of_chance = -target * chance.ln() - (1.0 - target) * (1.0 - chance).ln();
                of_chance - shares(&activations.logits)[sample.played].ln()
            };
            assert_is_gradient(&gradient, net.weights, loss, line);
        }
    }
}
