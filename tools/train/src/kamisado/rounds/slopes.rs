//! The gradient of the loss of the net of rounds.

use oshi::games::kamisado::eval::features::{Features, MOVE_SIZES, PUSH, TOWER_SIZES};
use oshi::games::kamisado::eval::layers::{SUM_SCALE, Towers, add_scaled, rows, sum_selected};
use oshi::games::kamisado::eval::round_net::{Activations, MOVE, Net, TOWER, parts};
use oshi::games::weights;

use super::sample::{Sample, by_logits};
use crate::fitting::slopes::{Slopes, only_where_positive};
use crate::kamisado::messages::back_sum;

/// Adds the gradient of the sample's loss.
pub fn add_gradient(net: &Net, sample: &Sample, gradient: &mut [f32]) {
    let mut slopes = Slopes { weights: &net.weights, gradient };
    let view = &sample.view;
    let activations = net.forward(view);
    let by_logits = by_logits(&activations.logits, &sample.wins);
    let mut by_updated = [[[0.0; TOWER]; 8]; 2];
    let mut by_sides = [0.0; 2 * TOWER];
    let (mut by_sum, mut by_best) = ([0.0; MOVE], [0.0; MOVE]);
    if let (Some(won), Some(called)) = (sample.won, view.called) {
        let by_chance = weights::logistic(activations.value) - f32::from(u8::from(won));
        slopes.gradient[parts::VALUE_CONSTANT] += by_chance;
        let mut by_round = [0.0; MOVE];
        slopes.back_from_product(
            parts::VALUE_OUTPUT,
            &activations.value_hidden,
            by_chance,
            &mut by_round,
        );
        only_where_positive(&mut by_round, &activations.value_hidden);
        slopes.add_to(parts::VALUE_BIAS.start, &by_round);
        let called = usize::from(called);
        slopes.back(
            &parts::VALUE_TOWER,
            &activations.updated[0][called],
            &by_round,
            &mut by_updated[0][called],
        );
        slopes.back(&parts::VALUE_MOVES, &activations.sum, &by_round, &mut by_sum);
        slopes.back(&parts::VALUE_BEST, &activations.best, &by_round, &mut by_best);
        slopes.back(&parts::VALUE_SIDES, &activations.sides, &by_round, &mut by_sides);
    }
    let mut by_replies = [[0.0; MOVE]; 9];
    for (mv, by_logit) in view.moves.iter().zip(by_logits) {
        let after = net.after(&activations.replies, mv);
        let mut by_after = by_sum.map(|slope| slope * SUM_SCALE);
        slopes.back_from_product(parts::POLICY_OUTPUT, &after, by_logit, &mut by_after);
        for number in (0..MOVE).filter(|&number| after[number] == activations.best[number]) {
            // The first of several that are equally great takes all.
            by_after[number] += std::mem::take(&mut by_best[number]);
        }
        only_where_positive(&mut by_after, &after);
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.values);
        rows.into_iter().for_each(|row| slopes.add_to(row, &by_after));
        add_scaled(&mut by_replies[usize::from(mv.callee)], &by_after, 1.0);
    }
    let mut by_all = [0.0; MOVE];
    for (colour, by_reply) in by_replies.iter().enumerate() {
        add_scaled(&mut by_all, by_reply, 1.0);
        if colour == usize::from(PUSH) {
            slopes.add_to(parts::PUSH_BIAS.start, by_reply);
            continue;
        }
        slopes.add_to(parts::REPLY_BIAS.start, by_reply);
        slopes.back(
            &parts::REPLY_TOWER,
            &activations.updated[1][colour],
            by_reply,
            &mut by_updated[1][colour],
        );
        let calls = view.towers[1][colour].calls;
        let mut by_called = [0.0; TOWER];
        slopes.back(
            &parts::REPLY_CALLED,
            &sum_selected(&activations.updated[0], calls),
            by_reply,
            &mut by_called,
        );
        back_sum(&mut by_updated[0], calls, &by_called);
    }
    slopes.back(&parts::REPLY_SIDES, &activations.sides, &by_all, &mut by_sides);
    for (by_updated, by_side) in by_updated.iter_mut().zip(by_sides.as_chunks().0) {
        back_sum(by_updated, u8::MAX, by_side);
    }
    back_to_towers(&mut slopes, view, &activations, by_updated);
}

/// Through the first two layers.
fn back_to_towers(
    slopes: &mut Slopes<'_>,
    view: &Features,
    Activations { towers, updated, .. }: &Activations,
    by_updated: Towers<TOWER>,
) {
    let mut by_towers = slopes.back_messages(&parts::MESSAGES, view, [towers, updated], by_updated);
    let layers = by_towers
        .as_flattened_mut()
        .iter_mut()
        .zip(towers.as_flattened())
        .zip(view.towers.as_flattened());
    for ((by_tower, tower), seen) in layers {
        only_where_positive(by_tower, tower);
        slopes.add_to(parts::TOWER_BIAS.start, by_tower);
        let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, seen.values);
        rows.into_iter().for_each(|row| slopes.add_to(row, by_tower));
    }
}

#[cfg(test)]
mod tests {
    use oshi::game::Game;
    use oshi::games::kamisado::Match;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::fitting::slopes::assert_is_gradient;
    use crate::kamisado::rounds::fit::first_weights;
    use crate::kamisado::rounds::sample::{CHOICE_SHARE, shares};

    /// An opening, and later positions with and without pushes and Sumos, with results that are made up; whether those of the moves are too.
    const ROUNDS: [(char, bool, &str); 4] = [
        ('-', true, "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1"),
        ('w', true, "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 1"),
        ('w', false, "OLVPYR1B/8/8/4G3/4+y3/8/8/bgr1pvlo b y 0-0 1"),
        ('l', false, "OLVPYRGB/8/8/8/8/2r5/8/bg1ypvlo w r 0-0 1"),
    ];

    fn loss(net: &Net, sample: &Sample) -> f32 {
        let activations = net.forward(&sample.view);
        let of_chance = sample.won.map_or(0.0, |won| {
            -weights::logistic(if won { activations.value } else { -activations.value }).ln()
        });
        let of_choice = if sample.wins.is_empty() {
            0.0
        } else {
            -shares(&activations.logits, &sample.wins).1.ln()
        };
        of_chance + CHOICE_SHARE * of_choice
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        for (result, with_moves, position) in ROUNDS {
            let moves = position.parse::<Match>().unwrap().legal_moves().len();
            let digits = if with_moves {
                "10-".chars().cycle().take(moves).collect()
            } else {
                "-".to_owned()
            };
            let sample = Sample::from_line(&format!("{result} {digits} {position}")).unwrap();
            let net = Net { weights: first_weights(&mut ChaCha8Rng::seed_from_u64(1)) };
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
