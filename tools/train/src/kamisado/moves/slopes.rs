//! The gradient of the loss of the net of the match.

use oshi::games::kamisado::layers::{Towers, add_times, rows, sum_of};
use oshi::games::kamisado::match_net::{MOVE, Net, Reading, TOWER, parts};
use oshi::games::kamisado::match_view::{MatchView, STANDING_SIZES};
use oshi::games::kamisado::view::{MOVE_SIZES, PASS, PUSH, TOWER_SIZES};
use oshi::games::weights;

use super::sample::{Sample, by_chance, by_logits};
use crate::fitting::slopes::{Slopes, only_where_positive};
use crate::kamisado::hearing::back_sum;

/// Adds the gradient of the sample's loss where it is seen like this.
pub fn add_gradient(net: &Net, view: &MatchView, sample: &Sample, gradient: &mut [f32]) {
    let mut slopes = Slopes { weights: &net.weights, gradient };
    let reading = net.read(view);
    let mut by = Layers {
        heard: [[[0.0; TOWER]; 8]; 2],
        sides: [0.0; 2 * TOWER],
        replies: [[0.0; MOVE]; 9],
        movers: [[0.0; MOVE]; 9],
        mean: [0.0; MOVE],
        best: [0.0; MOVE],
    };
    if view.round.called.is_some() {
        let by_chance = by_chance(weights::logistic(reading.chance), sample);
        back_from_chance(&mut slopes, view, &reading, by_chance, &mut by);
    }
    let share = 1.0 / view.round.moves.len() as f32;
    for (choice, by_logit) in by_logits(&reading.logits, sample.played).into_iter().enumerate() {
        let after = net.after(&reading.replies, &reading.movers, view, choice);
        let mut by_after = by.mean.map(|slope| slope * share);
        slopes.back_from_product(parts::CHOICE, &after, by_logit, &mut by_after);
        for number in (0..MOVE).filter(|&number| after[number] == reading.best[number]) {
            // The first of several that are equally great takes all.
            by_after[number] += std::mem::take(&mut by.best[number]);
        }
        only_where_positive(&mut by_after, &after);
        let mv = &view.round.moves[choice];
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.numbers);
        rows.into_iter().for_each(|row| slopes.add_to(row, &by_after));
        slopes.add_to(parts::winner_row(view.winner(), view.winners[choice]), &by_after);
        add_times(&mut by.replies[usize::from(mv.callee)], &by_after, 1.0);
        add_times(&mut by.movers[usize::from(mv.mover)], &by_after, 1.0);
    }
    back_to_heard(&mut slopes, view, &reading, &mut by);
    back_to_towers(&mut slopes, view, &reading, by.heard);
}

/// The slopes by the numbers of each layer.
struct Layers {
    heard: Towers<TOWER>,
    sides: [f32; 2 * TOWER],
    replies: [[f32; MOVE]; 9],
    movers: [[f32; MOVE]; 9],
    mean: [f32; MOVE],
    best: [f32; MOVE],
}

/// From the chance to what the position gets from its moves and towers.
fn back_from_chance(
    slopes: &mut Slopes<'_>,
    view: &MatchView,
    reading: &Reading,
    by_chance: f32,
    by: &mut Layers,
) {
    slopes.gradient[parts::CONSTANT] += by_chance;
    slopes.gradient[parts::BY_STANDING] += by_chance * view.by_standing;
    let mut by_value = [0.0; MOVE];
    slopes.back_from_product(parts::CHANCE, &reading.value, by_chance, &mut by_value);
    only_where_positive(&mut by_value, &reading.value);
    slopes.add_to(parts::VALUE_BIAS.start, &by_value);
    if let Some(called) = view.round.called {
        let called = usize::from(called);
        slopes.back(
            &parts::VALUE_TOWER,
            &reading.heard_twice[0][called],
            &by_value,
            &mut by.heard[0][called],
        );
    }
    slopes.back(&parts::VALUE_MOVES, &reading.mean, &by_value, &mut by.mean);
    slopes.back(&parts::VALUE_BEST, &reading.best, &by_value, &mut by.best);
    slopes.back(&parts::VALUE_SIDES, &reading.sides, &by_value, &mut by.sides);
    let rows = rows(parts::VALUE_STANDING.start, MOVE, STANDING_SIZES, view.standing);
    rows.into_iter().for_each(|row| slopes.add_to(row, &by_value));
}

/// From what moves get to what towers have heard twice.
fn back_to_heard(slopes: &mut Slopes<'_>, view: &MatchView, reading: &Reading, by: &mut Layers) {
    let heard = &reading.heard_twice;
    let mut by_all = [0.0; MOVE];
    for (colour, by_reply) in by.replies.iter().enumerate() {
        add_times(&mut by_all, by_reply, 1.0);
        if colour == usize::from(PUSH) {
            slopes.add_to(parts::PUSH_BIAS.start, by_reply);
            continue;
        }
        slopes.add_to(parts::REPLY_BIAS.start, by_reply);
        slopes.back(&parts::REPLY_TOWER, &heard[1][colour], by_reply, &mut by.heard[1][colour]);
        let calls = view.round.towers[1][colour].calls;
        let mut by_called = [0.0; TOWER];
        slopes.back(&parts::REPLY_CALLED, &sum_of(&heard[0], calls), by_reply, &mut by_called);
        back_sum(&mut by.heard[0], calls, &by_called);
    }
    for (colour, by_mover) in by.movers.iter().enumerate().take(usize::from(PASS)) {
        slopes.back(&parts::MOVER, &heard[0][colour], by_mover, &mut by.heard[0][colour]);
    }
    let rows = rows(parts::STANDING_ROWS.start, MOVE, STANDING_SIZES, view.standing);
    rows.into_iter().for_each(|row| slopes.add_to(row, &by_all));
    slopes.back(&parts::REPLY_SIDES, &reading.sides, &by_all, &mut by.sides);
    for (by_heard, by_side) in by.heard.iter_mut().zip(by.sides.as_chunks().0) {
        back_sum(by_heard, u8::MAX, by_side);
    }
}

/// Through the layers of towers.
fn back_to_towers(
    slopes: &mut Slopes<'_>,
    view: &MatchView,
    reading: &Reading,
    by_heard_twice: Towers<TOWER>,
) {
    let Reading { towers, heard, heard_twice, .. } = reading;
    let by_heard = slopes.back_hearing(
        &parts::SECOND_HEARING,
        &view.round,
        [heard, heard_twice],
        by_heard_twice,
    );
    let mut by_towers =
        slopes.back_hearing(&parts::FIRST_HEARING, &view.round, [towers, heard], by_heard);
    let seen = view.round.towers.as_flattened().iter().zip(view.worths.as_flattened());
    for ((by_tower, tower), (seen, &worth)) in
        by_towers.as_flattened_mut().iter_mut().zip(towers.as_flattened()).zip(seen)
    {
        only_where_positive(by_tower, tower);
        slopes.add_to(parts::TOWER_BIAS.start, by_tower);
        let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, seen.numbers);
        rows.into_iter().for_each(|row| slopes.add_to(row, by_tower));
        slopes.add_to(parts::worth_row(seen.numbers[4], worth), by_tower);
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
                let reading = Net { weights: changed.to_vec() }.read(&sample.view);
                let (target, chance) = (target(&sample), weights::logistic(reading.chance));
                let of_chance = -target * chance.ln() - (1.0 - target) * (1.0 - chance).ln();
                of_chance - shares(&reading.logits)[sample.played].ln()
            };
            assert_is_gradient(&gradient, net.weights, loss, line);
        }
    }
}
