//! Joint ratings of several engines from all their games.
//!
//! The model is that of Bradley and Terry ("Rank analysis of incomplete block designs", 1952), with
//! a draw as half a win: engine i scores 1 / (1 + 10^((rⱼ − rᵢ) / 400)) against j.
//!
//! An engine that won or lost all its games, or a group that never met the others, has no
//! maximum-likelihood rating. So every engine has a prior: [two drawn games](PRIOR_GAMES) against a
//! reference player of unknown rating. BayesElo calls this its prior, Ordo a virtual opponent. It
//! pulls a rating towards the others, less so with more games.

use std::f64::consts::{LN_10, SQRT_2};

use super::stats::{Estimate, Tally, Z_95};

/// Number of drawn games against the reference player, per engine.
pub const PRIOR_GAMES: f64 = 2.0;

/// Elo per unit of natural log odds.
const ELO_PER_LOG_ODDS: f64 = 400.0 / LN_10;

/// The result of one engine against another.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Meeting {
    /// Number of games.
    pub games: f64,
    /// Points of the first engine.
    pub points: f64,
}

impl From<&Tally> for Meeting {
    fn from(tally: &Tally) -> Meeting {
        Meeting { games: tally.games() as f64, points: tally.points() }
    }
}

/// Ratings of several engines in Elo, with mean 0, and their covariance. Engines are numbered from
/// 0.
///
/// The 95 % intervals are those of the normal approximation at the maximum of the likelihood. Each
/// game gets the variance of a game without draws, the maximum. Draws and pairs whose games balance
/// make the intervals too wide rather than too narrow.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    /// Natural log odds against the reference player.
    odds: Vec<f64>,
    /// Covariance of the log odds.
    covariance: Vec<Vec<f64>>,
}

impl Ratings {
    /// Rates `count` engines. `meeting(i, j)` is the result of engine i against j. `None` without
    /// engines.
    ///
    /// ```
    /// use basho::statistics::ratings::{Meeting, Ratings};
    ///
    /// // Engine 0 scored 75 of 100 points against engine 1.
    /// let meeting = |i: usize, _| Meeting { games: 100.0, points: [75.0, 25.0][i] };
    /// let ratings = Ratings::new(2, meeting).unwrap();
    /// let difference = ratings.difference(0, 1).unwrap();
    /// assert!((difference.value - 188.4).abs() < 0.1);
    /// assert!(difference.error > 70.0 && difference.error < 80.0);
    /// ```
    pub fn new(count: usize, meeting: impl Fn(usize, usize) -> Meeting) -> Option<Ratings> {
        if count == 0 {
            return None;
        }
        let mut odds = vec![0.0; count];
        for _ in 0..MAX_STEPS {
            let gradient: Vec<f64> = (0..count)
                .map(|i| {
                    let won: f64 = others(count, i)
                        .map(|j| surplus(meeting(i, j), difference(&odds, i, j)))
                        .sum();
                    won + surplus(PRIOR, at(&odds, i))
                })
                .collect();
            let inverse = inverse(information(&odds, &meeting))?;
            let step: Vec<f64> = inverse
                .iter()
                .map(|row| row.iter().zip(&gradient).map(|(a, b)| a * b).sum())
                .collect();
            // A full Newton step from far away can overshoot the maximum.
            let longest = step.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
            let scale = 1f64.min(1.0 / longest);
            odds.iter_mut().zip(&step).for_each(|(odds, step)| *odds += scale * step);
            if longest < TOLERANCE {
                break;
            }
        }
        let covariance = inverse(information(&odds, &meeting))?;
        Some(Ratings { odds, covariance })
    }

    /// The rating of each engine.
    pub fn estimates(&self) -> Vec<Estimate> {
        let (count, mean) = (self.odds.len() as f64, self.mean());
        let total: f64 = self.covariance.iter().flatten().sum();
        let rows = self.odds.iter().zip(&self.covariance).enumerate();
        rows.map(|(engine, (odds, row))| {
            // Variance of the difference from the mean rating.
            let variance =
                at(row, engine) - 2.0 * row.iter().sum::<f64>() / count + total / (count * count);
            estimate(odds - mean, variance)
        })
        .collect()
    }

    /// Rating of the first engine minus that of the second; `None` if one does not exist.
    pub fn difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let (rows, odds) =
            ((self.covariance.get(first)?, self.covariance.get(second)?), &self.odds);
        let variance = at(rows.0, first) + at(rows.1, second) - 2.0 * at(rows.0, second);
        Some(estimate(odds.get(first)? - odds.get(second)?, variance))
    }

    /// Likelihood that the first engine is stronger than the second, 0 to 1; `None` if one does not
    /// exist.
    pub fn superiority(&self, first: usize, second: usize) -> Option<f64> {
        let Estimate { value, error } = self.difference(first, second)?;
        // Zero error: an engine compared with itself.
        let deviations = if error > 0.0 { value / (error / Z_95) } else { 0.0 };
        Some((1.0 + libm::erf(deviations / SQRT_2)) / 2.0)
    }

    /// Performance against one opponent: the rating that this result alone gives, with the same
    /// prior and the opponent's rating fixed. `None` if there is no such opponent.
    pub fn performance(&self, opponent: usize, result: Meeting) -> Option<Estimate> {
        let opponent = *self.odds.get(opponent)?;
        let weight = |odds| {
            information_of(result.games, odds - opponent) + information_of(PRIOR.games, odds)
        };
        let mut odds = opponent;
        for _ in 0..MAX_STEPS {
            let step = (surplus(result, odds - opponent) + surplus(PRIOR, odds)) / weight(odds);
            odds += step.clamp(-1.0, 1.0);
            if step.abs() < TOLERANCE {
                break;
            }
        }
        Some(estimate(odds - self.mean(), 1.0 / weight(odds)))
    }

    fn mean(&self) -> f64 {
        self.odds.iter().sum::<f64>() / self.odds.len() as f64
    }
}

/// The games of each engine against the reference player.
const PRIOR: Meeting = Meeting { games: PRIOR_GAMES, points: PRIOR_GAMES / 2.0 };

/// Newton's method needs a handful, and a few more for lopsided results.
const MAX_STEPS: usize = 1000;

/// Length of the last step, in log odds.
const TOLERANCE: f64 = 1e-10;

/// An estimate in Elo from log odds and their variance.
fn estimate(odds: f64, variance: f64) -> Estimate {
    Estimate {
        value: odds * ELO_PER_LOG_ODDS,
        error: Z_95 * variance.max(0.0).sqrt() * ELO_PER_LOG_ODDS,
    }
}

fn others(count: usize, engine: usize) -> impl Iterator<Item = usize> {
    (0..count).filter(move |&other| other != engine)
}

fn at(values: &[f64], index: usize) -> f64 {
    values.get(index).copied().unwrap_or_default()
}

fn difference(odds: &[f64], i: usize, j: usize) -> f64 {
    at(odds, i) - at(odds, j)
}

/// Points above the expected ones.
fn surplus(meeting: Meeting, difference: f64) -> f64 {
    meeting.points - meeting.games * logistic(difference)
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Fisher information of `games` games about the difference of two players.
fn information_of(games: f64, difference: f64) -> f64 {
    let chance = logistic(difference);
    games * chance * (1.0 - chance)
}

/// Fisher information matrix of the log odds, including the prior.
fn information(odds: &[f64], meeting: impl Fn(usize, usize) -> Meeting) -> Vec<Vec<f64>> {
    let weight = |i: usize, j: usize| information_of(meeting(i, j).games, difference(odds, i, j));
    let count = odds.len();
    let entry = |i: usize, j: usize| match i == j {
        true => {
            others(count, i).map(|other| weight(i, other)).sum::<f64>()
                + information_of(PRIOR.games, at(odds, i))
        }
        false => -weight(i, j),
    };
    (0..count).map(|i| (0..count).map(|j| entry(i, j)).collect()).collect()
}

/// Inverse of a symmetric positive definite matrix by Gauss–Jordan elimination; `None` if the
/// matrix has none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| if column == index { 1.0 } else { 0.0 }));
    }
    for pivot in 0..size {
        // A positive definite matrix needs no pivoting.
        let mut leading = matrix.get(pivot)?.clone();
        let divisor = *leading.get(pivot)?;
        if divisor.is_nan() || divisor <= 0.0 {
            return None;
        }
        leading.iter_mut().for_each(|entry| *entry /= divisor);
        for row in &mut matrix {
            let factor = *row.get(pivot)?;
            row.iter_mut().zip(&leading).for_each(|(entry, lead)| *entry -= factor * lead);
        }
        *matrix.get_mut(pivot)? = leading;
    }
    Some(matrix.into_iter().map(|row| row.into_iter().skip(size).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::stats::score_of_elo;

    fn of(table: &[&[(f64, f64)]]) -> Ratings {
        Ratings::new(table.len(), |i, j| Meeting { games: table[i][j].0, points: table[i][j].1 })
            .unwrap()
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 0.01, "{value} instead of {expected}");
    }

    const NONE: (f64, f64) = (0.0, 0.0);

    /// The expected values come from an independent program: Newton's method on the log-likelihood
    /// of all players, with the reference player's rating as one more unknown and the mean fixed by
    /// a Lagrange multiplier.
    #[test]
    fn ratings_match_independent_program() {
        type Case<'a> = (&'a str, &'a [&'a [(f64, f64)]], &'a [(f64, f64)], f64, (f64, f64));
        let cases: [Case; 6] = [
            (
                "all won",
                &[&[NONE, (10.0, 10.0)], &[(10.0, 0.0), NONE]],
                &[(239.40, 200.29), (-239.40, 200.29)],
                0.9904,
                (239.40, 362.28),
            ),
            (
                "one game",
                &[&[NONE, (1.0, 1.0)], &[(1.0, 0.0), NONE]],
                &[(91.73, 261.19), (-91.73, 261.19)],
                0.7544,
                (91.73, 419.69),
            ),
            (
                "a circle",
                &[
                    &[NONE, (4.0, 4.0), (4.0, 0.0)],
                    &[(4.0, 0.0), NONE, (4.0, 4.0)],
                    &[(4.0, 4.0), (4.0, 0.0), NONE],
                ],
                &[(0.0, 148.60); 3],
                0.5,
                (279.59, 372.98),
            ),
            (
                "two groups that never met",
                &[
                    &[NONE, (10.0, 10.0), NONE, NONE],
                    &[(10.0, 0.0), NONE, NONE, NONE],
                    &[NONE, NONE, NONE, (10.0, 6.0)],
                    &[NONE, NONE, (10.0, 4.0), NONE],
                ],
                &[(239.40, 338.24), (-239.40, 338.24), (31.92, 291.83), (-31.92, 291.83)],
                0.9904,
                (239.40, 362.28),
            ),
            (
                "a ladder, from 100 to 0 %",
                &[
                    &[NONE, (100.0, 100.0), (100.0, 97.5), (20.0, 20.0)],
                    &[(100.0, 0.0), NONE, (100.0, 64.0), (20.0, 18.5)],
                    &[(100.0, 2.5), (100.0, 36.0), NONE, (20.0, 20.0)],
                    &[(20.0, 0.0), (20.0, 1.5), (20.0, 0.0), NONE],
                ],
                &[(651.30, 148.31), (-15.91, 79.89), (-95.46, 80.07), (-539.93, 172.96)],
                1.0,
                (785.33, 342.16),
            ),
            (
                "75 %",
                &[&[NONE, (100.0, 75.0)], &[(100.0, 25.0), NONE]],
                &[(94.20, 38.94), (-94.20, 38.94)],
                1.0,
                (94.20, 77.41),
            ),
        ];
        for (what, table, expected, superiority, (performance, error)) in cases {
            let found = of(table);
            for (found, (value, error)) in found.estimates().iter().zip(expected) {
                assert_near(found.value, *value);
                assert_near(found.error, *error);
            }
            assert!((found.superiority(0, 1).unwrap() - superiority).abs() < 1e-4, "{what}");
            let (games, points) = table[0][1];
            let found = found.performance(1, Meeting { games, points }).unwrap();
            assert_near(found.value, performance);
            assert_near(found.error, error);
        }
    }

    #[test]
    fn recovers_ratings_from_expected_points() {
        let truth = [310.0, 40.0, -10.0, -120.0, -220.0];
        let found = Ratings::new(truth.len(), |i, j| {
            // Some pairs never met.
            let games = if (i + j) % 3 == 0 { 0.0 } else { 1e6 };
            Meeting { games, points: games * score_of_elo(truth[i] - truth[j]) }
        });
        for (found, truth) in found.unwrap().estimates().iter().zip(truth) {
            assert_near(found.value, truth);
        }
    }

    #[test]
    fn no_engines_have_no_ratings() {
        assert_eq!(Ratings::new(0, |_, _| Meeting::default()), None);
        let alone = of(&[&[NONE]]);
        assert_eq!(alone.estimates(), [Estimate { value: 0.0, error: 0.0 }]);
        assert_eq!(
            (
                alone.difference(0, 1),
                alone.superiority(1, 0),
                alone.performance(1, Meeting::default())
            ),
            (None, None, None)
        );
    }

    #[test]
    fn unplayed_engine_has_mean_rating_and_wide_interval() {
        let even = (100.0, 50.0);
        let estimates =
            of(&[&[NONE, even, NONE], &[even, NONE, NONE], &[NONE, NONE, NONE]]).estimates();
        assert!(estimates.iter().all(|one| one.value.abs() < 1e-9));
        assert!(
            estimates[2].error > 300.0 && estimates[0].error < estimates[2].error,
            "{estimates:?}"
        );
    }
}
