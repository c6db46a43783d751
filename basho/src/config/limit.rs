//! Search limits: `tc`, `movetime`, `nodes` and `depth` of a tournament, and the clock of a game.

use std::fmt::{self, Display, Formatter};
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits of an engine's search. The first one reached ends it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limit {
    /// Time limit.
    pub time: Option<TimeLimit>,
    /// Nodes per move.
    pub nodes: Option<u64>,
    /// Depth per move, in plies.
    pub depth: Option<u32>,
}

impl Limit {
    /// The clock at the start of a game, if the limit is a clock.
    pub fn clock(self) -> Option<Clock> {
        match self.time? {
            TimeLimit::Clock(control) => Some(Clock::new(control)),
            TimeLimit::PerMove(_) => None,
        }
    }
}

/// Time limit of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeLimit {
    /// A clock for the whole game.
    Clock(TimeControl),
    /// The same time for every move.
    PerMove(Duration),
}

/// A time control: `[moves/][minutes:]seconds[+increment]`, as in cutechess-cli and fastchess.
///
/// ```
/// use basho::config::limit::TimeControl;
///
/// let control: TimeControl = "40/1:30+0.5".parse()?;
/// assert_eq!(control.time.as_secs(), 90);
/// assert_eq!(control.increment.as_millis(), 500);
/// # Ok::<(), basho::config::limit::TimeControlError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// Number of moves until `time` is added again; `None` for the whole game.
    pub moves: Option<NonZeroU32>,
    /// Time at the start, at most a day; above zero unless there is an increment.
    pub time: Duration,
    /// Time added after each move, at most a day.
    pub increment: Duration,
}

/// A text that is not a time control.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "expected a time control `[moves/][minutes:]seconds[+increment]` \
     such as `10+0.1` or `40/1:30`, got `{0}`"
)]
pub struct TimeControlError(String);

/// Longer times are typing errors, and their sums could overflow.
const MAX_SECONDS: f64 = 86_400.0;

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        read_time_control(text).ok_or_else(|| TimeControlError(text.to_owned()))
    }
}

fn read_time_control(text: &str) -> Option<TimeControl> {
    let (moves, clock) = match text.split_once('/') {
        Some((moves, clock)) => (Some(moves.parse().ok()?), clock),
        None => (None, text),
    };
    let (base, increment) = clock.split_once('+').unwrap_or((clock, "0"));
    let (minutes, seconds) = base.split_once(':').unwrap_or(("0", base));
    let minutes: u32 = minutes.parse().ok()?;
    let time = seconds_of(f64::from(minutes) * 60.0 + number(seconds)?)?;
    let increment = seconds_of(number(increment)?)?;
    (time + increment > Duration::ZERO).then_some(TimeControl { moves, time, increment })
}

fn number(text: &str) -> Option<f64> {
    // `f64::from_str` also accepts `inf` and `1e9`.
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then(|| text.parse().ok())?
}

fn seconds_of(seconds: f64) -> Option<Duration> {
    (seconds <= MAX_SECONDS).then(|| Duration::from_millis((seconds * 1000.0).round() as u64))
}

impl TryFrom<String> for TimeControl {
    type Error = TimeControlError;

    fn try_from(text: String) -> Result<TimeControl, TimeControlError> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> String {
        control.to_string()
    }
}

impl Display for TimeControl {
    /// Writes a time control that parses to the same value, in seconds.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.time.as_secs_f64())?;
        if self.increment > Duration::ZERO {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

impl Display for Limit {
    /// Writes the limits as fastchess does in `Results of …`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts = [
            self.time.map(|time| time.to_string()),
            self.depth.map(|depth| format!("{depth} plies")),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(" and "))
    }
}

impl Display for TimeLimit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TimeLimit::Clock(control) => {
                let base = TimeControl { increment: Duration::ZERO, ..*control };
                write!(f, "{base}")?;
                if control.increment.is_zero() {
                    Ok(())
                } else {
                    write!(f, "+{}", two_digits(control.increment.as_secs_f64()))
                }
            }
            TimeLimit::PerMove(time) => write!(f, "{}/move", time.as_secs_f64()),
        }
    }
}

/// Rounds a positive number to two significant digits.
fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powi(1 - value.log10().floor() as i32);
    (value * unit).round() / unit
}

/// Clock of one engine in one game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    control: TimeControl,
    /// Time left.
    pub remaining: Duration,
    /// Moves until the next period adds time.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock at the start of a game.
    pub fn new(control: TimeControl) -> Clock {
        Clock { control, remaining: control.time, moves_to_go: control.moves.map(NonZeroU32::get) }
    }

    /// Time added after each move.
    pub const fn increment(&self) -> Duration {
        self.control.increment
    }

    /// Subtracts the time of a move, then adds the increment and the time of a new period.
    pub fn press(&mut self, elapsed: Duration) {
        self.remaining = self.remaining.saturating_sub(elapsed) + self.control.increment;
        if let (Some(left), Some(moves)) = (self.moves_to_go, self.control.moves) {
            self.moves_to_go = Some(left.saturating_sub(1));
            if left <= 1 {
                self.remaining += self.control.time;
                self.moves_to_go = Some(moves.get());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn reads_time_controls_of_fastchess() {
        let cases = [
            ("1+0.01", None, 1_000, 10),
            ("10", None, 10_000, 0),
            ("40/1:30+0.5", NonZeroU32::new(40), 90_000, 500),
        ];
        for (text, moves, time, increment) in cases {
            let expected = TimeControl {
                moves,
                time: Duration::from_millis(time),
                increment: Duration::from_millis(increment),
            };
            assert_eq!(control(text), expected);
            assert_eq!(control(&expected.to_string()), expected, "what is printed is read again");
        }
        assert_eq!(control("40/1:30+0.5").to_string(), "40/90+0.5");
    }

    #[test]
    fn rejects_invalid_time_controls() {
        for text in [
            "", "0", "0+0", "-1", "abc", "1+", "+", "1:", "0/10", "1e9", "inf", "nan", "99999999",
            "1+2+3", "1 + 1",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn prints_limits_as_fastchess_does() {
        let timed = |time| Limit { time: Some(time), ..Limit::default() };
        let clock = |text| timed(TimeLimit::Clock(control(text)));
        assert_eq!(clock("8+0.08").to_string(), "8+0.08");
        assert_eq!(clock("40/60+0.125").to_string(), "40/60+0.13");
        assert_eq!(clock("10.5").to_string(), "10.5");
        assert_eq!(timed(TimeLimit::PerMove(Duration::from_millis(100))).to_string(), "0.1/move");
        assert_eq!(Limit { nodes: Some(2000), ..Limit::default() }.to_string(), "2000 nodes");
        assert_eq!(Limit { depth: Some(6), ..Limit::default() }.to_string(), "6 plies");
        assert_eq!(
            Limit { nodes: Some(2000), ..clock("8+0.08") }.to_string(),
            "8+0.08 and 2000 nodes"
        );
    }

    #[test]
    fn clock_loses_move_time_and_gains_increment() {
        let mut clock = Clock::new(control("1+0.1"));
        clock.press(Duration::from_millis(300));
        assert_eq!(clock.remaining, Duration::from_millis(800));
        clock.press(Duration::from_secs(5));
        assert_eq!(clock.remaining, Duration::from_millis(100), "a clock never falls below zero");
    }

    #[test]
    fn clock_gains_time_at_each_period() {
        let mut clock = Clock::new(control("2/1"));
        clock.press(Duration::from_millis(600));
        assert_eq!(clock.moves_to_go, Some(1));
        clock.press(Duration::from_millis(300));
        assert_eq!((clock.moves_to_go, clock.remaining), (Some(2), Duration::from_millis(1100)));
    }
}
