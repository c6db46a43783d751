//! How far apart the chances lie that a search meets.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The standard deviation of chances, gathered by all threads.
pub(in crate::search) struct Deviation {
    count: AtomicU64,
    /// Sums in units of 2⁻²⁴.
    sum: AtomicU64,
    squares: AtomicU64,
}

const UNIT: f32 = (1 << 24) as f32;

/// What a search starts with: a number of chances, half of them this far from the middle on either side.
const FIRST_COUNT: u64 = 16;
const FIRST_DEVIATION: f32 = 0.3;

/// Where nearly every line ends alike, the one that does not is still looked for.
const LEAST_DEVIATION: f32 = 0.2;

impl Deviation {
    pub fn new() -> Deviation {
        let sums = |each: f32| AtomicU64::new(FIRST_COUNT * (each * UNIT) as u64);
        Deviation {
            count: AtomicU64::new(FIRST_COUNT),
            sum: sums(0.5),
            squares: sums(0.25 + FIRST_DEVIATION * FIRST_DEVIATION),
        }
    }

    pub fn add(&self, win_probability: f32) {
        self.count.fetch_add(1, Relaxed);
        self.sum.fetch_add((win_probability * UNIT) as u64, Relaxed);
        self.squares.fetch_add((win_probability * win_probability * UNIT) as u64, Relaxed);
    }

    /// The deviation, but never less than leaves room for rare finds.
    pub fn get(&self) -> f32 {
        let count = self.count.load(Relaxed) as f32 * UNIT;
        let mean = self.sum.load(Relaxed) as f32 / count;
        let square = self.squares.load(Relaxed) as f32 / count;
        (square - mean * mean).max(0.0).sqrt().max(LEAST_DEVIATION)
    }
}
