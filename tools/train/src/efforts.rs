//! Fits how Kamisado's proof numbers begin to how many expansions proofs take, and writes `src/games/kamisado/eval/initial_number_weights.rs`:
//!
//! ```text
//! cargo run --release -p oshi-train -- efforts
//! ```
//!
//! Weights are tried on rounds drawn at random, others each time, and the better ones lead on (`evolution.rs`). In the end they and the neutral
//! ones prove rounds that none of them has seen.

mod evolution;
mod weighed;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use self::evolution::Evolution;
use self::weighed::expansions_of_proof;
use anyhow::Context;
use clap::Args;
use oshi::game::Game;
use oshi::games::kamisado::eval::initial_numbers::{WEIGHTS, Weights};
use oshi::games::kamisado::{Match, Target};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Fits how Kamisado's proof numbers begin.
#[derive(Args)]
pub struct Arguments {
    /// How many times to learn from a sample of weights.
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..))]
    generations: u32,
    /// Rounds to prove with each of them.
    #[arg(long, default_value_t = 64)]
    rounds: usize,
    /// Expansions after which a proof is given up.
    #[arg(long, default_value_t = 25_000)]
    expansions: u64,
    /// Threads that prove rounds at the same time; they change nothing else.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Where the weights go.
    #[arg(long, default_value = "src/games/kamisado/eval/initial_number_weights.rs")]
    output: PathBuf,
}

/// How likely a tower of a later round has no, one, two and three teeth.
const TEETH: [f64; 4] = [0.7, 0.18, 0.08, 0.04];

/// Rounds that the weights are tried on in the end.
const HELD_OUT: usize = 500;

/// Of the last generations the mean counts, since each of them is led astray by its rounds.
const SHARE_OF_LAST: u32 = 3;

/// Fits the weights and writes them.
///
/// # Errors
/// The file cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut evolution = Evolution::new(Weights::NEUTRAL.into(), spreads());
    let (mut sum, mut counted) = ([0.0; WEIGHTS], 0_u16);
    for generation in 1..=arguments.generations {
        let rounds = random_rounds(arguments.rounds, &mut rng);
        let sample = evolution.sample(&mut rng);
        let weights: Vec<_> =
            sample.iter().map(|individual| kept(individual.numbers.into())).collect();
        let costs: Vec<f64> = expansions(&weights, &rounds, arguments)
            .iter()
            .map(|expansions| cost(expansions))
            .collect();
        eprintln!("{generation}: {:.3}", costs.iter().copied().fold(f64::INFINITY, f64::min));
        evolution.learn(sample, &costs);
        if SHARE_OF_LAST * (arguments.generations - generation) < arguments.generations {
            sum.iter_mut().zip(evolution.mean).for_each(|(sum, number)| *sum += number);
            counted += 1;
        }
    }
    let fitted =
        Weights::from(sum.map(|number| (1000.0 * number / f32::from(counted)).round() / 1000.0));
    let rounds = random_rounds(HELD_OUT, &mut rng);
    for (name, expansions) in ["neutral", "fitted"].iter().zip(expansions(
        &[kept(Weights::NEUTRAL), kept(fitted)],
        &rounds,
        &arguments,
    )) {
        let all: u64 = expansions.iter().sum();
        println!("{name}: {all} expansions for {HELD_OUT} rounds, cost {:.3}", cost(&expansions));
    }
    std::fs::write(&arguments.output, source_file(&fitted))
        .with_context(|| format!("cannot write {}", arguments.output.display()))
}

/// The weights for as long as the program runs, some hundred bytes.
fn kept(weights: Weights) -> &'static Weights {
    Box::leak(Box::new(weights))
}

/// How far apart the weights begin.
fn spreads() -> [f32; WEIGHTS] {
    let [replies, sides, moved] = [0.2, 0.1, 0.2];
    Weights {
        replies: [[replies; 2]; 2],
        blocked: [replies; 2],
        sides: [[[sides; 4]; 2]; 2],
        moved: [[moved; 3]; 2],
    }
    .into()
}

/// So many rounds from their openings, every other one with teeth.
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

/// The expansions that each of the weights takes for each of the rounds.
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

/// What weights are judged by: the mean of the logarithms, in which all rounds count alike, and the logarithm of the mean, in which the
/// hard ones count.
fn cost(expansions: &[u64]) -> f64 {
    /// Fewer expansions take no time.
    const NEXT_TO_NOTHING: f64 = 100.0;
    let mean = |of: &dyn Fn(f64) -> f64| {
        expansions.iter().map(|&expansions| of(expansions as f64)).sum::<f64>()
            / expansions.len() as f64
    };
    (mean(&|expansions| (expansions + NEXT_TO_NOTHING).ln()) + mean(&|expansions| expansions).ln())
        / 2.0
}

fn source_file(weights: &Weights) -> String {
    let Weights { replies, blocked, sides, moved } = weights;
    format!(
        "//! How the efforts of Kamisado's proofs follow from what is seen, written by `cargo run --release -p oshi-train -- efforts`; not for editing by \
         hand.\n\nuse super::initial_numbers::Weights;\n\n#[rustfmt::skip]\npub(in crate::games::kamisado) static INITIAL_NUMBERS: Weights = Weights {{\n    replies: {replies:?},\n    \
         blocked: {blocked:?},\n    sides: {sides:?},\n    moved: {moved:?},\n}};\n"
    )
}
