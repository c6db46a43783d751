//! Capabilities of the server, as a page reads them.

use serde::Serialize;

/// Capabilities of the server.
#[derive(Clone, Debug, Serialize)]
pub struct Welcome {
    /// Version of the server.
    pub version: &'static str,
    /// Variants that can be played.
    pub variants: Vec<VariantView>,
    /// Levels of engines.
    pub levels: Vec<LevelView>,
    /// Engines. The built-in one is first.
    pub engines: Vec<EngineView>,
    /// Whether a tournament is watched.
    pub watching: bool,
    /// Limits of the server.
    pub max: Limits,
}

/// A variant.
#[derive(Clone, Debug, Serialize)]
pub struct VariantView {
    /// Name in the protocol.
    pub name: &'static str,
    /// Displayed name.
    pub title: &'static str,
    /// Names of the layouts that differ for the variant.
    pub layouts: Vec<&'static str>,
    /// Whether the match is played for points.
    pub points: bool,
    /// Points that win the match.
    pub target: Option<u8>,
}

/// A level.
#[derive(Clone, Debug, Serialize)]
pub struct LevelView {
    /// Name of the level.
    pub name: &'static str,
    /// Elo rating. `null` for full strength.
    pub elo: Option<u32>,
}

/// An engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineView {
    /// Displayed name.
    pub name: String,
}

/// Limits of the server.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Limits {
    /// Maximum length of a request in bytes.
    pub bytes: usize,
    /// Maximum number of games.
    pub games: usize,
    /// Maximum number of positions of a game.
    pub nodes: usize,
    /// Maximum number of lines of an analysis.
    pub lines: u32,
    /// Maximum number of engine processes.
    pub engines: usize,
}
