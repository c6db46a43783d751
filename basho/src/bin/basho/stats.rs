//! `basho stats`: Elo, likelihood of superiority and SPRT from counts of pairs.

use anyhow::Context;
use clap::Args;

use basho::output::{report, terminal};
use basho::statistics::sprt::{DEFAULT_RATE, Model, Sprt};
use basho::statistics::stats::Pentanomial;

/// Command-line arguments of `basho stats`.
#[derive(Args)]
pub struct Stats {
    /// Counts of pairs with 0, ½, 1, 1½ and 2 points: LL,LD,M,WD,WW.
    #[arg(long, value_delimiter = ',', required = true, value_parser = parse_count)]
    ptnml: Vec<u64>,
    /// Elo difference under H0.
    #[arg(long, requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// Elo difference under H1.
    #[arg(long, requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// Probability of accepting H1 although H0 holds.
    #[arg(long, default_value_t = DEFAULT_RATE)]
    alpha: f64,
    /// Probability of accepting H0 although H1 holds.
    #[arg(long, default_value_t = DEFAULT_RATE)]
    beta: f64,
    /// Unit of elo0 and elo1.
    #[arg(long, default_value = "normalized", value_parser = ["normalized", "logistic"])]
    model: String,
}

/// Largest count: sums of five such counts stay exact as `f64`.
const MAX_COUNT: u64 = 1 << 52;

/// Parses a count of pairs, ignoring surrounding white space.
fn parse_count(word: &str) -> Result<u64, String> {
    let count = word.trim().parse().ok().filter(|&count: &u64| count <= MAX_COUNT);
    count.ok_or_else(|| format!("expected a count, 0 to {MAX_COUNT}"))
}

impl Stats {
    /// Prints the statistics and returns the exit code.
    pub fn execute(&self) -> anyhow::Result<u8> {
        let counts = <[u64; 5]>::try_from(self.ptnml.as_slice())
            .context("--ptnml: expected five counts LL,LD,M,WD,WW")?;
        let model = if self.model == "logistic" { Model::Logistic } else { Model::Normalized };
        let sprt = self.elo0.zip(self.elo1).map(|(elo0, elo1)| {
            let sprt =
                Sprt { elo0, elo1, alpha: self.alpha, beta: self.beta, model, tolerate_faults: 0 };
            sprt.validate().map(|()| sprt)
        });
        terminal::say(&report::calculation(&Pentanomial(counts), sprt.transpose()?.as_ref()));
        Ok(0)
    }
}
