//! One rating for each of several engines, from all their games at once.
//!
//! The model is that of Bradley and Terry ("Rank analysis of incomplete block designs", 1952) with a draw for half a win:
//! engine i scores 1 / (1 + 10^((rⱼ − rᵢ) / 400)) against j.
//!
//! The games alone have no likeliest ratings if somebody won or lost them all, or if two groups never met. So every engine also has
//! a prior: [two games drawn](PRIOR_GAMES) against a reference player, who plays nobody else and whose rating is free. That is what
//! BayesElo calls its prior and Ordo a virtual opponent. It moves a rating towards the others, the less the more games there are.

use std::f64::consts::{LN_10, SQRT_2};

use super::stats::{Estimate, Tally, Z_95};

/// How many games every engine has drawn against the reference player.
pub const PRIOR_GAMES: f64 = 2.0;

/// Elo in one unit of natural log odds.
const ELO_PER_LOG_ODDS: f64 = 400.0 / LN_10;

/// The result of one engine against another.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Meeting {
    /// Games played.
    pub games: f64,
    /// Points of the first of the two.
    pub points: f64,
}

impl From<&Tally> for Meeting {
    fn from(tally: &Tally) -> Meeting {
        Meeting { games: tally.games() as f64, points: tally.points() }
    }
}

/// The ratings of several engines, in Elo with mean 0, and how sure they are. An engine is named by its number, from 0.
///
/// The intervals are those of the normal distribution around the likeliest ratings. They take each game's variance for that of a
/// game without draws, the most it can be: if games are drawn, or the two of a pair balance each other, the intervals are too wide
/// rather than too narrow.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    /// Natural log odds against the reference player.
    odds: Vec<f64>,
    /// The covariance of the odds.
    covariance: Vec<Vec<f64>>,
}

impl Ratings {
    /// The ratings of `count` engines from their results against each other: `meeting(i, j)` is the result of i. `None` without
    /// engines.
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
            // A full step from far away can overshoot the maximum.
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
            // The variance of the distance from the mean.
            let variance =
                at(row, engine) - 2.0 * row.iter().sum::<f64>() / count + total / (count * count);
            estimate(odds - mean, variance)
        })
        .collect()
    }

    /// By how much the first engine is rated above the second; `None` if there is no such engine.
    pub fn difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let (rows, odds) =
            ((self.covariance.get(first)?, self.covariance.get(second)?), &self.odds);
        let variance = at(rows.0, first) + at(rows.1, second) - 2.0 * at(rows.0, second);
        Some(estimate(odds.get(first)? - odds.get(second)?, variance))
    }

    /// The likelihood that the first engine is stronger than the second, 0 to 1; `None` if there is no such engine.
    pub fn superiority(&self, first: usize, second: usize) -> Option<f64> {
        let Estimate { value, error } = self.difference(first, second)?;
        // An engine is as strong as it is.
        let deviations = if error > 0.0 { value / (error / Z_95) } else { 0.0 };
        Some((1.0 + libm::erf(deviations / SQRT_2)) / 2.0)
    }

    /// How an engine performed against one opponent: the rating that this result alone would give it, with the same prior, the
    /// opponent being as strong as it is rated. `None` if there is no such opponent.
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

/// [`Ratings::estimates`] of the results; `None` without engines.
pub fn ratings(count: usize, meeting: impl Fn(usize, usize) -> Meeting) -> Option<Vec<Estimate>> {
    Ratings::new(count, meeting).map(|ratings| ratings.estimates())
}

/// The games of each engine against the reference player.
const PRIOR: Meeting = Meeting { games: PRIOR_GAMES, points: PRIOR_GAMES / 2.0 };

/// Newton's method needs a handful, and a few more from lopsided results.
const MAX_STEPS: usize = 1000;

/// The last step, in log odds.
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

/// The points made beyond those expected.
fn surplus(meeting: Meeting, difference: f64) -> f64 {
    meeting.points - meeting.games * logistic(difference)
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The Fisher information of so many games about the difference of the players.
fn information_of(games: f64, difference: f64) -> f64 {
    let chance = logistic(difference);
    games * chance * (1.0 - chance)
}

/// The Fisher information of all games, those of the prior included, about the log odds.
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

/// The inverse of a symmetric positive definite matrix by Gauss and Jordan; `None` if it has none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| if column == index { 1.0 } else { 0.0 }));
    }
    for pivot in 0..size {
        // Positive definite matrices need no exchange of rows.
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

    /// Against a reference in other words: Newton's method on the log-likelihood of all players, with the reference player's rating as
    /// one more unknown and the mean fixed by a Lagrange multiplier (100 lines of Python without any library). So these are the
    /// numbers that the documented prior implies, to two decimals.
    #[test]
    fn every_result_has_the_ratings_that_the_prior_implies() {
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
    fn many_games_find_the_ratings_that_made_the_expected_points() {
        let truth = [310.0, 40.0, -10.0, -120.0, -220.0];
        let found = ratings(truth.len(), |i, j| {
            // Some never met.
            let games = if (i + j) % 3 == 0 { 0.0 } else { 1e6 };
            Meeting { games, points: games * score_of_elo(truth[i] - truth[j]) }
        });
        for (found, truth) in found.unwrap().iter().zip(truth) {
            assert_near(found.value, truth);
        }
    }

    #[test]
    fn nobody_has_no_ratings() {
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
    fn who_never_played_is_rated_as_the_others_with_a_wide_interval() {
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
