//! Trains the evaluators of the engine: one command for each file of weights.
//!
//! ```text
//! cargo run --release --package oshi-train -- --help
//! ```

mod efforts;
mod fitting;
mod kamisado;
mod kamon;
mod serve;

use clap::Parser;

/// Trains the evaluators of the engine oshi.
#[derive(Parser)]
#[command(version)]
enum Arguments {
    /// Trains Kamisado's networks for rounds and matches.
    Kamisado(kamisado::Arguments),
    /// Trains Kamon's network.
    Kamon(kamon::Arguments),
    /// Fits the initial proof and disproof numbers of Kamisado.
    Efforts(efforts::Arguments),
    /// Fits the value of a match at the start of a round of Kamisado.
    Serve(serve::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse() {
        Arguments::Kamisado(arguments) => kamisado::run(arguments),
        Arguments::Kamon(arguments) => kamon::run(arguments),
        Arguments::Efforts(arguments) => efforts::run(&arguments),
        Arguments::Serve(arguments) => serve::run(&arguments),
    }
}
