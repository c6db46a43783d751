//! The small neural network that judges positions and moves where more than the round decides the match, whose weights
//! `cargo run --release --example fit_kamisado` makes from recorded matches.
//!
//! It is built as [the net of rounds](super::round_net) is, wider and with a second message along the calls, for the search of a match has
//! time for it: it visits few positions, and each of them costs many expansions of the proof of its round. The standing is told to every
//! move, and what a tower would be worth that wins to the tower.

use std::ops::Range;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::layers::{Towers, add, add_times, cut_off, rows, sum_of, through};
use super::match_view::{MatchView, STANDING_SIZES};
use super::view::{MOVE_SIZES, PASS, PUSH, TOWER_SIZES};
use crate::game::MAX_MOVES;
use crate::games::weights::{self, dot, row};

/// The width of what is known of a tower.
pub const TOWER: usize = 16;

/// The width of what is known of a move.
pub const MOVE: usize = 48;

/// Where which weights lie in [`Net::weights`]. A matrix has a row for each number that goes in.
pub mod parts {
    use std::ops::Range;

    use super::super::layers::Hearing;
    use super::super::match_view::{ANSWERS, WORTHS};
    use super::{MOVE, MOVE_SIZES, STANDING_SIZES, TOWER, TOWER_SIZES};
    use crate::games::weights::{after, rows_of};

    /// What a tower starts from: a row for each value of each number.
    pub const TOWER_ROWS: Range<usize> = 0..rows_of(TOWER_SIZES) * TOWER;
    /// A row for what it is worth, for each value of its last number.
    pub const TOWER_WORTHS: Range<usize> = after(&TOWER_ROWS, TOWER_SIZES[4] * WORTHS * TOWER);
    /// The same, whatever it is.
    pub const TOWER_BIAS: Range<usize> = after(&TOWER_WORTHS, TOWER);
    /// How it hears the towers that it can call.
    pub const FIRST_HEARING: Hearing = Hearing::after(&TOWER_BIAS, TOWER);
    /// How it hears what those have heard.
    pub const SECOND_HEARING: Hearing = Hearing::after(&FIRST_HEARING.bias, TOWER);
    /// What a move gets from the tower that it calls.
    pub const REPLY_TOWER: Range<usize> = after(&SECOND_HEARING.bias, TOWER * MOVE);
    /// What it gets from those that can be called next.
    pub const REPLY_CALLED: Range<usize> = after(&REPLY_TOWER, TOWER * MOVE);
    /// What each move to a called tower gets.
    pub const REPLY_BIAS: Range<usize> = after(&REPLY_CALLED, MOVE);
    /// What a push gets instead.
    pub const PUSH_BIAS: Range<usize> = after(&REPLY_BIAS, MOVE);
    /// What each move gets from the towers of the player to move, then from the enemy's.
    pub const REPLY_SIDES: Range<usize> = after(&PUSH_BIAS, 2 * TOWER * MOVE);
    /// What each gets from the standing: a row for each value of each number.
    pub const STANDING_ROWS: Range<usize> = after(&REPLY_SIDES, rows_of(STANDING_SIZES) * MOVE);
    /// What a move gets from who wins the round: a row for each pair of before and after it.
    pub const WINNER_ROWS: Range<usize> = after(&STANDING_ROWS, ANSWERS * ANSWERS * MOVE);
    /// What it gets from the tower that moves.
    pub const MOVER: Range<usize> = after(&WINNER_ROWS, TOWER * MOVE);
    /// What it gets from what it does: a row for each value of each number.
    pub const MOVE_ROWS: Range<usize> = after(&MOVER, rows_of(MOVE_SIZES) * MOVE);
    /// From a move to its logit.
    pub const CHOICE: Range<usize> = after(&MOVE_ROWS, MOVE);
    /// What the position gets from the called tower.
    pub const VALUE_TOWER: Range<usize> = after(&CHOICE, TOWER * MOVE);
    /// What it gets from the mean of all moves.
    pub const VALUE_MOVES: Range<usize> = after(&VALUE_TOWER, MOVE * MOVE);
    /// What it gets from the greatest numbers of any move.
    pub const VALUE_BEST: Range<usize> = after(&VALUE_MOVES, MOVE * MOVE);
    /// What it gets from the towers of the player to move, then from the enemy's.
    pub const VALUE_SIDES: Range<usize> = after(&VALUE_BEST, 2 * TOWER * MOVE);
    /// What it gets from the standing: a row for each value of each number.
    pub const VALUE_STANDING: Range<usize> = after(&VALUE_SIDES, rows_of(STANDING_SIZES) * MOVE);
    /// What it gets anyway.
    pub const VALUE_BIAS: Range<usize> = after(&VALUE_STANDING, MOVE);
    /// From the position to the chance.
    pub const CHANCE: Range<usize> = after(&VALUE_BIAS, MOVE);
    /// How much the logit by the standing alone counts.
    pub const BY_STANDING: usize = CHANCE.end;
    /// The constant of the chance.
    pub const CONSTANT: usize = BY_STANDING + 1;
    /// How many weights there are.
    pub const LEN: usize = CONSTANT + 1;

    /// Where the row starts for a tower that is worth this.
    pub fn worth_row(side: u8, worth: u8) -> usize {
        TOWER_WORTHS.start + (usize::from(side) * WORTHS + usize::from(worth)) * TOWER
    }

    /// Where the row starts for who wins the round before and after a move.
    pub fn winner_row(before: u8, after: u8) -> usize {
        WINNER_ROWS.start + (usize::from(before) * ANSWERS + usize::from(after)) * MOVE
    }
}

/// All that the net makes of a view, layer by layer but for the moves, which [`Net::after`] gives. No number in a layer of towers is below 0.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What each tower starts from.
    pub towers: Towers<TOWER>,
    /// What each has heard.
    pub heard: Towers<TOWER>,
    /// What each has heard of what others heard.
    pub heard_twice: Towers<TOWER>,
    /// The sums of those of both sides.
    pub sides: [f32; 2 * TOWER],
    /// What a move gets from the tower that it calls, by colour, and from a push; before anything is cut off at 0.
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
    pub value: [f32; MOVE],
    /// The chance that the player to move wins the match, as a logit; of no meaning where no tower is called.
    pub chance: f32,
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
    pub fn read(&self, view: &MatchView) -> Reading {
        let towers = self.towers(view);
        let heard = parts::FIRST_HEARING.hear(&self.weights, &view.round, &towers);
        let heard_twice = parts::SECOND_HEARING.hear(&self.weights, &view.round, &heard);
        let mut sides = [0.0; 2 * TOWER];
        for side in [0, 1] {
            sides[side * TOWER..][..TOWER].copy_from_slice(&sum_of(&heard_twice[side], u8::MAX));
        }
        let (replies, movers) =
            (self.replies(view, &heard_twice, &sides), self.movers(view, &heard_twice));
        let (mut mean, mut best, mut logits) = ([0.0; MOVE], [0.0_f32; MOVE], ArrayVec::new());
        let share = 1.0 / view.round.moves.len().max(1) as f32;
        for choice in 0..view.round.moves.len() {
            let after = self.after(&replies, &movers, view, choice);
            logits.push(dot(&after, self.row(parts::CHOICE.start)));
            add_times(&mut mean, &after, share);
            best.iter_mut().zip(after).for_each(|(best, number)| *best = best.max(number));
        }
        let mut value = *self.row(parts::VALUE_BIAS.start);
        if let Some(called) = view.round.called {
            self.through(&mut value, &parts::VALUE_TOWER, &heard_twice[0][usize::from(called)]);
        }
        self.through(&mut value, &parts::VALUE_MOVES, &mean);
        self.through(&mut value, &parts::VALUE_BEST, &best);
        self.through(&mut value, &parts::VALUE_SIDES, &sides);
        self.add_standing(&mut value, parts::VALUE_STANDING.start, view);
        cut_off(&mut value);
        let by_standing = self.weights[parts::BY_STANDING] * view.by_standing;
        let chance = self.weights[parts::CONSTANT]
            + by_standing
            + dot(&value, self.row(parts::CHANCE.start));
        Reading {
            towers,
            heard,
            heard_twice,
            sides,
            replies,
            movers,
            logits,
            mean,
            best,
            value,
            chance,
        }
    }

    /// What is known of the move at this place once it is told what the towers have heard.
    pub fn after(
        &self,
        replies: &[[f32; MOVE]; 9],
        movers: &[[f32; MOVE]; 9],
        view: &MatchView,
        choice: usize,
    ) -> [f32; MOVE] {
        let mv = &view.round.moves[choice];
        let mut after = replies[usize::from(mv.callee)];
        add(&mut after, &movers[usize::from(mv.mover)]);
        let rows = rows(parts::MOVE_ROWS.start, MOVE, MOVE_SIZES, mv.numbers);
        rows.into_iter().for_each(|row| add(&mut after, self.row(row)));
        add(&mut after, self.row(parts::winner_row(view.winner(), view.winners[choice])));
        cut_off(&mut after);
        after
    }

    fn towers(&self, view: &MatchView) -> Towers<TOWER> {
        let mut towers = [[[0.0; TOWER]; 8]; 2];
        let seen = view.round.towers.as_flattened().iter().zip(view.worths.as_flattened());
        for (tower, (seen, &worth)) in towers.as_flattened_mut().iter_mut().zip(seen) {
            *tower = *self.row(parts::TOWER_BIAS.start);
            let rows = rows(parts::TOWER_ROWS.start, TOWER, TOWER_SIZES, seen.numbers);
            rows.into_iter().for_each(|row| add(tower, self.row(row)));
            add(tower, self.row(parts::worth_row(seen.numbers[4], worth)));
            cut_off(tower);
        }
        towers
    }

    /// Only for the towers that are called by any move.
    fn replies(
        &self,
        view: &MatchView,
        heard: &Towers<TOWER>,
        sides: &[f32; 2 * TOWER],
    ) -> [[f32; MOVE]; 9] {
        let mut by_all = [0.0; MOVE];
        self.through(&mut by_all, &parts::REPLY_SIDES, sides);
        self.add_standing(&mut by_all, parts::STANDING_ROWS.start, view);
        let mut replies = [by_all; 9];
        for (colour, reply) in (0..).zip(&mut replies) {
            if colour == PUSH {
                add(reply, self.row(parts::PUSH_BIAS.start));
            } else if view.round.moves.iter().any(|mv| mv.callee == colour) {
                let callee = usize::from(colour);
                add(reply, self.row(parts::REPLY_BIAS.start));
                self.through(reply, &parts::REPLY_TOWER, &heard[1][callee]);
                self.through(
                    reply,
                    &parts::REPLY_CALLED,
                    &sum_of(&heard[0], view.round.towers[1][callee].calls),
                );
            }
        }
        replies
    }

    /// Only for the towers that can move.
    fn movers(&self, view: &MatchView, heard: &Towers<TOWER>) -> [[f32; MOVE]; 9] {
        let mut movers = [[0.0; MOVE]; 9];
        for (colour, mover) in (0..PASS).zip(&mut movers) {
            if view.round.moves.iter().any(|mv| mv.mover == colour) {
                self.through(mover, &parts::MOVER, &heard[0][usize::from(colour)]);
            }
        }
        movers
    }

    fn add_standing(&self, sums: &mut [f32; MOVE], first: usize, view: &MatchView) {
        let rows = rows(first, MOVE, STANDING_SIZES, view.standing);
        rows.into_iter().for_each(|row| add(sums, self.row(row)));
    }

    fn through<const N: usize, const K: usize>(
        &self,
        sums: &mut [f32; N],
        matrix: &Range<usize>,
        numbers: &[f32; K],
    ) {
        through(&self.weights, sums, matrix, numbers);
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
