//! Shared parts: gradient descent, logistic regression, recorded matches, forecast statistics.

pub mod adam;
pub mod backprop;
pub mod descent;
pub mod logistic;
pub mod matches;
pub mod reliability;
