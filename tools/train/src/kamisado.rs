//! Trains Kamisado's two networks.
//!
//! The round network, `src/games/kamisado/eval/round_net.bin`. The first command plays rounds from
//! random arrangements and solves every move of their positions. The second fits the network to the
//! winner and the winning moves.
//!
//! ```text
//! cargo run --release -p oshi-train -- kamisado round-samples --rounds 10000 >rounds.txt
//! cargo run --release -p oshi-train -- kamisado fit-round-net rounds.txt
//! ```
//!
//! The match network, `src/games/kamisado/eval/match_net.bin`. It is fitted to recorded matches of
//! several rounds: the moves played, the reported win probabilities, and the winner.
//!
//! ```text
//! cargo run --release -p oshi-train -- kamisado match-samples matches/marathon >moves.txt
//! cargo run --release -p oshi-train -- kamisado fit-match-net moves.txt
//! ```
//!
//! Each file of match samples should hold the matches of one build, because the reported
//! probabilities of a file are calibrated together.
//!
//! The same build and seed write the same samples, and the same files give the same network.

mod match_net;
mod messages;
mod move_results;
mod round_net;

use std::path::PathBuf;

use crate::fitting;
use crate::fitting::descent::{initial_weights, read_samples};
use clap::{Args, Subcommand};
use oshi::games::kamisado::eval::match_net::parts;
use oshi::games::weights;

/// Options of `kamisado`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Play and solve rounds and write samples to stdout.
    ///
    /// Each line holds the result for the player to move (`w`, `l`, or `-` for unknown), the result
    /// of each move (`1`, `0` or `-`; a single `-` if the moves are not solved), and the position.
    RoundSamples {
        /// Number of rounds.
        #[arg(long)]
        rounds: u32,
        /// Seed of arrangements and random choices.
        #[arg(long, default_value_t = 7)]
        seed: u64,
    },
    /// Fit the round network to samples.
    FitRoundNet {
        #[command(flatten)]
        fitting: Fitting,
        /// Passes over all samples.
        #[arg(long, default_value_t = 40)]
        epochs: u32,
        /// File to write.
        #[arg(long, default_value = "src/games/kamisado/eval/round_net.bin")]
        output: PathBuf,
    },
    /// Read recorded matches and write samples to stdout.
    ///
    /// Each line holds the result of the round after each move for the player to move (`1`, `0`, or
    /// `-` for unknown), the move played, the win probability that its player reported, 1 if this
    /// player won the match or else 0, and the position.
    MatchSamples {
        /// Folders of recorded tournaments with matches of several rounds.
        #[arg(required = true)]
        tournaments: Vec<PathBuf>,
    },
    /// Fit the match network to samples.
    FitMatchNet {
        #[command(flatten)]
        fitting: Fitting,
        /// Passes over all samples.
        #[arg(long, default_value_t = 20)]
        epochs: u32,
        /// File to write.
        #[arg(long, default_value = "src/games/kamisado/eval/match_net.bin")]
        output: PathBuf,
        /// Initial weights, to continue an earlier training [default: random].
        #[arg(long)]
        from: Option<PathBuf>,
    },
}

/// Options of both fits.
#[derive(Args)]
struct Fitting {
    /// Files of samples. The last twentieth of all samples is held out.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Initial learning rate; it falls linearly to 0.
    #[arg(long, default_value_t = 0.005)]
    rate: f32,
}

/// Runs one step of the training.
///
/// # Errors
///
/// If a file cannot be read or written.
pub fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.step {
        Step::RoundSamples { rounds, seed } => {
            let mut labeller = round_net::labels::Labeller::new(seed);
            (0..rounds).try_for_each(|_| labeller.round())
        }
        Step::FitRoundNet { fitting: Fitting { files, rate }, epochs, output } => {
            let samples = read_samples(&files, round_net::sample::Sample::from_line, |_| ())?;
            let net = round_net::fit::fit(&samples, epochs, rate);
            fitting::write(&output, weights::to_bytes(&net.weights))
        }
        Step::MatchSamples { tournaments } => {
            tournaments.iter().try_for_each(|tournament| match_net::labels::label(tournament))
        }
        Step::FitMatchNet { fitting: Fitting { files, rate }, epochs, output, from } => {
            let samples = read_samples(
                &files,
                match_net::sample::Sample::from_line,
                match_net::sample::calibrate,
            )?;
            let first =
                initial_weights(from.as_deref(), parts::LEN, match_net::initial::random_weights)?;
            let net = match_net::fit::fit(first, &samples, epochs, rate);
            fitting::write(&output, weights::to_bytes(&net.weights))
        }
    }
}
