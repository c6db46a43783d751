//! How large a tree is, by samples of it: stratified sampling (Chen 1992, *Heuristic sampling*, SIAM Journal on Computing 21), which with one stratum
//! for each depth is near to Knuth's (1975, *Estimating the efficiency of backtrack programs*, Mathematics of Computation 29).
//!
//! Nodes that are alike form a stratum. Of each stratum one node is looked at, chosen at random by weight; it stands for all of them. The expectation of
//! every estimate is the true sum, however alike the nodes of a stratum are; that only makes the variance small.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// What one look at a node has shown.
pub struct Look<N> {
    /// What the node itself costs.
    pub cost: f64,
    /// Its children.
    pub children: Vec<N>,
}

/// What one probe says of a stratum.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// How many nodes it has.
    pub nodes: f64,
    /// What the one that was looked at costs.
    pub cost: f64,
}

/// One probe of the tree: what it says of each stratum. The strata of a node's children must come after its own.
pub fn probe<N, S: Ord + Copy>(
    root: N,
    stratum: impl Fn(&N) -> S,
    mut look: impl FnMut(&N) -> Look<N>,
    rng: &mut ChaCha8Rng,
) -> BTreeMap<S, Estimate> {
    let mut waiting = BTreeMap::from([(stratum(&root), (root, 1.0))]);
    let mut estimates = BTreeMap::new();
    while let Some((here, (node, nodes))) = waiting.pop_first() {
        let Look { cost, children } = look(&node);
        for child in children {
            let there = stratum(&child);
            assert!(there > here, "a child's stratum comes after its parent's");
            match waiting.get_mut(&there) {
                None => drop(waiting.insert(there, (child, nodes))),
                Some((chosen, weight)) => {
                    *weight += nodes;
                    if rng.random_bool(nodes / *weight) {
                        *chosen = child;
                    }
                }
            }
        }
        estimates.insert(here, Estimate { nodes, cost });
    }
    estimates
}

/// The mean of independent estimates and how far it may be off.
#[derive(Clone, Copy, Debug)]
pub struct Mean {
    /// The arithmetic mean.
    pub mean: f64,
    /// Its standard error; not a number for fewer than two estimates.
    pub error: f64,
    /// An interval of 95 % for the mean of a log-normal distribution (Cox's, in Zhou and Gao 1997, *Confidence intervals for the log-normal mean*,
    /// Statistics in Medicine 16), which is the better one where the estimates differ by factors.
    pub interval: [f64; 2],
}

impl Mean {
    /// Of positive numbers.
    pub fn of(estimates: &[f64]) -> Mean {
        let (mean, variance) = moments(estimates.iter().copied());
        let (log_mean, log_variance) = moments(estimates.iter().map(|estimate| estimate.ln()));
        let n = estimates.len() as f64;
        let log_error = (log_variance / n + log_variance.powi(2) / (2.0 * (n - 1.0))).sqrt();
        let interval =
            [-1.96, 1.96].map(|errors| (log_mean + log_variance / 2.0 + errors * log_error).exp());
        Mean { mean, error: (variance / n).sqrt(), interval }
    }
}

/// The mean and the unbiased variance.
fn moments(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / n;
    (mean, numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oshi::game::Game;
    use oshi::games::kamisado::{Match, Target};
    use rand::SeedableRng;

    /// Positions down to this ply.
    const PLIES: u32 = 4;

    /// The tree of Kamisado's moves, of which the numbers by ply are published.
    fn look((ply, position): &(u32, Match)) -> Look<(u32, Match)> {
        let moves = if *ply == PLIES { Vec::new() } else { position.legal_moves().to_vec() };
        let after = |mv| {
            let mut next = *position;
            next.play(mv);
            (ply + 1, next)
        };
        Look { cost: 1.0, children: moves.into_iter().map(after).collect() }
    }

    #[test]
    fn the_mean_of_many_probes_is_the_true_size_within_its_error() {
        let truth: f64 = [1, 102, 1150, 11_182, 105_020].into_iter().map(f64::from).sum();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let size = |rng: &mut ChaCha8Rng, moves_count: bool| {
            // Knuth's strata are plies; Chen's also tell positions with many moves from those with few.
            let stratum = |(ply, position): &(u32, Match)| {
                (*ply, if moves_count { position.count_legal_moves() } else { 0 })
            };
            let root = (0, Match::start(Target::Simple));
            probe(root, stratum, look, rng)
                .values()
                .map(|estimate| estimate.nodes * estimate.cost)
                .sum::<f64>()
        };
        let mut errors = Vec::new();
        for moves_count in [false, true] {
            let sizes: Vec<f64> = (0..400).map(|_| size(&mut rng, moves_count)).collect();
            let Mean { mean, error, .. } = Mean::of(&sizes);
            assert!((mean - truth).abs() < 3.0 * error, "{mean} ± {error}");
            errors.push(error / truth);
        }
        assert!(errors[1] < 0.5 * errors[0] && errors[0] < 0.1, "{errors:?}");
    }

    #[test]
    fn the_interval_is_that_of_the_logarithms() {
        // Logarithms 0 and 2: their mean is 1, their variance 2.
        let [low, high] = Mean::of(&[1.0, 2f64.exp()]).interval.map(f64::ln);
        let width = 1.96 * (2.0f64 / 2.0 + 4.0 / 2.0).sqrt();
        assert!(
            (low - (2.0 - width)).abs() < 1e-9 && (high - (2.0 + width)).abs() < 1e-9,
            "{low} {high}"
        );
    }

    #[test]
    fn the_mean_of_equal_estimates_has_no_error() {
        let Mean { mean, error, interval } = Mean::of(&[7.0; 5]);
        assert_eq!((mean, error), (7.0, 0.0));
        assert!(interval.iter().all(|bound| (bound - 7.0).abs() < 1e-9), "{interval:?}");
    }
}
