//! What is known of the standard match of Kamisado: proofs of who wins it from the first move of a round, and how large the proof from its own
//! first move would be. `docs/proofs.md` tells what came out.
//!
//! ```text
//! cargo run --release --example prove_matches -- prove 2-2 2-1 --openings 100
//! cargo run --release --example prove_matches -- estimate --probes 12
//! ```

mod estimate;
mod openings;
mod proofs;
mod rounds;
mod sampling;

use clap::{Parser, Subcommand};

/// What is known of the standard match of Kamisado.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Try to prove who wins, at one score after another.
    Prove(proofs::Arguments),
    /// Estimate the work of a proof by samples of it.
    Estimate(estimate::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Prove(arguments) => proofs::run(&arguments),
        Task::Estimate(arguments) => estimate::run(&arguments),
    }
}
