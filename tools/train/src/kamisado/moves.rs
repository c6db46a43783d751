//! The net of the match: it is fitted to the moves that were played in recorded matches.

pub mod fit;
pub mod labels;
pub mod sample;
mod slopes;
