//! Samples of recorded matches, and the loss of a sample.

use oshi::game::{Game, RoundProof, Text};
use oshi::games::kamisado::eval::match_features::MatchFeatures;
use oshi::games::kamisado::{Match, Target};

use crate::fitting::logistic;

/// A position with its targets.
pub struct Sample {
    pub features: MatchFeatures,
    /// Index of the move played among the legal moves.
    pub played: usize,
    /// Whether the player to move won the match.
    pub won: bool,
    /// Win probability that this player reported, 0 to 1.
    pub reported: f32,
}

impl Sample {
    pub fn from_line(line: &str) -> Option<Sample> {
        let mut words = line.splitn(5, ' ');
        let [winners, mv, reported, won, position] =
            [words.next()?, words.next()?, words.next()?, words.next()?, words.next()?];
        let reported = reported.parse().ok().filter(|reported| (0.0..=1.0).contains(reported))?;
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
        let features = MatchFeatures::new(&position, &moves, RoundProof::Unknown, &winners)?;
        (winners.len() == moves.len()).then_some(Sample {
            features,
            played,
            won: won == "1",
            reported,
        })
    }
}

/// Calibrates the reported probabilities, for each target by the factor of their logits that fits
/// the results best. Otherwise an overconfident search would train an overconfident network.
pub fn calibrate(samples: &mut [Sample]) {
    for target in Target::ALL {
        let mut of_target: Vec<_> =
            samples.iter_mut().filter(|sample| sample.features.target() == target as u8).collect();
        let forecast = |sample: &&mut Sample| logistic::Sample {
            features: [logit(sample.reported)],
            won: sample.won,
        };
        let forecasts: Vec<_> = of_target.iter().map(forecast).collect();
        let factor = logistic::fit(&forecasts, &[1.0], 0.0);
        if !forecasts.is_empty() {
            eprintln!(
                "{target:?}: {} reported probabilities, their logits scaled by {:.2}",
                forecasts.len(),
                factor[0]
            );
        }
        of_target
            .iter_mut()
            .zip(forecasts)
            .for_each(|(sample, forecast)| sample.reported = forecast.probability(&factor) as f32);
    }
}

/// Logit of a probability, clamped to keep it finite.
fn logit(probability: f32) -> f64 {
    const MIN: f64 = 0.002;
    let probability = f64::from(probability).clamp(MIN, 1.0 - MIN);
    (probability / (1.0 - probability)).ln()
}

/// Policy of these logits.
pub fn softmax(logits: &[f32]) -> Vec<f32> {
    let best = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = logits.iter().map(|logit| (logit - best).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// Derivatives of the policy's cross-entropy.
pub fn d_logits(logits: &[f32], played: usize) -> Vec<f32> {
    let mut derivatives = softmax(logits);
    derivatives[played] -= 1.0;
    derivatives
}

/// Weight of the reported probability in the value's target; the rest is the result. The search
/// sees far but is biased.
const REPORTED_WEIGHT: f32 = 0.7;

/// Derivative of the value's cross-entropy by its logit.
pub fn d_value(value: f32, sample: &Sample) -> f32 {
    value - target(sample)
}

/// Target of the value.
pub fn target(sample: &Sample) -> f32 {
    REPORTED_WEIGHT * sample.reported + (1.0 - REPORTED_WEIGHT) * f32::from(u8::from(sample.won))
}
