//! The round network, fitted to solved positions.

pub mod fit;
mod gradient;
pub mod labels;
pub mod sample;
