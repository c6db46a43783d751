//! Neural network that evaluates rounds and their moves.
//!
//! The towers are the nodes of a graph, and the calls are its edges. Each tower receives messages
//! from the towers that it can call. A move's vector combines the tower that it calls, the towers
//! that this one can call, and features of the move. The value combines the called tower with the
//! sum and the maximum of the moves' vectors.
//!
//! `cargo run --release -p oshi-train -- kamisado fit-round-net` trains the weights.

use std::ops::Range;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::features::{Features, MOVE_SIZES, MoveFeatures, PUSH, TOWER_SIZES};
use super::layers::{SUM_SCALE, Towers, add, add_scaled, multiply_add, relu, rows, sum_selected};
use crate::game::MAX_MOVES;
use crate::games::weights::{self, dot, row};

/// Width of a tower's vector.
pub const TOWER: usize = 8;

/// Width of a move's vector.
pub const MOVE: usize = 32;

/// Ranges and indices of the weights within [`Net::weights`]. A matrix has a row per input.
pub mod parts {
    use std::ops::Range;

    use super::super::layers::MessageLayer;
    use super::{MOVE, MOVE_SIZES, TOWER, TOWER_SIZES};
    use crate::games::weights::{after, rows_of};

    /// Rows of a tower's vector for each feature and value.
    pub const TOWER_ROWS: Range<usize> = 0..rows_of(TOWER_SIZES) * TOWER;
    /// Bias of a tower's vector.
    pub const TOWER_BIAS: Range<usize> = after(&TOWER_ROWS, TOWER);
    /// Messages between towers.
    pub const MESSAGES: MessageLayer = MessageLayer::after(&TOWER_BIAS, TOWER);
    /// Matrix from the called tower to a move.
    pub const REPLY_TOWER: Range<usize> = after(&MESSAGES.bias, TOWER * MOVE);
    /// Matrix from the towers that the called tower can call to a move.
    pub const REPLY_CALLED: Range<usize> = after(&REPLY_TOWER, TOWER * MOVE);
    /// Bias of a move that calls a tower.
    pub const REPLY_BIAS: Range<usize> = after(&REPLY_CALLED, MOVE);
    /// Bias of an oshi.
    pub const PUSH_BIAS: Range<usize> = after(&REPLY_BIAS, MOVE);
    /// Matrices from the sums of own and of enemy towers to each move.
    pub const REPLY_SIDES: Range<usize> = after(&PUSH_BIAS, 2 * TOWER * MOVE);
    /// Rows of a move's vector for each feature and value.
    pub const MOVE_ROWS: Range<usize> = after(&REPLY_SIDES, rows_of(MOVE_SIZES) * MOVE);
    /// Weights from a move to its logit.
    pub const POLICY_OUTPUT: Range<usize> = after(&MOVE_ROWS, MOVE);
    /// Matrix from the called tower to the value's hidden layer.
    pub const VALUE_TOWER: Range<usize> = after(&POLICY_OUTPUT, TOWER * MOVE);
    /// Matrix from the sum of the moves to the value's hidden layer.
    pub const VALUE_MOVES: Range<usize> = after(&VALUE_TOWER, MOVE * MOVE);
    /// Matrix from the maximum over the moves to the value's hidden layer.
    pub const VALUE_BEST: Range<usize> = after(&VALUE_MOVES, MOVE * MOVE);
    /// Matrices from the sums of own and of enemy towers to the value's hidden layer.
    pub const VALUE_SIDES: Range<usize> = after(&VALUE_BEST, 2 * TOWER * MOVE);
    /// Bias of the value's hidden layer.
    pub const VALUE_BIAS: Range<usize> = after(&VALUE_SIDES, MOVE);
    /// Weights from the value's hidden layer to its logit.
    pub const VALUE_OUTPUT: Range<usize> = after(&VALUE_BIAS, MOVE);
    /// Bias of the value's logit.
    pub const VALUE_CONSTANT: usize = VALUE_OUTPUT.end;
    /// Total number of weights.
    pub const LEN: usize = VALUE_CONSTANT + 1;
}

/// Values of the network's layers for one position. [`Net::move_vector`] computes those of moves.
#[derive(Clone, Debug)]
pub struct Activations {
    /// Towers before messages.
    pub towers: Towers<TOWER>,
    /// Towers after messages.
    pub updated: Towers<TOWER>,
    /// Sums over the own and over the enemy towers.
    pub sides: [f32; 2 * TOWER],
    /// Contribution of the called tower to a move, by colour; the last is for an oshi. Before the
    /// rectifier.
    pub replies: [[f32; MOVE]; 9],
    /// Sum over the moves, times [`SUM_SCALE`].
    pub sum: [f32; MOVE],
    /// Maximum over the moves, at least 0.
    pub best: [f32; MOVE],
    /// Hidden layer of the value.
    pub value_hidden: [f32; MOVE],
    /// Logit of each move.
    pub logits: ArrayVec<f32, MAX_MOVES>,
    /// Logit of the probability that the player to move wins the round. 0 if no tower is called.
    pub value: f32,
}

/// The network.
pub struct Net {
    /// Weights in the order of [`parts`].
    pub weights: Vec<f32>,
}

static FITTED: LazyLock<Net> = LazyLock::new(|| Net {
    weights: weights::from_bytes(include_bytes!("round_net.bin"), parts::LEN),
});

impl Net {
    /// The trained network of this build.
    pub fn fitted() -> &'static Net {
        &FITTED
    }

    /// Computes all layers except the moves' vectors.
    pub fn forward(&self, features: &Features) -> Activations {
        let mut towers = [[[0.0; TOWER]; 8]; 2];
        for (tower, tower_features) in
            towers.as_flattened_mut().iter_mut().zip(features.towers.as_flattened())
        {
            *tower = *self.vector(parts::TOWER_BIAS);
            let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, tower_features.values);
            rows.into_iter().for_each(|row| add(tower, self.row(row)));
            relu(tower);
        }
        let updated = parts::MESSAGES.forward(&self.weights, features, &towers);
        let mut sides = [0.0; 2 * TOWER];
        for side in [0, 1] {
            sides[side * TOWER..][..TOWER].copy_from_slice(&sum_selected(&updated[side], u8::MAX));
        }
        let replies = self.replies(features, &updated, &sides);
        let (mut sum, mut best, mut logits) = ([0.0; MOVE], [0.0_f32; MOVE], ArrayVec::new());
        for mv in &features.moves {
            let vector = self.move_vector(&replies, mv);
            logits.push(dot(&vector, self.vector(parts::POLICY_OUTPUT)));
            add_scaled(&mut sum, &vector, SUM_SCALE);
            best.iter_mut().zip(vector).for_each(|(best, number)| *best = best.max(number));
        }
        let (mut value_hidden, mut value) = (*self.vector(parts::VALUE_BIAS), 0.0);
        if let Some(called) = features.called {
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

    /// Vector of a move.
    pub fn move_vector(&self, replies: &[[f32; MOVE]; 9], mv: &MoveFeatures) -> [f32; MOVE] {
        let mut vector = replies[usize::from(mv.callee)];
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.values);
        rows.into_iter().for_each(|row| add(&mut vector, self.row(row)));
        relu(&mut vector);
        vector
    }

    /// Contributions of called towers to moves, only for the towers that can be called.
    fn replies(
        &self,
        features: &Features,
        updated: &Towers<TOWER>,
        sides: &[f32; 2 * TOWER],
    ) -> [[f32; MOVE]; 9] {
        let mut by_sides = [0.0; MOVE];
        self.multiply_add(&mut by_sides, parts::REPLY_SIDES, sides);
        let callable =
            features.called.map_or(u8::MAX, |called| features.towers[0][usize::from(called)].calls);
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
                    &sum_selected(&updated[0], features.towers[1][colour].calls),
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
    fn weights_match_their_file() {
        assert_eq!(weights::to_bytes(&Net::fitted().weights), include_bytes!("round_net.bin"));
        assert_eq!(include_bytes!("round_net.bin").len(), 2 * parts::LEN);
    }
}
