//! A simple evaluator: advanced pawns count more, and captures have the highest prior.

use oshi::game::{Evaluation, Evaluator, Player, Policy, RoundProof, Searchable};

use super::rules::{Breakthrough, Step};

impl<const FILES: usize, const RANKS: usize> Searchable for Breakthrough<FILES, RANKS> {
    type Evaluator = Advance;
}

#[derive(Default)]
pub struct Advance;

impl<const FILES: usize, const RANKS: usize> Evaluator<Breakthrough<FILES, RANKS>> for Advance {
    fn evaluate(
        &mut self,
        position: &Breakthrough<FILES, RANKS>,
        moves: &[Step],
        _: RoundProof,
        _: &[Option<Player>],
    ) -> Evaluation {
        let [black, white] = Player::ALL.map(|player| {
            let steps =
                |rank: u8| if player == Player::Black { rank } else { RANKS as u8 - 1 - rank };
            position
                .pawns_of(player)
                .map(|square| 1.0 + (f32::from(steps(square.rank)) / RANKS as f32).powi(2))
                .sum::<f32>()
        });
        let logits = moves
            .iter()
            .map(|step| if position.owner(step.to).is_some() { 1.0 } else { 0.0 })
            .collect();
        Evaluation {
            value: 1.0 / (1.0 + (black - white).exp().recip()),
            policy: Policy { logits, ..Policy::default() },
        }
    }

    /// Endings with few pawns are small enough for exact search.
    fn exact_budget(&self, position: &Breakthrough<FILES, RANKS>) -> u64 {
        if position.pawns.iter().map(|pawns| pawns.count_ones()).sum::<u32>() <= 4 {
            100
        } else {
            0
        }
    }
}
