//! The transposition table of proofs and proof numbers, shared by all threads without locks.

#[cfg(test)]
mod interleavings;

use std::ops::Range;
#[cfg(not(test))]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

#[cfg(test)]
use interleavings::AtomicU64;

use prefetch_index::prefetch_index;

use super::Proof;
use super::tt_value::{TtValue, Work, better, pack, unpack};
use crate::game::mix;
use crate::memory::Memory;

/// Key and data of one position. The key is stored XORed with the data, so that a torn write by two
/// threads is not taken for an entry (Hyatt and Mann 2002).
type Entry = [AtomicU64; 2];

const KEY: usize = 0;
const DATA: usize = 1;

/// Entries with the same index. A new entry replaces the one with the least work.
type Bucket = [Entry; 4];

const _: () = assert!(size_of::<Bucket>() == 64);

/// A view of the table for one search and all its threads.
///
/// The table grows within its memory as it fills, so that the entries of a short search stay in the
/// processor's cache. It grows a few buckets at a time, after evictions (linear hashing, Litwin
/// 1980). So no search waits for it, and threads share no counter of entries.
#[derive(Clone, Copy)]
pub struct TranspositionTable<'m> {
    buckets: &'m [Bucket],
    /// Number of initial buckets.
    first: usize,
    /// A packed [`Extent`].
    extent: &'m AtomicU64,
}

/// Memory of a transposition table, kept between searches. A [`Solver`](crate::solver::Solver)
/// borrows it.
pub struct TableMemory {
    buckets: Memory<Bucket>,
    first: usize,
    extent: AtomicU64,
}

/// How far the table has grown. The first buckets have doubled `doublings` times. In the next
/// doubling, the buckets from `split` on have been split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Extent {
    doublings: u32,
    split: usize,
}

impl Extent {
    const SPLIT_BITS: u32 = 56;

    const fn pack(self) -> u64 {
        (self.doublings as u64) << Extent::SPLIT_BITS | self.split as u64
    }

    const fn unpack(packed: u64) -> Extent {
        Extent {
            doublings: (packed >> Extent::SPLIT_BITS) as u32,
            split: (packed & ((1 << Extent::SPLIT_BITS) - 1)) as usize,
        }
    }
}

/// Maximum number of initial buckets, 512 KiB.
const FIRST_BUCKETS: usize = 1 << 13;

/// Buckets split per growth. With fewer growths, threads wait less for each other's writes.
const BUCKETS_PER_GROWTH: usize = 16;

/// Evictions per growth, so that the table stays less than half full.
const EVICTIONS_PER_GROWTH: u64 = 4;

impl TableMemory {
    /// Allocates a table of at most `bytes`, but at least one bucket. If the system has less
    /// memory, the table is a half of that, a quarter and so on. The system provides most pages
    /// only on their first use.
    pub fn new(bytes: usize) -> TableMemory {
        let limit = (bytes / size_of::<Bucket>()).max(1);
        let first = first_buckets(limit);
        let buckets = Memory::at_most(first << (limit / first).ilog2(), first);
        let extent = AtomicU64::new(Extent { doublings: 0, split: first }.pack());
        TableMemory { buckets, first, extent }
    }

    /// Size of the grown table in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// Forgets everything and returns used memory to the system.
    pub(crate) fn clear(&mut self) {
        let bytes = self.bytes();
        // Free the old table first, so that both never coexist.
        *self = TableMemory::new(0);
        *self = TableMemory::new(bytes);
    }

    /// A view of the table.
    pub(crate) fn table(&mut self) -> TranspositionTable<'_> {
        let TableMemory { buckets, first, extent } = self;
        TranspositionTable { buckets: buckets.values(), first: *first, extent }
    }
}

impl<'m> TranspositionTable<'m> {
    /// Size of the grown table in bytes.
    pub fn bytes(self) -> usize {
        size_of_val(self.buckets)
    }

    fn bucket(self, key: u64) -> &'m Bucket {
        &self.buckets[self.index(key)]
    }

    /// Index of this key's bucket.
    fn index(self, key: u64) -> usize {
        let Extent { doublings, split } = Extent::unpack(self.extent.load(Relaxed));
        // The high bits of key × buckets are uniform for any number of buckets (Lemire 2016).
        let doubled = ((u128::from(key) * ((2 * self.first) << doublings) as u128) >> 64) as usize;
        // Branchless: the condition is unpredictable.
        doubled >> u32::from(doubled / 2 < split)
    }

    /// Splits the next buckets in two. Other threads may miss the entries that move at that time.
    fn grow(self) {
        let before = self.extent.load(Relaxed);
        let Extent { doublings, split } = Extent::unpack(before);
        if self.first << doublings >= self.buckets.len() {
            return;
        }
        let begin = split.saturating_sub(BUCKETS_PER_GROWTH);
        let after = match begin {
            0 => Extent { doublings: doublings + 1, split: self.first << (doublings + 1) },
            split => Extent { doublings, split },
        };
        // A page that is written first costs one page fault. Reading it first costs a second one
        // and an interrupt on all processors.
        let _ = self.buckets[2 * begin + 1][0][DATA].compare_exchange(0, 0, Relaxed, Relaxed);
        if self.extent.compare_exchange(before, after.pack(), Relaxed, Relaxed).is_err() {
            return;
        }
        // Bucket i is split into 2i and 2i + 1. From the last one down, both are free by then.
        for index in (begin..split).rev() {
            self.split_bucket(index);
        }
    }

    /// Moves the entries of a bucket to their new places.
    fn split_bucket(self, index: usize) {
        for entry in &self.buckets[index] {
            let (key, data) = (entry[KEY].load(Relaxed), entry[DATA].load(Relaxed));
            entry[DATA].store(0, Relaxed);
            let free = |place: &&Entry| place[DATA].load(Relaxed) == 0;
            if data != 0
                && let Some(place) = self.bucket(key ^ data).iter().find(free)
            {
                place[DATA].store(data, Relaxed);
                place[KEY].store(key, Relaxed);
            }
        }
    }

    /// Loads this key's bucket into the processor's cache, at the cost of a hundred additions. Do
    /// other work until it is needed.
    pub fn prefetch(self, key: u64) {
        prefetch_index(self.buckets, self.index(key));
    }

    pub fn get(self, key: u64) -> Option<TtValue> {
        self.data(key).and_then(unpack)
    }

    /// Data of the entry with this key.
    fn data(self, key: u64) -> Option<u64> {
        self.bucket(key).iter().find_map(|entry| {
            let data = entry[DATA].load(Relaxed);
            (entry[KEY].load(Relaxed) ^ data == key && data != 0).then_some(data)
        })
    }

    /// The proof for this key.
    pub fn proof(self, key: u64) -> Option<Proof> {
        match self.get(key) {
            Some(TtValue::Proven(proof)) => Some(proof),
            _ => None,
        }
    }

    /// Stores a value found by a prover's `expansions`, given by their numbers. Proofs stay.
    pub fn put(self, key: u64, known: TtValue, expansions: Range<u64>) {
        let place = self.place_for(key);
        // No two parts of one prover's work end at the same number, so the random numbers differ.
        let random = mix(key ^ mix(expansions.end));
        let more = expansions.end - expansions.start;
        loop {
            let old = place[DATA].load(Relaxed);
            let is_same = old != 0 && place[KEY].load(Relaxed) ^ old == key;
            let (known, work) = match unpack(old).filter(|_| is_same) {
                Some(before) => (better(before, known), Work::of(old).plus(more, random)),
                None => (known, Work::default().plus(more, random)),
            };
            let data = pack(known, work);
            // If another thread was faster, its value is merged.
            if place[DATA].compare_exchange(old, data, Relaxed, Relaxed).is_ok() {
                place[KEY].store(key ^ data, Relaxed);
                let is_eviction = old != 0 && !is_same;
                if is_eviction && key.is_multiple_of(EVICTIONS_PER_GROWTH) {
                    self.grow();
                }
                return;
            }
        }
    }

    /// Used share of the memory, 0 to 1, estimated from a sample.
    pub fn share_filled(self) -> f64 {
        const SAMPLE: usize = 1024;
        let filled =
            |bucket: &Bucket| bucket.iter().filter(|entry| entry[DATA].load(Relaxed) != 0).count();
        let sample = self.buckets.iter().step_by(self.buckets.len().div_ceil(SAMPLE));
        let [buckets, entries] = sample
            .fold([0, 0], |[buckets, entries], bucket| [buckets + 1, entries + filled(bucket)]);
        entries as f64 / (buckets * size_of::<Bucket>() / size_of::<Entry>()) as f64
    }

    /// The entries with the most work, as keys and packed data: at most `limit`. Entries of equal
    /// rounded work are exported all or none. Other threads may work at the same time.
    pub fn most_expensive(self, limit: usize) -> Vec<[u64; 2]> {
        // Memory beyond the next doubling is untouched.
        let Extent { doublings, .. } = Extent::unpack(self.extent.load(Relaxed));
        let touched = 2 * (self.first << doublings);
        let entries = || {
            self.buckets.iter().take(touched).flatten().filter_map(|entry| {
                let data = entry[DATA].load(Relaxed);
                (data != 0).then(|| [entry[KEY].load(Relaxed) ^ data, data])
            })
        };
        let mut counts = [0; Work::MAX.0 as usize + 1];
        entries().for_each(|[_, data]| counts[usize::from(Work::of(data).0)] += 1);
        let mut taken = 0;
        let mut fits = |&count: &usize| {
            taken += count;
            taken <= limit
        };
        let left_out = counts.len() - counts.iter().rev().take_while(|&count| fits(count)).count();
        entries().filter(|&[_, data]| usize::from(Work::of(data).0) >= left_out).collect()
    }

    /// Stores the result of [`most_expensive`](Self::most_expensive). The entries come in the order
    /// of their buckets and would overfill the first ones, so the table grows before.
    pub fn restore(self, entries: &[[u64; 2]]) {
        let needed = 2 * entries.len() * size_of::<Entry>() / size_of::<Bucket>();
        while self.grown() < needed.min(self.buckets.len()) {
            self.grow();
        }
        for &[key, data] in entries {
            if let Some(known) = unpack(data) {
                self.put(key, known, 0..Work::of(data).expansions());
            }
        }
    }

    /// Number of buckets in use.
    fn grown(self) -> usize {
        let Extent { doublings, split } = Extent::unpack(self.extent.load(Relaxed));
        2 * (self.first << doublings) - split
    }

    /// The entry for this key: its own, a free one, or the one to replace.
    fn place_for(self, key: u64) -> &'m Entry {
        let bucket = self.bucket(key);
        let mut place = &bucket[0];
        let mut least = Work::MAX;
        for entry in bucket {
            let data = entry[DATA].load(Relaxed);
            if data == 0 || entry[KEY].load(Relaxed) ^ data == key {
                return entry;
            }
            let work = Work::of(data);
            if work < least {
                least = work;
                place = entry;
            }
        }
        place
    }
}

/// Number of initial buckets, chosen so that doubling it comes close to `all`.
fn first_buckets(all: usize) -> usize {
    let mut first = all;
    while first > FIRST_BUCKETS {
        first /= 2;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::proof::tt_value::tests::{open, win};

    /// Expansions spent on this key, rounded; 0 without an entry.
    fn work(table: TranspositionTable<'_>, key: u64) -> u64 {
        table.data(key).map_or(0, |data| Work::of(data).expansions())
    }

    /// Keys spread evenly over all buckets.
    fn keys(count: u64) -> impl Iterator<Item = u64> {
        (1..=count).map(|number| number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    #[test]
    fn adds_up_small_shares_of_work() {
        for (shares, share) in [(10, 512), (400, 512), (4_000, 512), (300_000, 7)] {
            let mut memory = TableMemory::new(16 << 20);
            let table = memory.table();
            let mut keys = keys(shares + 1);
            let worked_on = keys.next().unwrap();
            assert_eq!(work(table, worked_on), 0);
            for (other, spent) in keys.zip((0..).step_by(share as usize)) {
                table.put(worked_on, open(3), spent..spent + share);
                table.put(other, open(3), 0..1);
            }
            let ratio = work(table, worked_on) as f64 / (shares * share) as f64;
            assert!(
                (0.8..1.25).contains(&ratio),
                "{shares} times {share} are {} expansions",
                work(table, worked_on)
            );
        }
    }

    #[test]
    fn finds_entries_while_the_table_grows() {
        const COUNT: u64 = 120_000;
        let mut memory = TableMemory::new(16 << 20);
        let table = memory.table();
        // Random keys, like those of positions.
        let keys = || (1..=COUNT).map(mix);
        for (count, key) in (1..).zip(keys()) {
            table.put(key, open(count), 0..1);
            assert_eq!(table.get(key), Some(open(count)), "entry {count}");
        }
        let found = keys().filter(|&key| table.get(key).is_some()).count();
        assert!(found > 102_000, "{found} of {COUNT} are still there");
        let load = found as f64 / (table.grown() * size_of::<Bucket>() / size_of::<Entry>()) as f64;
        assert!((0.3..0.5).contains(&load), "what it has grown to is {load} full");
        let all = found as f64 / (table.bytes() / size_of::<Entry>()) as f64;
        assert!(
            (table.share_filled() / all - 1.0).abs() < 0.1,
            "{} is said to be filled, and {all} is",
            table.share_filled()
        );
    }

    #[test]
    fn does_not_grow_beyond_its_memory() {
        let mut memory = TableMemory::new(1 << 20);
        let table = memory.table();
        keys(100_000).for_each(|key| table.put(key, open(1), 0..1));
        let grown = table.extent.load(Relaxed);
        table.grow();
        assert_eq!(table.extent.load(Relaxed), grown);
    }

    #[test]
    fn only_a_shorter_proof_replaces_a_proof() {
        let mut memory = TableMemory::new(1 << 20);
        let table = memory.table();
        for (known, expected) in [
            (open(5), open(5)),
            (win(7), win(7)),
            (open(1), win(7)),
            (win(9), win(7)),
            (win(3), win(3)),
        ] {
            table.put(1 << 60, known, 0..1);
            assert_eq!(table.get(1 << 60), Some(expected), "after {known:?}");
        }
    }

    #[test]
    fn keeps_the_most_expensive_entry_of_a_full_bucket() {
        let mut memory = TableMemory::new(1 << 20);
        let table = memory.table();
        let costly = keys(1).next().unwrap();
        table.put(costly, open(1), 0..1000);
        for key in keys(500_000).skip(1) {
            table.put(key, open(2), 0..10);
        }
        assert_eq!(table.get(costly), Some(open(1)));
    }

    #[test]
    fn restores_the_most_expensive_entries_with_their_work() {
        let mut memories = [4 << 20, 1 << 20].map(TableMemory::new);
        let [table, other] = memories.each_mut().map(TableMemory::table);
        for (count, key) in (1..).zip(keys(50_000)) {
            table.put(key, open(count), 0..u64::from(count));
        }
        assert_eq!(
            table.most_expensive(usize::MAX).len(),
            keys(50_000).filter(|&key| table.get(key).is_some()).count()
        );
        let most_expensive = table.most_expensive(5_000);
        assert!(
            (3_000..=5_000).contains(&most_expensive.len()),
            "{} entries",
            most_expensive.len()
        );
        other.restore(&most_expensive);
        // Work from 47,104 on is a multiple of its rounding unit here, so it is not rounded down.
        for (count, key) in (1..).zip(keys(50_000)).skip(47_103) {
            assert_eq!(other.get(key), table.get(key), "entry {count}");
        }
        // Import keeps the work, and entries of equal work are kept or left out together.
        let work = |table: TranspositionTable<'_>| {
            let mut work: Vec<Work> =
                table.most_expensive(5_000).iter().map(|&[_, data]| Work::of(data)).collect();
            work.sort_unstable();
            work
        };
        assert_eq!(work(other), work(table));
    }

    #[test]
    fn restores_entries_in_the_order_of_their_buckets() {
        let mut memories = [16 << 20; 2].map(TableMemory::new);
        let [table, other] = memories.each_mut().map(TableMemory::table);
        (1..=100_000).map(mix).for_each(|key| table.put(key, open(1), 0..1));
        let entries = table.most_expensive(usize::MAX);
        assert!(entries.len() > 80_000);
        other.restore(&entries);
        let found = other.most_expensive(usize::MAX).len();
        assert!(100 * found > 95 * entries.len(), "{found} of {}", entries.len());
    }
}
