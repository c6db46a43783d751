//! Neural network that evaluates positions of matches longer than the round in play.
//!
//! It has the structure of the [network for rounds](super::round_net), but is wider and passes
//! messages twice. A larger network pays in matches: the search visits few positions, and spends
//! many proof expansions on the round of each. Moves also depend on the state of the match, and
//! towers on the value of winning the round with them.
//!
//! `cargo run --release -p oshi-train -- kamisado fit-match-net` trains the weights on recorded
//! matches.

use std::ops::Range;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::features::{MOVE_SIZES, PASS, PUSH, TOWER_SIZES};
use super::layers::{Towers, add, add_scaled, multiply_add, relu, rows, sum_selected};
use super::match_features::{MatchFeatures, STATE_SIZES};
use crate::game::MAX_MOVES;
use crate::games::weights::{self, dot, row};

/// Width of a tower's vector.
pub const TOWER: usize = 16;

/// Width of a move's vector.
pub const MOVE: usize = 48;

/// Ranges and indices of the weights within [`Net::weights`]. A matrix has a row per input.
pub mod parts {
    use std::ops::Range;

    use super::super::layers::MessageLayer;
    use super::super::match_features::{PAYOFF_CLASSES, WINNER_CLASSES};
    use super::{MOVE, MOVE_SIZES, STATE_SIZES, TOWER, TOWER_SIZES};
    use crate::games::weights::{after, rows_of};

    /// Rows of a tower's vector for each feature and value.
    pub const TOWER_ROWS: Range<usize> = 0..rows_of(TOWER_SIZES) * TOWER;
    /// Rows of a tower's vector for each value of its last feature and each payoff class.
    pub const TOWER_PAYOFFS: Range<usize> =
        after(&TOWER_ROWS, TOWER_SIZES[4] * PAYOFF_CLASSES * TOWER);
    /// Bias of a tower's vector.
    pub const TOWER_BIAS: Range<usize> = after(&TOWER_PAYOFFS, TOWER);
    /// First messages between towers.
    pub const FIRST_MESSAGES: MessageLayer = MessageLayer::after(&TOWER_BIAS, TOWER);
    /// Second messages between towers.
    pub const SECOND_MESSAGES: MessageLayer = MessageLayer::after(&FIRST_MESSAGES.bias, TOWER);
    /// Matrix from the called tower to a move.
    pub const REPLY_TOWER: Range<usize> = after(&SECOND_MESSAGES.bias, TOWER * MOVE);
    /// Matrix from the towers that the called tower can call to a move.
    pub const REPLY_CALLED: Range<usize> = after(&REPLY_TOWER, TOWER * MOVE);
    /// Bias of a move that calls a tower.
    pub const REPLY_BIAS: Range<usize> = after(&REPLY_CALLED, MOVE);
    /// Bias of an oshi.
    pub const PUSH_BIAS: Range<usize> = after(&REPLY_BIAS, MOVE);
    /// Matrices from the sums of own and of enemy towers to each move.
    pub const REPLY_SIDES: Range<usize> = after(&PUSH_BIAS, 2 * TOWER * MOVE);
    /// Rows of each move's vector for each feature and value of the state.
    pub const STATE_ROWS: Range<usize> = after(&REPLY_SIDES, rows_of(STATE_SIZES) * MOVE);
    /// Rows of a move's vector for each pair of the round's winners before and after it.
    pub const WINNER_ROWS: Range<usize> =
        after(&STATE_ROWS, WINNER_CLASSES * WINNER_CLASSES * MOVE);
    /// Matrix from the moving tower to a move.
    pub const MOVER: Range<usize> = after(&WINNER_ROWS, TOWER * MOVE);
    /// Rows of a move's vector for each feature and value.
    pub const MOVE_ROWS: Range<usize> = after(&MOVER, rows_of(MOVE_SIZES) * MOVE);
    /// Weights from a move to its logit.
    pub const POLICY_OUTPUT: Range<usize> = after(&MOVE_ROWS, MOVE);
    /// Matrix from the called tower to the value's hidden layer.
    pub const VALUE_TOWER: Range<usize> = after(&POLICY_OUTPUT, TOWER * MOVE);
    /// Matrix from the mean of the moves to the value's hidden layer.
    pub const VALUE_MOVES: Range<usize> = after(&VALUE_TOWER, MOVE * MOVE);
    /// Matrix from the maximum over the moves to the value's hidden layer.
    pub const VALUE_BEST: Range<usize> = after(&VALUE_MOVES, MOVE * MOVE);
    /// Matrices from the sums of own and of enemy towers to the value's hidden layer.
    pub const VALUE_SIDES: Range<usize> = after(&VALUE_BEST, 2 * TOWER * MOVE);
    /// Rows of the value's hidden layer for each feature and value of the state.
    pub const VALUE_STATE: Range<usize> = after(&VALUE_SIDES, rows_of(STATE_SIZES) * MOVE);
    /// Bias of the value's hidden layer.
    pub const VALUE_BIAS: Range<usize> = after(&VALUE_STATE, MOVE);
    /// Weights from the value's hidden layer to its logit.
    pub const VALUE_OUTPUT: Range<usize> = after(&VALUE_BIAS, MOVE);
    /// Factor of the logit from the state's logistic model.
    pub const STATE_SCALE: usize = VALUE_OUTPUT.end;
    /// Bias of the value's logit.
    pub const VALUE_CONSTANT: usize = STATE_SCALE + 1;
    /// Total number of weights.
    pub const LEN: usize = VALUE_CONSTANT + 1;

    /// Start of the row for a tower with this payoff class. `side` is the tower's last feature.
    pub fn payoff_row(side: u8, payoff_class: u8) -> usize {
        TOWER_PAYOFFS.start
            + (usize::from(side) * PAYOFF_CLASSES + usize::from(payoff_class)) * TOWER
    }

    /// Start of the row for these winners of the round before and after a move.
    pub fn winner_row(before: u8, after: u8) -> usize {
        WINNER_ROWS.start + (usize::from(before) * WINNER_CLASSES + usize::from(after)) * MOVE
    }
}

/// Values of the network's layers for one position. [`Net::move_vector`] computes those of moves.
#[derive(Clone, Debug)]
pub struct Activations {
    /// Towers before messages.
    pub towers: Towers<TOWER>,
    /// Towers after the first messages.
    pub updated: Towers<TOWER>,
    /// Towers after the second messages.
    pub updated_twice: Towers<TOWER>,
    /// Sums over the own and over the enemy towers.
    pub sides: [f32; 2 * TOWER],
    /// Contribution of the called tower to a move, by colour; the last is for an oshi. Before the
    /// rectifier.
    pub replies: [[f32; MOVE]; 9],
    /// Contribution of the moving tower to a move, by colour; the last is for a pass.
    pub movers: [[f32; MOVE]; 9],
    /// Logit of each move.
    pub logits: ArrayVec<f32, MAX_MOVES>,
    /// Mean over the moves.
    pub mean: [f32; MOVE],
    /// Maximum over the moves, at least 0.
    pub best: [f32; MOVE],
    /// Hidden layer of the value.
    pub value_hidden: [f32; MOVE],
    /// Logit of the win probability of the player to move. Meaningless if no tower is called.
    pub value: f32,
}

/// The network.
pub struct Net {
    /// Weights in the order of [`parts`].
    pub weights: Vec<f32>,
}

static FITTED: LazyLock<Net> = LazyLock::new(|| Net {
    weights: weights::from_bytes(include_bytes!("match_net.bin"), parts::LEN),
});

impl Net {
    /// The trained network of this build.
    pub fn fitted() -> &'static Net {
        &FITTED
    }

    /// Computes all layers except the moves' vectors.
    pub fn forward(&self, features: &MatchFeatures) -> Activations {
        let towers = self.towers(features);
        let updated = parts::FIRST_MESSAGES.forward(&self.weights, &features.round, &towers);
        let updated_twice =
            parts::SECOND_MESSAGES.forward(&self.weights, &features.round, &updated);
        let mut sides = [0.0; 2 * TOWER];
        for side in [0, 1] {
            sides[side * TOWER..][..TOWER]
                .copy_from_slice(&sum_selected(&updated_twice[side], u8::MAX));
        }
        let (replies, movers) =
            (self.replies(features, &updated_twice, &sides), self.movers(features, &updated_twice));
        let (mut mean, mut best, mut logits) = ([0.0; MOVE], [0.0_f32; MOVE], ArrayVec::new());
        let share = 1.0 / features.round.moves.len().max(1) as f32;
        for choice in 0..features.round.moves.len() {
            let vector = self.move_vector(&replies, &movers, features, choice);
            logits.push(dot(&vector, self.row(parts::POLICY_OUTPUT.start)));
            add_scaled(&mut mean, &vector, share);
            best.iter_mut().zip(vector).for_each(|(best, number)| *best = best.max(number));
        }
        let mut value_hidden = *self.row(parts::VALUE_BIAS.start);
        if let Some(called) = features.round.called {
            self.multiply_add(
                &mut value_hidden,
                &parts::VALUE_TOWER,
                &updated_twice[0][usize::from(called)],
            );
        }
        self.multiply_add(&mut value_hidden, &parts::VALUE_MOVES, &mean);
        self.multiply_add(&mut value_hidden, &parts::VALUE_BEST, &best);
        self.multiply_add(&mut value_hidden, &parts::VALUE_SIDES, &sides);
        self.add_state(&mut value_hidden, parts::VALUE_STATE.start, features);
        relu(&mut value_hidden);
        let state_logit = self.weights[parts::STATE_SCALE] * features.state_logit;
        let value = self.weights[parts::VALUE_CONSTANT]
            + state_logit
            + dot(&value_hidden, self.row(parts::VALUE_OUTPUT.start));
        Activations {
            towers,
            updated,
            updated_twice,
            sides,
            replies,
            movers,
            logits,
            mean,
            best,
            value_hidden,
            value,
        }
    }

    /// Vector of the move with this index.
    pub fn move_vector(
        &self,
        replies: &[[f32; MOVE]; 9],
        movers: &[[f32; MOVE]; 9],
        features: &MatchFeatures,
        choice: usize,
    ) -> [f32; MOVE] {
        let mv = &features.round.moves[choice];
        let mut vector = replies[usize::from(mv.callee)];
        add(&mut vector, &movers[usize::from(mv.mover)]);
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.values);
        rows.into_iter().for_each(|row| add(&mut vector, self.row(row)));
        add(&mut vector, self.row(parts::winner_row(features.winner(), features.winners[choice])));
        relu(&mut vector);
        vector
    }

    fn towers(&self, features: &MatchFeatures) -> Towers<TOWER> {
        let mut towers = [[[0.0; TOWER]; 8]; 2];
        let tower_features =
            features.round.towers.as_flattened().iter().zip(features.payoff_classes.as_flattened());
        for (tower, (tower_features, &payoff_class)) in
            towers.as_flattened_mut().iter_mut().zip(tower_features)
        {
            *tower = *self.row(parts::TOWER_BIAS.start);
            let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, tower_features.values);
            rows.into_iter().for_each(|row| add(tower, self.row(row)));
            add(tower, self.row(parts::payoff_row(tower_features.values[4], payoff_class)));
            relu(tower);
        }
        towers
    }

    /// Contributions of called towers to moves, only for towers that a move calls.
    fn replies(
        &self,
        features: &MatchFeatures,
        updated: &Towers<TOWER>,
        sides: &[f32; 2 * TOWER],
    ) -> [[f32; MOVE]; 9] {
        let mut by_all = [0.0; MOVE];
        self.multiply_add(&mut by_all, &parts::REPLY_SIDES, sides);
        self.add_state(&mut by_all, parts::STATE_ROWS.start, features);
        let mut replies = [by_all; 9];
        for (colour, reply) in (0..).zip(&mut replies) {
            if colour == PUSH {
                add(reply, self.row(parts::PUSH_BIAS.start));
            } else if features.round.moves.iter().any(|mv| mv.callee == colour) {
                let callee = usize::from(colour);
                add(reply, self.row(parts::REPLY_BIAS.start));
                self.multiply_add(reply, &parts::REPLY_TOWER, &updated[1][callee]);
                self.multiply_add(
                    reply,
                    &parts::REPLY_CALLED,
                    &sum_selected(&updated[0], features.round.towers[1][callee].calls),
                );
            }
        }
        replies
    }

    /// Contributions of moving towers to moves, only for towers that can move.
    fn movers(&self, features: &MatchFeatures, updated: &Towers<TOWER>) -> [[f32; MOVE]; 9] {
        let mut movers = [[0.0; MOVE]; 9];
        for (colour, mover) in (0..PASS).zip(&mut movers) {
            if features.round.moves.iter().any(|mv| mv.mover == colour) {
                self.multiply_add(mover, &parts::MOVER, &updated[0][usize::from(colour)]);
            }
        }
        movers
    }

    fn add_state(&self, sums: &mut [f32; MOVE], first: usize, features: &MatchFeatures) {
        let rows = rows(first, MOVE, STATE_SIZES, features.state);
        rows.into_iter().for_each(|row| add(sums, self.row(row)));
    }

    fn multiply_add<const N: usize, const K: usize>(
        &self,
        sums: &mut [f32; N],
        matrix: &Range<usize>,
        numbers: &[f32; K],
    ) {
        multiply_add(&self.weights, sums, matrix, numbers);
    }

    fn row<const N: usize>(&self, start: usize) -> &[f32; N] {
        row(&self.weights, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_match_their_file() {
        assert_eq!(weights::to_bytes(&Net::fitted().weights), include_bytes!("match_net.bin"));
        assert_eq!(include_bytes!("match_net.bin").len(), 2 * parts::LEN);
    }
}
