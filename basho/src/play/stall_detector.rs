//! Detects stalls of the machine: a thread sleeps repeatedly and notes how late it wakes up.
//!
//! Its own CPU wait is not a stall, since other threads ran then.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::cpu_wait::thread_cpu_wait;
use super::stall_log::{Interval, StallLog};

/// Length of each sleep.
const SLEEP: Duration = Duration::from_millis(4);

/// Minimum delay of a wake-up that counts as a stall.
const MIN_STALL: Duration = Duration::from_millis(4);

/// Maximum time that a query waits for the thread's next wake-up. Only a stalled machine takes
/// longer.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Detects stalls until it is dropped.
#[derive(Debug)]
pub struct StallDetector {
    began: Instant,
    shared: Arc<Shared>,
    /// Never written to; dropping it ends the thread.
    _alive: Sender<()>,
}

/// State shared with the thread.
#[derive(Default, Debug)]
struct Shared {
    log: Mutex<Log>,
    woke: Condvar,
}

#[derive(Default, Debug)]
struct Log {
    stalls: StallLog,
    /// End of the last interval covered by the log.
    until: Duration,
}

impl StallDetector {
    /// Starts the thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start() -> std::io::Result<StallDetector> {
        let (alive, is_over) = channel::<()>();
        let shared = Arc::new(Shared::default());
        let began = Instant::now();
        let of_thread = Arc::clone(&shared);
        thread::Builder::new().name("watch".to_owned()).spawn(move || {
            let own_wait = || thread_cpu_wait(Path::new("/proc/thread-self")).unwrap_or_default();
            let (mut asleep, mut waited_before) = (began.elapsed(), own_wait());
            while let Err(RecvTimeoutError::Timeout) = is_over.recv_timeout(SLEEP) {
                let awake = began.elapsed();
                let waited = own_wait();
                let due = asleep + SLEEP + waited.saturating_sub(waited_before);
                waited_before = waited;
                let mut log = of_thread.lock();
                if awake.saturating_sub(due) >= MIN_STALL {
                    log.stalls.add(Interval { begin: due, end: awake }, 2 * SLEEP);
                }
                log.until = awake;
                drop(log);
                of_thread.woke.notify_all();
                asleep = began.elapsed();
            }
        })?;
        Ok(StallDetector { began, shared, _alive: alive })
    }

    /// Total length of the machine's stalls between two moments.
    pub fn stall_time(&self, begin: Instant, end: Instant) -> Duration {
        let since = |moment: Instant| moment.saturating_duration_since(self.began);
        let interval = Interval { begin: since(begin), end: since(end) };
        // After a stall, the caller may have woken up before the thread.
        let log = self.shared.lock();
        let log =
            self.shared.woke.wait_timeout_while(log, MAX_WAIT, |log| log.until < interval.end);
        log.unwrap_or_else(PoisonError::into_inner).0.stalls.total_in(interval)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Log> {
        // The log is consistent at every moment, even after a panic.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
