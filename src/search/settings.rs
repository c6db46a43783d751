//! Settings of a searcher.

/// Memory, threads and seed of a searcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Memory for the trees and the table, in MiB.
    pub hash_mib: usize,
    /// Search threads, at least 1.
    pub threads: usize,
    /// Seed of the small changes to move priors. On one thread, equal seeds give equal searches.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { hash_mib: 64, threads: 1, seed: 0 }
    }
}
