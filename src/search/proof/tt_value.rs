//! Values of the transposition table, the work spent on them, and their packed form.

use super::Proof;
use crate::game::Player;

/// Value of a position in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TtValue {
    Proven(Proof),
    Open(ProofNumbers),
}

/// Proof and disproof number (Allis 1994): the least number of undecided leaves to prove that Black
/// wins, and that Black does not win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofNumbers {
    pub proof: u32,
    pub disproof: u32,
}

impl ProofNumbers {
    /// Maximum of a number, so that sums do not overflow.
    pub const MAX: u32 = (1 << 27) - 1;

    /// The number for a win of this player.
    pub const fn of(self, player: Player) -> u32 {
        match player {
            Player::Black => self.proof,
            Player::White => self.disproof,
        }
    }

    /// The numbers of a decided position.
    pub const fn proven(black_wins: bool) -> ProofNumbers {
        if black_wins {
            ProofNumbers { proof: 0, disproof: ProofNumbers::MAX }
        } else {
            ProofNumbers { proof: ProofNumbers::MAX, disproof: 0 }
        }
    }
}

/// Whether `now` has the same winner as `before` and is shorter: by moves of the winner, then by
/// moves of the loser.
pub(crate) fn is_shorter(now: Proof, before: Proof) -> bool {
    let lengths =
        |proof: Proof, winner: Player| (proof.distance.of(winner), proof.distance.of(!winner));
    let is_shorter = |winner| lengths(now, winner) < lengths(before, winner);
    now.outcome == before.outcome && now.outcome.winner().is_some_and(is_shorter)
}

/// The better of two values of one position: a proof, and of two proofs the shorter one.
pub(crate) fn better(before: TtValue, now: TtValue) -> TtValue {
    match (before, now) {
        (TtValue::Proven(old), TtValue::Proven(new)) => {
            if old.outcome == new.outcome && !is_shorter(new, old) { before } else { now }
        }
        (TtValue::Proven(_), TtValue::Open(_)) => before,
        (TtValue::Open(_), _) => now,
    }
}

/// Mark of a proof in bit 0 of the data. Bits 1–9 hold the work. A proof has 32 bits from bit 10;
/// numbers have 27 bits each, from bits 10 and 37.
const PROVEN: u64 = 1;

/// A number of expansions in nine bits: exact below 16, then a floating-point number with five
/// significant bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Work(pub u16);

impl Work {
    pub const MAX: Work = Work((1 << 9) - 1);

    /// Work of an entry with this data.
    pub fn of(data: u64) -> Work {
        Work((data >> 1) as u16 & Work::MAX.0)
    }

    /// The number of expansions, rounded down.
    pub fn expansions(self) -> u64 {
        match self.0 {
            few if few < 16 => u64::from(few),
            code => u64::from(16 + code % 16) << (code / 16 - 1),
        }
    }

    /// Adds expansions. `random`, uniform over all numbers, decides the rounding, so that many
    /// small shares add up correctly on average.
    pub fn plus(self, expansions: u64, random: u64) -> Work {
        // Every entry has cost at least one expansion.
        let sum = self.expansions().saturating_add(expansions).max(1);
        if sum < 16 {
            return Work(sum as u16);
        }
        let exponent = sum.ilog2() - 4;
        let less_than_digit = (u128::from(random) << exponent >> 64) as u64;
        let rounded = sum.saturating_add(less_than_digit) >> exponent;
        let code = 16 * u64::from(exponent + 1) + rounded - 16;
        Work(code.min(u64::from(Work::MAX.0)) as u16)
    }
}

/// Packs an entry's data.
pub(crate) fn pack(known: TtValue, Work(work): Work) -> u64 {
    let work = u64::from(work) << 1;
    match known {
        TtValue::Proven(proof) => u64::from(Proof::pack(Some(proof))) << 10 | work | PROVEN,
        TtValue::Open(ProofNumbers { proof, disproof }) => {
            u64::from(proof) << 10 | u64::from(disproof) << 37 | work
        }
    }
}

/// Unpacks an entry's value.
pub(crate) fn unpack(data: u64) -> Option<TtValue> {
    if data & PROVEN != 0 {
        return Proof::unpack((data >> 10) as u32).map(TtValue::Proven);
    }
    let [proof, disproof] = [10, 37].map(|shift| (data >> shift) as u32 & ProofNumbers::MAX);
    Some(TtValue::Open(ProofNumbers { proof, disproof }))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::search::proof::Distance;

    pub fn open(proof: u32) -> TtValue {
        TtValue::Open(ProofNumbers { proof, disproof: ProofNumbers::MAX })
    }

    pub fn win(moves: u32) -> TtValue {
        let distance =
            (0..moves).fold(Distance::default(), |distance, _| distance.with_move(Player::Black));
        TtValue::Proven(Proof { distance, ..Proof::over(Outcome::Win(Player::Black)) })
    }

    #[test]
    fn sum_of_work_is_monotonic() {
        for random in [0, u64::MAX / 3, u64::MAX] {
            assert!((0..63).map(|bits| Work::default().plus(1 << bits, random)).is_sorted());
            assert!((0..100_000).map(|few| Work::default().plus(few, random)).is_sorted());
            assert!((1..Work::MAX.0).map(Work).all(|work| work.plus(7, random) >= work));
            assert_eq!(
                [Work::default(), Work::MAX].map(|work| work.plus(u64::MAX, random)),
                [Work::MAX; 2]
            );
            assert_eq!(
                Work::default().plus(1 << 20, random).expansions(),
                1 << 20,
                "five digits hold it"
            );
        }
    }

    #[test]
    fn unpacks_packed_values() {
        for known in [open(0), open(ProofNumbers::MAX), win(0), win(32_767)] {
            assert_eq!(unpack(pack(known, Work::MAX)), Some(known));
            assert_eq!(Work::of(pack(known, Work::MAX)), Work::MAX);
        }
    }
}
