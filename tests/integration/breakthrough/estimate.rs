//! What the search is told: pawns count more the further they are.

use oshi::game::{Evaluation, Evaluator, Player, Policy, RoundProof, Searchable};

use super::rules::{Breakthrough, Step};

impl<const FILES: usize, const RANKS: usize> Breakthrough<FILES, RANKS> {
    fn strength(&self, player: Player) -> f32 {
        let steps = |rank: u8| if player == Player::Black { usize::from(rank) } else { RANKS - 1 - usize::from(rank) };
        self.pawns_of(player).map(|square| 1.0 + (steps(square.rank) as f32 / RANKS as f32).powi(2)).sum()
    }
}

impl<const FILES: usize, const RANKS: usize> Searchable for Breakthrough<FILES, RANKS> {
    type Evaluator = Advance;
}

#[derive(Default)]
pub struct Advance;

impl<const FILES: usize, const RANKS: usize> Evaluator<Breakthrough<FILES, RANKS>> for Advance {
    fn evaluate(&mut self, position: &Breakthrough<FILES, RANKS>, moves: &[Step], _: RoundProof) -> Evaluation {
        let logits = moves.iter().map(|step| if position.owner(step.to).is_some() { 1.0 } else { 0.0 }).collect();
        let lead = position.strength(Player::Black) - position.strength(Player::White);
        Evaluation { value: 1.0 / (1.0 + (-lead).exp()), policy: Policy { logits, ..Policy::default() } }
    }

    /// Few pawns have few lines left.
    fn exact_budget(&self, position: &Breakthrough<FILES, RANKS>) -> u64 {
        if position.pawns.iter().map(|pawns| pawns.count_ones()).sum::<u32>() <= 4 { 100 } else { 0 }
    }
}
