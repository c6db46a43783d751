//! Where the threads of one proof search are at work, so that they part: virtual proof numbers (Kaneko 2010; Pawlewicz and Hayward 2013).

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How many threads are at work below each position, by its key. Positions may share a count: it only says where to look first.
pub struct VirtualProofNumbers {
    counts: Box<[AtomicU32]>,
}

/// Many more than there are positions on the lines of all threads.
const COUNTS: usize = 1 << 16;

impl VirtualProofNumbers {
    pub fn new() -> VirtualProofNumbers {
        VirtualProofNumbers { counts: (0..COUNTS).map(|_| AtomicU32::new(0)).collect() }
    }

    fn count(&self, key: u64) -> &AtomicU32 {
        // The table of positions goes by the high bits.
        &self.counts[key as usize % COUNTS]
    }

    /// A thread goes to work below this position.
    pub fn enter(&self, key: u64) {
        self.count(key).fetch_add(1, Relaxed);
    }

    /// It comes back.
    pub fn leave(&self, key: u64) {
        self.count(key).fetch_sub(1, Relaxed);
    }

    /// How many threads are there.
    pub fn threads_below(&self, key: u64) -> u32 {
        self.count(key).load(Relaxed)
    }
}
