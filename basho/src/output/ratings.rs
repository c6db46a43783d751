//! Joint ratings as text tables: ratings, likelihoods of superiority, results by opponent.
//!
//! `names` are in the order of the tournament file and printable. Rows are in the order of the
//! ratings.

use std::fmt::Write;

use super::cells::{name_width, number, padded, percent};
use crate::statistics::ratings::{Meeting, Ratings};
use crate::statistics::stats::Tally;

/// The ratings, best first.
pub fn joint(names: &[String], ratings: &Ratings) -> String {
    let width = name_width(names);
    let title = padded("Joint rating (mean 0)", width);
    let mut text = format!("{:<4} {title} {:>10} {:>10}\n", "Rank", "Elo", "+/-");
    let estimates = ratings.estimates();
    for (rank, (engine, name)) in (1..).zip(ranked(names, ratings)) {
        let rating = estimates.get(engine).copied();
        let (elo, error) = (number(rating.map(|it| it.value)), number(rating.map(|it| it.error)));
        let _ = writeln!(text, "{rank:>4} {} {elo:>10} {error:>10}", padded(name, width));
    }
    text
}

/// Likelihood in percent that the engine of the row is stronger than that of the column. Columns
/// are titled by rank.
pub fn superiority(names: &[String], ratings: &Ratings) -> String {
    let (width, ranked) = (name_width(names), ranked(names, ratings));
    let mut text = format!("{:<4} {}", "Rank", padded("LOS in % against rank", width));
    for rank in 1..=ranked.len() {
        let _ = write!(text, " {rank:>6}");
    }
    for (rank, &(engine, name)) in (1..).zip(&ranked) {
        let _ = write!(text, "\n{rank:>4} {}", padded(name, width));
        for &(other, _) in &ranked {
            let chance = ratings.superiority(engine, other).filter(|_| other != engine);
            let _ = write!(
                text,
                " {:>6}",
                chance.map_or_else(|| "-".to_owned(), |chance| format!("{:.1}", chance * 100.0))
            );
        }
    }
    text + "\n"
}

/// Result of each engine against each of its opponents, and its performance: the joint rating that
/// this result alone would give. `against(i, j)` is the result of engine i.
pub fn by_opponent(
    names: &[String],
    ratings: &Ratings,
    against: impl Fn(usize, usize) -> Tally,
) -> String {
    let (width, ranked) = (name_width(names), ranked(names, ratings));
    let mut text = format!(
        "{} {} {:>7} {:>18} {:>8} {:>12} {:>9}\n",
        padded("Name", width),
        padded("Opponent", width),
        "Games",
        "+ - =",
        "Score",
        "Performance",
        "+/-"
    );
    for &(engine, name) in &ranked {
        for &(other, opponent) in ranked.iter().filter(|(other, _)| *other != engine) {
            let tally = against(engine, other);
            if tally.games() == 0 {
                continue;
            }
            let performance = ratings.performance(other, Meeting::from(&tally));
            let counts = format!("{} {} {}", tally.wins, tally.losses, tally.draws);
            let share = percent(tally.points(), tally.games())
                .map(|share| format!("{share:.1}%"))
                .unwrap_or_default();
            let (elo, error) =
                (number(performance.map(|it| it.value)), number(performance.map(|it| it.error)));
            let games = tally.games();
            let names = format!("{} {}", padded(name, width), padded(opponent, width));
            let _ =
                writeln!(text, "{names} {games:>7} {counts:>18} {share:>8} {elo:>12} {error:>9}");
        }
    }
    text
}

/// Indices and names of the engines, best rating first.
fn ranked<'a>(names: &'a [String], ratings: &Ratings) -> Vec<(usize, &'a str)> {
    let mut ranked: Vec<_> = names.iter().zip(ratings.estimates()).enumerate().collect();
    ranked.sort_by(|(_, (_, a)), (_, (_, b))| b.value.total_cmp(&a.value));
    ranked.into_iter().map(|(engine, (name, _))| (engine, name.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Engine 0 won both games against engine 1. Engine 2 has not played.
    fn tally(first: usize, second: usize) -> Tally {
        match (first, second) {
            (0, 1) => Tally { wins: 2, ..Tally::default() },
            (1, 0) => Tally { losses: 2, ..Tally::default() },
            _ => Tally::default(),
        }
    }

    #[test]
    fn prints_ratings_likelihoods_and_performances() {
        let names = ["top", "low", "idle"].map(str::to_owned);
        let ratings = Ratings::new(3, |i, j| Meeting::from(&tally(i, j))).unwrap();
        let expected = "\
Rank Joint rating (mean 0)            Elo        +/-
   1 top                           131.38     311.50
   2 idle                            0.00     402.86
   3 low                          -131.38     311.50
";
        assert_eq!(joint(&names, &ratings), expected);
        let expected = "\
Rank LOS in % against rank          1      2      3
   1 top                            -   65.4   86.1
   2 idle                        34.6      -   65.4
   3 low                         13.9   34.6      -
";
        assert_eq!(superiority(&names, &ratings), expected);
        let expected = "\
Name                      Opponent                    Games              + - =    Score  Performance       +/-
top                       low                             2              2 0 0   100.0%       131.38    398.31
low                       top                             2              0 2 0     0.0%      -131.38    398.31
";
        assert_eq!(by_opponent(&names, &ratings, tally), expected);
    }
}
