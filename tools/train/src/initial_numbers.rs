//! Fits the weights of Kamisado's initial proof and disproof numbers, so that proofs need few
//! expansions. Writes `src/games/kamisado/eval/initial_number_weights.rs`:
//!
//! ```text
//! cargo run --release -p oshi-train -- initial-numbers
//! ```
//!
//! Each generation of an evolution strategy proves new random rounds. Finally the fitted and the
//! neutral weights prove the same held-out rounds.

mod evolution;
mod weighted;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use self::evolution::Evolution;
use self::weighted::expansions_of_proof;
use crate::fitting;
use clap::Args;
use oshi::game::Game;
use oshi::games::kamisado::eval::initial_numbers::{WEIGHTS, Weights};
use oshi::games::kamisado::{Match, Target};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Options of `initial-numbers`.
#[derive(Args)]
pub struct Arguments {
    /// Generations of the evolution strategy.
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..))]
    generations: u32,
    /// Rounds to prove in each generation, with each candidate.
    #[arg(long, default_value_t = 64)]
    rounds: usize,
    /// Maximum expansions of a proof.
    #[arg(long, default_value_t = 25_000)]
    expansions: u64,
    /// Threads; the result does not depend on them.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// File to write.
    #[arg(long, default_value = "src/games/kamisado/eval/initial_number_weights.rs")]
    output: PathBuf,
}

/// Probability of 0, 1, 2 and 3 teeth of a tower.
const TEETH: [f64; 4] = [0.7, 0.18, 0.08, 0.04];

/// Rounds of the final comparison.
const HELD_OUT: usize = 500;

/// The result is the mean over the last 1/`AVERAGED_PART` generations, which reduces noise.
const AVERAGED_PART: u32 = 3;

/// Fits the weights and writes them.
///
/// # Errors
///
/// If the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut evolution = Evolution::new(Weights::NEUTRAL.into(), deviations());
    let (mut sum, mut counted) = ([0.0; WEIGHTS], 0_u16);
    for generation in 1..=arguments.generations {
        let rounds = random_rounds(arguments.rounds, &mut rng);
        let population = evolution.sample(&mut rng);
        let weights: Vec<_> =
            population.iter().map(|individual| leak(individual.numbers.into())).collect();
        let costs: Vec<f64> = expansions(&weights, &rounds, arguments)
            .iter()
            .map(|expansions| cost(expansions))
            .collect();
        eprintln!("{generation}: {:.3}", costs.iter().copied().fold(f64::INFINITY, f64::min));
        evolution.update(population, &costs);
        if AVERAGED_PART * (arguments.generations - generation) < arguments.generations {
            sum.iter_mut().zip(evolution.mean).for_each(|(sum, number)| *sum += number);
            counted += 1;
        }
    }
    let fitted =
        Weights::from(sum.map(|number| (1000.0 * number / f32::from(counted)).round() / 1000.0));
    let rounds = random_rounds(HELD_OUT, &mut rng);
    for (name, expansions) in ["neutral", "fitted"].iter().zip(expansions(
        &[leak(Weights::NEUTRAL), leak(fitted)],
        &rounds,
        arguments,
    )) {
        let sum: u64 = expansions.iter().sum();
        println!("{name}: {sum} expansions for {HELD_OUT} rounds, cost {:.3}", cost(&expansions));
    }
    fitting::write(&arguments.output, source_file(&fitted))
}

/// Leaks a hundred bytes, see `Weighted`.
fn leak(weights: Weights) -> &'static Weights {
    Box::leak(Box::new(weights))
}

/// Initial standard deviations of the search distribution.
fn deviations() -> [f32; WEIGHTS] {
    let [replies, sides, moved] = [0.2, 0.1, 0.2];
    Weights {
        replies: [[replies; 2]; 2],
        blocked: [replies; 2],
        sides: [[[sides; 4]; 2]; 2],
        moved: [[moved; 3]; 2],
    }
    .into()
}

/// Draws openings of rounds, every second one with teeth.
fn random_rounds(count: usize, rng: &mut ChaCha8Rng) -> Vec<Match> {
    let mut random_round = |number: usize| {
        let round = Match::start(Target::Simple).random_start(rng);
        if number.is_multiple_of(2) {
            return round;
        }
        let text = round.to_string();
        let (towers, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let mut with_teeth = String::new();
        for letter in towers.chars() {
            if letter.is_alphabetic() {
                let mut drawn: f64 = rng.random();
                let teeth = TEETH.iter().take_while(|&&share| {
                    drawn -= share;
                    drawn >= 0.0
                });
                with_teeth.extend(std::iter::repeat_n('+', teeth.count().min(3)));
            }
            with_teeth.push(letter);
        }
        format!("{with_teeth} {rest}").parse().unwrap_or(round)
    };
    (0..count).map(&mut random_round).collect()
}

/// Expansions of proving each round, by weights.
fn expansions(
    weights: &[&'static Weights],
    rounds: &[Match],
    arguments: &Arguments,
) -> Vec<Vec<u64>> {
    let found: Vec<Mutex<Vec<u64>>> = weights.iter().map(|_| Mutex::new(Vec::new())).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((weights, found)) = Some(next.fetch_add(1, Relaxed))
            .and_then(|index| Some((weights.get(index)?, &found[index])))
        {
            let expansions = rounds
                .iter()
                .map(|&round| expansions_of_proof(round, weights, arguments.expansions))
                .collect();
            *found.lock().unwrap_or_else(PoisonError::into_inner) = expansions;
        }
    };
    thread::scope(|scope| {
        for _ in 0..arguments.threads.max(1) {
            scope.spawn(work);
        }
    });
    found
        .into_iter()
        .map(|found| found.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// The objective: the average of the mean logarithm and the logarithm of the mean. All rounds
/// contribute equally to the first, hard rounds dominate the second.
fn cost(expansions: &[u64]) -> f64 {
    /// Differences below this number of expansions are irrelevant.
    const NEGLIGIBLE: f64 = 100.0;
    let mean = |of: &dyn Fn(f64) -> f64| {
        expansions.iter().map(|&expansions| of(expansions as f64)).sum::<f64>()
            / expansions.len() as f64
    };
    (mean(&|expansions| (expansions + NEGLIGIBLE).ln()) + mean(&|expansions| expansions).ln()) / 2.0
}

/// The text of `initial_number_weights.rs`.
fn source_file(weights: &Weights) -> String {
    let Weights { replies, blocked, sides, moved } = weights;
    format!(
        "//! Weights of Kamisado's initial proof numbers, written by
//! `cargo run --release -p oshi-train -- initial-numbers`. Do not edit.

use super::initial_numbers::Weights;

#[rustfmt::skip]
pub(in crate::games::kamisado) static INITIAL_NUMBERS: Weights = Weights {{
    replies: {replies:?},
    blocked: {blocked:?},
    sides: {sides:?},
    moved: {moved:?},
}};
"
    )
}
