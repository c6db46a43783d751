//! The small neural network that judges rounds and their moves, whose weights `cargo run --release --example fit_kamisado` makes.
//!
//! Towers are the nodes of a graph whose edges are calls, and messages go along them, against the direction of play: a tower hears those
//! that it can call, each of those has heard the ones that it can call, and so on. What a move comes to is what the tower that it calls has
//! heard and how it changes the board; what the called tower is worth is said by all of its moves and by the best one in each respect.

use std::ops::Range;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::layers::{SHARE, Towers, add, add_times, cut_off, rows, sum_of, through};
use super::view::{MOVE_SIZES, MoveView, PUSH, TOWER_SIZES, View};
use crate::game::MAX_MOVES;
use crate::games::weights::{self, dot, row};

/// The width of what is known of a tower.
pub const TOWER: usize = 8;

/// The width of what is known of a move.
pub const MOVE: usize = 32;

/// Where which weights lie in [`Net::weights`]. A matrix has a row for each number that goes in.
pub mod parts {
    use std::ops::Range;

    use super::super::layers::Hearing;
    use super::{MOVE, MOVE_SIZES, TOWER, TOWER_SIZES};
    use crate::games::weights::{after, rows_of};

    /// What a tower starts from: a row for each value of each number.
    pub const TOWER_ROWS: Range<usize> = 0..rows_of(TOWER_SIZES) * TOWER;
    /// The same, whatever it is.
    pub const TOWER_BIAS: Range<usize> = after(&TOWER_ROWS, TOWER);
    /// How it hears the towers that it can call.
    pub const HEARING: Hearing = Hearing::after(&TOWER_BIAS, TOWER);
    /// What a move gets from the tower that it calls.
    pub const REPLY_TOWER: Range<usize> = after(&HEARING.bias, TOWER * MOVE);
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
    pub const CHOICE: Range<usize> = after(&MOVE_ROWS, MOVE);
    /// What the position gets from the called tower.
    pub const ROUND_TOWER: Range<usize> = after(&CHOICE, TOWER * MOVE);
    /// What it gets from all moves.
    pub const ROUND_MOVES: Range<usize> = after(&ROUND_TOWER, MOVE * MOVE);
    /// What it gets from the greatest numbers of any move.
    pub const ROUND_BEST: Range<usize> = after(&ROUND_MOVES, MOVE * MOVE);
    /// What it gets from the towers of the player to move, then from the enemy's.
    pub const ROUND_SIDES: Range<usize> = after(&ROUND_BEST, 2 * TOWER * MOVE);
    /// What it gets anyway.
    pub const ROUND_BIAS: Range<usize> = after(&ROUND_SIDES, MOVE);
    /// From the position to the chance.
    pub const CHANCE: Range<usize> = after(&ROUND_BIAS, MOVE);
    /// The constant of the chance.
    pub const CONSTANT: usize = CHANCE.end;
    /// How many weights there are.
    pub const LEN: usize = CONSTANT + 1;
}

/// All that the net makes of a view, layer by layer but for the moves, which [`Net::after`] gives. No number in a layer is below 0.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What each tower starts from.
    pub towers: Towers<TOWER>,
    /// What each has heard.
    pub heard: Towers<TOWER>,
    /// The sums of those of both sides.
    pub sides: [f32; 2 * TOWER],
    /// What a move gets from the tower that it calls, by colour, and from a push; before anything is cut off at 0.
    pub replies: [[f32; MOVE]; 9],
    /// The share of the sum of the moves.
    pub sum: [f32; MOVE],
    /// The greatest numbers of any move.
    pub best: [f32; MOVE],
    /// The position.
    pub round: [f32; MOVE],
    /// How likely each move is the best one, as a logit.
    pub logits: ArrayVec<f32, MAX_MOVES>,
    /// The chance that the player to move wins the round, as a logit; of no meaning where no tower is called.
    pub chance: f32,
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
    pub fn read(&self, view: &View) -> Reading {
        let mut towers = [[[0.0; TOWER]; 8]; 2];
        for (tower, seen) in towers.as_flattened_mut().iter_mut().zip(view.towers.as_flattened()) {
            *tower = *self.vector(parts::TOWER_BIAS);
            let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, seen.numbers);
            rows.into_iter().for_each(|row| add(tower, self.row(row)));
            cut_off(tower);
        }
        let heard = parts::HEARING.hear(&self.weights, view, &towers);
        let mut sides = [0.0; 2 * TOWER];
        for side in [0, 1] {
            sides[side * TOWER..][..TOWER].copy_from_slice(&sum_of(&heard[side], u8::MAX));
        }
        let replies = self.replies(view, &heard, &sides);
        let (mut sum, mut best, mut logits) = ([0.0; MOVE], [0.0_f32; MOVE], ArrayVec::new());
        for mv in &view.moves {
            let after = self.after(&replies, mv);
            logits.push(dot(&after, self.vector(parts::CHOICE)));
            add_times(&mut sum, &after, SHARE);
            best.iter_mut().zip(after).for_each(|(best, number)| *best = best.max(number));
        }
        let (mut round, mut chance) = (*self.vector(parts::ROUND_BIAS), 0.0);
        if let Some(called) = view.called {
            self.through(&mut round, parts::ROUND_TOWER, &heard[0][usize::from(called)]);
            self.through(&mut round, parts::ROUND_MOVES, &sum);
            self.through(&mut round, parts::ROUND_BEST, &best);
            self.through(&mut round, parts::ROUND_SIDES, &sides);
            cut_off(&mut round);
            chance = self.weights[parts::CONSTANT] + dot(&round, self.vector(parts::CHANCE));
        }
        Reading { towers, heard, sides, replies, sum, best, round, logits, chance }
    }

    /// What is known of a move once it is told what the tower that it calls has heard.
    pub fn after(&self, replies: &[[f32; MOVE]; 9], mv: &MoveView) -> [f32; MOVE] {
        let mut after = replies[usize::from(mv.callee)];
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.numbers);
        rows.into_iter().for_each(|row| add(&mut after, self.row(row)));
        cut_off(&mut after);
        after
    }

    /// Only for the towers that can be called; nothing is asked of the others.
    fn replies(
        &self,
        view: &View,
        heard: &Towers<TOWER>,
        sides: &[f32; 2 * TOWER],
    ) -> [[f32; MOVE]; 9] {
        let mut by_sides = [0.0; MOVE];
        self.through(&mut by_sides, parts::REPLY_SIDES, sides);
        let callable =
            view.called.map_or(u8::MAX, |called| view.towers[0][usize::from(called)].calls);
        let mut replies = [by_sides; 9];
        for (colour, reply) in replies.iter_mut().enumerate() {
            if colour == usize::from(PUSH) {
                add(reply, self.vector(parts::PUSH_BIAS));
            } else if callable >> colour & 1 == 1 {
                add(reply, self.vector(parts::REPLY_BIAS));
                self.through(reply, parts::REPLY_TOWER, &heard[1][colour]);
                self.through(
                    reply,
                    parts::REPLY_CALLED,
                    &sum_of(&heard[0], view.towers[1][colour].calls),
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

    fn through<const N: usize, const K: usize>(
        &self,
        sums: &mut [f32; N],
        matrix: Range<usize>,
        numbers: &[f32; K],
    ) {
        through(&self.weights, sums, &matrix, numbers);
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
