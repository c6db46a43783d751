//! A solved position, and how much of what the net says of it is right.

use oshi::game::Game;
use oshi::games::kamisado::Match;
use oshi::games::kamisado::eval::features::Features;

/// A position and the targets of the net.
pub struct Sample {
    pub view: Features,
    /// Whether the player to move wins, where that is known and a tower is called.
    pub won: Option<bool>,
    /// Whether each move wins, where some are known to and some not to; else empty.
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
            view: Features::new(&position, &moves)?,
            won,
            wins: if is_choice { wins } else { Vec::new() },
        })
    }
}

/// The weight of the choice of a winning move relative to the chance.
pub const CHOICE_SHARE: f32 = 0.5;

/// The shares of the moves of which it is known whether they win, by their logits; and the share of those that do.
pub fn shares(logits: &[f32], wins: &[Option<bool>]) -> (Vec<f32>, f32) {
    let best = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers = logits
        .iter()
        .zip(wins)
        .map(|(logit, won)| if won.is_some() { (logit - best).exp() } else { 0.0 });
    let sum: f32 = powers.clone().sum();
    let shares: Vec<f32> = powers.map(|power| power / sum).collect();
    let winning = shares
        .iter()
        .zip(wins)
        .filter(|(_, won)| **won == Some(true))
        .map(|(share, _)| share)
        .sum();
    (shares, winning)
}

/// The slopes of the cross-entropy of choosing any winning move.
pub fn by_logits(logits: &[f32], wins: &[Option<bool>]) -> Vec<f32> {
    if wins.is_empty() {
        return vec![0.0; logits.len()];
    }
    let (shares, winning) = shares(logits, wins);
    let wanted = |share: f32, won: Option<bool>| {
        if won == Some(true) { share / winning.max(1e-6) } else { 0.0 }
    };
    shares
        .into_iter()
        .zip(wins)
        .map(|(share, &won)| CHOICE_SHARE * (share - wanted(share, won)))
        .collect()
}
