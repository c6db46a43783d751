//! Limits and reports of searches.

use std::time::Duration;

use oshi::search::{Limits, Report};

/// A limit of nodes alone.
pub fn nodes<M>(nodes: u64) -> Limits<M> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// Removes the elapsed time, the part of a report that differs between runs.
pub fn timeless<M>(report: Report<M>) -> Report<M> {
    Report { elapsed: Duration::ZERO, ..report }
}
