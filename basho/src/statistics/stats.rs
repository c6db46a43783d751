//! The strength of two engines in a match: score, Elo, normalized Elo, likelihood of superiority.
//!
//! The unit is the *pair*: two games from one opening with the colours swapped. The two results are
//! correlated, so error bars come from the variance of pairs (the pentanomial). The formulas are
//! those of Fishtest and fastchess.

use std::f64::consts::LN_10;
use std::ops::AddAssign;

/// The 97.5 % quantile of the standard normal distribution: half a 95 % interval, in standard
/// errors.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Score of a pair, 0 to 1, for each cell of the pentanomial.
pub const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// A value with its 95 % error bar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Point estimate.
    pub value: f64,
    /// Half the width of the 95 % interval, in the unit of the value.
    pub error: f64,
}

/// Finished pairs by the points of the first engine: 0, ½, 1, 1½ or 2.
///
/// ```
/// use basho::statistics::stats::Pentanomial;
///
/// let pairs = Pentanomial([34, 54, 63, 64, 75]);
/// let elo = pairs.elo().unwrap();
/// assert_eq!(format!("{:.2} +/- {:.2}", elo.value, elo.error), "55.58 +/- 27.65");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Share of the pairs in each cell; `None` without pairs.
    fn shares(&self) -> Option<[f64; 5]> {
        let pairs = self.pairs() as f64;
        (pairs > 0.0).then(|| self.0.map(|count| count as f64 / pairs))
    }

    /// Mean score of the first engine, 0 to 1; `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        self.shares().map(|shares| mean(&PAIR_SCORES, &shares))
    }

    /// Variance of a pair's score, 0 to ¼; `None` without pairs.
    pub fn variance(&self) -> Option<f64> {
        self.shares().map(|shares| variance(&PAIR_SCORES, &shares))
    }

    /// The 95 % interval of the score. The normal interval if it has a width and lies inside 0 to
    /// 1, else [Wilson's](wilson), which uses the maximum variance p(1 − p).
    pub fn score_interval(&self) -> Option<ScoreInterval> {
        let (score, variance, pairs) = (self.score()?, self.variance()?, self.pairs() as f64);
        let reach = Z_95 * (variance / pairs).sqrt();
        let (low, high) = (score - reach, score + reach);
        if variance > 0.0 && low > 0.0 && high < 1.0 {
            return Some(ScoreInterval { low, high, is_normal: true });
        }
        let (low, high) = wilson(score, pairs);
        Some(ScoreInterval { low, high, is_normal: false })
    }

    /// Logistic Elo difference; `None` if the score is 0 or 1, or without pairs.
    pub fn elo(&self) -> Option<Estimate> {
        let interval = self.score_interval()?;
        let value = finite(elo_of_score(self.score()?))?;
        let error = finite((elo_of_score(interval.high) - elo_of_score(interval.low)) / 2.0)?;
        Some(Estimate { value, error })
    }

    /// Normalized Elo difference (M. Van den Bergh, "Normalized Elo"): the distance of the score
    /// from ½ in standard deviations of one game, times 800/ln 10. `None` if all pairs scored the
    /// same, or without pairs.
    pub fn normalized_elo(&self) -> Option<Estimate> {
        let (score, deviation) = (self.score()?, (2.0 * self.variance()?).sqrt());
        let value = finite((score - 0.5) / deviation * NORMALIZED_UNIT)?;
        let reach = Z_95 * (self.variance()? / self.pairs() as f64).sqrt();
        Some(Estimate { value, error: finite(reach / deviation * NORMALIZED_UNIT)? })
    }

    /// Likelihood that the first engine is stronger, 0 to 1; `None` if all pairs scored the same,
    /// or without pairs.
    pub fn likelihood_of_superiority(&self) -> Option<f64> {
        let variance = self.variance().filter(|&variance| variance > 0.0)?;
        let spread = (2.0 * variance / self.pairs() as f64).sqrt();
        finite((1.0 - libm::erf(-(self.score()? - 0.5) / spread)) / 2.0)
    }
}

/// Normalized Elo per standard deviation of a game.
pub const NORMALIZED_UNIT: f64 = 800.0 / LN_10;

/// The 95 % interval of a score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreInterval {
    /// Lower end, 0 to 1.
    pub low: f64,
    /// Upper end, 0 to 1.
    pub high: f64,
    /// Whether it is the normal interval; else it is Wilson's.
    pub is_normal: bool,
}

/// Wilson's 95 % interval for the mean of `trials` values between 0 and 1 (E. B. Wilson, "Probable
/// inference", 1927). It lies inside 0 to 1 and is never empty. `trials` must be above 0.
pub fn wilson(mean: f64, trials: f64) -> (f64, f64) {
    let z2 = Z_95 * Z_95;
    let scale = 1.0 + z2 / trials;
    let centre = (mean + z2 / (2.0 * trials)) / scale;
    let reach = Z_95 / scale * (mean * (1.0 - mean) / trials + z2 / (4.0 * trials * trials)).sqrt();
    ((centre - reach).max(0.0), (centre + reach).min(1.0))
}

/// Logistic Elo difference of a score: −400 log₁₀(1/score − 1). Infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Expected score of a logistic Elo difference, 0 to 1.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Mean of `values` under the probabilities `shares`.
pub(super) fn mean(values: &[f64; 5], shares: &[f64; 5]) -> f64 {
    values.iter().zip(shares).map(|(value, share)| value * share).sum()
}

/// Variance of `values` under the probabilities `shares`.
pub(super) fn variance(values: &[f64; 5], shares: &[f64; 5]) -> f64 {
    let mean = mean(values, shares);
    values.iter().zip(shares).map(|(value, share)| share * (value - mean).powi(2)).sum()
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Result of a game for one engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// 0 points.
    Loss,
    /// ½ point.
    Draw,
    /// 1 point.
    Win,
}

impl Score {
    /// Twice the points: 0, 1 or 2.
    const fn half_points(self) -> usize {
        self as usize
    }

    /// The opponent's result.
    pub const fn reversed(self) -> Score {
        match self {
            Score::Loss => Score::Win,
            Score::Draw => Score::Draw,
            Score::Win => Score::Loss,
        }
    }
}

/// Results of one engine against one or more opponents.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
    /// Pairs with both games finished.
    pub pairs: Pentanomial,
    /// Pairs with one win for each engine.
    pub win_loss_pairs: u64,
    /// Pairs with two draws.
    pub draw_draw_pairs: u64,
}

impl Tally {
    /// Counts one game.
    pub fn add_game(&mut self, score: Score) {
        match score {
            Score::Loss => self.losses += 1,
            Score::Draw => self.draws += 1,
            Score::Win => self.wins += 1,
        }
    }

    /// Counts a finished pair. [`add_game`](Tally::add_game) counts its games.
    pub fn add_pair(&mut self, first: Score, second: Score) {
        if let Some(cell) = self.pairs.0.get_mut(first.half_points() + second.half_points()) {
            *cell += 1;
        }
        match (first, second) {
            (Score::Win, Score::Loss) | (Score::Loss, Score::Win) => self.win_loss_pairs += 1,
            (Score::Draw, Score::Draw) => self.draw_draw_pairs += 1,
            _ => {}
        }
    }

    /// The same games from the opponents' side.
    pub const fn reversed(&self) -> Tally {
        let [ll, ld, even, wd, ww] = self.pairs.0;
        Tally {
            wins: self.losses,
            losses: self.wins,
            pairs: Pentanomial([ww, wd, even, ld, ll]),
            ..*self
        }
    }

    /// The games of finished pairs only.
    pub const fn in_pairs(&self) -> Tally {
        let [ll, ld, _, wd, ww] = self.pairs.0;
        let (win_loss, draw_draw) = (self.win_loss_pairs, self.draw_draw_pairs);
        Tally {
            wins: 2 * ww + wd + win_loss,
            losses: 2 * ll + ld + win_loss,
            draws: ld + wd + 2 * draw_draw,
            ..*self
        }
    }

    /// Number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Points: 1 for a win, ½ for a draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.draws += other.draws;
        self.win_loss_pairs += other.win_loss_pairs;
        self.draw_draw_pairs += other.draw_draw_pairs;
        for (count, more) in self.pairs.0.iter_mut().zip(other.pairs.0) {
            *count += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value - expected).abs() <= tolerance,
            "{value} is not within {tolerance} of {expected}"
        );
    }

    /// The expected estimates are those that fastchess prints.
    #[test]
    fn elo_matches_fastchess() {
        let cases = [
            ([34, 54, 63, 64, 75], 55.58, 27.65, 57.94, 28.28, 0.579),
            ([332, 433, 498, 333, 334], -8.64, 10.33, -9.17, 10.96, 0.488),
            ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, -19.01, 2.65, 0.470),
        ];
        for (counts, elo, elo_error, nelo, nelo_error, score) in cases {
            let pairs = Pentanomial(counts);
            let (logistic, normalized) = (pairs.elo().unwrap(), pairs.normalized_elo().unwrap());
            assert_near(logistic.value, elo, 0.01);
            assert_near(logistic.error, elo_error, 0.01);
            assert_near(normalized.value, nelo, 0.01);
            assert_near(normalized.error, nelo_error, 0.01);
            assert_near(pairs.score().unwrap(), score, 0.001);
        }
        assert_near(
            Pentanomial([332, 433, 498, 333, 334]).likelihood_of_superiority().unwrap(),
            0.0505,
            0.0001,
        );
    }

    #[test]
    fn falls_back_to_wilsons_interval() {
        let all_won = Pentanomial([0, 0, 0, 0, 10]);
        assert_eq!(all_won.elo(), None);
        assert_eq!(all_won.normalized_elo(), None);
        assert_eq!(
            all_won.likelihood_of_superiority(),
            None,
            "without a spread there is no likelihood"
        );
        assert_eq!(Pentanomial([0, 0, 0, 0, 1]).likelihood_of_superiority(), None);
        let interval = all_won.score_interval().unwrap();
        assert!(!interval.is_normal);
        // From a table of Wilson's interval for 10 of 10.
        assert_near(interval.low, 0.7225, 0.0001);
        assert_near(interval.high, 1.0, 1e-12);
        // A score inside 0 to 1 whose normal interval leaves that range has a finite error.
        let nearly = Pentanomial([0, 0, 0, 1, 5]);
        assert!(!nearly.score_interval().unwrap().is_normal);
        assert!(nearly.elo().unwrap().error.is_finite());
    }

    #[test]
    fn no_pairs_have_no_estimates() {
        let none = Pentanomial::default();
        assert_eq!((none.score(), none.elo(), none.normalized_elo()), (None, None, None));
        assert_eq!(none.likelihood_of_superiority(), None);
        assert_eq!(none.score_interval(), None);
    }

    #[test]
    fn equal_pairs_have_a_wide_error_bar() {
        let equal = Pentanomial([0, 0, 50, 0, 0]);
        let elo = equal.elo().unwrap();
        assert_near(elo.value, 0.0, 1e-9);
        assert!(elo.error > 10.0, "50 equal pairs do not prove equality: +/- {}", elo.error);
    }

    #[test]
    fn counts_pairs_by_their_points() {
        let mut tally = Tally::default();
        for (first, second) in
            [(Score::Win, Score::Loss), (Score::Draw, Score::Draw), (Score::Win, Score::Draw)]
        {
            tally.add_game(first);
            tally.add_game(second);
            tally.add_pair(first, second);
        }
        assert_eq!(tally.pairs, Pentanomial([0, 0, 2, 1, 0]));
        assert_eq!((tally.wins, tally.losses, tally.draws), (2, 1, 3));
        assert_eq!((tally.win_loss_pairs, tally.draw_draw_pairs), (1, 1));
        assert_eq!(tally.points(), 3.5);
        assert_eq!(tally.in_pairs(), tally);
        let paired = tally;
        tally.add_game(Score::Win);
        assert_eq!((tally.games(), tally.in_pairs()), (7, paired), "a game without its partner");
    }
}
