//! CPU wait: how long an engine's threads were runnable but waited for a processor.
//!
//! Linux reports it per thread as the second number in `/proc/PID/task/TID/schedstat`. The number
//! is lost when a thread ends, so a long measurement reads it repeatedly.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

/// Minimum time between two readings. A thread's wait between the last reading and its end is lost.
const INTERVAL: Duration = Duration::from_millis(50);

/// A reading takes at most 1/`MAX_SHARE` of the time.
const MAX_SHARE: u32 = 50;

/// CPU wait of some processes since the measurement began.
#[derive(Debug)]
pub struct CpuWait {
    /// Latest reading of each thread, in nanoseconds.
    latest: BTreeMap<i32, u64>,
    total: u64,
    /// When the next reading is due.
    due: Instant,
}

impl CpuWait {
    /// Starts to measure these processes; `None` if the system does not report CPU waits.
    pub fn start(processes: &BTreeSet<Pid>) -> Option<CpuWait> {
        let latest: BTreeMap<i32, u64> = figures(processes).collect();
        (!latest.is_empty()).then(|| CpuWait { latest, total: 0, due: Instant::now() + INTERVAL })
    }

    /// When the next reading is due.
    pub const fn due(&self) -> Instant {
        self.due
    }

    /// Finds the processes and reads the waits of their threads.
    pub fn read<'a>(&mut self, find: impl FnOnce() -> &'a BTreeSet<Pid>) {
        let begun = Instant::now();
        let figures = figures(find()).collect();
        self.advance(figures);
        self.due = Instant::now() + INTERVAL.max(begun.elapsed() * MAX_SHARE);
    }

    /// Sum over all threads up to the last reading.
    pub const fn total(&self) -> Duration {
        Duration::from_nanos(self.total)
    }

    /// Adds what each thread has waited since the last reading. A new thread, or one with a reused
    /// number, counts in full.
    fn advance(&mut self, figures: BTreeMap<i32, u64>) {
        for (thread, now) in &figures {
            let before = self.latest.get(thread).filter(|before| *before <= now).unwrap_or(&0);
            self.total = self.total.saturating_add(now - before);
        }
        self.latest = figures;
    }
}

/// CPU wait of each thread of these processes; empty for a process that has ended.
fn figures(processes: &BTreeSet<Pid>) -> impl Iterator<Item = (i32, u64)> {
    let tasks =
        processes.iter().filter_map(|process| fs::read_dir(format!("/proc/{process}/task")).ok());
    tasks.flatten().flatten().filter_map(|task| {
        let thread = task.file_name().to_str()?.parse().ok()?;
        Some((thread, thread_cpu_wait(&task.path())?.as_nanos() as u64))
    })
}

/// CPU wait of a thread so far. `task` is its folder in `/proc`.
pub fn thread_cpu_wait(task: &Path) -> Option<Duration> {
    read_schedstat(&fs::read_to_string(task.join("schedstat")).ok()?)
}

/// Reads the line `RAN WAITED SLICES`; the first two are nanoseconds.
fn read_schedstat(text: &str) -> Option<Duration> {
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(readings: &[&[(i32, u64)]]) -> u64 {
        let (first, rest) = readings.split_first().unwrap();
        let latest = first.iter().copied().collect();
        let mut cpu_wait = CpuWait { latest, total: 0, due: Instant::now() };
        rest.iter().for_each(|figures| cpu_wait.advance(figures.iter().copied().collect()));
        cpu_wait.total
    }

    #[test]
    fn reads_the_second_number() {
        assert_eq!(
            read_schedstat("183276874 1427353359 87\n"),
            Some(Duration::from_nanos(1_427_353_359))
        );
        for bad in ["", "5", "5 x 3", "5 -1 3"] {
            assert_eq!(read_schedstat(bad), None, "{bad}");
        }
    }

    #[test]
    fn sums_over_threads_since_the_beginning() {
        assert_eq!(
            measured(&[&[(1, 100), (2, 50)], &[(1, 130), (2, 55)], &[(1, 140), (2, 55)]]),
            45
        );
    }

    #[test]
    fn counts_new_threads_in_full_and_keeps_those_that_ended() {
        assert_eq!(
            measured(&[&[(1, 100)], &[(1, 100), (2, 30)], &[(1, 101)], &[(1, 101), (2, 4)]]),
            35
        );
    }

    #[test]
    fn counts_a_reused_thread_number_from_zero() {
        assert_eq!(measured(&[&[(1, 100), (2, 500)], &[(1, 100), (2, 20)]]), 20);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn measures_a_process_and_not_one_that_is_gone() {
        let this = BTreeSet::from([Pid::this()]);
        let gone = BTreeSet::from([Pid::from_raw(i32::MAX)]);
        assert!(CpuWait::start(&gone).is_none());
        // Some kernels do not report it.
        if let Some(mut cpu_wait) = CpuWait::start(&this) {
            cpu_wait.read(|| &this);
            let threads = cpu_wait.latest.len();
            cpu_wait.read(|| &gone);
            assert!(threads > 0 && cpu_wait.latest.is_empty());
        }
    }
}
