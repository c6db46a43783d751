//! How long an engine may think: the `tc`, `movetime`, `nodes` and `depth` of a tournament, and the clock of a game.

use std::fmt::{self, Display, Formatter};
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limit of an engine's search: what is reached first ends it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limit {
    /// Its time.
    pub time: Option<TimeLimit>,
    /// Nodes for every move.
    pub nodes: Option<u64>,
    /// Plies of depth for every move.
    pub depth: Option<u32>,
}

impl Limit {
    /// The clock at the start of a game, where there is one.
    pub fn clock(self) -> Option<Clock> {
        match self.time? {
            TimeLimit::Clock(control) => Some(Clock::new(control)),
            TimeLimit::PerMove(_) => None,
        }
    }
}

/// The time of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeLimit {
    /// A clock for the whole game.
    Clock(TimeControl),
    /// The same time for every move.
    PerMove(Duration),
}

/// A clock: `[moves/][minutes:]seconds[+increment]`, as in cutechess-cli and fastchess.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// Moves until the time is added again; `None` if it is for the whole game.
    pub moves: Option<NonZeroU32>,
    /// The time at the start, above 0 if there is no increment; at most a day.
    pub time: Duration,
    /// Added after each move; at most a day.
    pub increment: Duration,
}

/// A text that is not a time control.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "expected a time control `[moves/][minutes:]seconds[+increment]` such as `10+0.1` or `40/1:30`, got `{0}`"
)]
pub struct TimeControlError(String);

/// Longer times are typing errors, and their sums would overflow.
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
    // `f64` also accepts `inf` and `1e9`.
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
    /// The text it is read from, the whole time in seconds.
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
    /// As fastchess prints each of them in `Results of …`.
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

/// A number above 0 with two significant digits, without trailing zeros.
fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powi(1 - value.log10().floor() as i32);
    (value * unit).round() / unit
}

/// One engine's clock in one game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    control: TimeControl,
    /// The time left for the next moves.
    pub remaining: Duration,
    /// Moves until time is added.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// The clock at the start of a game.
    pub fn new(control: TimeControl) -> Clock {
        Clock { control, remaining: control.time, moves_to_go: control.moves.map(NonZeroU32::get) }
    }

    /// The increment.
    pub const fn increment(&self) -> Duration {
        self.control.increment
    }

    /// Takes the time of a move off the clock and adds the increment and the time of a new period.
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
    fn time_controls_are_read_in_the_words_of_fastchess() {
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
    fn what_is_no_time_control_is_refused() {
        for text in [
            "", "0", "0+0", "-1", "abc", "1+", "+", "1:", "0/10", "1e9", "inf", "nan", "99999999",
            "1+2+3", "1 + 1",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_printed_as_fastchess_does() {
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
    fn a_clock_loses_the_time_of_a_move_and_gains_the_increment() {
        let mut clock = Clock::new(control("1+0.1"));
        clock.press(Duration::from_millis(300));
        assert_eq!(clock.remaining, Duration::from_millis(800));
        clock.press(Duration::from_secs(5));
        assert_eq!(clock.remaining, Duration::from_millis(100), "a clock never falls below zero");
    }

    #[test]
    fn a_clock_is_wound_up_at_the_time_control() {
        let mut clock = Clock::new(control("2/1"));
        clock.press(Duration::from_millis(600));
        assert_eq!(clock.moves_to_go, Some(1));
        clock.press(Duration::from_millis(300));
        assert_eq!((clock.moves_to_go, clock.remaining), (Some(2), Duration::from_millis(1100)));
    }
}
