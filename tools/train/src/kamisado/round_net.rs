//! The round network, fitted to solved positions.

pub mod fit;
mod gradient;
mod initial;
pub mod labels;
pub mod sample;
