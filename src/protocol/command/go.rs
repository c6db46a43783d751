//! The command `go` and its words.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use super::read::{moves, number};
use crate::protocol::error::ParseCommandError;
use crate::protocol::words::{MAX_MILLISECONDS, Words, write_field, write_time, write_words};

/// Limits of a search. All times are whole milliseconds, at most [`MAX_MILLISECONDS`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// `searchmoves MOVE…`: consider only these moves, given by their words; empty for all.
    pub search_moves: Vec<String>,
    /// `ponder`: search during the opponent's turn; the position ends with the expected move.
    pub ponder: bool,
    /// `infinite`: search until `stop`.
    pub infinite: bool,
    /// `movetime MS`: time for the move.
    pub move_time: Option<Duration>,
    /// `nodes N`: maximum number of nodes, at least 1.
    pub nodes: Option<u64>,
    /// `depth N`: depth that ends the search, at least 1.
    pub depth: Option<u32>,
    /// `mate N`: search for a win within N own moves, at least 1.
    pub mate: Option<u32>,
    /// Time left on Black's and White's clock: `btime MS` or `p1time MS`, `wtime MS` or
    /// `p2time MS`. A negative number means 0.
    pub time: [Option<Duration>; 2],
    /// Black's and White's increment per move: `binc MS` or `p1inc MS`, `winc MS` or `p2inc MS`.
    pub increment: [Option<Duration>; 2],
    /// `movestogo N`: moves that the time left must last for, at least 1.
    pub moves_to_go: Option<u32>,
}

impl Go {
    /// Returns Black's and White's clock, each as time left and increment. A missing clock equals
    /// the other one.
    ///
    /// # Example
    /// ```
    /// use std::time::Duration;
    ///
    /// use oshi::protocol::Command;
    ///
    /// let Some(Command::Go(go)) = Command::parse("go btime 1000 binc 10")? else { panic!() };
    /// let clock = (Duration::from_secs(1), Duration::from_millis(10));
    /// assert_eq!(go.clocks(), [Some(clock), Some(clock)]);
    /// # Ok::<(), oshi::protocol::ParseCommandError>(())
    /// ```
    pub fn clocks(&self) -> [Option<(Duration, Duration)>; 2] {
        let clock = |time: Option<Duration>, increment: Option<Duration>| {
            time.map(|time| (time, increment.unwrap_or_default()))
        };
        let ([black_time, white_time], [black_increment, white_increment]) =
            (self.time, self.increment);
        let (black, white) =
            (clock(black_time, black_increment), clock(white_time, white_increment));
        [black.or(white), white.or(black)]
    }
}

/// Words of `go`, as error messages list them. `go perft` is a command of its own.
const GO_WORDS: &str = "searchmoves, ponder, infinite, movetime, nodes, depth, mate, \
    btime, wtime, binc, winc, movestogo, p1time, p2time, p1inc, p2inc";

fn go_word(word: &str) -> Option<&'static str> {
    GO_WORDS.split(", ").find(|known| *known == word)
}

/// Sets a field that may be set only once.
fn set_once<T>(
    field: &mut Option<T>,
    word: &'static str,
    value: T,
) -> Result<(), ParseCommandError> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseCommandError::Repeated { word }),
    }
}

fn set_flag(field: &mut bool, word: &'static str) -> Result<(), ParseCommandError> {
    if std::mem::replace(field, true) { Err(ParseCommandError::Repeated { word }) } else { Ok(()) }
}

fn milliseconds(words: &mut Words<'_>, after: &'static str) -> Result<Duration, ParseCommandError> {
    number(words, after, 0..=MAX_MILLISECONDS).map(Duration::from_millis)
}

/// The time on a clock. GUIs send a number below zero when a player has overstepped a little.
fn clock(words: &mut Words<'_>, after: &'static str) -> Result<Duration, ParseCommandError> {
    let below_zero = words.peek().and_then(|word| word.strip_prefix('-'));
    if below_zero.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }) {
        words.next();
        return Ok(Duration::ZERO);
    }
    milliseconds(words, after)
}

/// Parses the line after the word `go`.
pub(super) fn read(words: &mut Words<'_>) -> Result<Go, ParseCommandError> {
    let mut go = Go::default();
    let [black_time, white_time] = &mut go.time;
    let [black_increment, white_increment] = &mut go.increment;
    while let Some(word) = words.next() {
        let word =
            go_word(word).ok_or_else(|| ParseCommandError::unexpected(word, "go", GO_WORDS))?;
        match word {
            "ponder" => set_flag(&mut go.ponder, word)?,
            "infinite" => set_flag(&mut go.infinite, word)?,
            "movetime" => set_once(&mut go.move_time, word, milliseconds(words, word)?)?,
            "nodes" => set_once(&mut go.nodes, word, number(words, word, 1..=u64::MAX)?)?,
            "depth" => set_once(&mut go.depth, word, number(words, word, 1..=u32::MAX)?)?,
            "mate" => set_once(&mut go.mate, word, number(words, word, 1..=u32::MAX)?)?,
            "movestogo" => set_once(&mut go.moves_to_go, word, number(words, word, 1..=u32::MAX)?)?,
            "btime" | "p1time" => set_once(black_time, word, clock(words, word)?)?,
            "wtime" | "p2time" => set_once(white_time, word, clock(words, word)?)?,
            "binc" | "p1inc" => set_once(black_increment, word, milliseconds(words, word)?)?,
            "winc" | "p2inc" => set_once(white_increment, word, milliseconds(words, word)?)?,
            _ => {
                let list = words.join_until(|word| go_word(word).is_some());
                let list = moves(&mut Words::of(&list), word)?;
                if !std::mem::replace(&mut go.search_moves, list).is_empty() {
                    return Err(ParseCommandError::Repeated { word });
                }
            }
        }
    }
    Ok(go)
}

impl Display for Go {
    /// Prints the words after `go`, with a space before each.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.ponder {
            f.write_str(" ponder")?;
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        let [black_time, white_time] = self.time;
        let [black_increment, white_increment] = self.increment;
        write_time(f, "btime", black_time)?;
        write_time(f, "wtime", white_time)?;
        write_time(f, "binc", black_increment)?;
        write_time(f, "winc", white_increment)?;
        write_field(f, "movestogo", self.moves_to_go)?;
        write_time(f, "movetime", self.move_time)?;
        write_field(f, "nodes", self.nodes)?;
        write_field(f, "depth", self.depth)?;
        write_field(f, "mate", self.mate)?;
        if !self.search_moves.is_empty() {
            f.write_str(" searchmoves")?;
            write_words(f, &self.search_moves)?;
        }
        Ok(())
    }
}
