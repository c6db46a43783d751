//! Samples of solved positions, and the policy's loss.

use oshi::game::Game;
use oshi::games::kamisado::Match;
use oshi::games::kamisado::eval::features::Features;

/// A position with its targets.
pub struct Sample {
    pub features: Features,
    /// Whether the player to move wins, if known and a tower is called.
    pub won: Option<bool>,
    /// Whether each move wins. Empty unless some moves win and others lose.
    pub wins: Vec<Option<bool>>,
}

impl Sample {
    pub fn from_line(line: &str) -> Option<Sample> {
        let mut words = line.splitn(3, ' ');
        let [result, digits, position] = [words.next()?, words.next()?, words.next()?];
        let position: Match = position.parse().ok()?;
        let moves = position.legal_moves();
        let known = |character| match character {
            'w' | '1' => Some(true),
            'l' | '0' => Some(false),
            _ => None,
        };
        let wins: Vec<Option<bool>> = digits.chars().map(known).collect();
        let is_choice = wins.contains(&Some(true)) && wins.contains(&Some(false));
        if is_choice && wins.len() != moves.len() {
            return None;
        }
        let won = known(result.chars().next()?).filter(|_| position.called().is_some());
        Some(Sample {
            features: Features::new(&position, &moves)?,
            won,
            wins: if is_choice { wins } else { Vec::new() },
        })
    }
}

/// Weight of the policy's loss.
pub const POLICY_WEIGHT: f32 = 0.5;

/// Policy over the moves with known results, and the sum over the winning ones.
pub fn softmax_of_known(logits: &[f32], wins: &[Option<bool>]) -> (Vec<f32>, f32) {
    let best = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers = logits
        .iter()
        .zip(wins)
        .map(|(logit, won)| if won.is_some() { (logit - best).exp() } else { 0.0 });
    let sum: f32 = powers.clone().sum();
    let policy: Vec<f32> = powers.map(|power| power / sum).collect();
    let winning = policy
        .iter()
        .zip(wins)
        .filter(|(_, won)| **won == Some(true))
        .map(|(probability, _)| probability)
        .sum();
    (policy, winning)
}

/// Derivatives of the cross-entropy of choosing any winning move.
pub fn d_logits(logits: &[f32], wins: &[Option<bool>]) -> Vec<f32> {
    if wins.is_empty() {
        return vec![0.0; logits.len()];
    }
    let (policy, winning) = softmax_of_known(logits, wins);
    let target = |probability: f32, won: Option<bool>| {
        if won == Some(true) { probability / winning.max(1e-6) } else { 0.0 }
    };
    policy
        .into_iter()
        .zip(wins)
        .map(|(probability, &won)| POLICY_WEIGHT * (probability - target(probability, won)))
        .collect()
}
