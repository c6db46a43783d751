//! What the games say about the engines: scores, ratings with their errors, and the sequential test.

pub mod ratings;
pub mod sprt;
pub mod standings;
pub mod stats;
