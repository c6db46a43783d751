//! The match network, fitted to recorded matches.

pub mod fit;
mod gradient;
pub mod initial;
pub mod labels;
pub mod sample;
