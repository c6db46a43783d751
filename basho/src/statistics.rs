//! Statistics of games: scores, ratings with error bars, the sequential test, calibration.

pub mod calibration;
pub mod ratings;
pub mod sprt;
pub mod stats;
