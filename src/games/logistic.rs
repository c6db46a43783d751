//! Chances and logits.

/// The chance that this logit stands for.
pub fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}
