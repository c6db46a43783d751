//! The record of one game: a line of `games.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

use crate::sheet::GameScore;
use crate::stderr_tail::StderrTail;
use oshi::game::{Outcome, Text};

/// Maximum length of a record's line in bytes, a hundred times the length of the longest match.
pub const MAX_LINE_LENGTH: usize = 1 << 24;

/// Version of the record format. A newer version is refused; a record without a version has the
/// first one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct RecordFormat;

impl RecordFormat {
    const NUMBER: u32 = 1;
}

impl TryFrom<u32> for RecordFormat {
    type Error = String;

    fn try_from(number: u32) -> Result<RecordFormat, String> {
        let refused =
            || format!("unknown format {number}; expected format {}", RecordFormat::NUMBER);
        (number == RecordFormat::NUMBER).then_some(RecordFormat).ok_or_else(refused)
    }
}

impl From<RecordFormat> for u32 {
    fn from(_: RecordFormat) -> u32 {
        RecordFormat::NUMBER
    }
}

/// One game, serialized as a line of `games.jsonl`.
///
/// ```
/// use basho::record::{GameRecord, Reason};
///
/// let line = r#"{"game":1,"pair":1,"round":1,
///     "black":{"name":"a","limit":"","options":{}},"white":{"name":"b","limit":"","options":{}},
///     "opening":{"start":"startpos","moves":[]},"moves":[{"move":"a1a5"}],
///     "result":"0-1","reason":"crash","detail":"Black disconnects"}"#;
/// let record: GameRecord = serde_json::from_str(line)?;
/// assert!(record.reason.is_fault());
/// assert_eq!(record.moves[0].text, "a1a5");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// First in the line, so that it is checked before the fields that depend on it.
    #[serde(default)]
    pub format: RecordFormat,
    /// Number of the game in the tournament, from 1.
    pub game: u64,
    /// Number of the pair, from 1: games 1 and 2 are pair 1.
    pub pair: u64,
    /// Number of the round, from 1. All pairs of a round have the same opening.
    pub round: u64,
    /// The player who opened.
    pub black: PlayerRecord,
    /// The other player.
    pub white: PlayerRecord,
    /// Date of the game, if a score sheet or board stated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Where the game started.
    pub opening: OpeningRecord,
    /// Moves after the opening.
    pub moves: Vec<PlayedMove>,
    /// Result of the game.
    pub result: GameScore,
    /// Why the game ended.
    pub reason: Reason,
    /// What happened, in a sentence.
    pub detail: String,
    /// Last lines on stderr of the engine at fault.
    #[serde(default, rename = "stderr", skip_serializing_if = "StderrTail::is_empty")]
    pub stderr_tail: StderrTail,
    /// Earlier results of the game, one sentence each, that were discarded since a cause outside
    /// the game may have decided them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replayed: Vec<String>,
}

/// One player of a recorded game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// Name in the tournament.
    pub name: String,
    /// Search limit as text; empty for a built-in player.
    pub limit: String,
    /// Seed given to the engine, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Values of the options that were set, by name.
    pub options: BTreeMap<String, String>,
}

/// The opening of a recorded game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpeningRecord {
    /// `startpos`, or a position line.
    pub start: String,
    /// Moves played from there before the players began.
    pub moves: Vec<String>,
}

/// Why a game ended.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Debug,
    Serialize,
    Deserialize,
    Display,
    VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "lowercase")]
pub enum Reason {
    /// By the rules.
    Normal,
    /// A player resigned by the tournament's rule for hopeless scores.
    Resignation,
    /// An illegal move.
    #[strum(serialize = "illegal move")]
    IllegalMove,
    /// A move after its time had run out.
    Timeout,
    /// The engine's process ended.
    Crash,
    /// No answer before the timeout.
    Stall,
    /// An answer that is not valid in the protocol.
    #[strum(serialize = "garbled answer")]
    Garbled,
    /// The tournament was stopped or could not continue. No engine is at fault, and the game does
    /// not count.
    Interrupted,
}

impl Reason {
    /// All reasons.
    pub const ALL: &[Reason] = Reason::VARIANTS;

    /// Whether an engine is at fault.
    pub const fn is_fault(self) -> bool {
        !matches!(self, Reason::Normal | Reason::Resignation | Reason::Interrupted)
    }

    /// Whether the game has a result although the rules did not end it.
    pub const fn decides_early(self) -> bool {
        self.is_fault() || matches!(self, Reason::Resignation)
    }
}

/// One recorded move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayedMove {
    /// The move in protocol notation.
    #[serde(rename = "move")]
    pub text: String,
    /// Time taken, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// Nodes that the engine reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Score as the protocol writes it, such as `cp 12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// Excess over the move's time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrun_ms: Option<f64>,
    /// Processor time of the engine's process, in milliseconds, if the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
}

impl GameRecord {
    /// Reads one line of `games.jsonl`. The error is a message.
    pub(super) fn read(text: &str) -> Result<GameRecord, String> {
        // Its line number would always be 1 and could be taken for the file's.
        serde_json::from_str(text)
            .map_err(|error| error.to_string().replace(" at line 1 column ", " at byte "))
    }
}

/// A sentence that says how the rules ended a game.
pub(crate) fn outcome_sentence<G: Text>(end: &G, outcome: Outcome) -> String {
    let how = end.ending();
    match outcome {
        Outcome::Win(winner) => format!("{winner} wins by {how}"),
        Outcome::Draw => format!("Draw by {how}"),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn player(name: &str) -> PlayerRecord {
        PlayerRecord {
            name: name.to_owned(),
            limit: String::new(),
            seed: Some(1),
            options: BTreeMap::new(),
        }
    }

    /// A move that took 1 ms, without other figures.
    pub fn played(text: &str) -> PlayedMove {
        PlayedMove {
            text: text.to_owned(),
            ms: Some(1.0),
            nodes: None,
            score: None,
            overrun_ms: None,
            cpu_ms: None,
        }
    }

    /// Game 1 of a tournament of `a` and `b`, without moves.
    pub fn first_game(result: GameScore) -> GameRecord {
        GameRecord {
            format: RecordFormat,
            game: 1,
            pair: 1,
            round: 1,
            black: player("a"),
            white: player("b"),
            date: None,
            opening: OpeningRecord { start: "startpos".to_owned(), moves: Vec::new() },
            moves: Vec::new(),
            result,
            reason: Reason::Normal,
            detail: String::new(),
            stderr_tail: StderrTail::default(),
            replayed: Vec::new(),
        }
    }
}
