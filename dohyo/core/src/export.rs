//! Export to complete games, score sheets, records, move lists, position lines and pictures.

use basho::config::limit::{Limit, TimeControl, TimeLimit};
use basho::record::{PlayedMove, Reason};
use basho::records::convert::{ConvertError, Target, print};
use basho::records::transcript::{TranscriptError, to_record};
use basho::sheet::{GameScore, Seat as SheetSeat, Sheet};
use oshi::games::language::Language;
use oshi::games::notation::Form;
use serde::{Deserialize, Serialize};

use crate::complete;
use crate::game::{
    Game, GameError, NodeId, RESIGNATION, ROOT, Seat, SeatKind, Source, State, TIME, Timestamp,
};

/// Format of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The whole game without loss.
    Complete,
    /// Score sheet in words.
    Sheet,
    /// Score sheet in symbols.
    Symbols,
    /// Record of basho.
    Record,
    /// `position` command with all moves.
    Moves,
    /// Position line.
    Position,
    /// Picture of a position.
    Svg,
}

/// An exported file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Export {
    /// File name.
    pub name: String,
    /// MIME type.
    pub mime: &'static str,
    /// Content.
    pub text: String,
}

/// A game that a format cannot hold.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Unknown position.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Game that the text form cannot hold.
    #[error(transparent)]
    Form(#[from] ConvertError),
    /// Game that a record cannot hold.
    #[error(transparent)]
    Record(#[from] TranscriptError),
    /// Value that JSON cannot hold.
    #[error("cannot write the game: {0}")]
    Json(#[from] serde_json::Error),
}

/// Exports a game up to its current position, or the line to `node`. [`Format::Complete`] ignores
/// `node`.
///
/// `date` is the local date of [`Game::begun`] for the score sheet.
///
/// # Errors
/// [`ExportError`].
pub fn export(
    game: &Game,
    node: Option<NodeId>,
    format: Format,
    language: Language,
    date: Option<String>,
    now: Timestamp,
) -> Result<Export, ExportError> {
    let end = node.unwrap_or_else(|| end_of(game));
    let board = game.board(end)?;
    let sheet = sheet(game, end, date);
    let printed = |target| print(&sheet, 1, target);
    let (extension, mime, text) = match format {
        Format::Complete => ("json", "application/json", complete::write(game, now)?),
        Format::Sheet => ("txt", "text/plain", printed(Target::Sheet(Form::Words, language))?),
        Format::Symbols => ("txt", "text/plain", printed(Target::Sheet(Form::Symbols, language))?),
        Format::Record => ("jsonl", "application/jsonl", record(game, &sheet, end)?),
        Format::Moves => ("txt", "text/plain", printed(Target::Moves)?),
        Format::Position => ("txt", "text/plain", board.line()),
        Format::Svg => ("svg", "image/svg+xml", board.svg()),
    };
    let name = format!("{}-{}.{extension}", board.variant().name(), game.id);
    Ok(Export { name, mime, text: text.trim_end().to_owned() + "\n" })
}

/// Returns the last position to export: the end of the main line of a game that is only viewed, or
/// else the current position, because later ones are analysis.
fn end_of(game: &Game) -> NodeId {
    match game.state {
        State::Free => game.main_line().last().copied().unwrap_or(ROOT),
        State::Playing | State::Paused | State::Over => game.head,
    }
}

/// Returns what was imported with a game, if its moves are still the imported ones.
fn source_of<'a>(game: &'a Game, moves: &[String]) -> Option<&'a Source> {
    game.source.as_ref().filter(|source| source.moves == moves)
}

/// Returns the score sheet of the line to a position.
fn sheet(game: &Game, end: NodeId, date: Option<String>) -> Sheet {
    let moves = game.moves_to(end);
    let source = source_of(game, &moves);
    let by_rules = game.board(end).ok().and_then(|board| board.outcome()).map(GameScore::from);
    // A resignation or a loss on time ends the game at its current position.
    let verdict = game
        .verdict
        .as_ref()
        .filter(|_| by_rules.is_none() && (end == game.head || source.is_some()));
    let result = by_rules.or(verdict.map(|verdict| verdict.result)).unwrap_or_default();
    let loser = match result.winner() {
        Some(winner) => (!winner).to_string(),
        None => String::new(),
    };
    let ending = match (source, verdict) {
        (Some(source), _) => source.ending.clone(),
        (None, Some(verdict)) if verdict.reason == TIME => {
            Some(format!("{}: {loser} loses on time", Reason::Timeout))
        }
        (None, Some(verdict)) if verdict.reason == RESIGNATION => {
            Some(format!("{}: {loser} resigns", Reason::Resignation))
        }
        (None, Some(verdict)) => Some(verdict.reason.clone()),
        (None, None) => None,
    };
    let limits = match source {
        Some(source) => source.limits.clone(),
        None => game.seats.each_ref().map(|seat| limit(game, seat)),
    };
    let [black, white] = game.seats.each_ref().map(|seat| seat.name.clone());
    let [black_limit, white_limit] = limits;
    Sheet {
        game: source.and_then(|source| source.game),
        date: source.map_or(date, |source| source.date.clone()),
        seats: [
            SheetSeat { name: black, limit: black_limit },
            SheetSeat { name: white, limit: white_limit },
        ],
        start: game.start().line(),
        moves,
        result,
        ending,
    }
}

/// Returns the time limit of a player in basho's notation. Empty without a limit.
fn limit(game: &Game, seat: &Seat) -> String {
    let milliseconds = std::time::Duration::from_millis;
    let time = match (game.clock, &seat.kind) {
        (Some(clock), _) => {
            let (time, increment) = (milliseconds(clock.ms), milliseconds(clock.inc));
            Some(TimeLimit::Clock(TimeControl { moves: None, time, increment }))
        }
        (None, SeatKind::Engine { movetime, .. }) => {
            movetime.map(|ms| TimeLimit::PerMove(milliseconds(ms)))
        }
        (None, SeatKind::Person) => None,
    };
    Limit { time, ..Limit::default() }.to_string()
}

/// Returns the record of the line to a position: the imported one if the moves are the same.
fn record(game: &Game, sheet: &Sheet, end: NodeId) -> Result<String, ExportError> {
    if let Some(record) = source_of(game, &sheet.moves).and_then(|source| source.record.clone()) {
        return Ok(record);
    }
    let mut record = to_record(sheet, 1)?;
    let path = game.path(end);
    for ((played, &before), &after) in record.moves.iter_mut().zip(&path).zip(path.iter().skip(1)) {
        add_figures(played, game, before, after);
    }
    Ok(serde_json::to_string(&record)?)
}

/// Adds the time of a move, and the evaluation if the move was the best one.
fn add_figures(played: &mut PlayedMove, game: &Game, before: NodeId, after: NodeId) {
    played.ms = game.node(after).ok().and_then(|node| node.ms).map(|ms| ms as f64);
    let eval = game.evals.get(&before).filter(|eval| eval.line.first() == Some(&played.text));
    if let Some(eval) = eval {
        played.score = Some(oshi::protocol::Score::from(eval.score).to_string());
        played.nodes = eval.nodes;
    }
}
