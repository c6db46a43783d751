//! The system's clocks, threads, random numbers and time zone.

use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use dohyo_core::game::{GameId, Timestamp, milliseconds};
use dohyo_core::host::{SpawnError, System, Task, Timer};
use tokio::runtime::{Builder, Handle};

/// Start of the monotonic time.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Returns the current time.
pub fn now() -> Timestamp {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp { unix_ms: unix.map_or(0, milliseconds), monotonic: START.elapsed() }
}

/// Returns a random game id.
pub fn new_game_id() -> GameId {
    GameId::new(rand::random())
}

/// This machine. A task has a thread of its own, because it waits for engines and writes files.
pub struct NativeSystem {
    /// Runtime of the timers.
    runtime: Handle,
}

impl NativeSystem {
    /// Uses a runtime for the timers.
    pub const fn new(runtime: Handle) -> NativeSystem {
        NativeSystem { runtime }
    }
}

impl System for NativeSystem {
    fn now(&self) -> Timestamp {
        now()
    }

    fn sleep(&self, time: Duration) -> Task {
        Box::pin(async move { tokio::time::sleep(time).await })
    }

    fn spawn(&self, name: &str, work: Task) -> Result<(), SpawnError> {
        // The main runtime may end before the task.
        let runtime = Builder::new_current_thread().enable_time().build()?;
        thread::Builder::new().name(name.to_owned()).spawn(move || runtime.block_on(work))?;
        Ok(())
    }

    fn after(&self, time: Duration, work: Box<dyn FnOnce() + Send>) -> Timer {
        let timer = self.runtime.spawn(async move {
            tokio::time::sleep(time).await;
            // The work locks a game and writes its file, which must not block the runtime.
            tokio::task::spawn_blocking(work);
        });
        let timer = timer.abort_handle();
        Timer::new(move || timer.abort())
    }

    fn random(&self) -> u64 {
        rand::random()
    }

    fn local_date(&self, unix_ms: u64) -> Option<String> {
        let time = jiff::Timestamp::from_millisecond(i64::try_from(unix_ms).ok()?).ok()?;
        Some(jiff::tz::TimeZone::system().to_datetime(time).date().to_string())
    }
}
