//! The gradient of the net's loss.

use std::ops::Range;

use oshi::games::kamisado::net::{MOVE, Net, Reading, SHARE, TOWER, add_times, parts, rows, sum_of};
use oshi::games::kamisado::view::{MOVE_SIZES, PUSH, TOWER_SIZES, View};
use oshi::games::weights;

use super::sample::{Sample, by_logits};

/// The gradient of the loss, summed up over samples.
pub struct Slopes<'a> {
    pub net: &'a Net,
    pub gradient: &'a mut [f32],
}

impl Slopes<'_> {
    /// Adds the gradient of the sample's loss (back propagation, Rumelhart, Hinton and Williams 1986).
    pub fn add(&mut self, sample: &Sample) {
        let view = &sample.view;
        let reading = self.net.read(view);
        let by_logits = by_logits(&reading.logits, &sample.wins);
        let mut by_heard = [[[0.0; TOWER]; 8]; 2];
        let mut by_sides = [0.0; 2 * TOWER];
        let (mut by_sum, mut by_best) = ([0.0; MOVE], [0.0; MOVE]);
        if let (Some(won), Some(called)) = (sample.won, view.called) {
            let by_chance = weights::logistic(reading.chance) - f32::from(u8::from(won));
            self.gradient[parts::CONSTANT] += by_chance;
            let mut by_round = [0.0; MOVE];
            self.back_from_product(parts::CHANCE, &reading.round, by_chance, &mut by_round);
            only_where_positive(&mut by_round, &reading.round);
            self.add_to(parts::ROUND_BIAS.start, &by_round);
            let called = usize::from(called);
            self.back(parts::ROUND_TOWER, &reading.heard[0][called], &by_round, &mut by_heard[0][called]);
            self.back(parts::ROUND_MOVES, &reading.sum, &by_round, &mut by_sum);
            self.back(parts::ROUND_BEST, &reading.best, &by_round, &mut by_best);
            self.back(parts::ROUND_SIDES, &reading.sides, &by_round, &mut by_sides);
        }
        let mut by_replies = [[0.0; MOVE]; 9];
        for (mv, by_logit) in view.moves.iter().zip(by_logits) {
            let after = self.net.after(&reading.replies, mv);
            let mut by_after = by_sum.map(|slope| slope * SHARE);
            self.back_from_product(parts::CHOICE, &after, by_logit, &mut by_after);
            for number in (0..MOVE).filter(|&number| after[number] == reading.best[number]) {
                // The first of several that are equally great takes all.
                by_after[number] += std::mem::take(&mut by_best[number]);
            }
            only_where_positive(&mut by_after, &after);
            let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.numbers);
            rows.into_iter().for_each(|row| self.add_to(row, &by_after));
            add_times(&mut by_replies[usize::from(mv.callee)], &by_after, 1.0);
        }
        let mut by_all = [0.0; MOVE];
        for (colour, by_reply) in by_replies.iter().enumerate() {
            add_times(&mut by_all, by_reply, 1.0);
            if colour == usize::from(PUSH) {
                self.add_to(parts::PUSH_BIAS.start, by_reply);
                continue;
            }
            self.add_to(parts::REPLY_BIAS.start, by_reply);
            self.back(parts::REPLY_TOWER, &reading.heard[1][colour], by_reply, &mut by_heard[1][colour]);
            let calls = view.towers[1][colour].calls;
            let mut by_called = [0.0; TOWER];
            self.back(parts::REPLY_CALLED, &sum_of(&reading.heard[0], calls), by_reply, &mut by_called);
            spread(&mut by_heard[0], calls, &by_called);
        }
        self.back(parts::REPLY_SIDES, &reading.sides, &by_all, &mut by_sides);
        for (by_heard, by_side) in by_heard.iter_mut().zip(by_sides.as_chunks().0) {
            spread(by_heard, u8::MAX, by_side);
        }
        self.back_to_towers(view, &reading, by_heard);
    }

    /// Through the first two layers.
    fn back_to_towers(&mut self, view: &View, Reading { towers, heard, .. }: &Reading, mut by_heard: [[[f32; TOWER]; 8]; 2]) {
        let mut by_towers = [[[0.0; TOWER]; 8]; 2];
        for (side, colour) in (0..2).flat_map(|side| (0..8).map(move |colour| (side, colour))) {
            let by_tower = &mut by_heard[side][colour];
            only_where_positive(by_tower, &heard[side][colour]);
            self.add_to(parts::HEARD_BIAS.start, by_tower);
            self.back(parts::HEARD_SELF, &towers[side][colour], by_tower, &mut by_towers[side][colour]);
            let calls = view.towers[side][colour].calls;
            let mut by_called = [0.0; TOWER];
            self.back(parts::HEARD_CALLED, &sum_of(&towers[1 - side], calls), by_tower, &mut by_called);
            spread(&mut by_towers[1 - side], calls, &by_called);
        }
        for (side, colour) in (0..2).flat_map(|side| (0..8).map(move |colour| (side, colour))) {
            let by_tower = &mut by_towers[side][colour];
            only_where_positive(by_tower, &towers[side][colour]);
            self.add_to(parts::TOWER_BIAS.start, by_tower);
            let numbers = view.towers[side][colour].numbers;
            let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, numbers);
            rows.into_iter().for_each(|row| self.add_to(row, by_tower));
        }
    }

    /// Back through a matrix, from the slopes of what came out to those of what went in.
    fn back<const N: usize>(&mut self, matrix: Range<usize>, numbers: &[f32], by_sums: &[f32; N], by_numbers: &mut [f32]) {
        let rows = self.net.weights[matrix.clone()].as_chunks().0;
        let slopes = self.gradient[matrix].as_chunks_mut().0;
        for (((row, slopes), &number), by_number) in rows.iter().zip(slopes).zip(numbers).zip(by_numbers) {
            add_times(slopes, by_sums, number);
            *by_number += weights::dot(row, by_sums);
        }
    }

    /// Back through an inner product with weights.
    fn back_from_product(&mut self, part: Range<usize>, numbers: &[f32; MOVE], by_product: f32, by_numbers: &mut [f32; MOVE]) {
        for (index, (number, by_number)) in part.zip(numbers.iter().zip(by_numbers)) {
            self.gradient[index] += by_product * number;
            *by_number += by_product * self.net.weights[index];
        }
    }

    fn add_to(&mut self, start: usize, slopes: &[f32]) {
        self.gradient[start..].iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
    }
}

fn only_where_positive<const N: usize>(slopes: &mut [f32; N], numbers: &[f32; N]) {
    slopes.iter_mut().zip(numbers).filter(|(_, number)| **number <= 0.0).for_each(|(slope, _)| *slope = 0.0);
}

/// Back through [`sum_of`].
fn spread(by_towers: &mut [[f32; TOWER]; 8], set: u8, by_sum: &[f32; TOWER]) {
    let heard = by_towers.iter_mut().enumerate().filter(|(colour, _)| set >> colour & 1 == 1);
    heard.for_each(|(_, by_tower)| add_times(by_tower, by_sum, SHARE));
}

#[cfg(test)]
mod tests {
    use oshi::game::Game;
    use oshi::games::kamisado::Match;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;
    use crate::fit::first_weights;
    use crate::sample::{CHOICE_SHARE, shares};

    /// An opening, and later positions with and without pushes and Sumos, with results that are made up; whether those of the moves are too.
    const ROUNDS: [(char, bool, &str); 4] = [
        ('-', true, "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1"),
        ('w', true, "O1VPYRGB/8/8/4L3/8/2r5/8/bg1ypvlo b b 0-0 1"),
        ('w', false, "OLVPYR1B/8/8/4G3/4+y3/8/8/bgr1pvlo b y 0-0 1"),
        ('l', false, "OLVPYRGB/8/8/8/8/2r5/8/bg1ypvlo w r 0-0 1"),
    ];

    fn loss(net: &Net, sample: &Sample) -> f32 {
        let reading = net.read(&sample.view);
        let of_chance = sample.won.map_or(0.0, |won| -weights::logistic(if won { reading.chance } else { -reading.chance }).ln());
        let of_choice = if sample.wins.is_empty() { 0.0 } else { -shares(&reading.logits, &sample.wins).1.ln() };
        of_chance + CHOICE_SHARE * of_choice
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        const STEP: f32 = 1e-2;
        for (result, with_moves, position) in ROUNDS {
            let moves = position.parse::<Match>().unwrap().legal_moves().len();
            let digits = if with_moves { "10-".chars().cycle().take(moves).collect() } else { "-".to_owned() };
            let sample = Sample::from_line(&format!("{result} {digits} {position}")).unwrap();
            let mut net = Net { weights: first_weights(&mut ChaCha8Rng::seed_from_u64(1)) };
            let mut gradient = vec![0.0; parts::LEN];
            Slopes { net: &net, gradient: &mut gradient }.add(&sample);
            let (mut wrong, mut sloping) = (0, 0);
            for (index, told) in gradient.into_iter().enumerate() {
                let weight = net.weights[index];
                let [above, below] = [STEP, -STEP].map(|step| {
                    net.weights[index] = weight + step;
                    loss(&net, &sample)
                });
                net.weights[index] = weight;
                let slope = (above - below) / (2.0 * STEP);
                sloping += u32::from(slope != 0.0);
                wrong += u32::from((slope - told).abs() > 0.02 + 0.1 * slope.abs());
            }
            // Where a number passes 0 or another move becomes the best, the two may differ.
            assert!(sloping > 100 && 50 * wrong <= sloping, "{wrong} of {sloping} slopes of {position}");
        }
    }
}
