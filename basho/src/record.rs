//! One game as a line of `games.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

use crate::sheet::GameScore;
use crate::stderr_tail::StderrTail;
use oshi::game::{Outcome, Text};

/// The format of a record, by its number: a line of a newer one is refused rather than misread. A line without a number is of
/// the first.
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

/// One game as a line of `games.jsonl`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// First in the line, so that it is read before the fields that depend on it.
    #[serde(default)]
    pub format: RecordFormat,
    /// Counted from 1 through the tournament.
    pub game: u64,
    /// Counted from 1: games 1 and 2 are pair 1.
    pub pair: u64,
    /// Counted from 1: all pairs of a round have the same opening.
    pub round: u64,
    /// The player who opened.
    pub black: PlayerRecord,
    /// The other player.
    pub white: PlayerRecord,
    /// When it was played, if a score sheet or a board that recorded it knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Where the game started.
    pub opening: OpeningRecord,
    /// The moves after the opening.
    pub moves: Vec<PlayedMove>,
    /// Who won.
    pub result: GameScore,
    /// Why the game ended.
    pub reason: Reason,
    /// What happened, in a sentence.
    pub detail: String,
    /// The last lines on stderr of the engine at fault, if one is.
    #[serde(default, rename = "stderr", skip_serializing_if = "StderrTail::is_empty")]
    pub stderr_tail: StderrTail,
    /// How the game ended before, each time that it was played again: losses with a cause outside the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replayed: Vec<String>,
}

/// One player of a recorded game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The name in the tournament.
    pub name: String,
    /// Its limit of time or nodes; empty for a built-in player.
    pub limit: String,
    /// The seed that it was given, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The options that were set.
    pub options: BTreeMap<String, String>,
}

/// The opening of a recorded game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpeningRecord {
    /// `startpos`, or the position line.
    pub start: String,
    /// The moves played from there before the players began.
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
    /// A player's scores were hopeless, and the tournament lets such a player resign.
    Resignation,
    /// A move that the rules do not allow.
    #[strum(serialize = "illegal move")]
    IllegalMove,
    /// A late move.
    Timeout,
    /// The engine's process ended.
    Crash,
    /// No answer at all.
    Stall,
    /// An invalid answer.
    #[strum(serialize = "garbled answer")]
    Garbled,
    /// The tournament was stopped, or could not go on; no engine is at fault, and the game does not count.
    Interrupted,
}

impl Reason {
    /// All reasons.
    pub const ALL: &[Reason] = Reason::VARIANTS;

    /// Whether an engine is at fault.
    pub const fn is_fault(self) -> bool {
        !matches!(self, Reason::Normal | Reason::Resignation | Reason::Interrupted)
    }

    /// Whether the game has a result that the rules did not bring about.
    pub const fn decides_early(self) -> bool {
        self.is_fault() || matches!(self, Reason::Resignation)
    }
}

/// One move, with its figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayedMove {
    /// The move's text.
    #[serde(rename = "move")]
    pub text: String,
    /// The time it took, in milliseconds, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// The nodes that the engine reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The engine's score, as the protocol writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// How many milliseconds the move exceeded its time, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrun_ms: Option<f64>,
    /// The processor time that the engine's process used for it, in milliseconds, if the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
}

impl GameRecord {
    /// Reads one line of `games.jsonl`; the error is a message.
    pub(super) fn read(text: &str) -> Result<GameRecord, String> {
        // The line number within a text of one line would only confuse, next to that of the file.
        serde_json::from_str(text)
            .map_err(|error| error.to_string().replace(" at line 1 column ", " at byte "))
    }
}

/// How the rules ended a game, in a sentence.
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

    /// A move that took a millisecond and says nothing.
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

    /// The first game of a tournament, of `a` and `b`, without a move.
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
