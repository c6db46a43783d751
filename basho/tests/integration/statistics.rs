//! Error rates of the sequential test by simulation: at most alpha and beta.

use std::f64::consts::SQRT_2;

use basho::statistics::sprt::{Decision, Model, Sprt};
use basho::statistics::stats::{NORMALIZED_UNIT, PAIR_SCORES, Pentanomial, score_of_elo};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_chacha::ChaCha8Rng;

/// Typical pentanomial of two equal engines on random openings.
const EQUAL: [f64; 5] = [0.06, 0.19, 0.50, 0.19, 0.06];

/// Tilts `EQUAL` exponentially to the strength `elo` of the model.
fn pairs_of(elo: f64, model: Model) -> [f64; 5] {
    let tilted = |tilt: f64| {
        let weights: Vec<f64> = EQUAL
            .iter()
            .zip(PAIR_SCORES)
            .map(|(share, score)| share * (tilt * score).exp())
            .collect();
        let total: f64 = weights.iter().sum();
        <[f64; 5]>::try_from(weights).unwrap().map(|weight| weight / total)
    };
    let excess = |shares: &[f64; 5]| {
        let mean: f64 = shares.iter().zip(PAIR_SCORES).map(|(share, score)| share * score).sum();
        let variance: f64 = shares
            .iter()
            .zip(PAIR_SCORES)
            .map(|(share, score)| share * (score - mean).powi(2))
            .sum();
        mean - match model {
            Model::Logistic => score_of_elo(elo),
            Model::Normalized => 0.5 + elo / NORMALIZED_UNIT * SQRT_2 * variance.sqrt(),
        }
    };
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if excess(&tilted(middle)) < 0.0 { low = middle } else { high = middle }
    }
    tilted(low)
}

/// Share of runs in which the test accepts `wrong` at the true strength `elo`.
fn error_rate(sprt: &Sprt, elo: f64, wrong: Decision, runs: u32) -> f64 {
    let pairs = WeightedIndex::new(pairs_of(elo, sprt.model)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(20_260);
    let mut count = 0;
    for _ in 0..runs {
        let mut pairs_so_far = Pentanomial::default();
        let decision = loop {
            pairs_so_far.0[pairs.sample(&mut rng)] += 1;
            match sprt.decision(sprt.llr(&pairs_so_far)) {
                Decision::Continue => assert!(pairs_so_far.pairs() < 1_000_000, "it never decides"),
                decided => break decided,
            }
        };
        count += u32::from(decision == wrong);
    }
    f64::from(count) / f64::from(runs)
}

#[test]
fn error_rates_are_within_alpha_and_beta() {
    const RUNS: u32 = 2000;
    for (model, alpha, beta) in [
        (Model::Normalized, 0.05, 0.05),
        (Model::Normalized, 0.1, 0.02),
        (Model::Logistic, 0.05, 0.05),
    ] {
        let sprt = Sprt { elo0: 0.0, elo1: 40.0, alpha, beta, model, tolerate_faults: 0 };
        for (elo, wrong, limit) in
            [(sprt.elo0, Decision::AcceptH1, alpha), (sprt.elo1, Decision::AcceptH0, beta)]
        {
            let rate = error_rate(&sprt, elo, wrong, RUNS);
            let standard_error = (limit * (1.0 - limit) / f64::from(RUNS)).sqrt();
            println!(
                "{model:?} at {elo}: {wrong:?} in {:.2} %, limit {:.2} %",
                rate * 100.0,
                limit * 100.0
            );
            assert!(
                rate <= limit + 2.0 * standard_error,
                "{model:?} at {elo}: rate {rate}, limit {limit}"
            );
        }
    }
}
