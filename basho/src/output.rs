//! Presentation of a tournament: terminal, reports, board pictures, and the HTML page.

pub mod board;
mod cells;
#[cfg(test)]
mod fixture;
pub mod markdown;
pub mod page;
pub mod progress;
mod ratings;
pub mod report;
pub mod summary;
pub mod terminal;
pub mod verdict;
