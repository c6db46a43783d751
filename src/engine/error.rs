//! Errors of commands.

use std::io;

use super::input::LineError;
use crate::game::{MoveError, PlayError};
use crate::games::PositionError;
use crate::protocol::{OptionError, ParseCommandError};

/// Reason why a line was not executed. The line has changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Parse(#[from] ParseCommandError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error("too many plies to undo: {asked}, expected at most {played}")]
    Undo { asked: usize, played: usize },
    #[error("searchmoves: {0}")]
    SearchMove(#[from] MoveError),
    #[error("search failed: {0}")]
    Failed(String),
    #[error("cannot start the search thread: {0}")]
    Start(io::Error),
    #[error("cannot open the log file: {0}")]
    Log(io::Error),
    #[error("`{0}` during a search: expected `stop` first")]
    Searching(&'static str),
    #[error("`{0}` while idle: expected a running search")]
    Idle(&'static str),
    #[error("`ponderhit` in a search that does not ponder: expected `go ponder` first")]
    NotPondering,
}
