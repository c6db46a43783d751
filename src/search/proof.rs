//! Proofs: results with their distance to the end. The modules find them, by df-pn or exact search,
//! and keep them in a table.

pub(crate) mod child_selection;
pub(crate) mod dfpn;
pub(crate) mod exact;
pub(crate) mod heuristics;
pub(crate) mod scheduler;
pub(crate) mod static_result;
pub(crate) mod table;
pub(crate) mod tt_value;
pub(crate) mod win_within;

use crate::game::{Outcome, Player};

/// A proven result with its distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Result against best play.
    pub outcome: Outcome,
    /// Upper bound of each player's moves to the end, if the winner hurries and the loser delays.
    pub distance: Distance,
}

/// A number of moves of Black and of White, passes included.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Distance {
    moves: [u16; 2],
}

/// Maximum of the packed form; longer distances are cut to it.
const MAX_MOVES: u16 = (1 << 15) - 1;

impl Distance {
    /// Moves of this player, at most 32767.
    pub const fn of(self, player: Player) -> u16 {
        self.moves[player.index()]
    }

    /// Moves of both players.
    pub fn plies(self) -> u32 {
        self.moves.iter().copied().map(u32::from).sum()
    }

    /// This distance plus one move of the player.
    pub fn with_move(mut self, player: Player) -> Distance {
        self.moves[player.index()] = (self.moves[player.index()] + 1).min(MAX_MOVES);
        self
    }

    /// The sum of two distances.
    pub fn then(self, rest: Distance) -> Distance {
        Distance { moves: [0, 1].map(|i| (self.moves[i] + rest.moves[i]).min(MAX_MOVES)) }
    }

    fn longest(self, other: Distance) -> Distance {
        Distance { moves: [0, 1].map(|i| self.moves[i].max(other.moves[i])) }
    }
}

impl Proof {
    /// The proof of a final position.
    pub const fn over(outcome: Outcome) -> Proof {
        Proof { outcome, distance: Distance { moves: [0; 2] } }
    }

    /// Black's win probability: 1, 0, or ½ for a draw.
    pub const fn win_probability(self) -> f32 {
        match self.outcome {
            Outcome::Win(Player::Black) => 1.0,
            Outcome::Win(Player::White) => 0.0,
            Outcome::Draw => 0.5,
        }
    }

    /// The proof before a move of this player.
    pub fn after_move(self, player: Player) -> Proof {
        Proof { distance: self.distance.with_move(player), ..self }
    }

    /// Whether this player wins.
    pub fn is_win_for(self, player: Player) -> bool {
        self.outcome == Outcome::Win(player)
    }

    /// Whether `player` prefers this result of a move to `other`.
    pub fn is_better_for(self, player: Player, other: Proof) -> bool {
        let rank = |proof: Proof| match proof.outcome {
            Outcome::Win(winner) if winner == player => (2, -i32::from(proof.distance.of(player))),
            Outcome::Draw => (1, 0),
            Outcome::Win(_) => (0, i32::from(proof.distance.of(player))),
        };
        rank(self) > rank(other)
    }

    /// The proof of a position from those of all its moves (MCTS-Solver, Winands, Björnsson and
    /// Saito 2008, extended to draws). One winning move proves a win. Other results need proofs of
    /// all moves.
    pub fn of_moves(player: Player, moves: impl Iterator<Item = Option<Proof>>) -> Option<Proof> {
        let mut best: Option<Proof> = None;
        let mut all_proven = true;
        let mut distance = Distance::default();
        for proof in moves {
            match proof {
                Some(proof) => {
                    distance = distance.longest(proof.distance);
                    if best.is_none_or(|best| proof.is_better_for(player, best)) {
                        best = Some(proof);
                    }
                }
                None => all_proven = false,
            }
        }
        match best {
            Some(best) if best.is_win_for(player) => Some(best),
            Some(Proof { outcome: Outcome::Draw, .. }) if all_proven => best,
            // The loser may choose any line, so the bound is that of the longest.
            Some(best) if all_proven => Some(Proof { distance, ..best }),
            _ => None,
        }
    }

    /// Packs the proof into 32 bits; 0 means no proof.
    pub(crate) fn pack(proof: Option<Proof>) -> u32 {
        proof.map_or(0, |proof| {
            let outcome = match proof.outcome {
                Outcome::Win(Player::Black) => 1,
                Outcome::Win(Player::White) => 2,
                Outcome::Draw => 3,
            };
            outcome
                | u32::from(proof.distance.moves[0]) << 2
                | u32::from(proof.distance.moves[1]) << 17
        })
    }

    pub(crate) fn unpack(bits: u32) -> Option<Proof> {
        let outcome = match bits & 3 {
            1 => Outcome::Win(Player::Black),
            2 => Outcome::Win(Player::White),
            3 => Outcome::Draw,
            _ => return None,
        };
        let moves = [2, 17].map(|shift| (bits >> shift) as u16 & MAX_MOVES);
        Some(Proof { outcome, distance: Distance { moves } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(outcome: Outcome, black: u16, white: u16) -> Proof {
        Proof { outcome, distance: Distance { moves: [black, white] } }
    }

    const BLACK: Outcome = Outcome::Win(Player::Black);
    const WHITE: Outcome = Outcome::Win(Player::White);

    #[test]
    fn unpacks_packed_values() {
        for outcome in [BLACK, WHITE, Outcome::Draw] {
            for (black, white) in
                [(0, 0), (1, 2), (MAX_MOVES, 0), (0, MAX_MOVES), (MAX_MOVES, MAX_MOVES)]
            {
                let proof = Some(proof(outcome, black, white));
                assert_eq!(Proof::unpack(Proof::pack(proof)), proof);
            }
        }
        assert_eq!(Proof::unpack(Proof::pack(None)), None);
    }

    #[test]
    fn shortest_winning_move_proves_a_win() {
        let moves =
            [None, Some(proof(BLACK, 5, 4)), Some(proof(BLACK, 3, 9)), Some(proof(WHITE, 1, 1))];
        assert_eq!(Proof::of_moves(Player::Black, moves.into_iter()), moves[2]);
    }

    #[test]
    fn open_move_leaves_losses_and_draws_unproven() {
        let moves = [None, Some(proof(BLACK, 5, 4)), Some(proof(Outcome::Draw, 1, 1))];
        assert_eq!(Proof::of_moves(Player::White, moves.into_iter()), None);
        assert_eq!(Proof::of_moves(Player::White, std::iter::empty()), None);
    }

    #[test]
    fn prefers_draws_and_bounds_losses_by_the_longest_line() {
        let draw = proof(Outcome::Draw, 7, 7);
        let losses = [Some(proof(BLACK, 5, 2)), Some(proof(BLACK, 3, 4))];
        assert_eq!(
            Proof::of_moves(Player::White, losses.into_iter().chain([Some(draw)])),
            Some(draw)
        );
        assert_eq!(Proof::of_moves(Player::White, losses.into_iter()), Some(proof(BLACK, 5, 4)));
    }
}
