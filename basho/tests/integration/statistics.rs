//! The sequential test keeps its promise: by simulation, it decides wrongly no more often than it says.

use basho::statistics::sprt::{Decision, Model, Sprt};
use basho::statistics::stats::{PAIR_SCORES, Pentanomial, score_of_elo, score_of_normalized_elo};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_chacha::ChaCha8Rng;

/// What pairs from random openings look like between two equal engines.
const EQUAL: [f64; 5] = [0.06, 0.19, 0.50, 0.19, 0.06];

/// The pentanomial that comes from `EQUAL` by an exponential tilt, with the strength that the model calls `elo`.
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
            Model::Normalized => score_of_normalized_elo(elo, variance),
        }
    };
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if excess(&tilted(middle)) < 0.0 { low = middle } else { high = middle }
    }
    tilted(low)
}

/// In which share of the runs the test accepts `wrong` where the true strength is `elo`.
fn false_decisions(sprt: &Sprt, elo: f64, wrong: Decision, runs: u32) -> f64 {
    let pairs = WeightedIndex::new(pairs_of(elo, sprt.model)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(20_260);
    let mut count = 0;
    for _ in 0..runs {
        let mut seen = Pentanomial::default();
        let decision = loop {
            seen.0[pairs.sample(&mut rng)] += 1;
            match sprt.decision(sprt.llr(&seen)) {
                Decision::Continue => assert!(seen.pairs() < 1_000_000, "it never decides"),
                decided => break decided,
            }
        };
        count += u32::from(decision == wrong);
    }
    f64::from(count) / f64::from(runs)
}

#[test]
fn false_decisions_are_within_alpha_and_beta() {
    const RUNS: u32 = 2000;
    for (model, alpha, beta) in [
        (Model::Normalized, 0.05, 0.05),
        (Model::Normalized, 0.1, 0.02),
        (Model::Logistic, 0.05, 0.05),
    ] {
        let sprt = Sprt { elo0: 0.0, elo1: 40.0, alpha, beta, model, tolerate_faults: 0 };
        for (elo, wrong, promised) in
            [(sprt.elo0, Decision::AcceptH1, alpha), (sprt.elo1, Decision::AcceptH0, beta)]
        {
            let rate = false_decisions(&sprt, elo, wrong, RUNS);
            let standard_error = (promised * (1.0 - promised) / f64::from(RUNS)).sqrt();
            println!(
                "{model:?} at {elo}: {wrong:?} in {:.2} %, promised {:.2} %",
                rate * 100.0,
                promised * 100.0
            );
            assert!(
                rate <= promised + 2.0 * standard_error,
                "{model:?} at {elo}: {rate} of {promised}"
            );
        }
    }
}
