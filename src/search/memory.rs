//! Memory for what is looked up all over the place.

use std::alloc::{Layout, handle_alloc_error};
use std::io;
use std::iter::successors;
use std::ops::Deref;

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::{MmapMut, MmapOptions};
use ouroboros::self_referencing;
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

/// Values that threads share, all of zero bytes at first. But for the first [`TOUCHED`] bytes no memory is touched before it is used.
///
/// Where the system has huge pages, it is asked for them: a processor knows by heart where some thousand pages lie, which is a few MiB of
/// usual ones, and looks up the others in memory too before it finds what was asked for (Stockfish does the same).
pub(super) struct Memory<T: 'static>(Mapped<T>);

#[self_referencing]
struct Mapped<T: 'static> {
    map: MmapMut,
    #[borrows(mut map)]
    values: &'this [T],
}

/// So many bytes are touched before anyone waits for them, which is what some ten milliseconds of search use: the system has to clear a page when it
/// is touched first, and a huge one takes as long as hundreds of expansions.
const TOUCHED: usize = 4 << 20;

/// What the system must have left beside the values, in bytes, for all that cannot do with less than it asks for.
const SPARE: usize = 16 << 20;

impl<T: FromBytes + IntoBytes + KnownLayout> Memory<T> {
    /// So many values; where the system does not give so much and 16 MiB beside, half of them, a quarter and so on, but not less than
    /// `least`. Like any other allocation it ends the process where there is not even that.
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

    /// So many values.
    fn zeroed(count: usize) -> io::Result<Memory<T>> {
        let bytes = count.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapOptions::new().len(bytes).map_anon()?;
        // A system without them does without.
        #[cfg(target_os = "linux")]
        let _ = map
            .advise(Advice::HugePage)
            .and_then(|()| map.advise_range(Advice::PopulateWrite, 0, bytes.min(TOUCHED)));
        let values = MappedTryBuilder {
            map,
            values_builder: |map: &mut MmapMut| match <[T]>::mut_from_bytes(map) {
                Ok(values) => Ok(&*values),
                Err(_) => Err(io::ErrorKind::InvalidData),
            },
        };
        Ok(Memory(values.try_build()?))
    }
}

/// Whether the system would give so many values and have some memory left.
fn can_spare<T>(count: usize) -> bool {
    let bytes = count.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(SPARE));
    bytes.is_some_and(|bytes| MmapOptions::new().len(bytes).map_anon().is_ok())
}

impl<T> Deref for Memory<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.borrow_values()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    #[test]
    fn all_values_are_zero_at_first_and_there_are_as_many_as_were_asked_for() {
        for count in [1, 8, 1 << 20] {
            let memory = Memory::<AtomicU64>::at_most(count, count);
            assert_eq!(memory.len(), count);
            assert!(memory.iter().all(|number| number.load(Relaxed) == 0));
        }
    }

    #[test]
    fn of_what_is_too_much_there_is_a_half_or_a_quarter_or_less() {
        let memory = Memory::<AtomicU64>::at_most(usize::MAX / size_of::<AtomicU64>(), 1);
        assert!(!memory.is_empty() && memory.len() < usize::MAX / size_of::<AtomicU64>());
    }
}
