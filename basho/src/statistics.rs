//! The evaluation of games: scores, ratings with their errors, the sequential test, and whether chances said come true.

pub mod calibration;
pub mod ratings;
pub mod sprt;
pub mod stats;
