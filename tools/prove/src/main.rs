//! Proves standard matches of Kamisado from the first move of a round, and estimates the work of a
//! proof from the first move of the match. `docs/proofs.md` has the results.
//!
//! ```text
//! cargo run --release -p oshi-prove -- prove 2-2 2-1 --openings 100
//! cargo run --release -p oshi-prove -- estimate --probes 12
//! ```

mod estimate;
mod openings;
mod proofs;
mod rounds;
mod sampling;

use clap::{Parser, Subcommand};

/// Proves standard matches of Kamisado, and estimates the work of such proofs.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Try to prove the winner of openings at each score.
    Prove(proofs::Arguments),
    /// Estimate the work of a proof by sampling.
    Estimate(estimate::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Prove(arguments) => proofs::run(&arguments),
        Task::Estimate(arguments) => estimate::run(&arguments),
    }
}
