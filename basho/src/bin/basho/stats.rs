//! `basho stats`: a calculator for counts of pairs.

use anyhow::Context;
use clap::Args;

use basho::output::{report, terminal};
use basho::statistics::sprt::{DEFAULT_RATE, Model, Sprt};
use basho::statistics::stats::Pentanomial;

/// The counts to calculate from.
#[derive(Args)]
pub struct Calculation {
    /// Pairs with 0, ½, 1, 1½ and 2 points: LL,LD,M,WD,WW.
    #[arg(long, value_delimiter = ',', required = true, value_parser = count)]
    ptnml: Vec<u64>,
    /// The difference under H0.
    #[arg(long, requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// The difference under H1.
    #[arg(long, requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// The chance to accept H1 where H0 holds.
    #[arg(long, default_value_t = DEFAULT_RATE)]
    alpha: f64,
    /// The chance to accept H0 where H1 holds.
    #[arg(long, default_value_t = DEFAULT_RATE)]
    beta: f64,
    /// The unit of elo0 and elo1.
    #[arg(long, default_value = "normalized", value_parser = ["normalized", "logistic"])]
    model: String,
}

/// More of one kind has nobody played; with them the sum of all stays exact.
const MOST: u64 = 1 << 52;

/// A count of pairs; blanks around it say nothing.
fn count(word: &str) -> Result<u64, String> {
    let count = word.trim().parse().ok().filter(|&count: &u64| count <= MOST);
    count.ok_or_else(|| format!("expected a count, 0 to {MOST}"))
}

impl Calculation {
    /// Prints the figures; the exit code.
    pub fn perform(&self) -> anyhow::Result<u8> {
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
