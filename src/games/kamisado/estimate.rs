//! What the search is told of a position that nothing is proven of.

use super::Match;
use crate::game::Estimate;

impl Estimate for Match {
    fn chance(&self) -> f32 {
        0.5
    }

    fn prior_logits(&self, _moves: &[Self::Move], logits: &mut [f32]) {
        logits.fill(0.0);
    }
}
