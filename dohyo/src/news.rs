//! What has happened, the same for everybody and small: a tab makes a message of it in its own language, from the game as it then is.

use std::sync::Arc;

use oshi::game::Player;
use serde::Serialize;

use crate::driver::Sight;
use crate::game::{GameId, NodeId};

/// Something that has happened.
#[derive(Clone, Debug)]
pub struct News {
    /// In which game, if in one: only who looks at it is told.
    pub game: Option<GameId>,
    /// What.
    pub what: What,
}

/// What has happened.
#[derive(Clone, Debug)]
pub enum What {
    /// The whole list of games.
    Games,
    /// These games are new in the list, or their entries have changed.
    Listed(Arc<[GameId]>),
    /// A game is no longer in the list.
    Unlisted(GameId),
    /// A game has changed in many ways.
    Game,
    /// It has another position.
    Node(NodeId),
    /// It stands elsewhere.
    Head,
    /// Others play.
    Players,
    /// A position and all after it are gone.
    Pruned(NodeId),
    /// An engine thinks about its move.
    Thinking(Thinking),
    /// What an analysis sees.
    Analysis(Arc<Analysis>),
    /// An engine has thought about a position.
    Eval(NodeId),
    /// A review has come further, and has values of these positions.
    Review(Vec<NodeId>),
    /// The tournament goes on.
    Tournament,
    /// Something that the person should know.
    Message(Gravity, String),
}

/// What is told of an engine that thinks about its move.
#[derive(Clone, Debug)]
pub struct Thinking {
    /// Where.
    pub node: NodeId,
    /// For whom.
    pub side: Player,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// What it sees.
    pub sight: Arc<Sight>,
}

/// What an analysis sees.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Where.
    pub node: NodeId,
    /// What.
    pub sight: Sight,
}

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gravity {
    /// Good to know.
    Info,
    /// The game goes on.
    Warning,
    /// It does not.
    Error,
}
