//! The strength of two engines by their match: score, Elo, normalized Elo, likelihood of superiority.
//!
//! The unit is the *pair*: two games from one opening with the colours swapped. Its two results depend on each other, so
//! intervals come from the spread of pairs (the pentanomial), as in Fishtest and fastchess, whose formulas these are.

use std::f64::consts::{LN_10, SQRT_2};
use std::ops::AddAssign;

/// The standard normal quantile of 97.5 %: 95 % intervals are this many standard errors to each side.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// The points of a pair, as a share of the two games, for each cell of the pentanomial.
pub const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// A value with half the width of its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The point estimate.
    pub value: f64,
    /// Half the width of the 95 % interval, in the unit of the value.
    pub error: f64,
}

/// Finished pairs, counted by the points of the first engine: 0, ½, 1, 1½ or 2.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.0.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// The share of the pairs in each cell; `None` without pairs.
    fn shares(&self) -> Option<[f64; 5]> {
        let pairs = self.pairs() as f64;
        (pairs > 0.0).then(|| self.0.map(|count| count as f64 / pairs))
    }

    /// The first engine's mean score, 0 to 1; `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        self.shares().map(|shares| mean(&PAIR_SCORES, &shares))
    }

    /// The variance of the score of one pair, 0 to ¼; `None` without pairs.
    pub fn variance(&self) -> Option<f64> {
        self.shares().map(|shares| variance(&PAIR_SCORES, &shares))
    }

    /// The 95 % interval of the score: the normal one where it lies inside 0 to 1 and has a width, else
    /// [Wilson's](wilson), which takes the spread of a pair for p(1−p), the most it can be.
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

    /// The logistic Elo difference; `None` if the score is 0 or 1, or without pairs.
    pub fn elo(&self) -> Option<Estimate> {
        let interval = self.score_interval()?;
        let value = finite(elo_of_score(self.score()?))?;
        let error = finite((elo_of_score(interval.high) - elo_of_score(interval.low)) / 2.0)?;
        Some(Estimate { value, error })
    }

    /// The normalized Elo difference (Van den Bergh, "Normalized Elo"): the distance of the score from ½ in standard
    /// deviations of one game, times 800/ln 10. `None` if all pairs scored the same, or without pairs.
    pub fn normalized_elo(&self) -> Option<Estimate> {
        let (score, deviation) = (self.score()?, (2.0 * self.variance()?).sqrt());
        let value = finite((score - 0.5) / deviation * NORMALIZED_UNIT)?;
        let reach = Z_95 * (self.variance()? / self.pairs() as f64).sqrt();
        Some(Estimate { value, error: finite(reach / deviation * NORMALIZED_UNIT)? })
    }

    /// The likelihood that the first engine is the stronger one, 0 to 1; `None` if all pairs scored the same, or without
    /// pairs.
    pub fn likelihood_of_superiority(&self) -> Option<f64> {
        let variance = self.variance().filter(|&variance| variance > 0.0)?;
        let spread = (2.0 * variance / self.pairs() as f64).sqrt();
        finite((1.0 - libm::erf(-(self.score()? - 0.5) / spread)) / 2.0)
    }
}

/// One standard deviation of a game in normalized Elo.
pub const NORMALIZED_UNIT: f64 = 800.0 / LN_10;

/// The 95 % interval of a score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreInterval {
    /// The lower end, 0 to 1.
    pub low: f64,
    /// The upper end, 0 to 1.
    pub high: f64,
    /// Whether the normal approximation was used; else it is Wilson's interval.
    pub is_normal: bool,
}

/// Wilson's 95 % score interval for a mean of `trials` values between 0 and 1: always inside 0 to 1, never empty.
/// `trials` is above 0. (E. B. Wilson, "Probable inference", 1927.)
pub fn wilson(mean: f64, trials: f64) -> (f64, f64) {
    let z2 = Z_95 * Z_95;
    let scale = 1.0 + z2 / trials;
    let centre = (mean + z2 / (2.0 * trials)) / scale;
    let reach = Z_95 / scale * (mean * (1.0 - mean) / trials + z2 / (4.0 * trials * trials)).sqrt();
    ((centre - reach).max(0.0), (centre + reach).min(1.0))
}

/// The logistic Elo difference that gives this score: −400 log₁₀(1/score − 1). Infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The score that a logistic Elo difference gives, 0 to 1.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The score of a pair that a normalized Elo difference gives, if a pair has this variance.
pub fn score_of_normalized_elo(elo: f64, variance: f64) -> f64 {
    0.5 + elo / NORMALIZED_UNIT * SQRT_2 * variance.sqrt()
}

/// The mean of `values` under the probabilities `shares`.
pub(super) fn mean(values: &[f64; 5], shares: &[f64; 5]) -> f64 {
    values.iter().zip(shares).map(|(value, share)| value * share).sum()
}

/// The variance of `values` under the probabilities `shares`.
pub(super) fn variance(values: &[f64; 5], shares: &[f64; 5]) -> f64 {
    let mean = mean(values, shares);
    values.iter().zip(shares).map(|(value, share)| share * (value - mean).powi(2)).sum()
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// The result of one game, for one of its engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// No point.
    Loss,
    /// Half a point.
    Draw,
    /// A whole point.
    Win,
}

impl Score {
    /// The points in halves: 0, 1 or 2.
    const fn half_points(self) -> usize {
        self as usize
    }

    /// The opponent's score.
    pub const fn reversed(self) -> Score {
        match self {
            Score::Loss => Score::Win,
            Score::Draw => Score::Draw,
            Score::Win => Score::Loss,
        }
    }
}

/// The games and pairs of one engine against one opponent, or against all of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
    /// The pairs of which both games are finished.
    pub pairs: Pentanomial,
    /// Pairs in which both engines won once.
    pub win_loss_pairs: u64,
    /// Pairs in which both games were drawn.
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

    /// Counts a finished pair; its games are counted by [`add_game`](Tally::add_game).
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

    /// The same games for the opponents.
    pub const fn reversed(&self) -> Tally {
        let [ll, ld, even, wd, ww] = self.pairs.0;
        Tally {
            wins: self.losses,
            losses: self.wins,
            pairs: Pentanomial([ww, wd, even, ld, ll]),
            ..*self
        }
    }

    /// Only the games of finished pairs.
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

    /// How many games were counted.
    pub const fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// A point for a win, half a point for a draw.
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

    /// Counts with the estimates that fastchess prints for them.
    #[test]
    fn elo_and_normalized_elo_are_those_of_fastchess() {
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
    fn a_score_without_a_normal_interval_gets_wilsons() {
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
        // Wilson's interval of 10 out of 10, from any table of it.
        assert_near(interval.low, 0.7225, 0.0001);
        assert_near(interval.high, 1.0, 1e-12);
        // A score inside 0 to 1 whose normal interval leaves that range still has a finite error.
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
    fn equal_pairs_have_an_elo_with_an_honest_error() {
        let equal = Pentanomial([0, 0, 50, 0, 0]);
        let elo = equal.elo().unwrap();
        assert_near(elo.value, 0.0, 1e-9);
        assert!(elo.error > 10.0, "50 equal pairs do not prove equality: +/- {}", elo.error);
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
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
