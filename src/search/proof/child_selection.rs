//! Child selection in df-pn: from the proof numbers of a position's children, its own numbers, the
//! child to work on, and the thresholds for it. Virtual proof numbers spread out the threads of one
//! search (Kaneko 2010; Pawlewicz and Hayward 2013).

use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::tt_value::{ProofNumbers, TtValue};
use super::{Distance, Proof};
use crate::game::Player;
use crate::search::params;

/// A move and the value of the position after it.
pub(in crate::search) struct Child<M> {
    /// The move; `None` represents all moves that lose at once.
    pub mv: Option<M>,
    /// Key of the position after the move; 0 if a static result decides it.
    pub key: u64,
    /// Moves up to the next choice, this one included.
    pub from_parent: Distance,
    pub numbers: ProofNumbers,
    /// Factor for the number of a win by this move, from the policy.
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

    /// The number for a win of the player to move, with its weight.
    fn phi(&self, player: Player) -> u32 {
        let number = self.numbers.of(player);
        if self.proof.is_some() || self.weight == 1.0 {
            number
        } else {
            (f64::from(number) * f64::from(self.weight)).min(MAX_UNPROVEN) as u32
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

/// Upper bound of an unproven number, below that of a lost child.
const MAX_UNPROVEN: f64 = (ProofNumbers::MAX - 1) as f64;

/// The numbers of a position from φ, for a win of `player`, and δ, for a win of the opponent.
pub(in crate::search) fn from_phi_delta(phi: u32, delta: u32, player: Player) -> ProofNumbers {
    match player {
        Player::Black => ProofNumbers { proof: phi, disproof: delta },
        Player::White => ProofNumbers { proof: delta, disproof: phi },
    }
}

/// The result of comparing a position's children. φ is the number for a win of the player to move,
/// δ for a win of the opponent. The player to move wants a small φ.
#[derive(Clone, Copy)]
pub(in crate::search) struct ChildSelection {
    /// Index of the child with the least φ; of equal ones, the greatest δ.
    pub best: usize,
    /// δ of that child.
    best_delta: u32,
    /// The least φ.
    phi: u32,
    /// The second least φ.
    second_phi: u32,
    /// Sum of all δ.
    delta: u32,
}

impl ChildSelection {
    /// Selects by the true numbers.
    pub fn of<M>(children: &[Child<M>], player: Player) -> ChildSelection {
        ChildSelection::by(children, player, |_, phi| phi)
    }

    /// Selects for one thread among several. `others_at` returns the number of other threads below
    /// the position with a key.
    ///
    /// If the player to move seems to lose, all moves must be refuted, so each thread should take
    /// another one. If the player seems to win, one move is enough, so the threads work on the same
    /// move and part only among equal ones.
    pub fn shared_with<M>(
        &self,
        children: &[Child<M>],
        player: Player,
        others_at: impl Fn(u64) -> u32,
    ) -> ChildSelection {
        let weight = if self.phi < self.delta { 0 } else { params::virtual_weight() };
        ChildSelection::by(children, player, |key, phi| {
            let others = others_at(key);
            phi.saturating_add(others.saturating_mul(phi.saturating_mul(weight).max(1)))
        })
    }

    /// Selects by numbers that `count` adjusts, given the position's key and φ.
    fn by<M>(
        children: &[Child<M>],
        player: Player,
        count: impl Fn(u64, u32) -> u32,
    ) -> ChildSelection {
        let mut selection = ChildSelection {
            best: usize::MAX,
            best_delta: 0,
            phi: ProofNumbers::MAX,
            second_phi: ProofNumbers::MAX,
            delta: 0,
        };
        // Orders by φ, then by descending δ.
        let rank = |phi: u32, delta: u32| u64::from(phi) << 32 | u64::from(!delta);
        let mut best = rank(selection.phi, selection.best_delta);
        for (index, child) in children.iter().enumerate() {
            let (phi, delta) = (child.phi(player), child.numbers.of(!player));
            let phi = if child.proof.is_none() {
                count(child.key, phi).min(ProofNumbers::MAX)
            } else {
                phi
            };
            selection.delta = (selection.delta + delta).min(ProofNumbers::MAX);
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
        // Only proven children have a number of 0.
        let proof = || Proof::of_moves(player, children.iter().map(|child| child.proof));
        let proven = if self.phi == 0 || self.delta == 0 { proof() } else { None };
        proven.map_or(TtValue::Open(from_phi_delta(self.phi, self.delta, player)), TtValue::Proven)
    }

    /// The thresholds for the best child: up to those of the position, or until another child is
    /// clearly better (1 + ε trick, Pawlewicz and Lew 2007). With virtual proof
    /// numbers, the chosen child may already exceed its threshold, which is then half above the
    /// child's number.
    pub fn thresholds_of_best<M>(
        &self,
        best: &Child<M>,
        thresholds: ProofNumbers,
        player: Player,
    ) -> ProofNumbers {
        let some_more = |number: u32| number + number / params::epsilon_part() + 1;
        let phi = best.phi(player);
        let limit =
            if phi < thresholds.of(player) { thresholds.of(player) } else { some_more(phi) };
        let counted = f64::from(limit.min(some_more(self.second_phi)));
        let number = (counted / f64::from(best.weight)).ceil() as u32;
        let phi = number.max(best.numbers.of(player) + 1).min(ProofNumbers::MAX);
        let delta = (thresholds.of(!player).saturating_sub(self.delta) + self.best_delta)
            .min(ProofNumbers::MAX);
        from_phi_delta(phi, delta, player)
    }
}

/// Number of threads below each position, by key. Positions may share a counter, since it only
/// influences the choice of a move.
pub struct VirtualProofNumbers {
    counts: Box<[AtomicU32]>,
}

/// Number of counters, far above that of the positions on the lines of all threads.
const COUNTS: usize = 1 << 16;

impl VirtualProofNumbers {
    pub fn new() -> VirtualProofNumbers {
        VirtualProofNumbers { counts: (0..COUNTS).map(|_| AtomicU32::new(0)).collect() }
    }

    fn count(&self, key: u64) -> &AtomicU32 {
        // The low bits of the key, since the table uses the high ones.
        &self.counts[key as usize % COUNTS]
    }

    /// Counts a thread below this position.
    pub fn enter(&self, key: u64) {
        self.count(key).fetch_add(1, Relaxed);
    }

    /// Ends what [`enter`](Self::enter) began.
    pub fn leave(&self, key: u64) {
        self.count(key).fetch_sub(1, Relaxed);
    }

    /// Number of threads below this position.
    pub fn threads_below(&self, key: u64) -> u32 {
        self.count(key).load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_part_only_where_all_moves_must_be_refuted() {
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
