//! A log of the machine's stalls: intervals in which no thread ran that was due.

use std::collections::VecDeque;
use std::time::Duration;

/// An interval of time, relative to an instant of the caller's choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Begin.
    pub begin: Duration,
    /// End, not before `begin`.
    pub end: Duration,
}

/// The latest stalls, in chronological order.
#[derive(Clone, Default, Debug)]
pub struct StallLog(VecDeque<Interval>);

/// Number of stalls kept. A move is checked right after its end, so older ones are not needed.
const CAPACITY: usize = 4096;

impl StallLog {
    /// Adds a stall that began after the earlier ones. It is merged with the last one if at most
    /// `gap` lies between them: the machine only woke up briefly.
    pub fn add(&mut self, stall: Interval, gap: Duration) {
        match self.0.back_mut() {
            Some(last) if stall.begin <= last.end + gap => last.end = stall.end.max(last.end),
            _ => self.0.push_back(stall),
        }
        if self.0.len() > CAPACITY {
            self.0.pop_front();
        }
    }

    /// Total length of the stalls within an interval.
    pub fn total_in(&self, interval: Interval) -> Duration {
        let shared = |stall: &Interval| {
            stall.end.min(interval.end).saturating_sub(stall.begin.max(interval.begin))
        };
        // Backwards, as far as stalls reach into the interval.
        let near = self.0.iter().rev().take_while(|stall| stall.end > interval.begin);
        near.map(shared).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(begin: u64, end: u64) -> Interval {
        Interval { begin: Duration::from_millis(begin), end: Duration::from_millis(end) }
    }

    fn stalls(intervals: &[(u64, u64)]) -> StallLog {
        let mut stalls = StallLog::default();
        for &(begin, end) in intervals {
            stalls.add(interval(begin, end), Duration::from_millis(5));
        }
        stalls
    }

    fn total(intervals: &[(u64, u64)], begin: u64, end: u64) -> u128 {
        stalls(intervals).total_in(interval(begin, end)).as_millis()
    }

    #[test]
    fn counts_only_the_part_within_the_interval() {
        let seen = [(100, 200), (300, 340), (500, 900)];
        assert_eq!(total(&seen, 0, 1000), 540);
        assert_eq!(total(&seen, 0, 520), 160);
        assert_eq!(total(&seen, 150, 400), 90);
        assert_eq!(total(&seen, 600, 610), 10, "a stall around the whole interval");
        assert_eq!(total(&seen, 200, 300), 0, "one that ends where the interval begins is outside");
        assert_eq!(total(&seen, 900, 2000), 0);
        assert_eq!(total(&[], 0, 1000), 0);
    }

    #[test]
    fn merges_stalls_close_to_each_other() {
        assert_eq!(total(&[(0, 40), (45, 80), (84, 100)], 0, 1000), 100);
        assert_eq!(total(&[(0, 40), (46, 80)], 0, 1000), 74);
    }

    #[test]
    fn keeps_only_the_latest_stalls() {
        let many: Vec<(u64, u64)> =
            (0..10_000).map(|number| (number * 100, number * 100 + 20)).collect();
        assert_eq!(stalls(&many).0.len(), CAPACITY);
        assert_eq!(total(&many, 999_000, 1_000_000), 200);
    }
}
