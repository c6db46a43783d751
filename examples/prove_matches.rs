//! Tries to prove who wins standard matches, from the first move of a round at every score, and prints how many were proven:
//!
//! ```text
//! cargo run --release --example prove_matches -- --arrangements 20 --movetime 10000
//! ```
//!
//! Arrangements and Sumos are random. A Sumo is a point; the scores are those in which nobody has more than Sumos.

use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Parser;
use oshi::game::Game;
use oshi::games::kamisado::{Match, Target};
use oshi::search::{Budget, Control, Limits, Searcher, Settings, Value};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IteratorRandom;

/// Tries to prove who wins standard matches.
#[derive(Parser)]
struct Arguments {
    /// Arrangements for each score.
    #[arg(long, default_value_t = 20)]
    arrangements: u32,
    /// Milliseconds for each.
    #[arg(long, default_value_t = 10_000)]
    movetime: u64,
    /// Memory of the search, in MiB.
    #[arg(long, default_value_t = 256)]
    hash: usize,
    /// The seed of the arrangements.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Print each position with its result.
    #[arg(long)]
    verbose: bool,
}

/// What was proven at one score.
#[derive(Default)]
struct Tally {
    won: u32,
    lost: u32,
    open: u32,
    /// How long the proofs took.
    times: Vec<Duration>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
    println!("opener other  won  lost  open  median  longest proof");
    for opener in (0..3).rev() {
        for other in (0..3).rev() {
            let mut tally = Tally::default();
            for _ in 0..arguments.arrangements {
                prove(&arrangement([opener, other], &mut rng)?, &arguments, &mut tally)?;
            }
            let Tally { won, lost, open, mut times } = tally;
            times.sort();
            let seconds = |time: Option<&Duration>| time.map_or("-".to_string(), |time| format!("{:.2} s", time.as_secs_f64()));
            let (median, longest) = (seconds(times.get(times.len() / 2)), seconds(times.last()));
            println!("{opener:6} {other:5} {won:4} {lost:5} {open:5} {median:>7} {longest:>14}");
        }
    }
    Ok(())
}

/// The first position of a round that Black opens, with these numbers of Sumos and points of Black and of White.
fn arrangement(points: [usize; 2], rng: &mut ChaCha8Rng) -> anyhow::Result<Match> {
    let line = Match::start(Target::Standard).random_start(rng).to_string();
    let (towers, _) = line.split_once(' ').context("a position line has five fields")?;
    let is_blacks = |letter: char| letter.is_ascii_lowercase();
    let is_whites = |letter: char| letter.is_ascii_uppercase();
    let mut sumos = towers.match_indices(is_blacks).sample(rng, points[0]);
    sumos.extend(towers.match_indices(is_whites).sample(rng, points[1]));
    let mut with_teeth = String::new();
    for (place, letter) in towers.char_indices() {
        if sumos.iter().any(|&(sumo, _)| sumo == place) {
            with_teeth.push('+');
        }
        with_teeth.push(letter);
    }
    let [black, white] = points;
    Ok(format!("{with_teeth} b - {black}-{white} {}", Target::Standard.points()).parse()?)
}

/// Searches the position for the time given, or until it is proven.
fn prove(position: &Match, arguments: &Arguments, tally: &mut Tally) -> anyhow::Result<()> {
    let mut searcher = Searcher::new(Settings { hash_mib: arguments.hash, ..Settings::default() });
    let time = Some(Budget::exactly(Duration::from_millis(arguments.movetime)));
    let began = Instant::now();
    let report = searcher.run(position, &Limits { time, ..Limits::default() }, &Control::default(), &mut |_| ());
    let took = began.elapsed();
    let value = report.lines.first().context("no legal move")?.value;
    match value {
        Value::Win(_) => tally.won += 1,
        Value::Loss(_) => tally.lost += 1,
        Value::Draw | Value::Chance(_) => tally.open += 1,
    }
    if matches!(value, Value::Win(_) | Value::Loss(_)) {
        tally.times.push(took);
    }
    if arguments.verbose {
        println!("{position}: {value:?} after {:.2} s", took.as_secs_f64());
    }
    Ok(())
}
