//! Detects stalls of the machine: a thread that sleeps a little, again and again, and notes how late it wakes up; and the kernel's
//! figure of how long processes waited for a processor.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::stalls::{Interval, Stalls};

/// How long the thread sleeps.
const NAP: Duration = Duration::from_millis(4);

/// Waking up later than this is a stall; less is normal.
const LEAST: Duration = Duration::from_millis(4);

/// How long a query waits for the thread to wake up; only on a stalled machine does it take longer.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Watches the machine until it is dropped.
#[derive(Debug)]
pub struct Watch {
    began: Instant,
    seen: Arc<Seen>,
    /// Never written to; dropping it ends the thread.
    _alive: Sender<()>,
}

/// The stalls that the thread has seen.
#[derive(Default, Debug)]
struct Seen {
    log: Mutex<Log>,
    woke: Condvar,
}

#[derive(Default, Debug)]
struct Log {
    stalls: Stalls,
    /// The time up to which the stalls are known.
    until: Duration,
}

impl Watch {
    /// Begins to watch.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn begin() -> std::io::Result<Watch> {
        let (alive, is_over) = channel::<()>();
        let seen = Arc::new(Seen::default());
        let began = Instant::now();
        let of_thread = Arc::clone(&seen);
        thread::Builder::new().name("watch".to_owned()).spawn(move || {
            let mut asleep = began.elapsed();
            while let Err(RecvTimeoutError::Timeout) = is_over.recv_timeout(NAP) {
                let awake = began.elapsed();
                let due = asleep + NAP;
                let mut log = of_thread.lock();
                if awake.saturating_sub(due) >= LEAST {
                    log.stalls.note(Interval { begin: due, end: awake }, 2 * NAP);
                }
                log.until = awake;
                drop(log);
                of_thread.woke.notify_all();
                asleep = began.elapsed();
            }
        })?;
        Ok(Watch { began, seen, _alive: alive })
    }

    /// The longest stall of the machine between these two moments.
    pub fn longest_stall(&self, begin: Instant, end: Instant) -> Duration {
        let since = |moment: Instant| moment.saturating_duration_since(self.began);
        let interval = Interval { begin: since(begin), end: since(end) };
        // The caller may have woken up before the thread, after the very stall in question.
        let log = self.seen.lock();
        let log = self.seen.woke.wait_timeout_while(log, LONGEST_WAIT, |log| log.until < interval.end);
        log.unwrap_or_else(PoisonError::into_inner).0.stalls.longest_in(interval)
    }
}

/// The total time since boot in which some process on this machine waited for a processor. `None` if the system does not report it:
/// on Linux it is the pressure stall information in `/proc/pressure/cpu`.
pub fn waited_for_processor() -> Option<Duration> {
    read_pressure(&std::fs::read_to_string("/proc/pressure/cpu").ok()?)
}

/// Reads the line `some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS`.
fn read_pressure(text: &str) -> Option<Duration> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    let total = some.split(' ').find_map(|field| field.strip_prefix("total="))?;
    total.parse().ok().map(Duration::from_micros)
}

impl Seen {
    fn lock(&self) -> MutexGuard<'_, Log> {
        // The data is consistent at every moment, even after a panic.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pressure_on_processors_is_read() {
        let text = "some avg10=1.00 avg60=0.60 avg300=3.63 total=776969120\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
        assert_eq!(read_pressure(text), Some(Duration::from_micros(776_969_120)));
        assert_eq!(read_pressure(""), None);
    }
}
