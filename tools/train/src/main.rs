//! Trains the weights of the engine: one command per file of weights. `docs/training.md` gives the
//! commands in order.
//!
//! ```text
//! cargo run --release -p oshi-train -- --help
//! ```

mod fitting;
mod initial_numbers;
mod kamisado;
mod kamon;
mod match_value;

use clap::Parser;

/// Trains the evaluators of the engine oshi.
#[derive(Parser)]
#[command(version)]
enum Arguments {
    /// Train Kamisado's round network and match network.
    Kamisado(kamisado::Arguments),
    /// Train Kamon's network.
    Kamon(kamon::Arguments),
    /// Fit Kamisado's initial proof and disproof numbers.
    InitialNumbers(initial_numbers::Arguments),
    /// Fit the value of a Kamisado match before, within and after a round.
    MatchValue(match_value::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse() {
        Arguments::Kamisado(arguments) => kamisado::run(arguments),
        Arguments::Kamon(arguments) => kamon::run(arguments),
        Arguments::InitialNumbers(arguments) => initial_numbers::run(&arguments),
        Arguments::MatchValue(arguments) => match_value::run(&arguments),
    }
}
