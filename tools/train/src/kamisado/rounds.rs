//! The net of rounds: positions are solved, and it is fitted to who wins them, and by which moves.

pub mod fit;
pub mod labels;
pub mod sample;
mod slopes;
