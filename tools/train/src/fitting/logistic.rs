//! Logistic regression.

/// Features and the result.
pub struct Sample<const N: usize> {
    pub features: [f64; N],
    pub won: bool,
}

impl<const N: usize> Sample<N> {
    /// The probability of a win by these weights.
    pub fn probability(&self, weights: &[f64; N]) -> f64 {
        let logit: f64 =
            self.features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
        1.0 / (1.0 + (-logit).exp())
    }
}

/// Fits a logistic regression by Newton's method. All weights but the first, the constant, have a
/// normal prior with this mean and precision.
pub fn fit<const N: usize>(samples: &[Sample<N>], mean: &[f64; N], precision: f64) -> [f64; N] {
    const STEPS: usize = 25;
    let mut weights = *mean;
    for _ in 0..STEPS {
        let mut gradient = [0.0; N];
        let mut curvature = [[0.0; N]; N];
        // A tiny prior, so that the matrix is never singular.
        curvature[0][0] = 1e-6;
        for row in 1..N {
            gradient[row] = precision * (weights[row] - mean[row]);
            curvature[row][row] = precision;
        }
        for sample in samples {
            let probability = sample.probability(&weights);
            let error = probability - f64::from(u8::from(sample.won));
            for row in 0..N {
                gradient[row] += error * sample.features[row];
                let scale = probability * (1.0 - probability) * sample.features[row];
                curvature[row]
                    .iter_mut()
                    .zip(sample.features)
                    .for_each(|(sum, feature)| *sum += scale * feature);
            }
        }
        let step = solve(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    weights
}

/// Solves linear equations with a positive definite matrix by Gaussian elimination.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for pivot in 0..N {
        let (pivot_row, pivot_right) = (matrix[pivot], right[pivot]);
        for row in pivot + 1..N {
            let factor = matrix[row][pivot] / pivot_row[pivot];
            matrix[row].iter_mut().zip(pivot_row).for_each(|(cell, above)| *cell -= factor * above);
            right[row] -= factor * pivot_right;
        }
    }
    let mut solution = [0.0; N];
    for row in (0..N).rev() {
        let known: f64 = matrix[row].iter().zip(solution).map(|(cell, known)| cell * known).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
}
