//! The small neural network that judges rounds and their moves, whose weights `cargo run --release
//! --example fit_kamisado` makes.
//!
//! Towers are the nodes of a graph whose edges are calls, and messages go along them, against the
//! direction of play: a tower hears those that it can call, each of those has heard the ones that
//! it can call, and so on. What a move comes to is what the tower that it calls has heard and how
//! it changes the board; what the called tower is worth is said by all of its moves and by the best
//! one in each respect.

use std::ops::Range;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::features::{Features, MOVE_SIZES, MoveFeatures, PUSH, TOWER_SIZES};
use super::layers::{SUM_SCALE, Towers, add, add_scaled, multiply_add, relu, rows, sum_selected};
use crate::game::MAX_MOVES;
use crate::games::weights::{self, dot, row};

/// The width of what is known of a tower.
pub const TOWER: usize = 8;

/// The width of what is known of a move.
pub const MOVE: usize = 32;

/// Where which weights lie in [`Net::weights`]. A matrix has a row for each number that goes in.
pub mod parts {
    use std::ops::Range;

    use super::super::layers::MessageLayer;
    use super::{MOVE, MOVE_SIZES, TOWER, TOWER_SIZES};
    use crate::games::weights::{after, rows_of};

    /// What a tower starts from: a row for each value of each number.
    pub const TOWER_ROWS: Range<usize> = 0..rows_of(TOWER_SIZES) * TOWER;
    /// The same, whatever it is.
    pub const TOWER_BIAS: Range<usize> = after(&TOWER_ROWS, TOWER);
    /// How it hears the towers that it can call.
    pub const MESSAGES: MessageLayer = MessageLayer::after(&TOWER_BIAS, TOWER);
    /// What a move gets from the tower that it calls.
    pub const REPLY_TOWER: Range<usize> = after(&MESSAGES.bias, TOWER * MOVE);
    /// What it gets from those that can be called next.
    pub const REPLY_CALLED: Range<usize> = after(&REPLY_TOWER, TOWER * MOVE);
    /// What each move to a called tower gets.
    pub const REPLY_BIAS: Range<usize> = after(&REPLY_CALLED, MOVE);
    /// What a push gets instead.
    pub const PUSH_BIAS: Range<usize> = after(&REPLY_BIAS, MOVE);
    /// What each move gets from the towers of the player to move, then from the enemy's.
    pub const REPLY_SIDES: Range<usize> = after(&PUSH_BIAS, 2 * TOWER * MOVE);
    /// What a move gets from what it does: a row for each value of each number.
    pub const MOVE_ROWS: Range<usize> = after(&REPLY_SIDES, rows_of(MOVE_SIZES) * MOVE);
    /// From a move to its logit.
    pub const POLICY_OUTPUT: Range<usize> = after(&MOVE_ROWS, MOVE);
    /// What the position gets from the called tower.
    pub const VALUE_TOWER: Range<usize> = after(&POLICY_OUTPUT, TOWER * MOVE);
    /// What it gets from all moves.
    pub const VALUE_MOVES: Range<usize> = after(&VALUE_TOWER, MOVE * MOVE);
    /// What it gets from the greatest numbers of any move.
    pub const VALUE_BEST: Range<usize> = after(&VALUE_MOVES, MOVE * MOVE);
    /// What it gets from the towers of the player to move, then from the enemy's.
    pub const VALUE_SIDES: Range<usize> = after(&VALUE_BEST, 2 * TOWER * MOVE);
    /// What it gets anyway.
    pub const VALUE_BIAS: Range<usize> = after(&VALUE_SIDES, MOVE);
    /// From the position to the chance.
    pub const VALUE_OUTPUT: Range<usize> = after(&VALUE_BIAS, MOVE);
    /// The constant of the chance.
    pub const VALUE_CONSTANT: usize = VALUE_OUTPUT.end;
    /// How many weights there are.
    pub const LEN: usize = VALUE_CONSTANT + 1;
}

/// All that the net makes of a view, layer by layer but for the moves, which [`Net::after`] gives.
/// No number in a layer is below 0.
#[derive(Clone, Debug)]
pub struct Activations {
    /// What each tower starts from.
    pub towers: Towers<TOWER>,
    /// What each has heard.
    pub updated: Towers<TOWER>,
    /// The sums of those of both sides.
    pub sides: [f32; 2 * TOWER],
    /// What a move gets from the tower that it calls, by colour, and from a push; before anything
    /// is cut off at 0.
    pub replies: [[f32; MOVE]; 9],
    /// The share of the sum of the moves.
    pub sum: [f32; MOVE],
    /// The greatest numbers of any move.
    pub best: [f32; MOVE],
    /// The position.
    pub value_hidden: [f32; MOVE],
    /// How likely each move is the best one, as a logit.
    pub logits: ArrayVec<f32, MAX_MOVES>,
    /// The chance that the player to move wins the round, as a logit; of no meaning where no tower
    /// is called.
    pub value: f32,
}

/// The net.
pub struct Net {
    /// All weights, as [`parts`] orders them.
    pub weights: Vec<f32>,
}

static FITTED: LazyLock<Net> = LazyLock::new(|| Net {
    weights: weights::from_bytes(include_bytes!("round_net.bin"), parts::LEN),
});

impl Net {
    /// The net that the program was built with.
    pub fn fitted() -> &'static Net {
        &FITTED
    }

    /// What the net makes of the view.
    pub fn forward(&self, view: &Features) -> Activations {
        let mut towers = [[[0.0; TOWER]; 8]; 2];
        for (tower, seen) in towers.as_flattened_mut().iter_mut().zip(view.towers.as_flattened()) {
            *tower = *self.vector(parts::TOWER_BIAS);
            let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, seen.values);
            rows.into_iter().for_each(|row| add(tower, self.row(row)));
            relu(tower);
        }
        let updated = parts::MESSAGES.forward(&self.weights, view, &towers);
        let mut sides = [0.0; 2 * TOWER];
        for side in [0, 1] {
            sides[side * TOWER..][..TOWER].copy_from_slice(&sum_selected(&updated[side], u8::MAX));
        }
        let replies = self.replies(view, &updated, &sides);
        let (mut sum, mut best, mut logits) = ([0.0; MOVE], [0.0_f32; MOVE], ArrayVec::new());
        for mv in &view.moves {
            let after = self.after(&replies, mv);
            logits.push(dot(&after, self.vector(parts::POLICY_OUTPUT)));
            add_scaled(&mut sum, &after, SUM_SCALE);
            best.iter_mut().zip(after).for_each(|(best, number)| *best = best.max(number));
        }
        let (mut value_hidden, mut value) = (*self.vector(parts::VALUE_BIAS), 0.0);
        if let Some(called) = view.called {
            self.multiply_add(
                &mut value_hidden,
                parts::VALUE_TOWER,
                &updated[0][usize::from(called)],
            );
            self.multiply_add(&mut value_hidden, parts::VALUE_MOVES, &sum);
            self.multiply_add(&mut value_hidden, parts::VALUE_BEST, &best);
            self.multiply_add(&mut value_hidden, parts::VALUE_SIDES, &sides);
            relu(&mut value_hidden);
            value = self.weights[parts::VALUE_CONSTANT]
                + dot(&value_hidden, self.vector(parts::VALUE_OUTPUT));
        }
        Activations { towers, updated, sides, replies, sum, best, value_hidden, logits, value }
    }

    /// What is known of a move once it is told what the tower that it calls has heard.
    pub fn after(&self, replies: &[[f32; MOVE]; 9], mv: &MoveFeatures) -> [f32; MOVE] {
        let mut after = replies[usize::from(mv.callee)];
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.values);
        rows.into_iter().for_each(|row| add(&mut after, self.row(row)));
        relu(&mut after);
        after
    }

    /// Only for the towers that can be called; nothing is asked of the others.
    fn replies(
        &self,
        view: &Features,
        updated: &Towers<TOWER>,
        sides: &[f32; 2 * TOWER],
    ) -> [[f32; MOVE]; 9] {
        let mut by_sides = [0.0; MOVE];
        self.multiply_add(&mut by_sides, parts::REPLY_SIDES, sides);
        let callable =
            view.called.map_or(u8::MAX, |called| view.towers[0][usize::from(called)].calls);
        let mut replies = [by_sides; 9];
        for (colour, reply) in replies.iter_mut().enumerate() {
            if colour == usize::from(PUSH) {
                add(reply, self.vector(parts::PUSH_BIAS));
            } else if callable >> colour & 1 == 1 {
                add(reply, self.vector(parts::REPLY_BIAS));
                self.multiply_add(reply, parts::REPLY_TOWER, &updated[1][colour]);
                self.multiply_add(
                    reply,
                    parts::REPLY_CALLED,
                    &sum_selected(&updated[0], view.towers[1][colour].calls),
                );
            }
        }
        replies
    }

    fn vector<const N: usize>(&self, part: Range<usize>) -> &[f32; N] {
        self.row(part.start)
    }

    fn row<const N: usize>(&self, start: usize) -> &[f32; N] {
        row(&self.weights, start)
    }

    fn multiply_add<const N: usize, const K: usize>(
        &self,
        sums: &mut [f32; N],
        matrix: Range<usize>,
        numbers: &[f32; K],
    ) {
        multiply_add(&self.weights, sums, &matrix, numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_holds_every_weight() {
        assert_eq!(weights::to_bytes(&Net::fitted().weights), include_bytes!("round_net.bin"));
        assert_eq!(include_bytes!("round_net.bin").len(), 2 * parts::LEN);
    }
}
