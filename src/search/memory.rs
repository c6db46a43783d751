//! Memory for what is looked up all over the place.

use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use memmap2::{MmapMut, MmapOptions};
use self_cell::{MutBorrow, self_cell};
use zerocopy::FromBytes;

/// Numbers that threads share, all 0 at first. No memory is touched before it is used.
///
/// Where the system has huge pages, it is asked for them: a processor knows by heart where a few thousand pages lie, which is a few MiB of
/// usual ones, and looks up the others in memory too before it finds what was asked for (Stockfish does the same).
pub(super) struct Memory(Words);

type Slice<'a> = &'a mut [AtomicU64];

self_cell!(
    struct Words {
        owner: MutBorrow<MmapMut>,
        #[covariant]
        dependent: Slice,
    }
);

impl Memory {
    /// So many numbers.
    ///
    /// # Errors
    ///
    /// What the system says where it does not give so much.
    pub fn zeroed(count: usize) -> io::Result<Memory> {
        let bytes = count.checked_mul(size_of::<AtomicU64>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapOptions::new().len(bytes).map_anon()?;
        // A system without them does without.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let words = Words::try_new(MutBorrow::new(map), |map| {
            <[AtomicU64]>::mut_from_bytes(map.borrow_mut()).map_err(|_| io::ErrorKind::InvalidData)
        })?;
        Ok(Memory(words))
    }
}

impl Deref for Memory {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        self.0.borrow_dependent()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn all_numbers_are_zero_at_first_and_there_are_as_many_as_were_asked_for() {
        for count in [1, 8, 1 << 20] {
            let memory = Memory::zeroed(count).unwrap();
            assert_eq!(memory.len(), count);
            assert!(memory.iter().all(|number| number.load(Relaxed) == 0));
        }
    }

    #[test]
    fn more_than_there_is_is_refused() {
        for count in [usize::MAX / size_of::<AtomicU64>(), usize::MAX] {
            assert!(Memory::zeroed(count).is_err(), "{count} numbers");
        }
    }
}
