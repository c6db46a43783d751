//! What the trainers share: optimisers, logistic models, recorded matches, calibration.

pub mod adam;
pub mod descent;
pub mod logistic;
pub mod matches;
pub mod reliability;
pub mod slopes;
