//! The evaluation of games: scores, ratings with their errors, and the sequential test.

pub mod ratings;
pub mod sprt;
pub mod standings;
pub mod stats;
