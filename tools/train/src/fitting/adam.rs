//! The optimiser of the networks.

/// Adam (Kingma and Ba 2015).
pub struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    step: i32,
}

impl Adam {
    /// An optimiser of this number of weights.
    pub fn new(weights: usize) -> Adam {
        Adam { mean: vec![0.0; weights], square: vec![0.0; weights], step: 0 }
    }

    /// Updates the weights by one step against the gradient.
    pub fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32) {
        const MOMENTUM: [f32; 2] = [0.9, 0.999];
        self.step += 1;
        let [mean_bias, square_bias] = MOMENTUM.map(|momentum| 1.0 - momentum.powi(self.step));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, &slope), (mean, square)) in weights.iter_mut().zip(gradient).zip(moments) {
            *mean += (1.0 - MOMENTUM[0]) * (slope - *mean);
            *square += (1.0 - MOMENTUM[1]) * (slope * slope - *square);
            *weight -= rate * (*mean / mean_bias) / ((*square / square_bias).sqrt() + 1e-8);
        }
    }
}
