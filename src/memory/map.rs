//! Zeroed memory from the system.

use std::io;
use std::marker::PhantomData;

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::{MmapMut, MmapOptions};
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

/// An anonymous memory map.
///
/// The map is not touched before its use, except for the first [`TOUCHED`] bytes. On Linux it asks
/// for huge pages: a processor's translation buffer covers only a few MiB of ordinary pages, and
/// each miss costs another access to memory (Stockfish does the same).
pub struct Zeroed<T> {
    map: MmapMut,
    values: PhantomData<T>,
}

/// Bytes that are touched when the memory is allocated, about what ten milliseconds of search use.
/// The system clears a page on its first touch. Clearing a huge page takes the time of hundreds of
/// expansions.
const TOUCHED: usize = 4 << 20;

impl<T: FromBytes + IntoBytes + KnownLayout> Zeroed<T> {
    /// Allocates `count` values; `None` if the system cannot.
    pub fn new(count: usize) -> Option<Zeroed<T>> {
        let bytes = count.checked_mul(size_of::<T>())?;
        let map = allocate(bytes).ok()?;
        // Advice only: a system without huge pages works too.
        #[cfg(target_os = "linux")]
        let _ = map
            .advise(Advice::HugePage)
            .and_then(|()| map.advise_range(Advice::PopulateWrite, 0, bytes.min(TOUCHED)));
        Some(Zeroed { map, values: PhantomData })
    }

    /// Allocates `count` values if the system would also give `spare` bytes more.
    pub fn with_spare(count: usize, spare: usize) -> Option<Zeroed<T>> {
        let bytes = count.checked_mul(size_of::<T>())?.checked_add(spare)?;
        drop(allocate(bytes).ok()?);
        Zeroed::new(count)
    }

    pub fn len(&self) -> usize {
        self.map.len() / size_of::<T>()
    }

    pub fn values(&mut self) -> &[T] {
        // A map begins at a page and holds a whole number of values, so the cast cannot fail.
        <[T]>::mut_from_bytes(&mut self.map).unwrap_or_default()
    }
}

fn allocate(bytes: usize) -> io::Result<MmapMut> {
    MmapOptions::new().len(bytes).map_anon()
}
