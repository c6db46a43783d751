//! What is known of a position, the work that it has cost, and how both stand in one word of the table.

use super::proven::Proof;
use crate::game::Player;

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TtValue {
    Proven(Proof),
    Open(ProofNumbers),
}

/// How much work a proof seems to need (Allis 1994): the least number of leaves still to be decided for Black to win, and for Black
/// not to win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofNumbers {
    pub proof: u32,
    pub disproof: u32,
}

impl ProofNumbers {
    /// Larger numbers are cut to this one, so that sums never overflow.
    pub const MOST: u32 = (1 << 27) - 1;

    /// The number for a win of this player.
    pub const fn of(self, player: Player) -> u32 {
        match player {
            Player::Black => self.proof,
            Player::White => self.disproof,
        }
    }

    /// The numbers of a position where it is proven whether Black wins.
    pub const fn proven(black_wins: bool) -> ProofNumbers {
        if black_wins {
            ProofNumbers { proof: 0, disproof: ProofNumbers::MOST }
        } else {
            ProofNumbers { proof: ProofNumbers::MOST, disproof: 0 }
        }
    }
}

/// Whether a proof has the outcome of the one before, and a shorter way to the win: for the winner,
/// then for the loser.
pub(in crate::search) fn is_shorter(now: Proof, before: Proof) -> bool {
    let lengths =
        |proof: Proof, winner: Player| (proof.distance.of(winner), proof.distance.of(!winner));
    let is_shorter = |winner| lengths(now, winner) < lengths(before, winner);
    now.outcome == before.outcome && now.outcome.winner().is_some_and(is_shorter)
}

/// What of two findings about the same position is worth more: a proof, the one with the shorter way to the win.
pub(in crate::search) fn better(before: TtValue, now: TtValue) -> TtValue {
    match (before, now) {
        (TtValue::Proven(old), TtValue::Proven(new)) => {
            if old.outcome == new.outcome && !is_shorter(new, old) { before } else { now }
        }
        (TtValue::Proven(_), TtValue::Open(_)) => before,
        (TtValue::Open(_), _) => now,
    }
}

/// Data: bit 0 tells a proof (32 bits from bit 10) from numbers (27 bits each from bits 10 and 37); bits 1–9 are the work.
const PROVEN: u64 = 1;

/// A number of expansions in nine bits: exact below 16, from there on five digits of it and an exponent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(in crate::search) struct Work(pub u16);

impl Work {
    pub const MOST: Work = Work((1 << 9) - 1);

    /// The work of an entry with this data.
    pub fn of(data: u64) -> Work {
        Work((data >> 1) as u16 & Work::MOST.0)
    }

    /// So much at least.
    pub fn expansions(self) -> u64 {
        match self.0 {
            few if few < 16 => u64::from(few),
            code => u64::from(16 + code % 16) << (code / 16 - 1),
        }
    }

    /// With so many more. What five digits cannot hold is rounded by the dice, evenly spread over all numbers: so small shares, none of which
    /// would change a large number, add up to what they are on average.
    pub fn more(self, expansions: u64, dice: u64) -> Work {
        // Every entry has cost something.
        let sum = self.expansions().saturating_add(expansions).max(1);
        if sum < 16 {
            return Work(sum as u16);
        }
        let exponent = sum.ilog2() - 4;
        let less_than_digit = (u128::from(dice) << exponent >> 64) as u64;
        let rounded = sum.saturating_add(less_than_digit) >> exponent;
        let code = 16 * u64::from(exponent + 1) + rounded - 16;
        Work(code.min(u64::from(Work::MOST.0)) as u16)
    }
}

/// The data of an entry.
pub(in crate::search) fn pack(known: TtValue, Work(work): Work) -> u64 {
    let work = u64::from(work) << 1;
    match known {
        TtValue::Proven(proof) => u64::from(Proof::pack(Some(proof))) << 10 | work | PROVEN,
        TtValue::Open(ProofNumbers { proof, disproof }) => {
            u64::from(proof) << 10 | u64::from(disproof) << 37 | work
        }
    }
}

/// What the data of an entry says.
pub(in crate::search) fn unpack(data: u64) -> Option<TtValue> {
    if data & PROVEN != 0 {
        return Proof::unpack((data >> 10) as u32).map(TtValue::Proven);
    }
    let [proof, disproof] = [10, 37].map(|shift| (data >> shift) as u32 & ProofNumbers::MOST);
    Some(TtValue::Open(ProofNumbers { proof, disproof }))
}

#[cfg(test)]
pub(in crate::search) mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::search::proof::proven::Distance;

    pub fn open(proof: u32) -> TtValue {
        TtValue::Open(ProofNumbers { proof, disproof: ProofNumbers::MOST })
    }

    pub fn win(moves: u32) -> TtValue {
        let distance =
            (0..moves).fold(Distance::default(), |distance, _| distance.with_move(Player::Black));
        TtValue::Proven(Proof { distance, ..Proof::over(Outcome::Win(Player::Black)) })
    }

    #[test]
    fn more_work_is_never_less() {
        for dice in [0, u64::MAX / 3, u64::MAX] {
            assert!((0..63).map(|bits| Work::default().more(1 << bits, dice)).is_sorted());
            assert!((0..100_000).map(|few| Work::default().more(few, dice)).is_sorted());
            assert!((1..Work::MOST.0).map(Work).all(|work| work.more(7, dice) >= work));
            assert_eq!(
                [Work::default(), Work::MOST].map(|work| work.more(u64::MAX, dice)),
                [Work::MOST; 2]
            );
            assert_eq!(
                Work::default().more(1 << 20, dice).expansions(),
                1 << 20,
                "five digits hold it"
            );
        }
    }

    #[test]
    fn all_numbers_survive_the_packing() {
        for known in [open(0), open(ProofNumbers::MOST), win(0), win(32_767)] {
            assert_eq!(unpack(pack(known, Work::MOST)), Some(known));
            assert_eq!(Work::of(pack(known, Work::MOST)), Work::MOST);
        }
    }
}
