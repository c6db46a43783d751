//! Presentation of a tournament: terminal, reports, board pictures, and the HTML page.

pub mod board;
mod cells;
pub mod page;
pub mod progress;
mod ratings;
pub mod report;
pub mod terminal;
