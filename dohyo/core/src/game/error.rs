//! Errors of actions on a game.

use oshi::game::MoveError;

use super::{MAX_NODES, NodeId};

/// An invalid action on a game.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// Unknown position.
    #[error("no position {0} in this game; expected the id of one of its nodes")]
    Node(NodeId),
    /// Node id that is in use or too large.
    #[error("invalid node id {0}: expected an unused one below {max}", max = NodeId::MAX)]
    Taken(NodeId),
    /// Illegal move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// No room for another position.
    #[error("the game is full: it has {MAX_NODES} positions; remove variations first")]
    Full,
    /// Removal of the starting position.
    #[error("the start cannot be removed; expected a later position")]
    Start,
    /// No choice of a person before the current position.
    #[error("no move to take back")]
    Nothing,
    /// A finished position.
    #[error("the game is over in this position; expected one with legal moves")]
    Over,
    /// The game is over or only viewed.
    #[error("the game is not in progress")]
    NotPlaying,
    /// Two engines play.
    #[error("cannot resign: no human player in this game")]
    NoPerson,
}
