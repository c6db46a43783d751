//! How well an engine's reported win probabilities predict results.
//!
//! - The Brier score is the mean squared difference between probability and result (G. W. Brier,
//!   "Verification of forecasts expressed in terms of probability", 1950).
//! - The bins are those of a reliability diagram: mean probability against mean result (A. H.
//!   Murphy, "A new vector partition of the probability score", 1973).
//! - The expected calibration error is the mean absolute difference of the two, weighted by the
//!   forecasts of each bin.

use super::stats::score_of_elo;
use oshi::protocol::Score;

/// Number of bins of equal width in a reliability diagram.
pub const BINS: usize = 10;

/// Number of parts of a game that are also scored separately.
pub const QUARTERS: usize = 4;

/// One engine's forecasts and their results, in constant space.
///
/// A forecast is the win probability that an engine reports with a move, draws counted half.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Calibration {
    quarters: [Squares; QUARTERS],
    bins: [Bin; BINS],
}

/// A sum of squared errors.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Squares {
    forecasts: u64,
    sum: f64,
}

impl Squares {
    fn mean(self) -> Option<f64> {
        (self.forecasts > 0).then(|| self.sum / self.forecasts as f64)
    }
}

/// The forecasts of one bin.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Bin {
    forecasts: u64,
    probabilities: f64,
    results: f64,
}

impl Bin {
    /// Number of forecasts.
    pub const fn forecasts(&self) -> u64 {
        self.forecasts
    }

    /// Mean probability, 0 to 1; `None` without forecasts.
    pub fn mean_probability(&self) -> Option<f64> {
        (self.forecasts > 0).then(|| self.probabilities / self.forecasts as f64)
    }

    /// Mean result, 0 to 1, draws counted half; `None` without forecasts.
    pub fn mean_result(&self) -> Option<f64> {
        (self.forecasts > 0).then(|| self.results / self.forecasts as f64)
    }
}

impl Calibration {
    /// Adds a forecast.
    ///
    /// `quarter` is the quarter of the game, from 0; others are ignored. `probability` is the win
    /// probability, 0 to 1. `result` is 0, ½ or 1 for the same player.
    pub fn add(&mut self, quarter: usize, probability: f64, result: f64) {
        let tenth = ((probability * BINS as f64) as usize).min(BINS - 1);
        let (Some(squares), Some(bin)) = (self.quarters.get_mut(quarter), self.bins.get_mut(tenth))
        else {
            return;
        };
        squares.forecasts += 1;
        squares.sum += (probability - result).powi(2);
        bin.forecasts += 1;
        bin.probabilities += probability;
        bin.results += result;
    }

    /// Number of forecasts.
    pub fn forecasts(&self) -> u64 {
        self.quarters.iter().map(|quarter| quarter.forecasts).sum()
    }

    /// The Brier score: 0 is perfect, ¼ if every probability is ½, 1 is always wrong. `None`
    /// without forecasts.
    pub fn brier(&self) -> Option<f64> {
        let sum = self.quarters.iter().map(|quarter| quarter.sum).sum();
        Squares { forecasts: self.forecasts(), sum }.mean()
    }

    /// The Brier score of each quarter; `None` for a quarter without forecasts.
    pub fn by_quarter(&self) -> [Option<f64>; QUARTERS] {
        self.quarters.map(Squares::mean)
    }

    /// The expected calibration error, 0 to 1; `None` without forecasts.
    pub fn calibration_error(&self) -> Option<f64> {
        let distance: f64 =
            self.bins.iter().map(|bin| (bin.probabilities - bin.results).abs()).sum();
        (self.forecasts() > 0).then(|| distance / self.forecasts() as f64)
    }

    /// The bins, from the lowest probabilities to the highest.
    pub const fn bins(&self) -> &[Bin; BINS] {
        &self.bins
    }
}

/// The win probability of a recorded score, for the player of the move.
///
/// `cp N` is on the Elo scale, as this project's engine prints it. `None` for anything else: `mate
/// N` is a claimed proof, not a forecast.
pub fn win_probability_of_score(score: &str) -> Option<f64> {
    match score.parse().ok()? {
        Score::Cp(hundredths) => Some(score_of_elo(hundredths.into())),
        Score::Mate(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(value: Option<f64>, expected: f64) {
        assert!(
            value.is_some_and(|value| (value - expected).abs() < 1e-12),
            "{value:?} is not {expected}"
        );
    }

    #[test]
    fn perfect_forecasts_have_no_error() {
        let mut perfect = Calibration::default();
        for (number, result) in [0.0, 1.0, 1.0, 0.5, 0.0].into_iter().enumerate() {
            perfect.add(number % QUARTERS, result, result);
        }
        assert_near(perfect.brier(), 0.0);
        assert_near(perfect.calibration_error(), 0.0);
        assert_eq!(perfect.by_quarter(), [Some(0.0); QUARTERS]);
    }

    #[test]
    fn constant_half_is_calibrated_and_scores_a_quarter() {
        let mut half = Calibration::default();
        for result in [0.0, 1.0, 1.0, 0.0] {
            half.add(0, 0.5, result);
        }
        assert_near(half.brier(), 0.25);
        assert_near(half.calibration_error(), 0.0);
    }

    #[test]
    fn counts_forecasts_by_quarter_and_bin() {
        let mut mixed = Calibration::default();
        for (quarter, probability, result) in [
            (0, 0.6, 1.0),
            (0, 0.64, 0.0),
            (3, 0.9, 1.0),
            (3, 0.0, 0.5),
            (3, 1.0, 1.0),
            (4, 0.1, 0.0),
        ] {
            mixed.add(quarter, probability, result);
        }
        // Squared errors: 0.16 and 0.4096; 0.01, 0.25 and 0.
        assert_eq!(mixed.forecasts(), 5, "a game has four quarters");
        assert_near(mixed.brier(), 0.8296 / 5.0);
        let [first, second, third, fourth] = mixed.by_quarter();
        assert_near(first, 0.5696 / 2.0);
        assert_eq!([second, third], [None; 2]);
        assert_near(fourth, 0.26 / 3.0);
        // Probability and result of each bin: 0 and ½; 1.24 and 1; 1.9 and 2.
        assert_near(mixed.calibration_error(), (0.5 + 0.24 + 0.1) / 5.0);
        assert_eq!(mixed.bins().map(|bin| bin.forecasts()), [1, 0, 0, 0, 0, 0, 2, 0, 0, 2]);
        let bin = mixed.bins()[6];
        assert_near(bin.mean_probability(), 0.62);
        assert_near(bin.mean_result(), 0.5);
        assert_eq!(
            (mixed.bins()[1].mean_probability(), mixed.bins()[1].mean_result()),
            (None, None)
        );
    }

    #[test]
    fn no_forecasts_have_no_score() {
        let none = Calibration::default();
        assert_eq!((none.forecasts(), none.brier(), none.calibration_error()), (0, None, None));
    }

    #[test]
    fn reads_scores_of_the_protocol() {
        assert_near(win_probability_of_score("cp 0"), 0.5);
        assert_near(win_probability_of_score("cp 400"), 10.0 / 11.0);
        assert_near(win_probability_of_score("cp -400"), 1.0 / 11.0);
        for score in [
            "mate 3",
            "mate -2",
            "",
            "cp",
            "cp x",
            "cp 1 2",
            "cp 99999999999",
            "elo 5",
            "cp inf",
            "<script>",
        ] {
            assert_eq!(win_probability_of_score(score), None, "{score}");
        }
    }
}
