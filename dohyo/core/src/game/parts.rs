//! The values of a game other than its tree.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use basho::sheet::GameScore;
use oshi::protocol::Score;
use serde::{Deserialize, Serialize};

/// Random id of a game, unique across data folders.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameId(String);

impl GameId {
    /// Makes an id from a random number.
    pub fn new(random: u64) -> GameId {
        GameId(format!("{random:016x}"))
    }

    /// Reads an id of 16 lower-case hexadecimal digits.
    pub fn read(text: &str) -> Option<GameId> {
        let is_id =
            text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_id.then(|| GameId(text.to_owned()))
    }
}

impl Display for GameId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Number of a position in its game. The start is [`ROOT`].
pub type NodeId = u32;

/// Id of the starting position.
pub const ROOT: NodeId = 0;

/// A point in time on two clocks, both read by the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timestamp {
    /// Milliseconds since 1970.
    pub unix_ms: u64,
    /// Time since a fixed point, on a clock that never goes back.
    pub monotonic: Duration,
}

/// The player of one side.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Seat {
    /// A person, or an engine with its settings.
    #[serde(flatten)]
    pub kind: SeatKind,
    /// Displayed name. A person's may be empty.
    pub name: String,
}

/// A person or an engine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SeatKind {
    /// A person at a page.
    #[default]
    Person,
    /// An engine of the server.
    Engine {
        /// Index in the server's list of engines.
        engine: usize,
        /// Name of the level. `None` is full strength.
        level: Option<String>,
        /// Time for each move in milliseconds, used without a clock.
        movetime: Option<u64>,
    },
}

impl Seat {
    /// Returns the displayed name of an engine: its own, with the level in brackets.
    pub fn name_of(engine: &str, level: Option<&str>) -> String {
        level.map_or_else(|| engine.to_owned(), |level| format!("{engine} ({level})"))
    }

    /// Returns true for an engine.
    pub const fn is_engine(&self) -> bool {
        matches!(self.kind, SeatKind::Engine { .. })
    }
}

/// Maximum time of a clock or a move, in milliseconds: eleven days.
pub const MAX_TIME_MS: u64 = 1_000_000_000;

/// Clock settings of a game. Both players have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Clock {
    /// Initial time in milliseconds.
    pub ms: u64,
    /// Increment per move in milliseconds.
    pub inc: u64,
    /// Position at which the clocks were set. Earlier moves cost no time.
    pub since: NodeId,
}

/// Whether a game is in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// In progress.
    Playing,
    /// In progress, but stopped for now.
    Paused,
    /// Won, lost or drawn.
    Over,
    /// Not played here, only viewed.
    Free,
}

/// Reason of a result: the rules ended the game.
pub const BY_RULES: &str = "rules";
/// Reason of a result: the loser resigned.
pub const RESIGNATION: &str = "resignation";
/// Reason of a result: the loser ran out of time.
pub const TIME: &str = "time";

/// The result of a finished game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// The winner, or a draw.
    pub result: GameScore,
    /// [`BY_RULES`], [`RESIGNATION`], [`TIME`], or the text of a score sheet.
    pub reason: String,
}

/// An engine's evaluation of a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Eval {
    /// Win probability of Black, 0 to 1. A draw counts half.
    pub black: f64,
    /// The engine's score, from the view of the side to move.
    pub score: ScoreText,
    /// Whether the evaluation is proven.
    pub proven: bool,
    /// The best line, starting with the best move.
    pub line: Vec<String>,
    /// Search time in milliseconds, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// Searched nodes, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// A score in JSON: `{"cp": n}` or `{"mate": n}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreText {
    /// Score in hundredths.
    Cp(i32),
    /// Own moves to a forced win. Negative for a forced loss.
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

/// Severity of a bad move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// Gave away a proven win or a proven draw.
    Thrown,
    /// Missed a much better break of serve or refill.
    Missed,
    /// Lost a large part of the win probability.
    Mistake,
    /// Lost a smaller part of the win probability.
    Dubious,
}

/// A reviewer's mark of a bad move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// Severity of the move.
    pub kind: MarkKind,
    /// The better move.
    pub better: String,
    /// The lost good: `win`, `draw`, `break`, `refill` or `chance`.
    pub why: String,
    /// Lost win probability, 0 to 1.
    pub loss: f64,
    /// Whether the better move is proven.
    pub proven: bool,
}

/// A review's summary of one player.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// 100 minus the mean loss in hundredths, over moves with an alternative. Unmarked moves
    /// count as no loss.
    pub accuracy: f64,
    /// Number of moves marked [`MarkKind::Thrown`].
    pub thrown: u32,
    /// Number of moves marked [`MarkKind::Missed`].
    pub missed: u32,
    /// Number of moves marked [`MarkKind::Mistake`].
    pub mistakes: u32,
    /// Number of moves marked [`MarkKind::Dubious`].
    pub dubious: u32,
}

/// Data of an imported game that only an export needs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Source {
    /// Number of the game in its text.
    pub game: Option<u64>,
    /// Date of the game, in any form.
    pub date: Option<String>,
    /// Time or node limits of Black and White.
    pub limits: [String; 2],
    /// Ending other than by the rules.
    pub ending: Option<String>,
    /// Moves of the imported game. The ending holds only after exactly these.
    pub moves: Vec<String>,
    /// The line of the record, if the game came from one.
    pub record: Option<String>,
}

/// Converts to whole milliseconds.
pub fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
