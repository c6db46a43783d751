//! What the search is told: pawns count more the further they are.

use oshi::game::{Estimate, Player, RoundProof};

use super::rules::{Breakthrough, Step};

impl<const FILES: usize, const RANKS: usize> Breakthrough<FILES, RANKS> {
    fn strength(&self, player: Player) -> f32 {
        let steps = |rank: u8| if player == Player::Black { usize::from(rank) } else { RANKS - 1 - usize::from(rank) };
        self.pawns_of(player).map(|square| 1.0 + (steps(square.rank) as f32 / RANKS as f32).powi(2)).sum()
    }
}

impl<const FILES: usize, const RANKS: usize> Estimate for Breakthrough<FILES, RANKS> {
    fn assess(&self, _round: RoundProof, moves: &[Step], logits: &mut [f32]) -> f32 {
        for (step, logit) in moves.iter().zip(logits) {
            *logit = if self.owner(step.to).is_some() { 1.0 } else { 0.0 };
        }
        let lead = self.strength(Player::Black) - self.strength(Player::White);
        1.0 / (1.0 + (-lead).exp())
    }

    /// Few pawns have few lines left.
    fn exact_budget(&self) -> u64 {
        if self.pawns.iter().map(|pawns| pawns.count_ones()).sum::<u32>() <= 4 { 100 } else { 0 }
    }
}
