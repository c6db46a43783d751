//! What a Kamon position looks like before anything is proven of it.

use super::Kamon;
use super::board::Cell;
use crate::game::Estimate;

impl Estimate for Kamon {
    fn chance(&self) -> f32 {
        0.5
    }

    fn prior_logits(&self, _moves: &[Cell], logits: &mut [f32]) {
        logits.fill(0.0);
    }
}
