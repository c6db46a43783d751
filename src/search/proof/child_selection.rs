//! What the proof numbers of a position's moves say of it: who wins, which move to work on, and how far.

use std::hint::select_unpredictable;

use super::proven::{Distance, Proof};
use super::tt_value::{ProofNumbers, TtValue};
use crate::game::Player;

/// A move and what is known of it.
pub(in crate::search) struct Child<M> {
    /// `None` stands for all moves that are seen to lose at once.
    pub mv: Option<M>,
    /// Of the position that it leads to; 0 where that was decided at a glance.
    pub key: u64,
    /// The moves up to the next choice, this one among them.
    pub from_parent: Distance,
    pub numbers: ProofNumbers,
    /// How many times as hard a win of the player to move by it counts as its number says.
    pub weight: f32,
    pub proof: Option<Proof>,
}

impl<M> Child<M> {
    pub fn new(mv: Option<M>, from_parent: Distance, known: TtValue) -> Self {
        let mut child = Child {
            mv,
            key: 0,
            from_parent,
            numbers: ProofNumbers { proof: 1, disproof: 1 },
            weight: 1.0,
            proof: None,
        };
        child.update(known);
        child
    }

    /// The number for a win of the player to move, as it counts among the moves.
    fn phi(&self, player: Player) -> u32 {
        let number = self.numbers.of(player);
        if self.proof.is_some() || self.weight == 1.0 {
            number
        } else {
            (f64::from(number) * f64::from(self.weight)).min(HARDEST) as u32
        }
    }

    pub fn update(&mut self, value: TtValue) {
        (self.numbers, self.proof) = match value {
            TtValue::Open(numbers) => (numbers, None),
            TtValue::Proven(proof) => {
                let distance = self.from_parent.then(proof.distance);
                (
                    ProofNumbers::proven(proof.is_win_for(Player::Black)),
                    Some(Proof { distance, ..proof }),
                )
            }
        };
    }
}

/// So many times its own number more counts a child for each other thread that is at work below it, where all moves have to be refuted.
const WEIGHT_PER_THREAD: u32 = 4;

/// What is not proven never counts as much as what is lost.
const HARDEST: f64 = (ProofNumbers::MOST - 1) as f64;

/// The numbers of a position, from the one for a win of this player and the other one.
pub(in crate::search) fn from_phi_delta(phi: u32, delta: u32, player: Player) -> ProofNumbers {
    match player {
        Player::Black => ProofNumbers { proof: phi, disproof: delta },
        Player::White => ProofNumbers { proof: delta, disproof: phi },
    }
}

/// What the numbers of a position's children say of it. A player wants the own number small, the one for the own win.
#[derive(Clone, Copy)]
pub(in crate::search) struct ChildSelection {
    /// The child that seems easiest for the player to move; among equals the one that is hardest for the opponent.
    pub best: usize,
    /// Its other number.
    best_delta: u32,
    /// The least of the own numbers.
    phi: u32,
    /// The next least of them.
    second_phi: u32,
    /// The sum of the other numbers.
    delta: u32,
}

impl ChildSelection {
    /// Of the numbers as they are.
    pub fn of<M>(children: &[Child<M>], player: Player) -> ChildSelection {
        ChildSelection::by(children, player, |_, phi| phi)
    }

    /// The same for a thread among others, of which `others_at` says how many are at work below the position with this key.
    ///
    /// Where the player to move seems to lose, all moves have to be refuted, so that each thread had better take one of its own. Where they
    /// seem to win, one move is enough, so that the others help with it; they part only among equals.
    pub fn shared_with<M>(
        &self,
        children: &[Child<M>],
        player: Player,
        others_at: impl Fn(u64) -> u32,
    ) -> ChildSelection {
        let weight = if self.phi < self.delta { 0 } else { WEIGHT_PER_THREAD };
        ChildSelection::by(children, player, |key, phi| {
            let others = others_at(key);
            phi.saturating_add(others.saturating_mul(phi.saturating_mul(weight).max(1)))
        })
    }

    /// Of the numbers of which `count` makes, by the position's key, what they count as.
    fn by<M>(
        children: &[Child<M>],
        player: Player,
        count: impl Fn(u64, u32) -> u32,
    ) -> ChildSelection {
        let mut selection = ChildSelection {
            best: usize::MAX,
            best_delta: 0,
            phi: ProofNumbers::MOST,
            second_phi: ProofNumbers::MOST,
            delta: 0,
        };
        // The own number, and among equals the opponent's, the larger one first.
        let rank = |phi: u32, delta: u32| u64::from(phi) << 32 | u64::from(!delta);
        let mut best = rank(selection.phi, selection.best_delta);
        for (index, child) in children.iter().enumerate() {
            let (phi, delta) = (child.phi(player), child.numbers.of(!player));
            let phi = if child.proof.is_none() {
                count(child.key, phi).min(ProofNumbers::MOST)
            } else {
                phi
            };
            selection.delta = (selection.delta + delta).min(ProofNumbers::MOST);
            let rank = rank(phi, delta);
            let is_best = rank < best;
            selection.second_phi =
                selection.second_phi.min(select_unpredictable(is_best, (best >> 32) as u32, phi));
            selection.best = select_unpredictable(is_best, index, selection.best);
            best = select_unpredictable(is_best, rank, best);
        }
        (selection.phi, selection.best_delta) = ((best >> 32) as u32, !(best as u32));
        selection
    }

    pub fn known<M>(&self, children: &[Child<M>], player: Player) -> TtValue {
        // Only what is proven has a number of 0.
        let proof = || Proof::of_moves(player, children.iter().map(|child| child.proof));
        let proven = if self.phi == 0 || self.delta == 0 { proof() } else { None };
        proven.map_or(TtValue::Open(from_phi_delta(self.phi, self.delta, player)), TtValue::Proven)
    }

    /// How far to go with the best child: until another one seems clearly easier (the 1 + ε trick, Pawlewicz and Lew 2007), or the limits
    /// of the position are reached. One that is chosen since others work on easier ones may have reached them; some more work is done
    /// there all the same.
    pub fn thresholds_of_best<M>(
        &self,
        best: &Child<M>,
        thresholds: ProofNumbers,
        player: Player,
    ) -> ProofNumbers {
        let some_more = |number: u32| number + number / 2 + 1;
        let phi = best.phi(player);
        let limit =
            if phi < thresholds.of(player) { thresholds.of(player) } else { some_more(phi) };
        let counted = f64::from(limit.min(some_more(self.second_phi)));
        let number = (counted / f64::from(best.weight)).ceil() as u32;
        let phi = number.max(best.numbers.of(player) + 1).min(ProofNumbers::MOST);
        let delta = (thresholds.of(!player).saturating_sub(self.delta) + self.best_delta)
            .min(ProofNumbers::MOST);
        from_phi_delta(phi, delta, player)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_part_where_all_moves_have_to_be_refuted_and_help_where_one_is_enough() {
        let open = |key, phi, delta| {
            let known = TtValue::Open(from_phi_delta(phi, delta, Player::Black));
            Child { key, ..Child::new(Some(key), Distance::default(), known) }
        };
        let another_at_first = |key| u32::from(key == 1);
        let choice = |children: &[Child<u64>]| {
            let selection = ChildSelection::of(children, Player::Black);
            assert_eq!(selection.best, 0);
            selection.shared_with(children, Player::Black, another_at_first).best
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
            "Black seems to lose, by the delta move much sooner"
        );
    }
}
