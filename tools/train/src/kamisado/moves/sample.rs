//! A position of a recorded match, and how much of what the net says of its moves is right.

use oshi::game::{Game, RoundProof, Text};
use oshi::games::kamisado::eval::match_features::MatchFeatures;
use oshi::games::kamisado::{Match, Target};

use crate::fitting::logistic;

/// A position and the targets of the net.
pub struct Sample {
    pub view: MatchFeatures,
    /// The move that was played, as an index among the legal ones.
    pub played: usize,
    /// Whether the player to move won the match.
    pub won: bool,
    /// The chance that this player said before the move: 0 to 1.
    pub said: f32,
}

impl Sample {
    pub fn from_line(line: &str) -> Option<Sample> {
        let mut words = line.splitn(5, ' ');
        let [winners, mv, said, won, position] =
            [words.next()?, words.next()?, words.next()?, words.next()?, words.next()?];
        let said = said.parse().ok().filter(|said| (0.0..=1.0).contains(said))?;
        let position: Match = position.parse().ok()?;
        let moves = position.legal_moves();
        let played = position.parse_move(mv).ok()?;
        let played = moves.iter().position(|&mv| mv == played)?;
        let turn = position.turn();
        let winners: Vec<_> = winners
            .chars()
            .map(|winner| match winner {
                '1' => Some(turn),
                '0' => Some(!turn),
                _ => None,
            })
            .collect();
        let view = MatchFeatures::new(&position, &moves, RoundProof::Unknown, &winners)?;
        (winners.len() == moves.len()).then_some(Sample { view, played, won: won == "1", said })
    }
}

/// Brings the chances that were said to what came true, in matches to each target by the factor of their logits that explains the results
/// best: a search can be too sure of itself, and then it would teach that.
pub fn calibrate(samples: &mut [Sample]) {
    for target in Target::ALL {
        let mut of_target: Vec<_> =
            samples.iter_mut().filter(|sample| sample.view.target() == target as u8).collect();
        let told = |sample: &&mut Sample| logistic::Sample {
            features: [logit(sample.said)],
            won: sample.won,
        };
        let told: Vec<_> = of_target.iter().map(told).collect();
        let factor = logistic::fit(&told, &[1.0], 0.0);
        if !told.is_empty() {
            eprintln!(
                "{target:?}: the logits of {} chances are {:.2} times what was said",
                told.len(),
                factor[0]
            );
        }
        of_target
            .iter_mut()
            .zip(told)
            .for_each(|(sample, told)| sample.said = told.chance(&factor) as f32);
    }
}

/// The logit of a chance; of what is said to be sure, that of a little less.
fn logit(chance: f32) -> f64 {
    const LEAST: f64 = 0.002;
    let chance = f64::from(chance).clamp(LEAST, 1.0 - LEAST);
    (chance / (1.0 - chance)).ln()
}

/// The shares of the moves by their logits.
pub fn shares(logits: &[f32]) -> Vec<f32> {
    let best = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = logits.iter().map(|logit| (logit - best).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// The slopes of the cross-entropy of choosing the move that was played.
pub fn by_logits(logits: &[f32], played: usize) -> Vec<f32> {
    let mut slopes = shares(logits);
    slopes[played] -= 1.0;
    slopes
}

/// How much the target of the chance is what was said, and how much what happened: a search sees far, but is partial.
const SAID: f32 = 0.7;

/// The slope of the cross-entropy by the logit of this chance.
pub fn by_chance(chance: f32, sample: &Sample) -> f32 {
    chance - target(sample)
}

/// The chance that the net is to say.
pub fn target(sample: &Sample) -> f32 {
    SAID * sample.said + (1.0 - SAID) * f32::from(u8::from(sample.won))
}
