//! The generalized sequential probability ratio test (GSPRT) on pairs of games: is the new engine
//! stronger by `elo1`, or only by `elo0`?
//!
//! The log-likelihood ratio compares the maximum-likelihood pentanomial distributions under both
//! hypotheses. Sources: M. Van den Bergh, "Comparing the approximations for the generalized log
//! likelihood ratio of a multinomial distribution" (Proposition 1.1: the logistic model) and
//! "Comments on normalized Elo" (section 4.1: the normalized model).

use std::f64::consts::SQRT_2;

use serde::{Deserialize, Serialize};
use strum::Display;

use super::stats::{NORMALIZED_UNIT, PAIR_SCORES, Pentanomial, mean, score_of_elo, variance};

/// Unit of the hypotheses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Model {
    /// Normalized Elo: the expected number of games does not depend on draw rate and openings.
    #[default]
    Normalized,
    /// Logistic Elo.
    Logistic,
}

/// Invalid parameters of a test.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses are out of order or range.
    #[error(
        "sprt: expected elo0 below elo1, both between -5000 and 5000, got elo0={elo0} elo1={elo1}"
    )]
    Hypotheses {
        /// Value of H0.
        elo0: f64,
        /// Value of H1.
        elo1: f64,
    },
    /// The error rates are out of range.
    #[error(
        "sprt: expected alpha and beta above 0 and together below 1, got alpha={alpha} beta={beta}"
    )]
    Rates {
        /// Value of alpha.
        alpha: f64,
        /// Value of beta.
        beta: f64,
    },
}

/// State of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Undecided.
    Continue,
    /// H0 is accepted: the difference is at most `elo0`.
    #[serde(rename = "h0")]
    AcceptH0,
    /// H1 is accepted: the difference is at least `elo1`.
    #[serde(rename = "h1")]
    AcceptH1,
    /// No verdict: more games were lost by faults than the test tolerates.
    Void,
}

/// A sequential test: its hypotheses and error rates.
///
/// ```
/// use basho::statistics::sprt::{Decision, Model, Sprt};
/// use basho::statistics::stats::Pentanomial;
///
/// let model = Model::Normalized;
/// let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model, tolerate_faults: 0 };
/// sprt.validate()?;
/// let llr = sprt.llr(&Pentanomial([100, 400, 900, 500, 150]));
/// assert_eq!(sprt.decision(llr), Decision::AcceptH1);
/// # Ok::<(), basho::statistics::sprt::SprtError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    /// Difference under H0, in Elo of the model.
    pub elo0: f64,
    /// Difference under H1, in Elo of the model; above `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds; above 0.
    #[serde(default = "default_rate")]
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds; above 0.
    #[serde(default = "default_rate")]
    pub beta: f64,
    /// Unit of the hypotheses.
    #[serde(default)]
    pub model: Model,
    /// Number of games lost by faults that the test tolerates.
    #[serde(default, rename = "tolerate-faults", skip_serializing_if = "is_zero")]
    pub tolerate_faults: u32,
}

/// The usual error rate of either kind.
pub const DEFAULT_RATE: f64 = 0.05;

const fn default_rate() -> f64 {
    DEFAULT_RATE
}

const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Count of an empty cell, so that no probability is 0.
const EMPTY_CELL: f64 = 1e-3;

impl Sprt {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`SprtError`] names the wrong parameters and their range.
    pub fn validate(&self) -> Result<(), SprtError> {
        let &Sprt { elo0, elo1, alpha, beta, .. } = self;
        let sane = -5000.0..=5000.0;
        if !(sane.contains(&elo0) && sane.contains(&elo1) && elo0 < elo1) {
            return Err(SprtError::Hypotheses { elo0, elo1 });
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError::Rates { alpha, beta });
        }
        Ok(())
    }

    /// Wald's bounds on the log-likelihood ratio: at or below the first, H0 is accepted; at or
    /// above the second, H1.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Log-likelihood ratio of H1 to H0: 0 without pairs, always finite.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { EMPTY_CELL } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / total);
        let per_pair = match self.model {
            Model::Logistic => {
                let under = |elo| likeliest_with_mean(&observed, score_of_elo(elo));
                log_ratio(&observed, &under(self.elo0), &under(self.elo1))
            }
            Model::Normalized => {
                // A game has twice the variance of a pair's mean score, hence the root.
                let (t0, t1) =
                    (self.elo0 * SQRT_2 / NORMALIZED_UNIT, self.elo1 * SQRT_2 / NORMALIZED_UNIT);
                match (likeliest_with_t(&observed, t0), likeliest_with_t(&observed, t1)) {
                    (Some(p0), Some(p1)) => log_ratio(&observed, &p0, &p1),
                    _ => normal_log_ratio(&observed, t0, t1),
                }
            }
        };
        total * per_pair
    }

    /// State of the test at this log-likelihood ratio.
    pub fn decision(&self, llr: f64) -> Decision {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Decision::AcceptH1
        } else if llr <= lower {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }
}

/// Mean of ln(p1/p0) under the observed distribution.
fn log_ratio(observed: &[f64; 5], p0: &[f64; 5], p1: &[f64; 5]) -> f64 {
    observed
        .iter()
        .zip(p0.iter().zip(p1))
        .map(|(share, (p0, p1))| share * (p1.ln() - p0.ln()))
        .sum()
}

/// The distribution with this mean, strictly between 0 and 1, that maximizes the likelihood of the
/// observed one.
fn likeliest_with_mean(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    // Hypotheses within ±5000 Elo keep the mean inside the open interval.
    tilt(observed, &PAIR_SCORES.map(|score| score - mean)).unwrap_or(*observed)
}

/// The distribution with (mean − ½) / deviation = t that maximizes the likelihood of the observed
/// one, by fixed-point iteration from the uniform distribution. `None` if t is too large for that.
fn likeliest_with_t(observed: &[f64; 5], t: f64) -> Option<[f64; 5]> {
    let mut likeliest = [0.2; 5];
    for _ in 0..MAX_ITERATIONS {
        let centre = mean(&PAIR_SCORES, &likeliest);
        let deviation = variance(&PAIR_SCORES, &likeliest).sqrt();
        let constraint = PAIR_SCORES.map(|score| {
            score - 0.5 - 0.5 * t * deviation * (1.0 + ((score - centre) / deviation).powi(2))
        });
        let next = tilt(observed, &constraint)?;
        let change =
            next.iter().zip(&likeliest).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        likeliest = next;
        if change < 1e-4 {
            break;
        }
    }
    Some(likeliest)
}

/// Each iteration gains about two digits.
const MAX_ITERATIONS: usize = 10;

/// The distribution with mean 0 of `constraint` that maximizes the likelihood of the observed one:
/// each share divided by 1 + θ·constraint, for the only θ that fulfils the constraint. `None` if
/// the constraint has one sign only, or is not finite.
fn tilt(observed: &[f64; 5], constraint: &[f64; 5]) -> Option<[f64; 5]> {
    let least = constraint.iter().copied().fold(f64::INFINITY, f64::min);
    let most = constraint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && most > 0.0 && least.is_finite() && most.is_finite()) {
        return None;
    }
    // The mean falls from +∞ to −∞ as θ grows between the poles. Bisect, and use Newton's step
    // where it stays inside the bracket.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    let mut theta = 0.0;
    for _ in 0..200 {
        let (mut value, mut slope) = (0.0, 0.0);
        for (share, phi) in observed.iter().zip(constraint) {
            let term = phi / (1.0 + theta * phi);
            value += share * term;
            slope -= share * term * term;
        }
        if value > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let newton = theta - value / slope;
        let next = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
        let step = (next - theta).abs();
        theta = next;
        if step <= 1e-12 * (1.0 + theta.abs()) {
            break;
        }
    }
    let mut tilted = *observed;
    for (share, phi) in tilted.iter_mut().zip(constraint) {
        *share /= 1.0 + theta * phi;
    }
    tilted.iter().all(|share| *share > 0.0 && share.is_finite()).then_some(tilted)
}

/// Mean log-likelihood ratio of a normal distribution of unknown deviation, for hypotheses too far
/// away for the multinomial one.
fn normal_log_ratio(observed: &[f64; 5], t0: f64, t1: f64) -> f64 {
    let t = (mean(&PAIR_SCORES, observed) - 0.5) / variance(&PAIR_SCORES, observed).sqrt();
    0.5 * ((1.0 + (t - t0).powi(2)) / (1.0 + (t - t1).powi(2))).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model, tolerate_faults: 0 }
    }

    fn assert_llr(sprt: Sprt, counts: [u64; 5], expected: f64, tolerance: f64) {
        let llr = sprt.llr(&Pentanomial(counts));
        assert!(
            (llr - expected).abs() <= tolerance,
            "{counts:?} in [{}, {}]: {llr}, not {expected}",
            sprt.elo0,
            sprt.elo1
        );
    }

    #[test]
    fn normalized_llr_matches_published_values() {
        let cases = [
            (0.0, 2.0, [365, 16618, 36229, 16974, 390], 2.2504),
            (-1.75, 0.25, [127, 4883, 10712, 5150, 104], 3.0102),
            (-50.0, 0.0, [10, 0, 30, 0, 20], 4.0808),
            (-50.0, 0.0, [20, 0, 30, 0, 10], -1.6561),
            (-50.0, 0.0, [0, 0, 0, 0, 20], 4.4489),
            (-50.0, 0.0, [0, 0, 50, 0, 0], 2.0216),
        ];
        for (elo0, elo1, counts, expected) in cases {
            assert_llr(test(elo0, elo1, Model::Normalized), counts, expected, 0.0005);
        }
        assert_llr(test(0.0, 5.0, Model::Normalized), [0, 0, 0, 0, 5550], 111.82, 0.05);
    }

    #[test]
    fn logistic_llr_matches_published_values() {
        assert_llr(test(0.5, 2.5, Model::Logistic), [223, 9863, 21279, 10037, 246], -3.07, 0.01);
        assert_llr(test(0.0, 2.0, Model::Logistic), [871, 26175, 55983, 26678, 821], -4.98, 0.01);
    }

    #[test]
    fn degenerate_counts_have_finite_llr_of_right_sign() {
        for model in [Model::Normalized, Model::Logistic] {
            assert_eq!(test(0.0, 5.0, model).llr(&Pentanomial::default()), 0.0);
            for far in [500.0, 4990.0] {
                let sprt = test(far, far + 10.0, model);
                for counts in [[1, 0, 0, 0, 0], [1_000_000, 0, 0, 0, 0]] {
                    let llr = sprt.llr(&Pentanomial(counts));
                    assert!(llr.is_finite() && llr < 0.0, "{model:?} {far} {counts:?}: {llr}");
                }
            }
            for cell in 0..5 {
                let mut counts = [0; 5];
                counts[cell] = u64::MAX;
                assert!(test(-5000.0, 5000.0, model).llr(&Pentanomial(counts)).is_finite());
            }
        }
    }

    #[test]
    fn rejects_invalid_parameters() {
        let good = test(0.0, 5.0, Model::Normalized);
        assert_eq!(good.validate(), Ok(()));
        for bad in [
            Sprt { elo1: 0.0, ..good },
            Sprt { elo0: f64::NAN, ..good },
            Sprt { elo1: f64::INFINITY, ..good },
            Sprt { alpha: 0.0, ..good },
            Sprt { beta: -0.1, ..good },
            Sprt { alpha: 0.6, beta: 0.4, ..good },
        ] {
            assert!(bad.validate().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn decides_at_the_bounds() {
        let sprt = test(0.0, 5.0, Model::Normalized);
        assert_eq!(sprt.decision(2.94), Decision::Continue);
        assert_eq!(sprt.decision(2.945), Decision::AcceptH1);
        assert_eq!(sprt.decision(-2.945), Decision::AcceptH0);
    }
}
