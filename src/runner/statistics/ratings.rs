//! One rating for each of several engines, from all their games at once.
//!
//! The model is that of Bradley and Terry ("Rank analysis of incomplete block designs", 1952) with a draw for half a win:
//! engine i scores 1 / (1 + 10^((rⱼ − rᵢ) / 400)) against j. The ratings are those under which the games are likeliest.

use std::f64::consts::LN_10;

use super::stats::{Estimate, Z_95};

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

/// The ratings of `count` engines, with mean 0, from their results against each other: `meeting(i, j)` is the result of i.
///
/// The intervals take each game's variance for that of a game without draws, the most it can be: if games are drawn, or
/// the two of a pair balance each other, the intervals are too wide rather than too narrow.
///
/// `None` if there is no maximum: some group of engines won all its games against the others, or never met them.
pub fn ratings(count: usize, meeting: impl Fn(usize, usize) -> Meeting) -> Option<Vec<Estimate>> {
    if count == 0 || !is_connected(count, |winner, loser| meeting(winner, loser).points > 0.0) {
        return None;
    }
    let mut odds = vec![0.0; count];
    for _ in 0..MAX_STEPS {
        let gradient: Vec<f64> = (0..count)
            .map(|i| (0..count).filter(|&j| j != i).map(|j| surplus(meeting(i, j), difference(&odds, i, j))).sum())
            .collect();
        let inverse = inverse(information(&odds, &meeting))?;
        let step: Vec<f64> = inverse.iter().map(|row| row.iter().zip(&gradient).map(|(a, b)| a * b).sum()).collect();
        // A full step from far away can overshoot the maximum.
        let longest = step.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
        let scale = 1f64.min(1.0 / longest);
        odds.iter_mut().zip(&step).for_each(|(odds, step)| *odds += scale * step);
        if longest < 1e-10 {
            break;
        }
    }
    let mean = odds.iter().sum::<f64>() / count as f64;
    // The information was made invertible by fixing the mean; what that adds to every variance is subtracted again.
    let excess = 1.0 / (count * count) as f64;
    let covariance = inverse(information(&odds, &meeting))?;
    let estimates = odds.iter().enumerate().map(|(i, odds)| {
        let variance = covariance.get(i)?.get(i)? - excess;
        let error = Z_95 * variance.max(0.0).sqrt() * ELO_PER_LOG_ODDS;
        Some(Estimate { value: (odds - mean) * ELO_PER_LOG_ODDS, error })
    });
    estimates.collect::<Option<Vec<_>>>().filter(|all| all.iter().all(|one| one.value.is_finite() && one.error.is_finite()))
}

/// Newton's method needs a handful, and a few more from lopsided results.
const MAX_STEPS: usize = 1000;

fn difference(odds: &[f64], i: usize, j: usize) -> f64 {
    odds.get(i).zip(odds.get(j)).map_or(0.0, |(i, j)| i - j)
}

/// The points made beyond those expected.
fn surplus(meeting: Meeting, difference: f64) -> f64 {
    meeting.points - meeting.games * logistic(difference)
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The Fisher information of the log odds, plus 1 in every entry, which fixes their mean.
fn information(odds: &[f64], meeting: impl Fn(usize, usize) -> Meeting) -> Vec<Vec<f64>> {
    let weight = |i: usize, j: usize| {
        let chance = logistic(difference(odds, i, j));
        meeting(i, j).games * chance * (1.0 - chance)
    };
    let count = odds.len();
    let entry = |i: usize, j: usize| {
        if i == j { (0..count).filter(|&other| other != i).map(|other| weight(i, other)).sum() } else { -weight(i, j) }
    };
    (0..count).map(|i| (0..count).map(|j| 1.0 + entry(i, j)).collect()).collect()
}

/// Whether everyone beat everyone, at least through others (Ford's condition for a finite maximum).
fn is_connected(count: usize, beat: impl Fn(usize, usize) -> bool) -> bool {
    let reaches_all = |edge: &dyn Fn(usize, usize) -> bool| {
        let (mut reached, mut open) = (vec![0], vec![0]);
        while let Some(from) = open.pop() {
            for to in (0..count).filter(|&to| edge(from, to)) {
                if !reached.contains(&to) {
                    reached.push(to);
                    open.push(to);
                }
            }
        }
        reached.len() == count
    };
    reaches_all(&|from, to| from != to && beat(from, to)) && reaches_all(&|from, to| from != to && beat(to, from))
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
    use crate::runner::statistics::stats::{elo_of_score, score_of_elo};

    fn of(table: &[&[(f64, f64)]]) -> Option<Vec<Estimate>> {
        ratings(table.len(), |i, j| Meeting { games: table[i][j].0, points: table[i][j].1 })
    }

    #[test]
    fn two_engines_differ_by_the_elo_of_their_score() {
        let found = of(&[&[(0.0, 0.0), (100.0, 75.0)], &[(100.0, 25.0), (0.0, 0.0)]]).unwrap();
        assert!((found[0].value - found[1].value - elo_of_score(0.75)).abs() < 1e-6);
        assert!((found[0].value + found[1].value).abs() < 1e-6);
        // The variance of the log odds of 75 out of 100 is 1/75 + 1/25; each rating has half the difference.
        let expected = Z_95 * (1.0 / 75.0 + 1.0 / 25.0f64).sqrt() / 2.0 * ELO_PER_LOG_ODDS;
        assert!((found[0].error - expected).abs() < 1e-6, "{} {expected}", found[0].error);
    }

    #[test]
    fn ratings_that_made_the_expected_points_are_found_again() {
        let truth = [310.0, 40.0, -10.0, -120.0, -220.0];
        let found = ratings(truth.len(), |i, j| {
            // Some never met.
            let games = if (i + j) % 3 == 0 { 0.0 } else { 50.0 };
            Meeting { games, points: games * score_of_elo(truth[i] - truth[j]) }
        });
        for (found, truth) in found.unwrap().iter().zip(truth) {
            assert!((found.value - truth).abs() < 1e-6, "{found:?}, not {truth}");
        }
    }

    #[test]
    fn who_lost_no_game_has_no_likeliest_rating() {
        assert_eq!(of(&[&[(0.0, 0.0), (10.0, 10.0)], &[(10.0, 0.0), (0.0, 0.0)]]), None);
        // Two pairs of equals that never met.
        let even = (10.0, 5.0);
        let none = (0.0, 0.0);
        assert_eq!(
            of(&[&[none, even, none, none], &[even, none, none, none], &[none, none, none, even], &[none, none, even, none]]),
            None
        );
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn lopsided_results_still_have_ratings() {
        let found = of(&[&[(0.0, 0.0), (1e6, 999_999.0)], &[(1e6, 1.0), (0.0, 0.0)]]).unwrap();
        assert!((found[0].value - found[1].value - elo_of_score(0.999999)).abs() < 1e-3);
    }
}
