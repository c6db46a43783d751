//! The small neural network that judges positions and moves where more than the round decides the
//! match, whose weights `cargo run --release --example fit_kamisado` makes from recorded matches.
//!
//! It is built as [the net of rounds](super::round_net) is, wider and with a second message along
//! the calls, for the search of a match has time for it: it visits few positions, and each of them
//! costs many expansions of the proof of its round. The standing is told to every move, and what a
//! tower would be worth that wins to the tower.

use std::ops::Range;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::features::{MOVE_SIZES, PASS, PUSH, TOWER_SIZES};
use super::layers::{Towers, add, add_scaled, multiply_add, relu, rows, sum_selected};
use super::match_features::{MatchFeatures, STATE_SIZES};
use crate::game::MAX_MOVES;
use crate::games::weights::{self, dot, row};

/// The width of what is known of a tower.
pub const TOWER: usize = 16;

/// The width of what is known of a move.
pub const MOVE: usize = 48;

/// Where which weights lie in [`Net::weights`]. A matrix has a row for each number that goes in.
pub mod parts {
    use std::ops::Range;

    use super::super::layers::MessageLayer;
    use super::super::match_features::{PAYOFF_CLASSES, WINNER_CLASSES};
    use super::{MOVE, MOVE_SIZES, STATE_SIZES, TOWER, TOWER_SIZES};
    use crate::games::weights::{after, rows_of};

    /// What a tower starts from: a row for each value of each number.
    pub const TOWER_ROWS: Range<usize> = 0..rows_of(TOWER_SIZES) * TOWER;
    /// A row for what it is worth, for each value of its last number.
    pub const TOWER_PAYOFFS: Range<usize> =
        after(&TOWER_ROWS, TOWER_SIZES[4] * PAYOFF_CLASSES * TOWER);
    /// The same, whatever it is.
    pub const TOWER_BIAS: Range<usize> = after(&TOWER_PAYOFFS, TOWER);
    /// How it hears the towers that it can call.
    pub const FIRST_MESSAGES: MessageLayer = MessageLayer::after(&TOWER_BIAS, TOWER);
    /// How it hears what those have heard.
    pub const SECOND_MESSAGES: MessageLayer = MessageLayer::after(&FIRST_MESSAGES.bias, TOWER);
    /// What a move gets from the tower that it calls.
    pub const REPLY_TOWER: Range<usize> = after(&SECOND_MESSAGES.bias, TOWER * MOVE);
    /// What it gets from those that can be called next.
    pub const REPLY_CALLED: Range<usize> = after(&REPLY_TOWER, TOWER * MOVE);
    /// What each move to a called tower gets.
    pub const REPLY_BIAS: Range<usize> = after(&REPLY_CALLED, MOVE);
    /// What a push gets instead.
    pub const PUSH_BIAS: Range<usize> = after(&REPLY_BIAS, MOVE);
    /// What each move gets from the towers of the player to move, then from the enemy's.
    pub const REPLY_SIDES: Range<usize> = after(&PUSH_BIAS, 2 * TOWER * MOVE);
    /// What each gets from the standing: a row for each value of each number.
    pub const STATE_ROWS: Range<usize> = after(&REPLY_SIDES, rows_of(STATE_SIZES) * MOVE);
    /// What a move gets from who wins the round: a row for each pair of before and after it.
    pub const WINNER_ROWS: Range<usize> =
        after(&STATE_ROWS, WINNER_CLASSES * WINNER_CLASSES * MOVE);
    /// What it gets from the tower that moves.
    pub const MOVER: Range<usize> = after(&WINNER_ROWS, TOWER * MOVE);
    /// What it gets from what it does: a row for each value of each number.
    pub const MOVE_ROWS: Range<usize> = after(&MOVER, rows_of(MOVE_SIZES) * MOVE);
    /// From a move to its logit.
    pub const POLICY_OUTPUT: Range<usize> = after(&MOVE_ROWS, MOVE);
    /// What the position gets from the called tower.
    pub const VALUE_TOWER: Range<usize> = after(&POLICY_OUTPUT, TOWER * MOVE);
    /// What it gets from the mean of all moves.
    pub const VALUE_MOVES: Range<usize> = after(&VALUE_TOWER, MOVE * MOVE);
    /// What it gets from the greatest numbers of any move.
    pub const VALUE_BEST: Range<usize> = after(&VALUE_MOVES, MOVE * MOVE);
    /// What it gets from the towers of the player to move, then from the enemy's.
    pub const VALUE_SIDES: Range<usize> = after(&VALUE_BEST, 2 * TOWER * MOVE);
    /// What it gets from the standing: a row for each value of each number.
    pub const VALUE_STATE: Range<usize> = after(&VALUE_SIDES, rows_of(STATE_SIZES) * MOVE);
    /// What it gets anyway.
    pub const VALUE_BIAS: Range<usize> = after(&VALUE_STATE, MOVE);
    /// From the position to the chance.
    pub const VALUE_OUTPUT: Range<usize> = after(&VALUE_BIAS, MOVE);
    /// How much the logit by the standing alone counts.
    pub const STATE_SCALE: usize = VALUE_OUTPUT.end;
    /// The constant of the chance.
    pub const VALUE_CONSTANT: usize = STATE_SCALE + 1;
    /// How many weights there are.
    pub const LEN: usize = VALUE_CONSTANT + 1;

    /// Where the row starts for a tower that is worth this.
    pub fn payoff_row(side: u8, payoff_class: u8) -> usize {
        TOWER_PAYOFFS.start
            + (usize::from(side) * PAYOFF_CLASSES + usize::from(payoff_class)) * TOWER
    }

    /// Where the row starts for who wins the round before and after a move.
    pub fn winner_row(before: u8, after: u8) -> usize {
        WINNER_ROWS.start + (usize::from(before) * WINNER_CLASSES + usize::from(after)) * MOVE
    }
}

/// All that the net makes of a view, layer by layer but for the moves, which [`Net::after`] gives.
/// No number in a layer of towers is below 0.
#[derive(Clone, Debug)]
pub struct Activations {
    /// What each tower starts from.
    pub towers: Towers<TOWER>,
    /// What each has heard.
    pub updated: Towers<TOWER>,
    /// What each has heard of what others heard.
    pub updated_twice: Towers<TOWER>,
    /// The sums of those of both sides.
    pub sides: [f32; 2 * TOWER],
    /// What a move gets from the tower that it calls, by colour, and from a push; before anything
    /// is cut off at 0.
    pub replies: [[f32; MOVE]; 9],
    /// What it gets from the tower that moves, by colour, and from a pass.
    pub movers: [[f32; MOVE]; 9],
    /// How likely each move is the best one, as a logit.
    pub logits: ArrayVec<f32, MAX_MOVES>,
    /// The mean of the moves.
    pub mean: [f32; MOVE],
    /// The greatest numbers of any move.
    pub best: [f32; MOVE],
    /// The position.
    pub value_hidden: [f32; MOVE],
    /// The chance that the player to move wins the match, as a logit; of no meaning where no tower
    /// is called.
    pub value: f32,
}

/// The net.
pub struct Net {
    /// All weights, as [`parts`] orders them.
    pub weights: Vec<f32>,
}

static FITTED: LazyLock<Net> = LazyLock::new(|| Net {
    weights: weights::from_bytes(include_bytes!("match_net.bin"), parts::LEN),
});

impl Net {
    /// The net that the program was built with.
    pub fn fitted() -> &'static Net {
        &FITTED
    }

    /// What the net makes of the view.
    pub fn forward(&self, view: &MatchFeatures) -> Activations {
        let towers = self.towers(view);
        let updated = parts::FIRST_MESSAGES.forward(&self.weights, &view.round, &towers);
        let updated_twice = parts::SECOND_MESSAGES.forward(&self.weights, &view.round, &updated);
        let mut sides = [0.0; 2 * TOWER];
        for side in [0, 1] {
            sides[side * TOWER..][..TOWER]
                .copy_from_slice(&sum_selected(&updated_twice[side], u8::MAX));
        }
        let (replies, movers) =
            (self.replies(view, &updated_twice, &sides), self.movers(view, &updated_twice));
        let (mut mean, mut best, mut logits) = ([0.0; MOVE], [0.0_f32; MOVE], ArrayVec::new());
        let share = 1.0 / view.round.moves.len().max(1) as f32;
        for choice in 0..view.round.moves.len() {
            let after = self.after(&replies, &movers, view, choice);
            logits.push(dot(&after, self.row(parts::POLICY_OUTPUT.start)));
            add_scaled(&mut mean, &after, share);
            best.iter_mut().zip(after).for_each(|(best, number)| *best = best.max(number));
        }
        let mut value_hidden = *self.row(parts::VALUE_BIAS.start);
        if let Some(called) = view.round.called {
            self.multiply_add(
                &mut value_hidden,
                &parts::VALUE_TOWER,
                &updated_twice[0][usize::from(called)],
            );
        }
        self.multiply_add(&mut value_hidden, &parts::VALUE_MOVES, &mean);
        self.multiply_add(&mut value_hidden, &parts::VALUE_BEST, &best);
        self.multiply_add(&mut value_hidden, &parts::VALUE_SIDES, &sides);
        self.add_state(&mut value_hidden, parts::VALUE_STATE.start, view);
        relu(&mut value_hidden);
        let state_logit = self.weights[parts::STATE_SCALE] * view.state_logit;
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

    /// What is known of the move at this place once it is told what the towers have heard.
    pub fn after(
        &self,
        replies: &[[f32; MOVE]; 9],
        movers: &[[f32; MOVE]; 9],
        view: &MatchFeatures,
        choice: usize,
    ) -> [f32; MOVE] {
        let mv = &view.round.moves[choice];
        let mut after = replies[usize::from(mv.callee)];
        add(&mut after, &movers[usize::from(mv.mover)]);
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.values);
        rows.into_iter().for_each(|row| add(&mut after, self.row(row)));
        add(&mut after, self.row(parts::winner_row(view.winner(), view.winners[choice])));
        relu(&mut after);
        after
    }

    fn towers(&self, view: &MatchFeatures) -> Towers<TOWER> {
        let mut towers = [[[0.0; TOWER]; 8]; 2];
        let seen = view.round.towers.as_flattened().iter().zip(view.payoff_classes.as_flattened());
        for (tower, (seen, &payoff_class)) in towers.as_flattened_mut().iter_mut().zip(seen) {
            *tower = *self.row(parts::TOWER_BIAS.start);
            let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, seen.values);
            rows.into_iter().for_each(|row| add(tower, self.row(row)));
            add(tower, self.row(parts::payoff_row(seen.values[4], payoff_class)));
            relu(tower);
        }
        towers
    }

    /// Only for the towers that are called by any move.
    fn replies(
        &self,
        view: &MatchFeatures,
        updated: &Towers<TOWER>,
        sides: &[f32; 2 * TOWER],
    ) -> [[f32; MOVE]; 9] {
        let mut by_all = [0.0; MOVE];
        self.multiply_add(&mut by_all, &parts::REPLY_SIDES, sides);
        self.add_state(&mut by_all, parts::STATE_ROWS.start, view);
        let mut replies = [by_all; 9];
        for (colour, reply) in (0..).zip(&mut replies) {
            if colour == PUSH {
                add(reply, self.row(parts::PUSH_BIAS.start));
            } else if view.round.moves.iter().any(|mv| mv.callee == colour) {
                let callee = usize::from(colour);
                add(reply, self.row(parts::REPLY_BIAS.start));
                self.multiply_add(reply, &parts::REPLY_TOWER, &updated[1][callee]);
                self.multiply_add(
                    reply,
                    &parts::REPLY_CALLED,
                    &sum_selected(&updated[0], view.round.towers[1][callee].calls),
                );
            }
        }
        replies
    }

    /// Only for the towers that can move.
    fn movers(&self, view: &MatchFeatures, updated: &Towers<TOWER>) -> [[f32; MOVE]; 9] {
        let mut movers = [[0.0; MOVE]; 9];
        for (colour, mover) in (0..PASS).zip(&mut movers) {
            if view.round.moves.iter().any(|mv| mv.mover == colour) {
                self.multiply_add(mover, &parts::MOVER, &updated[0][usize::from(colour)]);
            }
        }
        movers
    }

    fn add_state(&self, sums: &mut [f32; MOVE], first: usize, view: &MatchFeatures) {
        let rows = rows(first, MOVE, STATE_SIZES, view.state);
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
    fn the_file_holds_every_weight() {
        assert_eq!(weights::to_bytes(&Net::fitted().weights), include_bytes!("match_net.bin"));
        assert_eq!(include_bytes!("match_net.bin").len(), 2 * parts::LEN);
    }
}
