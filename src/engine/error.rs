//! Why a line is refused.

use std::io;

use super::input::LineError;
use super::session::UndoError;
use crate::game::{MoveError, PlayError};
use crate::games::PositionError;
use crate::protocol::{OptionError, ParseCommandError};

/// Why a line is not obeyed; it has changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Command(#[from] ParseCommandError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error(transparent)]
    Undo(#[from] UndoError),
    #[error("searchmoves: {0}")]
    SearchMove(#[from] MoveError),
    #[error("the search has failed: {0}")]
    Failed(String),
    #[error("no thread to think on: {0}")]
    Thread(io::Error),
    #[error("cannot log to the file: {0}")]
    Log(io::Error),
    #[error("`{0}` while thinking: expected `stop` first")]
    Searching(&'static str),
    #[error("`{0}` while idle: expected a search under way")]
    Idle(&'static str),
    #[error("`ponderhit` in a search that does not ponder: expected `go ponder` before")]
    NotPondering,
}
