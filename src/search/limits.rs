//! Limits of a search, and the share of a clock that one move may take.

use std::time::Duration;

/// Limits of a search. A limit that is `None` does not bind; a search without limits runs until it
/// is stopped.
///
/// A search also ends when its answer is proven. On a clock, it ends early if there is only one
/// move, or if no other move can overtake the best. The second rule does not apply to a
/// single-round game of Kamisado. In a lost game the search goes on, to find the move likeliest to
/// provoke an error; in a single-round game of Kamisado it then ends after at most 32,768 nodes.
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
        let share = usable / moves + gained * 3 / 4;
        // The last move before a time control may use nearly all; any other move keeps most.
        let most = if moves == 1 { usable * 4 / 5 } else { usable / 4 };
        MoveTime { soft: share.min(most), hard: (share * 3).min(most), is_on_a_clock: true }
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
