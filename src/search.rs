//! Finds the best move of any game: a Monte Carlo tree search that knows what it has proven.
//!
//! The search neither reads nor prints; it reports to an observer and is ended by its [`Limits`] or its [`Control`].

pub mod limits;
pub mod report;

pub use limits::{Budget, Clock, Control, Limits};
pub use report::{Line, Report, Value};
