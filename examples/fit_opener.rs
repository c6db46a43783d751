//! Fits the chance to win a round that is not yet proven to its proof numbers, and prints the constant `OPENER` of
//! `src/games/kamisado/estimate.rs`:
//!
//! ```text
//! cargo run --release --example fit_opener
//! ```
//!
//! Rounds from random arrangements are proven step by step, each step four times as long as the previous one; after each, the
//! numbers are recorded until the winner is known. With the default arguments this takes about a minute on one core; few openers lose, so
//! thousands of arrangements are needed for a reliable fit. The same build and seed print the same constants.

use clap::Parser;
use oshi::game::{Game, Player, RoundProof};
use oshi::games::kamisado::{Match, Target};
use oshi::search::{Searcher, Settings};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Fits the chance to win a round to its proof numbers.
#[derive(Parser)]
struct Arguments {
    /// Arrangements to prove.
    #[arg(long, default_value_t = 4_000)]
    arrangements: u32,
    /// The seed of the arrangements.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// Expansions in a round before its numbers are first recorded.
const FEWEST: u64 = 64;

/// Expansions after which a round is given up.
const MOST: u64 = 1 << 24;

/// A sample of a round while it was open.
struct Sample {
    /// The logarithm of the ratio of the opponent's proof number to the opener's.
    advantage: f64,
    opener_won: bool,
}

fn main() {
    let Arguments { arrangements, seed } = Arguments::parse();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut searcher = Searcher::new(Settings::default());
    let mut samples = Vec::new();
    for _ in 0..arrangements {
        searcher.clear();
        samples.extend(prove(&Match::start(Target::Simple).random_start(&mut rng), &mut searcher));
    }
    let [constant, weight] = fit(&samples);
    println!("{} samples of {arrangements} arrangements", samples.len());
    println!("logit of the opener's win (constant; advantage in proof numbers): [{constant:.1}, {weight:.1}]");
}

/// The samples of one round; none if its winner is not found.
fn prove(position: &Match, searcher: &mut Searcher<Match>) -> Vec<Sample> {
    let (opener, mut advantages) = (position.turn(), Vec::new());
    let mut spent = 0;
    let mut goal = FEWEST;
    while goal <= MOST {
        match searcher.prove(position, goal - spent) {
            RoundProof::Won(winner) => {
                let opener_won = winner == opener;
                return advantages.into_iter().map(|advantage| Sample { advantage, opener_won }).collect();
            }
            RoundProof::Open(numbers) => {
                let [own, other] = [opener, !opener].map(|player: Player| f64::from(numbers[player.index()].max(1)).ln());
                advantages.push(other - own);
            }
            RoundProof::Unknown => {}
        }
        (spent, goal) = (goal, 4 * goal);
    }
    Vec::new()
}

/// Logistic regression by Newton's method, with a little weight decay, so that it also converges if the samples are separable.
fn fit(samples: &[Sample]) -> [f64; 2] {
    const STEPS: usize = 50;
    const DECAY: f64 = 1e-3;
    let [mut constant, mut weight] = [0.0; 2];
    for _ in 0..STEPS {
        let mut gradient = [-DECAY * constant, -DECAY * weight];
        let mut curvature = [DECAY, 0.0, DECAY];
        for Sample { advantage, opener_won } in samples {
            let chance = 1.0 / (1.0 + (-(constant + weight * advantage)).exp());
            let error = f64::from(u8::from(*opener_won)) - chance;
            let spread = chance * (1.0 - chance);
            gradient = [gradient[0] + error, gradient[1] + error * advantage];
            curvature = [curvature[0] + spread, curvature[1] + spread * advantage, curvature[2] + spread * advantage * advantage];
        }
        let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
        constant += (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant;
        weight += (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant;
    }
    [constant, weight]
}
