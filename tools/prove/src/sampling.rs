//! Estimates the size of a tree by stratified sampling (Chen 1992, *Heuristic sampling*, SIAM
//! Journal on Computing 21). With one stratum per depth it is close to Knuth 1975, *Estimating the
//! efficiency of backtrack programs*, Mathematics of Computation 29.
//!
//! Similar nodes form a stratum. One node of each stratum is sampled with probability proportional
//! to its weight and represents the others. The estimate is unbiased; similar nodes within a
//! stratum reduce its variance.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Cost and children of a node.
pub struct Visit<N> {
    /// Cost of the node itself.
    pub cost: f64,
    /// Children of the node.
    pub children: Vec<N>,
}

/// Estimate of a stratum by one probe.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// Number of nodes.
    pub nodes: f64,
    /// Cost of the sampled node.
    pub cost: f64,
}

/// Probes the tree once.
///
/// # Panics
/// A child's stratum does not come after its parent's.
pub fn probe<N, S: Ord + Copy>(
    root: N,
    stratum: impl Fn(&N) -> S,
    mut look: impl FnMut(&N) -> Visit<N>,
    rng: &mut ChaCha8Rng,
) -> BTreeMap<S, Estimate> {
    let mut waiting = BTreeMap::from([(stratum(&root), (root, 1.0))]);
    let mut estimates = BTreeMap::new();
    while let Some((here, (node, nodes))) = waiting.pop_first() {
        let Visit { cost, children } = look(&node);
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

/// Mean of independent estimates, with its error.
#[derive(Clone, Copy, Debug)]
pub struct Mean {
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard error; NaN for fewer than two estimates.
    pub error: f64,
    /// 95 % interval for the mean of a log-normal distribution: Cox's method in Zhou and Gao
    /// 1997, *Confidence intervals for the log-normal mean*, Statistics in Medicine 16. It is the
    /// better one if the estimates differ by factors.
    pub interval: [f64; 2],
}

impl Mean {
    /// Mean of positive numbers.
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

/// Mean and unbiased variance.
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

    /// Depth of the tree, in plies.
    const PLIES: u32 = 4;

    /// Kamisado's moves, with published node counts by ply.
    fn look((ply, position): &(u32, Match)) -> Visit<(u32, Match)> {
        let moves = if *ply == PLIES { Vec::new() } else { position.legal_moves().to_vec() };
        let after = |mv| {
            let mut next = *position;
            next.play(mv);
            (ply + 1, next)
        };
        Visit { cost: 1.0, children: moves.into_iter().map(after).collect() }
    }

    #[test]
    fn mean_of_probes_is_the_true_size() {
        let truth: f64 = [1, 102, 1150, 11_182, 105_020].into_iter().map(f64::from).sum();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let size = |rng: &mut ChaCha8Rng, moves_count: bool| {
            // Knuth's strata are plies; Chen's also separate positions by their number of moves.
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
    fn interval_follows_from_logarithms() {
        // Logarithms 0 and 2: their mean is 1, their variance 2.
        let [low, high] = Mean::of(&[1.0, 2f64.exp()]).interval.map(f64::ln);
        let width = 1.96 * (2.0f64 / 2.0 + 4.0 / 2.0).sqrt();
        assert!(
            (low - (2.0 - width)).abs() < 1e-9 && (high - (2.0 + width)).abs() < 1e-9,
            "{low} {high}"
        );
    }

    #[test]
    fn equal_estimates_have_no_error() {
        let Mean { mean, error, interval } = Mean::of(&[7.0; 5]);
        assert_eq!((mean, error), (7.0, 0.0));
        assert!(interval.iter().all(|bound| (bound - 7.0).abs() < 1e-9), "{interval:?}");
    }
}
