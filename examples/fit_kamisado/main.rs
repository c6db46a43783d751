//! Makes the weights of the net that evaluates rounds of Kamisado, `src/games/kamisado/net.bin`: first rounds are played from random
//! arrangements and every move of their positions is solved, then the net is fitted to who wins, and by which moves.
//!
//! ```text
//! cargo run --release --example fit_kamisado -- label --rounds 10000 >labels.txt
//! cargo run --release --example fit_kamisado -- fit labels.txt
//! ```
//!
//! On one core the labels take about half an hour and the fit a minute. The same build and seed write the same labels, and the same files give
//! the same net. The weights of the build influence which positions rounds come to, so a second time after a rebuild they are
//! others. Those in the repository come from 144,939 such lines of a predecessor.

#[path = "../fitting/adam.rs"]
mod adam;
#[path = "../fitting/descent.rs"]
mod descent;
mod fit;
mod labels;
#[path = "../fitting/reliability.rs"]
mod reliability;
mod sample;
mod slopes;

use std::path::PathBuf;

use anyhow::Context;
use clap::{Parser, Subcommand};
use descent::read_samples;
use fit::fit;
use labels::Study;
use oshi::games::weights;
use sample::Sample;

/// Makes the weights of the net that evaluates rounds of Kamisado.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Plays rounds and writes a line for each position solved: `w`, `l` or `-` for what the player to move comes to; the same as `1`, `0` or
    /// `-` for each move, or `-` alone where the moves are not solved; and the position.
    Label {
        /// How many rounds.
        #[arg(long)]
        rounds: u32,
        /// The seed of the arrangements and the draws.
        #[arg(long, default_value_t = 7)]
        seed: u64,
    },
    /// Fits the weights to the positions of these files, except the last twentieth, which validates them.
    Fit {
        /// The files that `label` wrote.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// How often each position is seen.
        #[arg(long, default_value_t = 40)]
        epochs: u32,
        /// The first rate of learning; it falls to 0.
        #[arg(long, default_value_t = 0.005)]
        rate: f32,
        /// The file to write.
        #[arg(long, default_value = "src/games/kamisado/net.bin")]
        output: PathBuf,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().step {
        Step::Label { rounds, seed } => {
            let mut study = Study::new(seed);
            (0..rounds).try_for_each(|_| study.round())
        }
        Step::Fit { files, epochs, rate, output } => {
            let net = fit(&read_samples(&files, Sample::from_line)?, epochs, rate);
            std::fs::write(&output, weights::to_bytes(&net.weights)).with_context(|| format!("cannot write {}", output.display()))
        }
    }
}
