//! Requests of a page.

use serde::Deserialize;

use crate::export::Format;
use crate::game::{GameId, NodeId, SeatKind};

/// A request with its tag.
#[derive(Debug, Deserialize)]
pub struct TaggedRequest {
    /// Number chosen by the page. The reply carries the same one.
    #[serde(default)]
    pub tag: Option<u64>,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
}

/// A request of a page.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Request {
    /// Sets the language. The first message of every tab.
    Hello {
        /// Code of the language.
        lang: String,
    },
    /// Returns the list of all games.
    Games,
    /// Starts a new game.
    New {
        /// Name of the variant.
        variant: String,
        /// Name of the layout.
        #[serde(default)]
        layout: Option<String>,
        /// Starting position.
        #[serde(default)]
        start: StartRequest,
        /// Players of Black and White.
        players: [SeatKind; 2],
        /// Clock settings.
        #[serde(default)]
        clock: Option<ClockRequest>,
        /// Whether the players exchange sides.
        #[serde(default)]
        swap: bool,
    },
    /// Shows a game and subscribes to its events.
    Open {
        /// The game.
        game: GameId,
    },
    /// Unsubscribes from the events of a game.
    Close {
        /// The game.
        game: GameId,
    },
    /// Deletes a game.
    Delete {
        /// The game.
        game: GameId,
    },
    /// Plays a move.
    Play {
        /// The game.
        game: GameId,
        /// Position before the move.
        node: NodeId,
        /// Text of the move.
        r#move: String,
        /// Whether the move is a variation even at the current position.
        #[serde(default)]
        branch: bool,
    },
    /// Resumes play from a position.
    #[serde(rename = "goon")]
    Resume {
        /// The game.
        game: GameId,
        /// New current position.
        node: NodeId,
        /// New players, if they change.
        #[serde(default)]
        players: Option<[SeatKind; 2]>,
        /// Clock settings of the new players.
        #[serde(default)]
        clock: Option<ClockRequest>,
    },
    /// Takes back to the last choice of a person.
    #[serde(rename = "takeback")]
    TakeBack {
        /// The game.
        game: GameId,
    },
    /// Resigns.
    Resign {
        /// The game.
        game: GameId,
    },
    /// Returns a good move.
    Hint {
        /// The game.
        game: GameId,
        /// Position of the move.
        node: NodeId,
    },
    /// Exchanges the players.
    Swap {
        /// The game.
        game: GameId,
    },
    /// Sets the players.
    Players {
        /// The game.
        game: GameId,
        /// Players of Black and White.
        players: [SeatKind; 2],
        /// Clock settings.
        #[serde(default)]
        clock: Option<ClockRequest>,
    },
    /// Pauses or resumes clocks and engines.
    Pause {
        /// The game.
        game: GameId,
        /// Whether to pause.
        on: bool,
    },
    /// Makes a variation the main line.
    Promote {
        /// The game.
        game: GameId,
        /// A position of the variation.
        node: NodeId,
    },
    /// Removes a variation.
    Prune {
        /// The game.
        game: GameId,
        /// First position of the variation.
        node: NodeId,
    },
    /// Reviews the main line.
    Review {
        /// The game.
        game: GameId,
        /// Search time per position in milliseconds.
        ms: u64,
    },
    /// Cancels a review.
    #[serde(rename = "unreview")]
    StopReview {
        /// The game.
        game: GameId,
    },
    /// Adds all games of a text.
    Import {
        /// Text in any form that basho reads.
        text: String,
        /// Source of the text, usually a file name.
        #[serde(default)]
        name: String,
        /// Variant of games without a start.
        #[serde(default)]
        variant: Option<String>,
    },
    /// Returns a game as a text.
    Export {
        /// The game.
        game: GameId,
        /// Last position of the exported line. The main line without one.
        #[serde(default)]
        node: Option<NodeId>,
        /// Format of the text.
        r#as: Format,
    },
    /// Subscribes to the watched tournament.
    Watch,
    /// Unsubscribes from the watched tournament.
    Unwatch,
    /// Copies a finished game of the tournament.
    #[serde(rename = "watched")]
    CopyWatched {
        /// Number of the game in the tournament.
        game: u64,
    },
    /// Reads a position line without starting a game.
    Check {
        /// The position line.
        position: String,
    },
    /// Analyses a position until cancelled.
    Analyse {
        /// The game.
        game: GameId,
        /// Position to analyse.
        node: NodeId,
        /// Number of lines.
        #[serde(default = "one")]
        lines: usize,
        /// Index of the engine.
        #[serde(default)]
        engine: usize,
    },
    /// Cancels the analysis.
    #[serde(rename = "rest")]
    StopAnalysis {
        /// The game.
        game: GameId,
    },
}

const fn one() -> usize {
    1
}

/// Starting position of a new game.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartRequest {
    /// The usual start of the variant.
    #[default]
    Usual,
    /// A random start.
    Random,
    /// The random start of a seed.
    Seed(u64),
    /// A position line.
    Position(String),
    /// The position after the moves of a `position` command.
    Line(String),
}

/// Clock settings. Both players have the same.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct ClockRequest {
    /// Initial time in milliseconds.
    pub ms: u64,
    /// Increment per move in milliseconds.
    #[serde(default)]
    pub inc: u64,
}
