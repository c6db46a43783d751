//! Virtual proof numbers: counts of the threads below each position. They spread out the threads of
//! one proof search (Kaneko 2010; Pawlewicz and Hayward 2013).

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of threads below each position, by key. Positions may share a counter, since it only
/// influences the choice of a move.
pub struct VirtualProofNumbers {
    counts: Box<[AtomicU32]>,
}

/// Number of counters, far above that of the positions on the lines of all threads.
const COUNTS: usize = 1 << 16;

impl VirtualProofNumbers {
    pub fn new() -> VirtualProofNumbers {
        VirtualProofNumbers { counts: (0..COUNTS).map(|_| AtomicU32::new(0)).collect() }
    }

    fn count(&self, key: u64) -> &AtomicU32 {
        // The low bits of the key, since the table uses the high ones.
        &self.counts[key as usize % COUNTS]
    }

    /// Counts a thread below this position.
    pub fn enter(&self, key: u64) {
        self.count(key).fetch_add(1, Relaxed);
    }

    /// Ends what [`enter`](Self::enter) began.
    pub fn leave(&self, key: u64) {
        self.count(key).fetch_sub(1, Relaxed);
    }

    /// Number of threads below this position.
    pub fn threads_below(&self, key: u64) -> u32 {
        self.count(key).load(Relaxed)
    }
}
