//! All messages between a page and the server, as JSON: `dohyo/README.md` describes them for those who write pages.

mod game;
mod thought;
mod welcome;

use serde::{Deserialize, Serialize};

use crate::exchange::BadLine;
use crate::export::{As, Export};
use crate::game::{GameId, NodeId, Seat};
use crate::news::Gravity;
use crate::watch::TournamentView;
pub use game::{CheckedView, Entry, GameView, NodeView, Standing};
pub use thought::{AnalysisView, EvalView, ReviewView, ThinkingView};
pub use welcome::{Bounds, EngineView, LevelView, VariantView, Welcome};

/// The most bytes of a message: as much as a large collection of games.
pub const LONGEST: usize = 16 << 20;

/// Up to so many bytes a message that is too long is read and refused; a longer one closes the socket.
pub const LONGEST_READ: usize = 4 * LONGEST;

/// Maximum length of a message to a page, in bytes: several times that of the largest game.
pub const LONGEST_SENT: usize = 16 * LONGEST;

/// What a page asks, with a number of its choice that comes back with an error.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The number.
    #[serde(default)]
    pub tag: Option<u64>,
    /// What to do.
    #[serde(flatten)]
    pub order: Order,
}

/// What a page may ask.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Order {
    /// The first message of a tab, and whenever its language changes.
    Hello {
        /// The code of the language.
        lang: String,
    },
    /// The list of all games.
    Games,
    /// A new game.
    New {
        /// What is played.
        variant: String,
        /// On which board.
        #[serde(default)]
        layout: Option<String>,
        /// From where.
        #[serde(default)]
        start: StartOrder,
        /// Black and White.
        players: [SeatOrder; 2],
        /// The time of each.
        #[serde(default)]
        clock: Option<ClockOrder>,
        /// Whether the two change sides.
        #[serde(default)]
        swap: bool,
    },
    /// Show a game, and tell all that happens in it.
    Open {
        /// Which.
        game: GameId,
    },
    /// No longer.
    Close {
        /// Which.
        game: GameId,
    },
    /// Remove a game for good.
    Delete {
        /// Which.
        game: GameId,
    },
    /// Play a move.
    Play {
        /// In which game.
        game: GameId,
        /// From where.
        node: NodeId,
        /// What.
        r#move: String,
        /// Whether only to look at it, even where the game stands.
        #[serde(default)]
        branch: bool,
    },
    /// Play on from a position.
    Goon {
        /// In which game.
        game: GameId,
        /// From where.
        node: NodeId,
        /// Who plays from now on.
        #[serde(default)]
        players: Option<[SeatOrder; 2]>,
        /// With which times; `null` for none.
        #[serde(default)]
        clock: Option<ClockOrder>,
    },
    /// Go back to the last move of a person.
    Takeback {
        /// In which game.
        game: GameId,
    },
    /// Give up.
    Resign {
        /// In which game.
        game: GameId,
    },
    /// Name a good move.
    Hint {
        /// In which game.
        game: GameId,
        /// Where.
        node: NodeId,
    },
    /// Exchange the players.
    Swap {
        /// In which game.
        game: GameId,
    },
    /// Set the players.
    Players {
        /// In which game.
        game: GameId,
        /// Black and White.
        players: [SeatOrder; 2],
        /// The time of each.
        #[serde(default)]
        clock: Option<ClockOrder>,
    },
    /// Stop clocks and engines, or let them go on.
    Pause {
        /// In which game.
        game: GameId,
        /// Whether to stop.
        on: bool,
    },
    /// Make a variation the main line.
    Promote {
        /// In which game.
        game: GameId,
        /// A position of it.
        node: NodeId,
    },
    /// Remove a variation.
    Prune {
        /// In which game.
        game: GameId,
        /// Its first position.
        node: NodeId,
    },
    /// Go through the main line, and mark what lost something.
    Review {
        /// In which game.
        game: GameId,
        /// The time for each position, in milliseconds.
        ms: u64,
    },
    /// No longer.
    Unreview {
        /// In which game.
        game: GameId,
    },
    /// Add all games of a text.
    Import {
        /// The text, in any form that basho reads.
        text: String,
        /// Where it is from.
        #[serde(default)]
        name: String,
        /// The variant whose start a list of moves means that names none.
        #[serde(default)]
        variant: Option<String>,
    },
    /// Give out a game.
    Export {
        /// Which.
        game: GameId,
        /// The line to this position instead of the main line.
        #[serde(default)]
        node: Option<NodeId>,
        /// In which form.
        r#as: As,
    },
    /// Watch the tournament.
    Watch,
    /// No longer.
    Unwatch,
    /// Show a finished game of the tournament.
    Watched {
        /// Its number.
        game: u64,
    },
    /// Read a position line, without making a game of it.
    Check {
        /// The line.
        position: String,
    },
    /// Analyse a position until told otherwise.
    Analyse {
        /// In which game.
        game: GameId,
        /// Where.
        node: NodeId,
        /// How many of the best lines.
        #[serde(default = "one")]
        lines: usize,
        /// By which engine.
        #[serde(default)]
        engine: usize,
    },
    /// No longer.
    Rest {
        /// In which game.
        game: GameId,
    },
}

const fn one() -> usize {
    1
}

/// Where a new game starts.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartOrder {
    /// As it is set up without another word.
    #[default]
    Usual,
    /// At random.
    Random,
    /// At random, the same for the same seed.
    Seed(u64),
    /// At a position line.
    Position(String),
    /// After the moves of a `position` command.
    Line(String),
}

/// A player as a page asks for one.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SeatOrder {
    /// Somebody at a page.
    Person,
    /// A program.
    Engine {
        /// By its number among those named on the command line.
        engine: usize,
        /// At this named level.
        #[serde(default)]
        level: Option<String>,
        /// With this time for each move, in milliseconds, if there is no clock.
        #[serde(default)]
        movetime: Option<u64>,
    },
}

/// The time of both players.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct ClockOrder {
    /// For the whole game, in milliseconds.
    pub ms: u64,
    /// For each move, in addition.
    #[serde(default)]
    pub inc: u64,
}

/// What the server tells; with the number of the order, if it answers one.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<u64>,
    /// What.
    #[serde(flatten)]
    pub reply: Reply,
}

/// What the server tells.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Reply {
    /// The answer to [`Order::Hello`].
    Welcome(Welcome),
    /// The list of games, or its changes.
    Games {
        /// The last changed first.
        games: Vec<Entry>,
        /// Games that have been removed.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        gone: Vec<GameId>,
        /// Whether these are all games.
        whole: bool,
    },
    /// A whole game.
    Game(Box<GameView>),
    /// A position that is new.
    Node {
        /// In which game.
        game: GameId,
        /// The position.
        node: Box<NodeView>,
    },
    /// Where the game stands now.
    Head {
        /// In which game.
        game: GameId,
        /// How it stands.
        #[serde(flatten)]
        standing: Standing,
    },
    /// Who plays.
    Players {
        /// In which game.
        game: GameId,
        /// Black and White.
        players: [Seat; 2],
        /// How it stands.
        #[serde(flatten)]
        standing: Standing,
    },
    /// A variation is gone.
    Pruned {
        /// In which game.
        game: GameId,
        /// Its first position.
        node: NodeId,
    },
    /// An engine thinks about its move.
    Thinking(ThinkingView),
    /// What an analysis sees.
    Analysis(Box<AnalysisView>),
    /// What an engine thinks of a position.
    Eval {
        /// In which game.
        game: GameId,
        /// Where.
        node: NodeId,
        /// What.
        eval: EvalView,
    },
    /// The answer to [`Order::Hint`].
    Hint {
        /// In which game.
        game: GameId,
        /// Where.
        node: NodeId,
        /// The move.
        r#move: String,
        /// Its name.
        name: String,
    },
    /// Something that the person should know.
    Message {
        /// In which game, if in one.
        game: Option<GameId>,
        /// How bad it is.
        kind: Gravity,
        /// What.
        text: String,
    },
    /// An order with a number is obeyed that has no other answer.
    Done {
        /// The position that was played.
        #[serde(skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
    },
    /// How far a review is.
    Review(Box<ReviewView>),
    /// The answer to [`Order::Import`].
    Imported {
        /// The games, in their order.
        games: Vec<GameId>,
        /// What could not be read.
        errors: Vec<BadLine>,
        /// How many errors more there are.
        untold: usize,
    },
    /// The answer to [`Order::Export`].
    Exported(Export),
    /// The tournament that is watched.
    Tournament(Box<TournamentView>),
    /// The answer to [`Order::Check`].
    Checked(Box<CheckedView>),
    /// An order cannot be obeyed.
    Error {
        /// What is wrong.
        text: String,
    },
}
