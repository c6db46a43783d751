//! Estimates the work of a proof of a match by sampling it.
//!
//! The estimated proof is that of [`Rounds`]: proof-number search within each round, with later
//! rounds as leaves. A node of the sampled tree is an opening. Its cost is the number of expansions
//! within the round, its children are the openings that the search reached. A stratum is a score.
//!
//! The search within a round is real, but the winners of later rounds are simulated: the likely
//! winner with a fixed probability, drawn from the position's hash. Of the openings reached at one
//! score, one is sampled.

use oshi::game::{Game, Player};
use oshi::games::kamisado::Match;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::openings::{Score, draw};
use crate::rounds::{DecidingRounds, RoundSearch, Rounds, Work, likely_winner};
use crate::sampling::{Estimate, Mean, Visit, probe};

/// Options of `estimate`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Points of the opener of the round, and of the other player.
    #[arg(long, default_value = "0-0")]
    score: Score,
    /// Openings at this score; 0-0 has only one.
    #[arg(long, default_value_t = 1)]
    openings: u32,
    /// Random plies before the proof; a smaller proof can be made to check the estimate.
    #[arg(long, default_value_t = 0)]
    plies: u32,
    /// Independent probes of each opening.
    #[arg(long, default_value_t = 30)]
    probes: u32,
    /// Weight of a later round, in leaves.
    #[arg(long, default_value_t = 1)]
    cost: u32,
    /// Probability that the likely winner of a later round is the true one.
    #[arg(long, default_value_t = 0.9)]
    likely: f64,
    /// Maximum expansions within one round of a probe, in thousands.
    #[arg(long, default_value_t = 5000)]
    kexpansions: u64,
    /// Also make the proof itself, with at most this many thousand expansions.
    #[arg(long, value_name = "KEXPANSIONS")]
    check: Option<u64>,
    /// Expansions per second of one core, to compute years.
    #[arg(long, default_value_t = 1e6)]
    rate: f64,
    /// Seed of openings and probes; different seeds give independent runs.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// Memory for the round searches of a probe, in MiB.
const HASH_MIB: usize = 64;

/// Estimates the proofs of the openings.
///
/// # Errors
/// An opening cannot be drawn.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
    let mut checked = Vec::new();
    for _ in 0..arguments.openings {
        let position = draw_position(arguments, &mut rng)?;
        let mut probes = Probes::default();
        for _ in 0..arguments.probes {
            probes.add(&position, arguments, &mut rng);
        }
        let Some(most) = arguments.check else {
            println!("{position}");
            probes.print(arguments);
            continue;
        };
        let mut work = Work::limited_to(1000 * most);
        let winner = Rounds::new(arguments.cost, HASH_MIB).winner(&position, &mut work);
        let Mean { mean, error, .. } = probes.total(|_, estimate| estimate.nodes);
        let result = if winner.is_some() { "made" } else { "not made" };
        println!(
            "{position}: proof {result} by {} expansions, estimated {mean:.2e} ± {error:.1e}",
            work.total()
        );
        checked.extend(winner.map(|_| (work.total() as f64, mean, error)));
    }
    if arguments.check.is_some() {
        let sum = |part: fn(&(f64, f64, f64)) -> f64| checked.iter().map(part).sum::<f64>();
        let error = sum(|(_, _, error)| error.powi(2)).sqrt();
        println!(
            "{} proofs made: {:.3e} expansions, estimated {:.2e} ± {error:.1e}",
            checked.len(),
            sum(|made| made.0),
            sum(|made| made.1)
        );
    }
    Ok(())
}

/// Draws an opening and plays the random plies within its round.
fn draw_position(arguments: &Arguments, rng: &mut ChaCha8Rng) -> anyhow::Result<Match> {
    loop {
        let mut position = draw(arguments.score, arguments.score, rng)?;
        for _ in 0..arguments.plies {
            position.legal_moves().choose(rng).into_iter().for_each(|&mv| position.play(mv));
        }
        let is_in_round = position.outcome().is_none()
            && position.points().into_iter().sum::<u8>() as usize == arguments.score.rounds();
        if is_in_round && position.winning_move().is_none() {
            return Ok(position);
        }
    }
}

/// Estimates by score from the probes of one opening.
#[derive(Default)]
struct Probes {
    estimates: Vec<Vec<(Score, Estimate)>>,
    /// Searches within a round that ran out of expansions.
    cut_short: u32,
}

impl Probes {
    fn add(&mut self, opening: &Match, arguments: &Arguments, rng: &mut ChaCha8Rng) {
        let seed = rng.random();
        let stratum = |opening: &Match| (Score::of(opening).rounds(), Score::of(opening));
        let look = |opening: &Match| {
            let (visit, is_whole) = within_round(opening, arguments, seed);
            self.cut_short += u32::from(!is_whole);
            visit
        };
        let estimates = probe(*opening, stratum, look, rng);
        self.estimates
            .push(estimates.into_iter().map(|((_, score), estimate)| (score, estimate)).collect());
    }

    fn print(&self, arguments: &Arguments) {
        println!(
            "score  reached   openings visited  expansions in each  \
             distinct openings   all openings"
        );
        for score in Score::REACHABLE {
            let at = |probe: &Vec<(Score, Estimate)>| {
                probe.iter().find(|(here, _)| *here == score).map(|(_, estimate)| *estimate)
            };
            let reached: Vec<Estimate> = self.estimates.iter().filter_map(at).collect();
            if reached.is_empty() {
                continue;
            }
            let nodes: f64 = reached.iter().map(|estimate| estimate.nodes).sum();
            let cost =
                reached.iter().map(|estimate| estimate.nodes * estimate.cost).sum::<f64>() / nodes;
            let mean = nodes / self.estimates.len() as f64;
            println!(
                "{score:5} {:>8} {mean:>19.2e} {cost:>19.2e} {:>18.2e} {:>14.2e}",
                reached.len(),
                distinct(score, mean),
                score.openings(),
            );
        }
        self.print_total(
            "all openings, as often as visited",
            |_, estimate| estimate.nodes,
            arguments,
        );
        self.print_total(
            "each opening once",
            |score, estimate| distinct(score, estimate.nodes),
            arguments,
        );
        println!("searches within a round cut short: {} of all probes", self.cut_short);
    }

    /// Total expansions, given the number of openings to prove for each estimate.
    fn total(&self, openings: impl Fn(Score, &Estimate) -> f64) -> Mean {
        let total = |probe: &Vec<(Score, Estimate)>| {
            probe.iter().map(|(score, estimate)| openings(*score, estimate) * estimate.cost).sum()
        };
        Mean::of(&self.estimates.iter().map(total).collect::<Vec<f64>>())
    }

    fn print_total(
        &self,
        name: &str,
        openings: impl Fn(Score, &Estimate) -> f64,
        arguments: &Arguments,
    ) {
        let Mean { mean, error, interval: [low, high] } = self.total(openings);
        const SECONDS_OF_A_YEAR: f64 = 365.25 * 86_400.0;
        println!(
            "{name}: {mean:.2e} ± {error:.1e} expansions, log-normal 95 % {low:.2e} to {high:.2e}; \
             {:.2e} years of a core",
            mean / arguments.rate / SECONDS_OF_A_YEAR
        );
    }
}

/// Expected number of distinct openings among `asked` uniform draws.
fn distinct(score: Score, asked: f64) -> f64 {
    let all = score.openings();
    -all * (asked * (-1.0 / all).ln_1p()).exp_m1()
}

/// Searches one round with simulated winners of later rounds. Also returns whether it finished.
fn within_round(opening: &Match, arguments: &Arguments, seed: u64) -> (Visit<Match>, bool) {
    let mut work = Work::limited_to(1000 * arguments.kexpansions);
    let mut asked = Vec::new();
    let mut simulate = |next: &Match, _: &mut Work| {
        asked.push(*next);
        Some(simulated_winner(next, arguments.likely, seed))
    };
    let winner = DecidingRounds::new(HASH_MIB)
        .winner_of_match(opening, &mut work)
        .or_else(|| RoundSearch::new(arguments.cost).winner(opening, &mut work, &mut simulate));
    (Visit { cost: work.total() as f64, children: asked }, winner.is_some())
}

/// Simulated winner; a function of position and seed.
fn simulated_winner(opening: &Match, likely: f64, seed: u64) -> Player {
    let winner = likely_winner(opening);
    if ChaCha8Rng::seed_from_u64(opening.proof_key() ^ seed).random_bool(likely) {
        winner
    } else {
        !winner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_openings_are_bounded_by_draws_and_by_all() {
        let score = Score { opener: 2, other: 2 };
        assert!((distinct(score, 1000.0) - 1000.0).abs() < 1e-3);
        assert!((distinct(score, 1e20) / score.openings() - 1.0).abs() < 1e-9);
        assert!((distinct(Score { opener: 0, other: 0 }, 1.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn simulated_winners_have_given_frequency_and_are_stable() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let score = Score { opener: 0, other: 1 };
        let mut likely = 0;
        for _ in 0..1000 {
            let opening = draw(score, score, &mut rng).unwrap();
            let winner = simulated_winner(&opening, 0.8, 1);
            assert_eq!(winner, simulated_winner(&opening, 0.8, 1));
            likely += u32::from(winner == likely_winner(&opening));
        }
        assert!((760..=840).contains(&likely), "{likely}");
    }
}
