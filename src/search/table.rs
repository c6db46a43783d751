//! The table of proof numbers, shared by all threads without locks.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::proof::Proof;

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    Proven(Proof),
    Open(Numbers),
}

/// How much work a proof seems to need (Allis 1994): the least number of leaves still to be decided for Black to win, and for Black
/// not to win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    pub proof: u32,
    pub disproof: u32,
}

impl Numbers {
    /// Larger numbers are cut to this one, so that sums never overflow.
    pub const MOST: u32 = (1 << 29) - 1;

    /// The numbers of a position where it is proven whether Black wins.
    pub const fn proven(black_wins: bool) -> Numbers {
        if black_wins { Numbers { proof: 0, disproof: Numbers::MOST } } else { Numbers { proof: Numbers::MOST, disproof: 0 } }
    }
}

/// One position: the key is stored combined with the data, so that a torn write by two threads is not taken for an entry
/// (Hyatt and Mann 2002).
#[derive(Default)]
struct Entry {
    key: AtomicU64,
    data: AtomicU64,
}

/// Entries that share an index; the one with the least work behind it makes room.
type Bucket = [Entry; 4];

const _: () = assert!(size_of::<Bucket>() == 64);

/// Grows within its memory as it fills, so that what a short search looks up stays close together and in the processor's cache.
pub struct Table {
    buckets: Vec<Bucket>,
    /// How many of the buckets are in use; doubled until all are.
    in_use: AtomicUsize,
    /// Entries filled since the table was empty.
    filled: AtomicUsize,
}

/// The table begins with at most so many buckets, 512 KiB.
const FIRST_BUCKETS: usize = 1 << 13;

/// Data: bit 0 tells a proof (32 bits from bit 6) from numbers (29 bits each from bits 6 and 35); bits 1–5 are the work.
const PROVEN: u64 = 1;

impl Table {
    /// A table of at most so many MiB, and at least one bucket; half of it, or less, where the system does not give so much.
    pub fn new(mib: usize) -> Table {
        let most = ((mib << 20) / size_of::<Bucket>()).max(1);
        let first = first_buckets(most);
        let mut count = first << (most / first).ilog2();
        let mut buckets = Vec::new();
        while count > first && buckets.try_reserve_exact(count).is_err() {
            count /= 2;
        }
        buckets.resize_with(count, Bucket::default);
        Table { buckets, in_use: AtomicUsize::new(first), filled: AtomicUsize::new(0) }
    }

    pub fn clear(&mut self) {
        let in_use = self.in_use.load(Relaxed);
        self.buckets[..in_use].iter_mut().for_each(|bucket| *bucket = Bucket::default());
        self.in_use.store(first_buckets(self.buckets.len()), Relaxed);
        self.filled.store(0, Relaxed);
    }

    fn bucket(&self, key: u64) -> &Bucket {
        // The high bits of key × buckets spread evenly for any number of buckets (Lemire 2016).
        let index = ((u128::from(key) * self.in_use.load(Relaxed) as u128) >> 64) as usize;
        &self.buckets[index]
    }

    /// Whether it is half full and has room to [`grow`](Table::grow).
    pub fn is_crowded(&self) -> bool {
        let in_use = self.in_use.load(Relaxed);
        in_use < self.buckets.len() && self.filled.load(Relaxed) > in_use * size_of::<Bucket>() / size_of::<Entry>() / 2
    }

    /// Spreads the entries over twice as many buckets. No other thread may use the table meanwhile, or entries get lost.
    pub fn grow(&self) {
        let before = self.in_use.load(Relaxed);
        self.in_use.store(2 * before, Relaxed);
        // Bucket i is spread over 2i and 2i + 1, which from the last one down are free by then.
        for bucket in self.buckets[..before].iter().rev() {
            for entry in bucket {
                let (key, data) = (entry.key.swap(0, Relaxed), entry.data.swap(0, Relaxed));
                let free = |place: &&Entry| place.data.load(Relaxed) == 0;
                if data != 0
                    && let Some(place) = self.bucket(key ^ data).iter().find(free)
                {
                    place.data.store(data, Relaxed);
                    place.key.store(key, Relaxed);
                }
            }
        }
    }

    /// Brings the buckets of these keys into the processor's cache.
    pub fn warm(&self, keys: impl Iterator<Item = u64>) {
        let mut all = 0;
        for key in keys {
            all |= self.bucket(key)[0].key.load(Relaxed);
        }
        std::hint::black_box(all);
    }

    pub fn get(&self, key: u64) -> Option<Known> {
        self.bucket(key).iter().find_map(|entry| {
            let data = entry.data.load(Relaxed);
            (data != 0 && entry.key.load(Relaxed) ^ data == key).then(|| unpack(data)).flatten()
        })
    }

    /// The proof for this key, if there is one.
    pub fn proof(&self, key: u64) -> Option<Proof> {
        match self.get(key) {
            Some(Known::Proven(proof)) => Some(proof),
            _ => None,
        }
    }

    /// Stores what was found out by so many expansions.
    pub fn put(&self, key: u64, known: Known, work: u64) {
        let work = (u64::BITS - work.leading_zeros()).min(31);
        let mut least = 32;
        let mut place = None;
        for entry in self.bucket(key) {
            let data = entry.data.load(Relaxed);
            if data == 0 || entry.key.load(Relaxed) ^ data == key {
                place = Some(entry);
                break;
            }
            let old = (data >> 1 & 31) as u32;
            if old < least {
                least = old;
                place = Some(entry);
            }
        }
        if let Some(entry) = place {
            if entry.data.load(Relaxed) == 0 {
                self.filled.fetch_add(1, Relaxed);
            }
            let data = pack(known, work);
            entry.data.store(data, Relaxed);
            entry.key.store(key ^ data, Relaxed);
        }
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

fn pack(known: Known, work: u32) -> u64 {
    let work = u64::from(work.max(1)) << 1;
    match known {
        Known::Proven(proof) => u64::from(Proof::pack(Some(proof))) << 6 | work | PROVEN,
        Known::Open(Numbers { proof, disproof }) => u64::from(proof) << 6 | u64::from(disproof) << 35 | work,
    }
}

fn unpack(data: u64) -> Option<Known> {
    if data & PROVEN != 0 {
        return Proof::unpack((data >> 6) as u32).map(Known::Proven);
    }
    let [proof, disproof] = [6, 35].map(|shift| (data >> shift) as u32 & Numbers::MOST);
    Some(Known::Open(Numbers { proof, disproof }))
}
