//! Makes the weights of the two nets of Kamisado.
//!
//! The net of rounds, `src/games/kamisado/eval/round_net.bin`: rounds are played from random arrangements and every move of their positions is
//! solved, then the net is fitted to who wins, and by which moves.
//!
//! ```text
//! cargo run --release -p oshi-train -- kamisado solve --rounds 10000 >rounds.txt
//! cargo run --release -p oshi-train -- kamisado fit-rounds rounds.txt
//! ```
//!
//! On one core the lines take about half an hour and the fit a minute. The same build and seed write the same lines, and the same files give
//! the same net. The weights of the build influence which positions rounds come to, so a second time after a rebuild they are
//! others. Those in the repository come from 144,939 such lines of a predecessor.
//!
//! The net of the match, `src/games/kamisado/eval/match_net.bin`: it is fitted to recorded matches of several rounds between engines: the moves that they played,
//! the chances that they said, and who won.
//!
//! ```text
//! cargo run --release -p oshi-train -- kamisado moves tournaments/marathon >moves.txt
//! cargo run --release -p oshi-train -- kamisado fit-moves moves.txt
//! ```
//!
//! A line takes 2 ms on one core, and a fit to 240,000 lines two minutes. A file holds the matches of one build: the chances that it said are
//! brought to what came true together. How the weights in the repository came to be stands in `docs/evaluation.md`.

mod messages;
mod moves;
mod rounds;

use std::path::{Path, PathBuf};

use crate::fitting::descent::{first_weights, read_samples};
use anyhow::Context;
use clap::{Args, Subcommand};
use oshi::games::kamisado::eval::match_net;
use oshi::games::weights;

/// Makes the weights of the nets of Kamisado.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Plays rounds and writes a line for each position solved: `w`, `l` or `-` for what the player to move comes to; the same as `1`, `0` or
    /// `-` for each move, or `-` alone where the moves are not solved; and the position.
    Solve {
        /// How many rounds.
        #[arg(long)]
        rounds: u32,
        /// The seed of the arrangements and the draws.
        #[arg(long, default_value_t = 7)]
        seed: u64,
    },
    /// Fits the net of rounds to what `solve` wrote.
    FitRounds {
        #[command(flatten)]
        fitting: Fitting,
        /// How often each position is seen.
        #[arg(long, default_value_t = 40)]
        epochs: u32,
        /// The file to write.
        #[arg(long, default_value = "src/games/kamisado/eval/round_net.bin")]
        output: PathBuf,
    },
    /// Reads recorded matches and writes a line for each position with a choice: `1`, `0` or `-` for each move, if the player to move wins the round
    /// with it, loses it, or nobody knows; the move that was played; the chance that its player said; 1 if this player won the match, else 0;
    /// and the position.
    Moves {
        /// The folders that `basho` recorded tournaments of several rounds in.
        #[arg(required = true)]
        tournaments: Vec<PathBuf>,
    },
    /// Fits the net of the match to what `moves` wrote.
    FitMoves {
        #[command(flatten)]
        fitting: Fitting,
        /// How often each position is seen.
        #[arg(long, default_value_t = 20)]
        epochs: u32,
        /// The file to write.
        #[arg(long, default_value = "src/games/kamisado/eval/match_net.bin")]
        output: PathBuf,
        /// The weights to begin with: those of before, where there are new matches to learn from; else random ones.
        #[arg(long)]
        from: Option<PathBuf>,
    },
}

/// What a net is fitted to, and how fast.
#[derive(Args)]
struct Fitting {
    /// The files of positions. The last twentieth of them validates the net.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The first rate of learning; it falls to 0.
    #[arg(long, default_value_t = 0.005)]
    rate: f32,
}

/// Runs one step of the training.
///
/// # Errors
/// A file cannot be read or written.
pub fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.step {
        Step::Solve { rounds, seed } => {
            let mut study = rounds::labels::Study::new(seed);
            (0..rounds).try_for_each(|_| study.round())
        }
        Step::FitRounds { fitting: Fitting { files, rate }, epochs, output } => {
            let samples = read_samples(&files, rounds::sample::Sample::from_line, |_| ())?;
            write(&output, &rounds::fit::fit(&samples, epochs, rate).weights)
        }
        Step::Moves { tournaments } => {
            tournaments.iter().try_for_each(|tournament| moves::labels::label(tournament))
        }
        Step::FitMoves { fitting: Fitting { files, rate }, epochs, output, from } => {
            let samples =
                read_samples(&files, moves::sample::Sample::from_line, moves::sample::calibrate)?;
            let first =
                first_weights(from.as_deref(), match_net::parts::LEN, moves::fit::random_weights)?;
            write(&output, &moves::fit::fit(first, &samples, epochs, rate).weights)
        }
    }
}

fn write(output: &Path, weights: &[f32]) -> anyhow::Result<()> {
    std::fs::write(output, weights::to_bytes(weights))
        .with_context(|| format!("cannot write {}", output.display()))
}
