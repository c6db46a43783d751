//! Chances and logits.

/// The chance that this logit stands for.
pub fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}

/// The sum of the features, each times its weight: the logit that a logistic model gives.
pub fn dot<const N: usize>(features: &[f32; N], weights: &[f32; N]) -> f32 {
    features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum()
}
