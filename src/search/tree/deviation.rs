//! The standard deviation of the values that a search meets, the unit of its exploration.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Standard deviation of win probabilities, collected by all threads.
pub(in crate::search) struct Deviation {
    count: AtomicU64,
    /// Sum in units of 2⁻²⁴.
    sum: AtomicU64,
    squares: AtomicU64,
}

const UNIT: f32 = (1 << 24) as f32;

/// Initial sample: this number of values, spread evenly at this deviation around ½.
const FIRST_COUNT: u64 = 16;
const FIRST_DEVIATION: f32 = 0.3;

/// Minimum deviation. If nearly all lines have the same value, exploration must still find the
/// exception.
const MIN_DEVIATION: f32 = 0.2;

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

    /// The standard deviation, at least [`MIN_DEVIATION`].
    pub fn get(&self) -> f32 {
        let count = self.count.load(Relaxed) as f32 * UNIT;
        let mean = self.sum.load(Relaxed) as f32 / count;
        let square = self.squares.load(Relaxed) as f32 / count;
        (square - mean * mean).max(0.0).sqrt().max(MIN_DEVIATION)
    }
}
