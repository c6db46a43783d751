//! Zeroed memory for large tables, in huge pages where the system has them.

#[cfg(target_family = "wasm")]
mod heap;
#[cfg(not(target_family = "wasm"))]
mod map;

use std::alloc::{Layout, handle_alloc_error};
use std::iter::successors;

#[cfg(target_family = "wasm")]
use heap::Zeroed;
#[cfg(not(target_family = "wasm"))]
use map::Zeroed;
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

/// Values of one type, all zero bytes at first.
pub(crate) struct Memory<T>(Zeroed<T>);

/// Bytes that the system must have left beyond an allocation that may be smaller than requested.
const SPARE: usize = 16 << 20;

impl<T: FromBytes + IntoBytes + KnownLayout> Memory<T> {
    /// Allocates `count` values. If the system cannot give these and 16 MiB more, allocates a half
    /// of them, a quarter and so on, but at least `least`. If even that fails, ends the process
    /// like any failed allocation.
    pub fn at_most(count: usize, least: usize) -> Memory<T> {
        let given = successors(Some(count), |count| Some(count / 2))
            .take_while(|&count| count >= least)
            .find_map(|count| Zeroed::with_spare(count, SPARE));
        let out_of_memory =
            || handle_alloc_error(Layout::array::<T>(least).unwrap_or(Layout::new::<T>()));
        Memory(given.or_else(|| Zeroed::new(least)).unwrap_or_else(out_of_memory))
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The values, to be shared between threads. The exclusive borrow is what allows safe code to
    /// see bytes as atomics.
    pub fn values(&mut self) -> &[T] {
        self.0.values()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    #[test]
    fn holds_the_requested_number_of_zeros() {
        for count in [1, 8, 1 << 20] {
            let mut memory = Memory::<AtomicU64>::at_most(count, count);
            assert_eq!(memory.len(), count);
            assert_eq!(memory.values().len(), count);
            assert!(memory.values().iter().all(|number| number.load(Relaxed) == 0));
        }
    }

    #[test]
    fn keeps_what_an_earlier_view_wrote() {
        let mut memory = Memory::<AtomicU64>::at_most(8, 8);
        memory.values()[3].store(5, Relaxed);
        assert_eq!(memory.values()[3].load(Relaxed), 5);
    }

    #[test]
    fn allocates_less_when_too_much_is_requested() {
        let memory = Memory::<AtomicU64>::at_most(usize::MAX / size_of::<AtomicU64>(), 1);
        assert!((1..usize::MAX / size_of::<AtomicU64>()).contains(&memory.len()));
    }
}
