//! Limits of a search, the share of a clock that one move may take, and the control by which other
//! threads stop the search.

use std::fmt::{self, Debug, Formatter};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::params;
use crate::clock::Instant;

/// Limits of a search. A limit that is `None` does not bind; a search without limits runs until it
/// is stopped.
///
/// A search also ends when its answer is proven. On a clock, it ends early if there is only one
/// move, or if no other move can overtake the best. The second rule does not apply to a
/// single-round game of Kamisado. In a lost game the search goes on for at most 32,768 nodes, to
/// find the move likeliest to provoke an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits<M> {
    /// Maximum nodes: visits of the search trees plus expansions of the proof searches.
    pub nodes: Option<u64>,
    /// Mean depth of the visits at which the search ends, in plies with a choice.
    pub depth: Option<u32>,
    /// Search for a win within this number of own moves. The search ends once such a win is proven
    /// or refuted.
    pub mate: Option<u32>,
    /// Time from the start of the search, or from the ponder hit.
    pub time: Option<MoveTime>,
    /// Root moves to consider; empty for all.
    pub search_moves: Vec<M>,
    /// Number of best root moves to report, at least 1.
    pub lines: usize,
}

impl<M> Default for Limits<M> {
    fn default() -> Self {
        Limits {
            nodes: None,
            depth: None,
            mate: None,
            time: None,
            search_moves: Vec::new(),
            lines: 1,
        }
    }
}

/// Time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveTime {
    /// A search ends here if its answer is clear: the most visited move also has the best value.
    pub soft: Duration,
    /// Every search ends here.
    pub hard: Duration,
    /// Whether unused time is kept for later moves.
    pub is_on_a_clock: bool,
}

/// One player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left for all moves to come.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until the next time control; `None` without time controls.
    pub moves_to_go: Option<u32>,
    /// Expected number of own moves until the end of the game.
    pub moves_to_come: u32,
}

impl MoveTime {
    /// A fixed time, as `go movetime` sets it.
    pub const fn exactly(time: Duration) -> MoveTime {
        MoveTime { soft: time, hard: time, is_on_a_clock: false }
    }

    /// The share of a clock that one move may take. `overhead`, the time that each move loses
    /// between engine and clock, comes off first, so the clock is not overrun while it holds more
    /// than that.
    pub fn from_clock(clock: Clock, overhead: Duration) -> MoveTime {
        let usable = clock.remaining.saturating_sub(overhead);
        let to_come = clock.moves_to_come.max(1);
        let moves = clock.moves_to_go.unwrap_or(to_come).clamp(1, to_come);
        let gained = clock.increment.saturating_sub(overhead);
        let share = usable / moves + gained.mul_f32(params::increment_share());
        // The last move before a time control may use nearly all; any other move keeps most.
        let most = usable.mul_f32(if moves == 1 {
            params::last_clock_share()
        } else {
            params::max_clock_share()
        });
        MoveTime {
            soft: share.min(most),
            hard: share.mul_f32(params::hard_factor()).min(most),
            is_on_a_clock: true,
        }
    }
}

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
    /// Called before each look at `stopped`.
    pause: Option<Box<dyn Fn() + Send + Sync>>,
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
        let stopped = AtomicBool::new(false);
        Control { now: Box::new(now), pause: None, stopped, clock_began }
    }

    /// Makes each [`is_stopped`](Control::is_stopped) call `pause` first, about once a millisecond.
    /// A host without threads handles its events in it.
    pub fn with_pause(self, pause: impl Fn() + Send + Sync + 'static) -> Control {
        Control { pause: Some(Box::new(pause)), ..self }
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
        if let Some(pause) = &self.pause {
            pause();
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Clock {
        Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
            moves_to_come: 24,
        }
    }

    #[test]
    fn stays_within_the_clock_minus_the_overhead() {
        for remaining in [0, 1, 9, 10, 11, 50, 100, 1_000, 60_000, 86_400_000] {
            for increment in [0, 1, 10, 1_000, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let time =
                        MoveTime::from_clock(clock(remaining, increment, moves_to_go), OVERHEAD);
                    assert!(time.soft <= time.hard);
                    assert!(time.hard <= Duration::from_millis(remaining).saturating_sub(OVERHEAD));
                }
            }
        }
    }

    #[test]
    fn gives_less_time_when_more_moves_remain() {
        let soft = |moves_to_come| {
            MoveTime::from_clock(Clock { moves_to_come, ..clock(60_000, 0, None) }, OVERHEAD).soft
        };
        assert!(soft(1) > soft(11) && soft(11) > soft(25) && soft(25) > soft(109));
        let to_control = MoveTime::from_clock(
            Clock { moves_to_come: 109, ..clock(60_000, 0, Some(20)) },
            OVERHEAD,
        )
        .soft;
        assert!(to_control > soft(25), "the time control adds time before the game ends");
    }

    #[test]
    fn gives_no_less_time_on_a_fuller_clock() {
        let mut last = Duration::ZERO;
        for remaining in (0..100_000).step_by(500) {
            let time = MoveTime::from_clock(clock(remaining, 100, None), OVERHEAD);
            assert!(time.hard >= last);
            last = time.hard;
        }
    }

    #[test]
    fn last_move_before_time_control_may_use_most_of_the_clock() {
        let last = MoveTime::from_clock(clock(10_000, 0, Some(1)), OVERHEAD);
        let earlier = MoveTime::from_clock(clock(10_000, 0, Some(10)), OVERHEAD);
        assert!(last.hard > Duration::from_secs(5));
        assert!(earlier.hard < Duration::from_secs(5));
    }
}
