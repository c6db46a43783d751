//! What a page can offer.

use serde::Serialize;

/// What a page can offer.
#[derive(Clone, Debug, Serialize)]
pub struct Welcome {
    /// Of this program.
    pub version: &'static str,
    /// What can be played.
    pub variants: Vec<VariantView>,
    /// How strong an engine can play.
    pub levels: Vec<LevelView>,
    /// The engines of the command line, the one that comes with this program first.
    pub engines: Vec<EngineView>,
    /// Whether there is a tournament to watch.
    pub watching: bool,
    /// Where orders end.
    pub max: Bounds,
}

/// A variant.
#[derive(Clone, Debug, Serialize)]
pub struct VariantView {
    /// In the protocol.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// The boards that it is played on; one where they make no difference.
    pub layouts: Vec<&'static str>,
    /// Whether it is played for points.
    pub points: bool,
    /// How many win.
    pub target: Option<u8>,
}

/// A named level.
#[derive(Clone, Debug, Serialize)]
pub struct LevelView {
    /// Its name.
    pub name: &'static str,
    /// Its rating; `null` for the engine as it is.
    pub elo: Option<u32>,
}

/// An engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineView {
    /// Its name.
    pub name: String,
}

/// The most that can be asked for.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bounds {
    /// Bytes of a message.
    pub bytes: usize,
    /// Games kept.
    pub games: usize,
    /// Positions of a game.
    pub nodes: usize,
    /// Lines of an analysis.
    pub lines: usize,
    /// Engines running at once.
    pub engines: usize,
}
