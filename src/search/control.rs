//! The control of a running search: its clock, `stop` and `ponderhit`.

use std::fmt::{self, Debug, Formatter};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Handle by which other threads stop a search or report a ponder hit. Its clock starts when it is
/// made.
///
/// ```
/// use oshi::game::Searchable;
/// use oshi::games::kamon::Kamon;
/// use oshi::search::{Control, Limits, Searcher, Settings};
///
/// let control = Control::default();
/// let mut searcher = Searcher::new(Settings { hash_mib: 4, ..Settings::default() });
/// // Without limits the search runs until it is stopped, here at its first report.
/// let mut stop_at_report = |_: &_| control.stop();
/// let report = searcher.run(&Kamon::start(), &Limits::default(), &control, &mut stop_at_report);
/// assert!(control.is_stopped() && report.best_move().is_some());
/// ```
pub struct Control {
    now: Box<dyn Fn() -> Duration + Send + Sync>,
    stopped: AtomicBool,
    /// When the player's own clock started; unset while pondering.
    clock_began: OnceLock<Duration>,
}

impl Control {
    /// A control for a search on the player's own time, or on the opponent's if `pondering`. Make
    /// it when `go` is read.
    pub fn new(pondering: bool) -> Control {
        let began = Instant::now();
        Control::with_clock(pondering, move || began.elapsed())
    }

    /// A control with the clock `now`, which returns the time since `go`.
    pub fn with_clock(
        pondering: bool,
        now: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Control {
        let clock_began = OnceLock::new();
        if !pondering {
            clock_began.get_or_init(|| Duration::ZERO);
        }
        Control { now: Box::new(now), stopped: AtomicBool::new(false), clock_began }
    }

    /// Ends the search within about a millisecond.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Starts the player's own clock, since the opponent has played the ponder move.
    pub fn ponder_hit(&self) {
        self.clock_began.get_or_init(&self.now);
    }

    /// Whether [`stop`](Control::stop) was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Whether the search still runs on the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.clock_began.get().is_none()
    }

    /// Time since `go`.
    pub fn elapsed(&self) -> Duration {
        (self.now)()
    }

    /// Time that the player's own clock has run; zero while pondering.
    pub(super) fn spent(&self) -> Duration {
        self.clock_began.get().map_or(Duration::ZERO, |&began| self.elapsed().saturating_sub(began))
    }
}

impl Default for Control {
    fn default() -> Control {
        Control::new(false)
    }
}

impl Debug for Control {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Control { stopped, clock_began, .. } = self;
        f.debug_struct("Control")
            .field("stopped", stopped)
            .field("clock_began", clock_began)
            .finish_non_exhaustive()
    }
}
