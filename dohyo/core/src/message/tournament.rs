//! A watched tournament, as a page reads it.

use std::collections::BTreeMap;

use basho::record::Reason;
use basho::sheet::GameScore;
use serde::Serialize;

use crate::board::View;

/// A watched tournament.
#[derive(Clone, Debug, Serialize)]
pub struct TournamentView {
    /// Standings, once the folder has been read.
    #[serde(flatten)]
    pub standings: Option<Standings>,
    /// Games in progress.
    pub live: Vec<LiveView>,
    /// Finished games that the page has not received yet.
    pub games: Vec<Finished>,
    /// Error of the last reading of the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The part of the tournament that a tab has received.
#[derive(Default)]
pub struct Sent {
    /// Number of finished games.
    pub games: usize,
    /// Number of the shown game by slot.
    pub stages: BTreeMap<usize, u64>,
}

/// Standings of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standings {
    /// Name of the folder.
    pub title: String,
    /// Name of the variant.
    pub variant: &'static str,
    /// Engines, the best first.
    #[serde(rename = "standings")]
    pub rows: Vec<StandingsRow>,
    /// Sequential test, if the tournament is one.
    pub llr: Option<SequentialTest>,
    /// Number of finished games.
    pub played: u64,
    /// Number of planned games.
    pub planned: u64,
}

/// An engine in the standings.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StandingsRow {
    /// Name of the engine.
    pub name: String,
    /// Number of games.
    pub games: u64,
    /// Number of wins.
    pub wins: u64,
    /// Number of draws.
    pub draws: u64,
    /// Number of losses.
    pub losses: u64,
    /// Points: a win is 1, a draw 1/2.
    pub points: f64,
    /// Points in percent of the games.
    pub percent: Option<f64>,
    /// Elo difference to the opponents.
    pub elo: Option<f64>,
    /// Half the width of the 95 % confidence interval of `elo`.
    pub error: Option<f64>,
}

/// State of a sequential probability ratio test.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SequentialTest {
    /// Log-likelihood ratio.
    pub value: f64,
    /// Bounds of the ratio at which the test ends.
    pub bounds: [f64; 2],
    /// Elo differences of the two hypotheses.
    pub elo: [f64; 2],
}

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finished {
    /// Number of the game in the tournament.
    pub number: u64,
    /// Name of Black.
    pub black: String,
    /// Name of White.
    pub white: String,
    /// Result.
    pub result: GameScore,
    /// Reason of the result.
    pub reason: Reason,
    /// Details of the reason.
    pub detail: String,
    /// Number of plies.
    pub plies: usize,
}

/// A game in progress.
#[derive(Clone, Debug, Serialize)]
pub struct LiveView {
    /// Slot of the game: the index of its worker.
    pub slot: usize,
    /// Number of the game in the tournament.
    pub number: u64,
    /// Name of Black.
    pub black: String,
    /// Name of White.
    pub white: String,
    /// Name of the variant.
    pub variant: &'static str,
    /// Name of the layout.
    pub layout: &'static str,
    /// Board as SVG, in the first message about the game.
    pub stage: Option<String>,
    /// Current position.
    #[serde(flatten)]
    pub view: View,
    /// Moves in symbols, with those of the opening.
    pub moves: Vec<String>,
    /// Number of moves of the opening.
    pub opening: usize,
    /// Win probability of Black by the last score of each engine.
    pub chances: [Option<f64>; 2],
    /// Names of the moves that each engine expects.
    pub lines: [Vec<String>; 2],
    /// Search depths of the engines in plies.
    pub depths: [Option<u32>; 2],
    /// Times left in milliseconds.
    pub clock: [Option<u64>; 2],
    /// Start of the turn, in milliseconds since 1970.
    pub since: u64,
}
