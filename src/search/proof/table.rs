//! The table of proof numbers, shared by all threads without locks.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use prefetch_index::prefetch_index;

use super::proven::Proof;
use super::tt_value::{TtValue, Work, better, pack, unpack};
use crate::game::mix;
use crate::search::memory::Memory;

/// One position, as its key and its data: the key is stored combined with the data, so that a torn write by two threads is not taken
/// for an entry (Hyatt and Mann 2002).
type Entry = [AtomicU64; 2];

const KEY: usize = 0;
const DATA: usize = 1;

/// Entries that share an index; the one with the least work behind it makes room.
type Bucket = [Entry; 4];

const _: () = assert!(size_of::<Bucket>() == 64);

/// Grows within its memory as it fills, so that what a short search looks up stays close together and in the processor's cache.
///
/// It does so a few buckets at a time, where an entry was crowded out (linear hashing, Litwin 1980): no search ever waits for it, and threads
/// that store entries write nothing else that all of them read.
#[derive(Clone, Copy)]
pub struct TranspositionTable<'m> {
    buckets: &'m [Bucket],
    /// How many of the buckets it begins with.
    first: usize,
    /// An [`Extent`], packed.
    extent: &'m AtomicU64,
}

/// The memory of a table of proof numbers, kept between searches.
pub struct TableMemory {
    buckets: Memory<Bucket>,
    first: usize,
    extent: AtomicU64,
}

/// How far the table has grown: the entries of so many doublings of the first buckets have all been spread, and of the next doubling
/// those of the buckets from `split` on.
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

/// The most buckets that the table begins with, 512 KiB.
const FIRST_BUCKETS: usize = 1 << 13;

/// Buckets spread at a time: the fewer times, the seldomer threads wait for each other's writes.
const BUCKETS_PER_GROWTH: usize = 16;

/// One of so many entries that crowd another one out makes the table grow, so that it stays less than half full.
const EVICTIONS_PER_GROWTH: u64 = 4;

impl TableMemory {
    /// A table of at most `bytes`, and at least one bucket; half of it, or less, where the system does not give so much. Little
    /// of it is touched before it is used ([`Memory`]).
    pub fn new(bytes: usize) -> TableMemory {
        let limit = (bytes / size_of::<Bucket>()).max(1);
        let first = first_buckets(limit);
        let buckets = Memory::at_most(first << (limit / first).ilog2(), first);
        let extent = AtomicU64::new(Extent { doublings: 0, split: first }.pack());
        TableMemory { buckets, first, extent }
    }

    /// Its size once it has grown, in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// Forgets everything, and gives the memory back that was in use.
    pub(in crate::search) fn clear(&mut self) {
        let bytes = self.bytes();
        // The old memory goes before the new comes.
        *self = TableMemory::new(0);
        *self = TableMemory::new(bytes);
    }

    /// The table in this memory.
    pub(in crate::search) fn table(&mut self) -> TranspositionTable<'_> {
        let TableMemory { buckets, first, extent } = self;
        TranspositionTable { buckets: buckets.values(), first: *first, extent }
    }
}

impl<'m> TranspositionTable<'m> {
    /// Its size once it has grown, in bytes.
    pub fn bytes(self) -> usize {
        size_of_val(self.buckets)
    }

    fn bucket(self, key: u64) -> &'m Bucket {
        &self.buckets[self.index(key)]
    }

    /// Of the bucket of this key.
    fn index(self, key: u64) -> usize {
        let Extent { doublings, split } = Extent::unpack(self.extent.load(Relaxed));
        // The high bits of key × buckets spread evenly for any number of buckets (Lemire 2016).
        let doubled = ((u128::from(key) * ((2 * self.first) << doublings) as u128) >> 64) as usize;
        // As a shift, since nobody could foretell a branch.
        doubled >> u32::from(doubled / 2 < split)
    }

    /// Spreads each of the next buckets over two. What another thread looks up or stores there meanwhile is missed, no more.
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
        // New memory that is written before anyone reads it costs the system one page fault; else two, and a word to all processors.
        let _ = self.buckets[2 * begin + 1][0][DATA].compare_exchange(0, 0, Relaxed, Relaxed);
        if self.extent.compare_exchange(before, after.pack(), Relaxed, Relaxed).is_err() {
            return;
        }
        // Bucket i is spread over 2i and 2i + 1, which from the last one down are free by then.
        for index in (begin..split).rev() {
            self.split_bucket(index);
        }
    }

    /// Moves the entries of a bucket to where they belong by now.
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

    /// Asks for the bucket of this key to be brought into the processor's cache, which takes as long as a hundred additions or more: other
    /// work is to be done meanwhile.
    pub fn prefetch(self, key: u64) {
        prefetch_index(self.buckets, self.index(key));
    }

    pub fn get(self, key: u64) -> Option<TtValue> {
        self.data(key).and_then(unpack)
    }

    /// The data of the entry with this key.
    fn data(self, key: u64) -> Option<u64> {
        self.bucket(key).iter().find_map(|entry| {
            let data = entry[DATA].load(Relaxed);
            (entry[KEY].load(Relaxed) ^ data == key && data != 0).then_some(data)
        })
    }

    /// The expansions that were spent on what is known for this key, rounded; 0 where nothing is known.
    pub fn work(self, key: u64) -> u64 {
        self.data(key).map_or(0, |data| Work::of(data).expansions())
    }

    /// The proof for this key, if there is one.
    pub fn proof(self, key: u64) -> Option<Proof> {
        match self.get(key) {
            Some(TtValue::Proven(proof)) => Some(proof),
            _ => None,
        }
    }

    /// Stores what was found out by those of the thread's expansions, by their numbers. What is proven stays so.
    pub fn put(self, key: u64, known: TtValue, expansions: Range<u64>) {
        let place = self.place_for(key);
        // No two shares of the work of one prover end alike.
        let dice = mix(key ^ mix(expansions.end));
        let more = expansions.end - expansions.start;
        loop {
            let old = place[DATA].load(Relaxed);
            let is_same = old != 0 && place[KEY].load(Relaxed) ^ old == key;
            let (known, work) = match unpack(old).filter(|_| is_same) {
                Some(before) => (better(before, known), Work::of(old).more(more, dice)),
                None => (known, Work::default().more(more, dice)),
            };
            let data = pack(known, work);
            // Where another thread was quicker, what it found out counts too.
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

    /// The share of its memory that is in use, by a sample of it: 0 to 1.
    pub fn share_filled(self) -> f64 {
        const SAMPLE: usize = 1024;
        let filled =
            |bucket: &Bucket| bucket.iter().filter(|entry| entry[DATA].load(Relaxed) != 0).count();
        let sample = self.buckets.iter().step_by(self.buckets.len().div_ceil(SAMPLE));
        let [buckets, entries] = sample
            .fold([0, 0], |[buckets, entries], bucket| [buckets + 1, entries + filled(bucket)]);
        entries as f64 / (buckets * size_of::<Bucket>() / size_of::<Entry>()) as f64
    }

    /// What it holds, as keys and packed data: of about so many entries at `most` those with the most work behind them, and none that
    /// cost less than one that is left out. Threads may go on with their work meanwhile.
    pub fn most_expensive(self, limit: usize) -> Vec<[u64; 2]> {
        // Beyond the next doubling no memory has been touched yet.
        let Extent { doublings, .. } = Extent::unpack(self.extent.load(Relaxed));
        let touched = 2 * (self.first << doublings);
        let entries = || {
            self.buckets.iter().take(touched).flatten().filter_map(|entry| {
                let data = entry[DATA].load(Relaxed);
                (data != 0).then(|| [entry[KEY].load(Relaxed) ^ data, data])
            })
        };
        let mut counts = [0; Work::MOST.0 as usize + 1];
        entries().for_each(|[_, data]| counts[usize::from(Work::of(data).0)] += 1);
        let mut reused = 0;
        let mut fits = |&count: &usize| {
            reused += count;
            reused <= limit
        };
        let left_out = counts.len() - counts.iter().rev().take_while(|&count| fits(count)).count();
        entries().filter(|&[_, data]| usize::from(Work::of(data).0) >= left_out).collect()
    }

    /// Stores what [`costliest`](Self::costliest) has given, here or in another table. It comes in the order of its buckets, and would crowd the
    /// first buckets before the table has grown: so it grows first.
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

    /// The buckets that are in use by now.
    fn grown(self) -> usize {
        let Extent { doublings, split } = Extent::unpack(self.extent.load(Relaxed));
        2 * (self.first << doublings) - split
    }

    /// Where this key stands or may be stored.
    fn place_for(self, key: u64) -> &'m Entry {
        let bucket = self.bucket(key);
        let mut place = &bucket[0];
        let mut least = Work::MOST;
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

/// The buckets to begin with, so that doubling their number ends close below all of them.
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

    /// Keys spread evenly over all buckets.
    fn keys(count: u64) -> impl Iterator<Item = u64> {
        (1..=count).map(|number| number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    #[test]
    fn work_on_one_position_adds_up_however_small_the_shares() {
        for (shares, share) in [(10, 512), (400, 512), (4_000, 512), (300_000, 7)] {
            let mut memory = TableMemory::new(16 << 20);
            let table = memory.table();
            let mut keys = keys(shares + 1);
            let worked_on = keys.next().unwrap();
            assert_eq!(table.work(worked_on), 0);
            for (other, spent) in keys.zip((0..).step_by(share as usize)) {
                table.put(worked_on, open(3), spent..spent + share);
                table.put(other, open(3), 0..1);
            }
            let ratio = table.work(worked_on) as f64 / (shares * share) as f64;
            assert!(
                (0.8..1.25).contains(&ratio),
                "{shares} times {share} are {} expansions",
                table.work(worked_on)
            );
        }
    }

    #[test]
    fn what_is_stored_is_found_while_the_table_grows() {
        const COUNT: u64 = 120_000;
        let mut memory = TableMemory::new(16 << 20);
        let table = memory.table();
        // As random as those of positions.
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
    fn a_thread_that_comes_after_the_last_bucket_was_spread_spreads_none() {
        let mut memory = TableMemory::new(1 << 20);
        let table = memory.table();
        keys(100_000).for_each(|key| table.put(key, open(1), 0..1));
        let grown = table.extent.load(Relaxed);
        table.grow();
        assert_eq!(table.extent.load(Relaxed), grown);
    }

    #[test]
    fn a_proof_is_replaced_by_a_shorter_one_only() {
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
    fn what_cost_most_stays_when_a_bucket_is_full() {
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
    fn the_costliest_entries_are_given_and_learnt_with_their_work() {
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
        // What is not less than 47,104, which five digits hold, is not rounded to less.
        for (count, key) in (1..).zip(keys(50_000)).skip(47_103) {
            assert_eq!(other.get(key), table.get(key), "entry {count}");
        }
        // All of a work or none, and the same work where they are learnt.
        let work = |table: TranspositionTable<'_>| {
            let mut work: Vec<Work> =
                table.most_expensive(5_000).iter().map(|&[_, data]| Work::of(data)).collect();
            work.sort_unstable();
            work
        };
        assert_eq!(work(other), work(table));
    }

    #[test]
    fn what_comes_in_the_order_of_its_buckets_is_restored() {
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
