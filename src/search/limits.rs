//! How long a search may go on: pure arithmetic over [`Duration`].

use std::time::Duration;

/// What ends a search. A limit that is `None` does not bind; a search without any runs until it is stopped.
/// Every search also ends when its answer is proven, and on a clock where there is only one move or no other can overtake the best;
/// but where a match seems lost and a round is left to resist in, or a game that may be drawn is lost, the limits are used up, and what is left of them may
/// go into a lost round's moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits<M> {
    /// Visits of the search tree, and expansions of the searches for proofs.
    pub nodes: Option<u64>,
    /// The mean depth of the visits, in plies of choice.
    pub depth: Option<u32>,
    /// Look for a win within this number of own moves: the search ends once one is found or there can be none, not before.
    pub mate: Option<u32>,
    /// Time from the start of the search, or from the ponder hit.
    pub time: Option<MoveTime>,
    /// The root moves to consider; empty for all.
    pub search_moves: Vec<M>,
    /// How many of the best root moves to report, at least 1.
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

/// The time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveTime {
    /// A search whose answer is clear ends here.
    pub soft: Duration,
    /// Every search ends here.
    pub hard: Duration,
    /// Whether time that is not used is kept for the moves to come.
    pub is_on_a_clock: bool,
}

/// One player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left for the moves to come.
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time is added, if that is how the clock works.
    pub moves_to_go: Option<u32>,
    /// Moves that the player is likely to have to make until the game ends.
    pub moves_to_come: u32,
}

impl MoveTime {
    /// Exactly this long, as `movetime` asks.
    pub const fn exactly(time: Duration) -> MoveTime {
        MoveTime { soft: time, hard: time, is_on_a_clock: false }
    }

    /// The share of a clock that one move may take. `overhead` is the time lost between engine and clock, per move; it is
    /// taken off first, so that a clock is never overrun while that much is left.
    pub fn from_clock(clock: Clock, overhead: Duration) -> MoveTime {
        let usable = clock.remaining.saturating_sub(overhead);
        let to_come = clock.moves_to_come.max(1);
        let moves = clock.moves_to_go.unwrap_or(to_come).clamp(1, to_come);
        let gained = clock.increment.saturating_sub(overhead);
        let share = usable / moves + gained * 3 / 4;
        // The last move before a time control may use up nearly all; any other keeps most for those to come.
        let most = if moves == 1 { usable * 4 / 5 } else { usable / 4 };
        MoveTime { soft: share.min(most), hard: (share * 3).min(most), is_on_a_clock: true }
    }

    /// For a move that is worth twice the time; no more than what every search ends after.
    #[must_use]
    pub fn doubled(self) -> MoveTime {
        MoveTime { soft: (self.soft * 2).min(self.hard), ..self }
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
    fn no_budget_overruns_the_clock_less_its_overhead() {
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
    fn a_move_worth_twice_the_time_never_overruns_what_every_search_ends_after() {
        let time = MoveTime::from_clock(clock(10_000, 0, None), OVERHEAD);
        assert_eq!(time.doubled(), MoveTime { soft: time.soft * 2, ..time });
        let exact = MoveTime::exactly(Duration::from_millis(200));
        assert_eq!(exact.doubled(), exact);
    }

    #[test]
    fn the_more_moves_are_to_come_the_less_time_each_has() {
        let soft = |moves_to_come| {
            MoveTime::from_clock(Clock { moves_to_come, ..clock(60_000, 0, None) }, OVERHEAD).soft
        };
        assert!(soft(1) > soft(11) && soft(11) > soft(25) && soft(25) > soft(109));
        let to_control = MoveTime::from_clock(
            Clock { moves_to_come: 109, ..clock(60_000, 0, Some(20)) },
            OVERHEAD,
        )
        .soft;
        assert!(to_control > soft(25), "more time comes before the game ends");
    }

    #[test]
    fn more_time_on_the_clock_never_gives_less_for_the_move() {
        let mut last = Duration::ZERO;
        for remaining in (0..100_000).step_by(500) {
            let time = MoveTime::from_clock(clock(remaining, 100, None), OVERHEAD);
            assert!(time.hard >= last);
            last = time.hard;
        }
    }

    #[test]
    fn the_last_move_before_a_time_control_may_use_most_of_the_clock() {
        let last = MoveTime::from_clock(clock(10_000, 0, Some(1)), OVERHEAD);
        let earlier = MoveTime::from_clock(clock(10_000, 0, Some(10)), OVERHEAD);
        assert!(last.hard > Duration::from_secs(5));
        assert!(earlier.hard < Duration::from_secs(5));
    }
}
