//! What the proof numbers of a position's moves say of it: who wins, which move to work on, and how far.

use std::hint::select_unpredictable;

use super::proven::{Length, Proof};
use super::tt_value::{Known, Numbers};
use crate::game::Player;

/// A move and what is known of it.
pub(in crate::search) struct Child<M> {
    /// `None` stands for all moves that are seen to lose at once.
    pub mv: Option<M>,
    /// Of the position that it leads to; 0 where that was decided at a glance.
    pub key: u64,
    /// The moves up to the next choice, this one among them.
    pub way: Length,
    pub numbers: Numbers,
    /// How many times as hard a win of the player to move by it counts as its number says.
    pub harder: f32,
    pub proof: Option<Proof>,
}

impl<M> Child<M> {
    pub fn new(mv: Option<M>, way: Length, known: Known) -> Self {
        let mut child = Child {
            mv,
            key: 0,
            way,
            numbers: Numbers { proof: 1, disproof: 1 },
            harder: 1.0,
            proof: None,
        };
        child.learn(known);
        child
    }

    /// The number for a win of the player to move, as it counts among the moves.
    fn own_number(&self, player: Player) -> u32 {
        let number = self.numbers.of(player);
        if self.proof.is_some() || self.harder == 1.0 {
            number
        } else {
            (f64::from(number) * f64::from(self.harder)).min(HARDEST) as u32
        }
    }

    pub fn learn(&mut self, known: Known) {
        (self.numbers, self.proof) = match known {
            Known::Open(numbers) => (numbers, None),
            Known::Proven(proof) => {
                let length = self.way.then(proof.length);
                (Numbers::proven(proof.is_win_for(Player::Black)), Some(Proof { length, ..proof }))
            }
        };
    }
}

/// So many times its own number more counts a child for each other thread that is at work below it, where all moves have to be refuted.
const CROWDED: u32 = 4;

/// What is not proven never counts as much as what is lost.
const HARDEST: f64 = (Numbers::MOST - 1) as f64;

/// The numbers of a position, from the one for a win of this player and the other one.
pub(in crate::search) fn from_own_and_other(own: u32, other: u32, player: Player) -> Numbers {
    match player {
        Player::Black => Numbers { proof: own, disproof: other },
        Player::White => Numbers { proof: other, disproof: own },
    }
}

/// What the numbers of a position's children say of it. A player wants the own number small, the one for the own win.
#[derive(Clone, Copy)]
pub(in crate::search) struct Survey {
    /// The child that seems easiest for the player to move; among equals the one that is hardest for the opponent.
    pub best: usize,
    /// Its other number.
    best_other: u32,
    /// The least of the own numbers.
    own: u32,
    /// The next least of them.
    second: u32,
    /// The sum of the other numbers.
    other: u32,
}

impl Survey {
    /// Of the numbers as they are.
    pub fn of<M>(children: &[Child<M>], player: Player) -> Survey {
        Survey::by(children, player, |_, own| own)
    }

    /// The same for a thread among others, of which `others_at` says how many are at work below the position with this key.
    ///
    /// Where the player to move seems to lose, all moves have to be refuted, so that each thread had better take one of its own. Where they
    /// seem to win, one move is enough, so that the others help with it; they part only among equals.
    pub fn among_others<M>(
        &self,
        children: &[Child<M>],
        player: Player,
        others_at: impl Fn(u64) -> u32,
    ) -> Survey {
        let weight = if self.own < self.other { 0 } else { CROWDED };
        Survey::by(children, player, |key, own| {
            let others = others_at(key);
            own.saturating_add(others.saturating_mul(own.saturating_mul(weight).max(1)))
        })
    }

    /// Of the numbers of which `count` makes, by the position's key, what they count as.
    fn by<M>(children: &[Child<M>], player: Player, count: impl Fn(u64, u32) -> u32) -> Survey {
        let mut survey = Survey {
            best: usize::MAX,
            best_other: 0,
            own: Numbers::MOST,
            second: Numbers::MOST,
            other: 0,
        };
        // The own number, and among equals the opponent's, the larger one first.
        let rank = |own: u32, other: u32| u64::from(own) << 32 | u64::from(!other);
        let mut best = rank(survey.own, survey.best_other);
        for (index, child) in children.iter().enumerate() {
            let (own, other) = (child.own_number(player), child.numbers.of(!player));
            let own =
                if child.proof.is_none() { count(child.key, own).min(Numbers::MOST) } else { own };
            survey.other = (survey.other + other).min(Numbers::MOST);
            let rank = rank(own, other);
            let is_best = rank < best;
            survey.second =
                survey.second.min(select_unpredictable(is_best, (best >> 32) as u32, own));
            survey.best = select_unpredictable(is_best, index, survey.best);
            best = select_unpredictable(is_best, rank, best);
        }
        (survey.own, survey.best_other) = ((best >> 32) as u32, !(best as u32));
        survey
    }

    pub fn known<M>(&self, children: &[Child<M>], player: Player) -> Known {
        // Only what is proven has a number of 0.
        let proof = || Proof::of_moves(player, children.iter().map(|child| child.proof));
        let proven = if self.own == 0 || self.other == 0 { proof() } else { None };
        proven.map_or(Known::Open(from_own_and_other(self.own, self.other, player)), Known::Proven)
    }

    /// How far to go with the best child: until another one seems clearly easier (the 1 + ε trick, Pawlewicz and Lew 2007), or the limits
    /// of the position are reached. One that is chosen since others work on easier ones may have reached them; some more work is done
    /// there all the same.
    pub fn limits_of_best<M>(&self, best: &Child<M>, limits: Numbers, player: Player) -> Numbers {
        let some_more = |number: u32| number + number / 2 + 1;
        let own = best.own_number(player);
        let limit = if own < limits.of(player) { limits.of(player) } else { some_more(own) };
        let counted = f64::from(limit.min(some_more(self.second)));
        let number = (counted / f64::from(best.harder)).ceil() as u32;
        let own = number.max(best.numbers.of(player) + 1).min(Numbers::MOST);
        let other =
            (limits.of(!player).saturating_sub(self.other) + self.best_other).min(Numbers::MOST);
        from_own_and_other(own, other, player)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_part_where_all_moves_have_to_be_refuted_and_help_where_one_is_enough() {
        let open = |key, own, other| {
            let known = Known::Open(from_own_and_other(own, other, Player::Black));
            Child { key, ..Child::new(Some(key), Length::default(), known) }
        };
        let another_at_first = |key| u32::from(key == 1);
        let choice = |children: &[Child<u64>]| {
            let survey = Survey::of(children, Player::Black);
            assert_eq!(survey.best, 0);
            survey.among_others(children, Player::Black, another_at_first).best
        };
        assert_eq!(choice(&[open(1, 10, 100), open(2, 12, 100)]), 0, "Black seems to win");
        assert_eq!(
            choice(&[open(1, 10, 100), open(2, 10, 100)]),
            1,
            "Black seems to win by either move"
        );
        assert_eq!(choice(&[open(1, 100, 10), open(2, 400, 10)]), 1, "Black seems to lose");
        assert_eq!(
            choice(&[open(1, 100, 10), open(2, 600, 10)]),
            0,
            "Black seems to lose, by the other move much sooner"
        );
    }
}
