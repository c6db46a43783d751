//! Logistic regression.

/// What was seen, and whether it went well.
pub struct Sample<const N: usize> {
    pub features: [f64; N],
    pub won: bool,
}

impl<const N: usize> Sample<N> {
    /// The chance that these weights give it.
    pub fn chance(&self, weights: &[f64; N]) -> f64 {
        let logit: f64 =
            self.features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
        1.0 / (1.0 + (-logit).exp())
    }
}

/// The weights of a logistic regression, by Newton's method. All but the first, which is the constant, are drawn to a centre, by a normal
/// prior of this precision.
pub fn fit<const N: usize>(samples: &[Sample<N>], centre: &[f64; N], pull: f64) -> [f64; N] {
    const STEPS: usize = 25;
    let mut weights = *centre;
    for _ in 0..STEPS {
        let mut gradient = [0.0; N];
        let mut curvature = [[0.0; N]; N];
        // Hardly at all, so that there is one solution in any case.
        curvature[0][0] = 1e-6;
        for row in 1..N {
            gradient[row] = pull * (weights[row] - centre[row]);
            curvature[row][row] = pull;
        }
        for sample in samples {
            let chance = sample.chance(&weights);
            let error = chance - f64::from(u8::from(sample.won));
            for row in 0..N {
                gradient[row] += error * sample.features[row];
                let scale = chance * (1.0 - chance) * sample.features[row];
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

/// The solution of linear equations with a positive definite matrix, by elimination.
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
