//! Zeroed memory for large tables, in huge pages where the system has them.

use std::alloc::{Layout, handle_alloc_error};
use std::io;
use std::iter::successors;
use std::marker::PhantomData;

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::{MmapMut, MmapOptions};
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

/// An anonymous memory map that holds values of one type, all zero bytes at first.
///
/// The map is not touched before its use, except for the first [`TOUCHED`] bytes. On Linux it asks
/// for huge pages: a processor's translation buffer covers only a few MiB of ordinary pages, and
/// each miss costs another access to memory (Stockfish does the same).
pub(crate) struct Memory<T> {
    map: MmapMut,
    values: PhantomData<T>,
}

/// Bytes that are touched when the memory is allocated, about what ten milliseconds of search use.
/// The system clears a page on its first touch. Clearing a huge page takes the time of hundreds of
/// expansions.
const TOUCHED: usize = 4 << 20;

/// Bytes that the system must have left beyond an allocation that may be smaller than requested.
const SPARE: usize = 16 << 20;

impl<T: FromBytes + IntoBytes + KnownLayout> Memory<T> {
    /// Allocates `count` values. If the system cannot give these and 16 MiB more, allocates a half
    /// of them, a quarter and so on, but at least `least`. If even that fails, ends the process
    /// like any failed allocation.
    pub fn at_most(count: usize, least: usize) -> Memory<T> {
        let halves =
            successors(Some(count), |count| Some(count / 2)).take_while(|&count| count >= least);
        let given = halves
            .filter(|&count| can_spare::<T>(count))
            .find_map(|count| Memory::zeroed(count).ok());
        let out_of_memory =
            |_| handle_alloc_error(Layout::array::<T>(least).unwrap_or(Layout::new::<T>()));
        given.unwrap_or_else(|| Memory::zeroed(least).unwrap_or_else(out_of_memory))
    }

    fn zeroed(count: usize) -> io::Result<Memory<T>> {
        let bytes = count.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapOptions::new().len(bytes).map_anon()?;
        // Advice only: a system without huge pages works too.
        #[cfg(target_os = "linux")]
        let _ = map
            .advise(Advice::HugePage)
            .and_then(|()| map.advise_range(Advice::PopulateWrite, 0, bytes.min(TOUCHED)));
        Ok(Memory { map, values: PhantomData })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.map.len() / size_of::<T>()
    }

    /// The values, to be shared between threads. The exclusive borrow is what allows safe code to
    /// see bytes as atomics.
    pub fn values(&mut self) -> &[T] {
        // A map begins at a page and holds a whole number of values, so the cast cannot fail.
        <[T]>::mut_from_bytes(&mut self.map).unwrap_or_default()
    }
}

/// Whether the system would give `count` values and have [`SPARE`] bytes left.
fn can_spare<T>(count: usize) -> bool {
    let bytes = count.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(SPARE));
    bytes.is_some_and(|bytes| MmapOptions::new().len(bytes).map_anon().is_ok())
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
