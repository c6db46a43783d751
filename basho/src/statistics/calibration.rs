//! Whether the probabilities that an engine says come true: Brier score, calibration error, calibration diagram.
//!
//! The Brier score is the mean squared difference between the probability and what happened (G. W. Brier, "Verification of forecasts
//! expressed in terms of probability", 1950). The bins are those of a calibration diagram: in each, the mean probability said against the
//! mean result, whose differences are the calibration in the score (A. H. Murphy, "A new vector partition of the probability score",
//! 1973); weighted by the forecasts of their bins they make the expected calibration error.

use super::stats::score_of_elo;
use oshi::protocol::Score;

/// The bins of a calibration diagram, of equal width.
pub const BINS: usize = 10;

/// The parts of a game that are also judged alone.
pub const QUARTERS: usize = 4;

/// What one engine said before its moves, and what came of it. Its size does not depend on the number of games.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Calibration {
    quarters: [Squares; QUARTERS],
    bins: [Bin; BINS],
}

/// Squared errors.
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

/// The forecasts whose probabilities lie in the same tenth.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Bin {
    forecasts: u64,
    probabilities: f64,
    results: f64,
}

impl Bin {
    /// How many there are.
    pub const fn forecasts(&self) -> u64 {
        self.forecasts
    }

    /// The mean probability said, 0 to 1; `None` without forecasts.
    pub fn mean_probability(&self) -> Option<f64> {
        (self.forecasts > 0).then(|| self.probabilities / self.forecasts as f64)
    }

    /// The mean result, 0 to 1: how often it came true, draws counted half; `None` without forecasts.
    pub fn mean_result(&self) -> Option<f64> {
        (self.forecasts > 0).then(|| self.results / self.forecasts as f64)
    }
}

impl Calibration {
    /// Counts a forecast: in which quarter of its game it was made, from 0; the probability to win, draws counted half, 0 to 1; the result
    /// for the same player: 0, ½ or 1. A quarter that no game has is ignored.
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

    /// How many forecasts were counted.
    pub fn forecasts(&self) -> u64 {
        self.quarters.iter().map(|quarter| quarter.forecasts).sum()
    }

    /// The Brier score: 0 perfect, ¼ if every probability was one half, 1 always wrong; `None` without forecasts.
    pub fn brier(&self) -> Option<f64> {
        let sum = self.quarters.iter().map(|quarter| quarter.sum).sum();
        Squares { forecasts: self.forecasts(), sum }.mean()
    }

    /// The Brier scores of the quarters of the games; `None` for one without forecasts.
    pub fn by_quarter(&self) -> [Option<f64>; QUARTERS] {
        self.quarters.map(Squares::mean)
    }

    /// The expected calibration error, 0 to 1: the mean distance between the probability said and the result, within bins; `None` without
    /// forecasts.
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

/// The probability that a recorded score says, for the player who moves: `cp N` on the scale of Elo ratings, as this project's engine prints
/// its probabilities. `None` for anything else: `mate N` is a result that is claimed to be proven, and no probability.
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
    fn always_one_half_is_calibrated_and_scores_a_quarter() {
        let mut half = Calibration::default();
        for result in [0.0, 1.0, 1.0, 0.0] {
            half.add(0, 0.5, result);
        }
        assert_near(half.brier(), 0.25);
        assert_near(half.calibration_error(), 0.0);
    }

    #[test]
    fn forecasts_are_counted_in_their_quarter_and_tenth() {
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
        // Errors: 0.16, 0.4096; 0.01, 0.25, 0.
        assert_eq!(mixed.forecasts(), 5, "a game has four quarters");
        assert_near(mixed.brier(), 0.8296 / 5.0);
        let [first, second, third, fourth] = mixed.by_quarter();
        assert_near(first, 0.5696 / 2.0);
        assert_eq!([second, third], [None; 2]);
        assert_near(fourth, 0.26 / 3.0);
        // The bins: 0 said, ½ came; 1.24 said, 1 came; 1.9 said, 2 came.
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
    fn nothing_said_has_no_figures() {
        let none = Calibration::default();
        assert_eq!((none.forecasts(), none.brier(), none.calibration_error()), (0, None, None));
    }

    #[test]
    fn scores_are_read_as_the_protocol_writes_them() {
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
