//! The `info` line: state of a search.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

use super::error::ParseReplyError;
use super::words::{Excerpt, Words, write_field, write_time, write_words};

/// State of a search. The line omits fields that are `None` or empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Depth of the search, in plies.
    pub depth: Option<u32>,
    /// Greatest depth reached, in plies.
    pub seldepth: Option<u32>,
    /// Rank of the line, from 1.
    pub multipv: Option<u32>,
    /// Value for the player to move.
    pub score: Option<Score>,
    /// Kind of bound, if the score is not exact.
    pub bound: Option<Bound>,
    /// Probability of each result.
    pub wdl: Option<Wdl>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Used share of the memory, in permille.
    pub hashfull: Option<u32>,
    /// Time since the search began, in whole milliseconds.
    pub time: Option<Duration>,
    /// Expected moves.
    pub pv: Vec<String>,
    /// Text, which takes the rest of the line.
    pub string: Option<String>,
}

/// Value of a position for the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// `cp N`: hundredths, positive if the player to move is better.
    Cp(i32),
    /// `mate N`: the player to move wins within N own moves; loses within -N; has lost if N is 0.
    Mate(i32),
}

impl FromStr for Score {
    type Err = ParseReplyError;

    /// Parses `cp N` or `mate N`, as records of games contain it.
    fn from_str(text: &str) -> Result<Score, ParseReplyError> {
        const FORM: ParseReplyError =
            ParseReplyError::Malformed { line: "score", expected: "`cp N` or `mate N`" };
        let mut words = Words::of(text);
        let score = match words.next() {
            Some("cp") => Score::Cp(number(&mut words, "cp")?),
            Some("mate") => Score::Mate(number(&mut words, "mate")?),
            _ => return Err(FORM),
        };
        if words.next().is_none() { Ok(score) } else { Err(FORM) }
    }
}

impl Display for Score {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Score::Cp(hundredths) => write!(f, "cp {hundredths}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// Kind of bound of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// `lowerbound`: the value is at least the score.
    Lower,
    /// `upperbound`: the value is at most the score.
    Upper,
}

/// Probabilities of the results for the player to move, in permille.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// Probability to win.
    pub win: u32,
    /// Probability to draw.
    pub draw: u32,
    /// Probability to lose.
    pub loss: u32,
}

impl Info {
    /// Parses the line after the word `info`.
    pub(super) fn parse(words: &mut Words<'_>) -> Result<Info, ParseReplyError> {
        let mut info = Info::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = Some(number(words, "depth")?),
                "seldepth" => info.seldepth = Some(number(words, "seldepth")?),
                "multipv" => info.multipv = Some(number(words, "multipv")?),
                "score" => {}
                "cp" => info.score = Some(Score::Cp(number(words, "cp")?)),
                "mate" => info.score = Some(Score::Mate(number(words, "mate")?)),
                "lowerbound" => info.bound = Some(Bound::Lower),
                "upperbound" => info.bound = Some(Bound::Upper),
                "wdl" => {
                    let mut probability = || number(words, "wdl");
                    info.wdl = Some(Wdl {
                        win: probability()?,
                        draw: probability()?,
                        loss: probability()?,
                    });
                }
                "nodes" => info.nodes = Some(number(words, "nodes")?),
                "nps" => info.nps = Some(number(words, "nps")?),
                "hashfull" => info.hashfull = Some(number(words, "hashfull")?),
                "time" => info.time = Some(Duration::from_millis(number(words, "time")?)),
                "pv" => {
                    info.pv = words
                        .join_until(is_info_word)
                        .split(' ')
                        .filter(|mv| !mv.is_empty())
                        .map(str::to_owned)
                        .collect()
                }
                "string" => info.string = Some(std::mem::take(&mut words.rest).to_owned()),
                // Unknown words such as `currmove` and `tbhits` are ignored.
                _ => {}
            }
        }
        Ok(info)
    }
}

fn is_info_word(word: &str) -> bool {
    matches!(
        word,
        "depth"
            | "seldepth"
            | "multipv"
            | "score"
            | "wdl"
            | "nodes"
            | "nps"
            | "hashfull"
            | "time"
            | "pv"
            | "string"
    )
}

fn number<T: FromStr>(words: &mut Words<'_>, after: &'static str) -> Result<T, ParseReplyError> {
    let word = words.next().unwrap_or_default();
    word.parse().map_err(|_| ParseReplyError::Number { word: Excerpt::of(word), after })
}

impl Display for Info {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        write_field(f, "depth", self.depth)?;
        write_field(f, "seldepth", self.seldepth)?;
        write_field(f, "multipv", self.multipv)?;
        write_field(f, "score", self.score)?;
        match self.bound {
            Some(Bound::Lower) => f.write_str(" lowerbound")?,
            Some(Bound::Upper) => f.write_str(" upperbound")?,
            None => {}
        }
        if let Some(Wdl { win, draw, loss }) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        write_field(f, "nodes", self.nodes)?;
        write_field(f, "nps", self.nps)?;
        write_field(f, "hashfull", self.hashfull)?;
        write_time(f, "time", self.time)?;
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
            write_words(f, &self.pv)?;
        }
        write_field(f, "string", self.string.as_ref())
    }
}
