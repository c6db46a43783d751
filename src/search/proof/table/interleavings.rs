//! All interleavings of a growing table with a reader or a writer. Two threads take turns, one
//! atomic operation at a time, in sequentially consistent memory.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::atomic::{self, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use super::*;
use crate::search::proof::tt_value::tests::{open, win};

/// An atomic number. Its operations wait for their turn in these tests.
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub struct AtomicU64(atomic::AtomicU64);

/// A thread's side of the channels to the test.
struct Turns {
    /// Result of the last operation, sent when the thread waits for the next one.
    waits: Sender<u64>,
    go: Receiver<()>,
    last: Cell<u64>,
}

thread_local! {
    static TAKES_TURNS: Cell<bool> = const { Cell::new(false) };
    static TURNS: RefCell<Option<Turns>> = const { RefCell::new(None) };
}

fn in_turn(operation: impl FnOnce() -> u64) -> u64 {
    if !TAKES_TURNS.get() {
        return operation();
    }
    TURNS.with_borrow(|turns| {
        let Turns { waits, go, last } = turns.as_ref().unwrap();
        // Without the test at the other end, the thread runs freely to its end.
        let _ = waits.send(last.get());
        let _ = go.recv();
        last.set(operation());
        last.get()
    })
}

impl AtomicU64 {
    pub const fn new(value: u64) -> AtomicU64 {
        AtomicU64(atomic::AtomicU64::new(value))
    }

    pub fn load(&self, order: Ordering) -> u64 {
        in_turn(|| self.0.load(order))
    }

    pub fn store(&self, value: u64, order: Ordering) {
        in_turn(|| self.0.swap(value, order));
    }

    pub fn compare_exchange(
        &self,
        old: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        let before = in_turn(|| {
            self.0.compare_exchange(old, new, success, failure).unwrap_or_else(|before| before)
        });
        if before == old { Ok(before) } else { Err(before) }
    }
}

type Work<'a> = &'a (dyn Fn(TranspositionTable<'_>) + Sync);

/// Runs the work of two threads in every order of their steps, on a table of one bucket that has
/// room for two. Calls `check` after each. A state that was reached before is not continued.
fn in_every_order(fill: Work<'_>, work: [Work<'_>; 2], check: Work<'_>) {
    let mut reached = HashSet::new();
    let mut pending = vec![Vec::new()];
    while let Some(mut order) = pending.pop() {
        let extent = AtomicU64::new(Extent { doublings: 0, split: 1 }.pack());
        let mut memory = TableMemory { buckets: Memory::at_most(2, 2), first: 1, extent };
        let table = memory.table();
        fill(table);
        thread::scope(|scope| {
            let threads = work.map(|work| {
                let ((waits, waiting), (start, go)) = (channel(), channel());
                scope.spawn(move || {
                    TURNS.set(Some(Turns { waits, go, last: Cell::new(0) }));
                    TAKES_TURNS.set(true);
                    work(table);
                    TAKES_TURNS.set(false);
                    TURNS.take();
                });
                (start, waiting)
            });
            // What each thread has seen so far decides its next step; `None` once it has ended.
            let mut seen = [const { Vec::new() }; 2];
            let mut next = threads.each_ref().map(|(_, waiting)| waiting.recv().ok());
            for step in 0.. {
                if step == order.len() {
                    let words = table.buckets.iter().flatten().flatten().chain([table.extent]);
                    let words: Vec<u64> = words.map(|word| word.load(Relaxed)).collect();
                    if !reached.insert((words, seen.clone(), next)) {
                        break;
                    }
                    match next {
                        [None, None] => break,
                        [Some(_), Some(_)] => {
                            pending.push([&order[..], &[1]].concat());
                            order.push(0);
                        }
                        _ => order.push(usize::from(next[0].is_none())),
                    }
                }
                let (start, waiting) = &threads[order[step]];
                start.send(()).unwrap();
                next[order[step]] = waiting.recv().ok();
                seen[order[step]].extend(next[order[step]]);
            }
            drop(threads);
        });
        check(table);
    }
}

const STAYS: u64 = 1 << 60;
const MOVES: u64 = 3 << 62;
const WRITTEN: u64 = 7 << 61;

fn fill(table: TranspositionTable<'_>) {
    table.put(STAYS, open(1), 0..1);
    table.put(MOVES, open(2), 0..1);
}

/// Checks that each key has one of its values or is missing.
fn check(table: TranspositionTable<'_>, written: TtValue) {
    for (key, values) in
        [(STAYS, [open(1); 2]), (MOVES, [open(2), written]), (WRITTEN, [written; 2])]
    {
        let found = table.get(key);
        assert!(found.is_none_or(|found| values.contains(&found)), "{key:x}: {found:?}");
    }
}

#[test]
fn reader_finds_an_entry_or_nothing_while_its_bucket_is_split() {
    for key in [STAYS, MOVES] {
        in_every_order(
            &fill,
            [&|table| table.grow(), &|table| {
                let value = if key == STAYS { open(1) } else { open(2) };
                assert!(table.get(key).is_none_or(|found| found == value));
            }],
            &|table| {
                assert_eq!([STAYS, MOVES].map(|key| table.get(key)), [1, 2].map(|n| Some(open(n))))
            },
        );
    }
}

#[test]
fn entry_written_during_the_split_keeps_values_with_their_keys() {
    for key in [MOVES, WRITTEN] {
        in_every_order(
            &fill,
            [&|table| table.grow(), &|table| table.put(key, win(3), 0..1)],
            &|table| check(table, win(3)),
        );
    }
}
