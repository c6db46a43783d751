//! What a search is made with.

/// What a searcher is made with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Memory for the search, in MiB.
    pub hash_mib: usize,
    /// Threads that search at once, at least 1.
    pub threads: usize,
    /// Varies the play among moves that look equal; the same seed gives the same search.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { hash_mib: 64, threads: 1, seed: 0 }
    }
}
