//! Proofs of match winners from openings, as a table by score.

use anyhow::Context;
use clap::ValueEnum;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use oshi::game::{Game, Player};
use oshi::games::kamisado::Match;
use oshi::search::{Control, Limits, Searcher, Settings, Value};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::openings::{Score, draw};
use crate::rounds::{Rounds, Work};

/// Options of `prove`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Points of the opener of the round, and of the other player: `2-1`.
    #[arg(required = true, value_name = "SCORE")]
    scores: Vec<Score>,
    /// Sumos of both players; by default one per point.
    #[arg(long, value_name = "SCORE")]
    sumos: Option<Score>,
    /// Openings at each score.
    #[arg(long, default_value_t = 20)]
    openings: u32,
    /// Expansions for each opening, in thousands.
    #[arg(long, default_value_t = 5000)]
    kexpansions: u64,
    /// The search.
    #[arg(long, value_enum, default_value_t = Search::Rounds)]
    search: Search,
    /// Weight of a later round in leaves, for `rounds`.
    #[arg(long, default_value_t = 1)]
    cost: u32,
    /// Memory, in MiB.
    #[arg(long, default_value_t = 256)]
    hash: usize,
    /// Seed of the openings.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Print each position with its result.
    #[arg(long)]
    verbose: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Search {
    /// The engine's search.
    Engine,
    /// Proof-number search over the whole match.
    Whole,
    /// Proof-number search within rounds, with later rounds as leaves.
    Rounds,
}

/// The proof of an opening.
struct Proven {
    opener_wins: bool,
    expansions: u64,
    seconds: f64,
}

/// Tries to prove openings and prints the table.
///
/// # Errors
/// An opening cannot be drawn, or the processor time cannot be read.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    println!(
        "score   won  lost  open   median expansions       95 %        max   \
         median time    95 %     max"
    );
    for &score in &arguments.scores {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        let mut proven = Vec::new();
        for _ in 0..arguments.openings {
            let opening = draw(score, arguments.sumos.unwrap_or(score), &mut rng)?;
            let began = processor_seconds()?;
            let (winner, expansions) = prove(&opening, arguments)?;
            let seconds = processor_seconds()? - began;
            let opener_wins = winner.map(|winner| winner == opening.turn());
            if arguments.verbose {
                let result = opener_wins.map_or("open", |wins| if wins { "won" } else { "lost" });
                println!("{opening}: {result} after {expansions} expansions, {seconds:.2} s");
            }
            proven.extend(opener_wins.map(|opener_wins| Proven {
                opener_wins,
                expansions,
                seconds,
            }));
        }
        print_row(score, arguments.openings, &mut proven);
    }
    Ok(())
}

fn print_row(score: Score, tried: u32, proven: &mut [Proven]) {
    let won = proven.iter().filter(|proven| proven.opener_wins).count();
    let (lost, open) = (proven.len() - won, tried as usize - proven.len());
    proven.sort_unstable_by_key(|proven| proven.expansions);
    let rank = |part: f64| proven.get((part * proven.len() as f64) as usize).or(proven.last());
    let expansions =
        |part| rank(part).map_or("-".to_owned(), |proven| proven.expansions.to_string());
    let time =
        |part| rank(part).map_or("-".to_owned(), |proven| format!("{:.2} s", proven.seconds));
    let [median, most, max] = [0.5, 0.95, 1.0].map(expansions);
    let times = [0.5, 0.95, 1.0].map(time);
    println!(
        "{score:5} {won:5} {lost:5} {open:5} {median:>19} {most:>10} {max:>10} {:>13} {:>7} {:>7}",
        times[0], times[1], times[2]
    );
}

/// Returns the winner, if proven, and the expansions used.
fn prove(opening: &Match, arguments: &Arguments) -> anyhow::Result<(Option<Player>, u64)> {
    let most = 1000 * arguments.kexpansions;
    let searcher = |hash_mib| Searcher::new(Settings { hash_mib, ..Settings::default() });
    match arguments.search {
        Search::Engine => {
            let limits = Limits { nodes: Some(most), ..Limits::default() };
            let report =
                searcher(arguments.hash).run(opening, &limits, &Control::default(), &mut |_| ());
            let winner = match report.lines.first().context("no legal move")?.value {
                Value::Win(_) => Some(opening.turn()),
                Value::Loss(_) => Some(!opening.turn()),
                Value::Draw | Value::WinProbability(_) => None,
            };
            Ok((winner, report.nodes))
        }
        Search::Whole => {
            let mut searcher = searcher(arguments.hash);
            let mut expansions = 0;
            while expansions < most {
                // Growing steps count the expansions without restarting the search too often.
                let step = (expansions / 16).max(256).min(most - expansions);
                expansions += step;
                if let Some(proof) = searcher.solve(opening, step) {
                    return Ok((proof.outcome.winner(), expansions));
                }
            }
            Ok((None, expansions))
        }
        Search::Rounds => {
            let mut work = Work::limited_to(most);
            let winner = Rounds::new(arguments.cost, arguments.hash).winner(opening, &mut work);
            Ok((winner, work.total()))
        }
    }
}

/// Processor time of the program so far, in seconds.
fn processor_seconds() -> anyhow::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok((usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6)
}
