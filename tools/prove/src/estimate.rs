//! How much work the proof of a match would be, estimated by samples of it.
//!
//! The proof that is estimated is the one that [`Rounds`] makes: within each round by proof numbers, asking for the winners of later rounds. A node of the
//! tree is the first move of a round, its cost the expansions made within that round, its children the later rounds asked for; a stratum is a
//! score. What a round's search is told of later ones is imagined: the likely winner with a fixed chance, drawn by the position's hash. So the search
//! within the round is a real one, failures and all, while of the rounds that it asks for just one at each score is looked into.

use oshi::game::{Game, Player};
use oshi::games::kamisado::Match;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::openings::{Score, draw};
use crate::rounds::{Contests, Effort, RoundSearch, Rounds, likely_winner};
use crate::sampling::{Estimate, Look, Mean, probe};

#[derive(clap::Args)]
pub struct Arguments {
    /// Points of the player who opens the round and of the other.
    #[arg(long, default_value = "0-0")]
    score: Score,
    /// Openings of rounds at this score; at 0-0 there is one.
    #[arg(long, default_value_t = 1)]
    openings: u32,
    /// Random plies played in each of these rounds first: its proof is the smaller, and can be made to check the estimate.
    #[arg(long, default_value_t = 0)]
    plies: u32,
    /// Independent probes of each.
    #[arg(long, default_value_t = 30)]
    probes: u32,
    /// What a later round counts for, in leaves.
    #[arg(long, default_value_t = 1)]
    cost: u32,
    /// The chance that the likely winner of a later round's match is the true one.
    #[arg(long, default_value_t = 0.9)]
    likely: f64,
    /// The most expansions within one round of a probe, in thousands.
    #[arg(long, default_value_t = 5000)]
    kexpansions: u64,
    /// Also make the proof itself, if it takes no more than so many thousand expansions.
    #[arg(long, value_name = "KEXPANSIONS")]
    check: Option<u64>,
    /// Expansions a second of one core, for the years.
    #[arg(long, default_value_t = 1e6)]
    rate: f64,
    /// The seed of openings and probes; runs with different ones are independent.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// Memory for the contests of a probe, in MiB.
const HASH_MIB: usize = 64;

/// Estimates the proofs of the openings.
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
        let mut effort = Effort::of_at_most(1000 * most);
        let winner = Rounds::new(arguments.cost, HASH_MIB).winner(&position, &mut effort);
        let Mean { mean, error, .. } = probes.total(|_, estimate| estimate.nodes);
        let result = if winner.is_some() { "made" } else { "not made" };
        println!(
            "{position}: proof {result} by {} expansions, estimated {mean:.2e} ± {error:.1e}",
            effort.total()
        );
        checked.extend(winner.map(|_| (effort.total() as f64, mean, error)));
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

/// The first move of a round, or a position of that round after some random plies.
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

/// What the probes of one opening say, each by score.
#[derive(Default)]
struct Probes {
    estimates: Vec<Vec<(Score, Estimate)>>,
    /// Searches within a round that came to no end.
    cut_short: u32,
}

impl Probes {
    fn add(&mut self, opening: &Match, arguments: &Arguments, rng: &mut ChaCha8Rng) {
        let seed = rng.random();
        let stratum = |opening: &Match| (Score::of(opening).rounds(), Score::of(opening));
        let look = |opening: &Match| {
            let (look, is_whole) = within_round(opening, arguments, seed);
            self.cut_short += u32::from(!is_whole);
            look
        };
        let estimates = probe(*opening, stratum, look, rng);
        self.estimates
            .push(estimates.into_iter().map(|((_, score), estimate)| (score, estimate)).collect());
    }

    fn print(&self, arguments: &Arguments) {
        println!(
            "score  reached  openings asked for  expansions in each  distinct openings  all there are"
        );
        for score in Score::MET {
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
            "all openings as often as they are asked for",
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

    /// All expansions, where so many openings are looked into for each estimate of their number.
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
            "{name}: {mean:.2e} ± {error:.1e} expansions, log-normal 95 % {low:.2e} to {high:.2e}; {:.2e} years of a core",
            mean / arguments.rate / SECONDS_OF_A_YEAR
        );
    }
}

/// How many different ones so many openings are expected to be, if each of those that there are is as likely.
fn distinct(score: Score, asked: f64) -> f64 {
    let all = score.openings();
    -all * (asked * (-1.0 / all).ln_1p()).exp_m1()
}

/// The proof search within one round, later ones imagined; and whether it came to its end.
fn within_round(opening: &Match, arguments: &Arguments, seed: u64) -> (Look<Match>, bool) {
    let mut effort = Effort::of_at_most(1000 * arguments.kexpansions);
    let mut asked = Vec::new();
    let mut imagine = |next: &Match, _: &mut Effort| {
        asked.push(*next);
        Some(imagined_winner(next, arguments.likely, seed))
    };
    let winner = Contests::new(HASH_MIB)
        .winner_of_match(opening, &mut effort)
        .or_else(|| RoundSearch::new(arguments.cost).winner(opening, &mut effort, &mut imagine));
    (Look { cost: effort.total() as f64, children: asked }, winner.is_some())
}

/// The same for the same position and seed, whenever it is asked.
fn imagined_winner(opening: &Match, likely: f64, seed: u64) -> Player {
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
    fn few_openings_are_all_different_and_many_are_no_more_than_there_are() {
        let score = Score { opener: 2, other: 2 };
        assert!((distinct(score, 1000.0) - 1000.0).abs() < 1e-3);
        assert!((distinct(score, 1e20) / score.openings() - 1.0).abs() < 1e-9);
        assert!((distinct(Score { opener: 0, other: 0 }, 1.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn imagined_winners_come_as_often_as_is_said_and_stay_the_same() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let score = Score { opener: 0, other: 1 };
        let mut likely = 0;
        for _ in 0..1000 {
            let opening = draw(score, score, &mut rng).unwrap();
            let winner = imagined_winner(&opening, 0.8, 1);
            assert_eq!(winner, imagined_winner(&opening, 0.8, 1));
            likely += u32::from(winner == likely_winner(&opening));
        }
        assert!((760..=840).contains(&likely), "{likely}");
    }
}
