//! What a game consists of, besides its tree.

use std::fmt::{self, Display, Formatter};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use basho::sheet::GameScore;
use oshi::protocol::Score;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The name of a game: drawn at random, so that games of several data folders can be put together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameId(String);

impl GameId {
    /// A name that no other game has.
    pub fn unused() -> GameId {
        GameId(format!("{:016x}", rand::rng().random::<u64>()))
    }

    /// The name of the game in this file, if it is one.
    pub fn read(text: &str) -> Option<GameId> {
        let is_name =
            text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_name.then(|| GameId(text.to_owned()))
    }
}

impl Display for GameId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of a position in its game; the start is 0.
pub type NodeId = u32;

/// The start.
pub const ROOT: NodeId = 0;

/// Who sits on one side.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Seat {
    /// What sort of player.
    #[serde(flatten)]
    pub kind: SeatKind,
    /// The name; a person's may be empty.
    pub name: String,
}

/// A person or a program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SeatKind {
    /// Somebody at a page.
    #[default]
    Person,
    /// A program.
    Engine {
        /// By its number among those named on the command line.
        engine: usize,
        /// The name of its level; the engine as it is without one.
        level: Option<String>,
        /// Its time for each move, in milliseconds, if there is no clock.
        movetime: Option<u64>,
    },
}

impl Seat {
    /// The name of an engine that plays at a level, or as it is.
    pub fn name_of(engine: &str, level: Option<&str>) -> String {
        level.map_or_else(|| engine.to_owned(), |level| format!("{engine} ({level})"))
    }

    /// Whether a program plays.
    pub const fn is_engine(&self) -> bool {
        matches!(self.kind, SeatKind::Engine { .. })
    }
}

/// The longest time of a clock or a move, in milliseconds: eleven days.
pub const LONGEST_TIME: u64 = 1_000_000_000;

/// The clocks of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Clock {
    /// What each had in the beginning, in milliseconds.
    pub ms: u64,
    /// What is added with every move.
    pub inc: u64,
    /// The position in which they were set: earlier moves do not count.
    pub since: NodeId,
}

/// How a game stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Being played.
    Playing,
    /// Being played, but not now.
    Paused,
    /// Somebody has won, or it is drawn.
    Over,
    /// Only looked at.
    Free,
}

/// The rules have ended the game.
pub const BY_RULES: &str = "rules";
/// Somebody has given up.
pub const RESIGNATION: &str = "resignation";
/// Somebody has run out of time.
pub const TIME: &str = "time";

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// Who won.
    pub result: GameScore,
    /// [`BY_RULES`], [`RESIGNATION`] or [`TIME`]; or what a sheet says.
    pub reason: String,
}

/// What an engine thinks of a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Eval {
    /// The chance that Black wins, draws counted half.
    pub black: f64,
    /// The engine's score, for the player to move.
    pub score: ScoreText,
    /// Whether it is certain.
    pub proven: bool,
    /// The best line, the best move first.
    pub line: Vec<String>,
    /// How long it thought, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// How many nodes it searched, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// A score as the page reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreText {
    /// Hundredths.
    Cp(i32),
    /// A win in so many own moves, a loss in so many below zero.
    Mate(i32),
}

impl From<ScoreText> for Score {
    fn from(score: ScoreText) -> Score {
        match score {
            ScoreText::Cp(hundredths) => Score::Cp(hundredths),
            ScoreText::Mate(moves) => Score::Mate(moves),
        }
    }
}

impl From<Score> for ScoreText {
    fn from(score: Score) -> ScoreText {
        match score {
            Score::Cp(hundredths) => ScoreText::Cp(hundredths),
            Score::Mate(moves) => ScoreText::Mate(moves),
        }
    }
}

/// How bad a move was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// A proven win, or a proven draw, was given away.
    Thrown,
    /// A break or a refill that was much better was not seen.
    Missed,
    /// Much was lost.
    Mistake,
    /// Something was lost.
    Dubious,
}

/// What a review says of a move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// How bad it was.
    pub kind: MarkKind,
    /// What would have been better.
    pub better: String,
    /// `win`, `draw`, `break`, `refill` or `chance`: what was lost.
    pub why: String,
    /// The chance that was lost.
    pub loss: f64,
    /// Whether that is certain.
    pub proven: bool,
}

/// What a review says of a player.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// 100 less the mean loss in hundredths over the moves that were a choice, where a move without a mark has lost nothing.
    pub accuracy: f64,
    /// How many moves were thus marked.
    pub thrown: u32,
    /// How many moves were thus marked.
    pub missed: u32,
    /// How many moves were thus marked.
    pub mistakes: u32,
    /// How many moves were thus marked.
    pub dubious: u32,
}

/// What a game was read from, to be given back as it was.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Source {
    /// Its number where it was one of many.
    pub game: Option<u64>,
    /// When it was played, in any form.
    pub date: Option<String>,
    /// The players' limits of time or nodes.
    pub limits: [String; 2],
    /// How it ended, if the rules did not end it.
    pub ending: Option<String>,
    /// Its moves: what is said of its end is true of these only.
    pub moves: Vec<String>,
    /// The line of the record, if it was one.
    pub record: Option<String>,
}

/// Whole milliseconds.
pub fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, milliseconds)
}
