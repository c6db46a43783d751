//! How a tournament is presented: terminal output, reports, boards, and the page for a browser.

pub mod board;
mod cells;
pub mod page;
pub mod progress;
pub mod ratings;
pub mod report;
pub mod terminal;
