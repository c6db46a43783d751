//! Export: complete games, score sheets, records, move lists, position lines and pictures.

use basho::config::limit::{Limit, TimeControl, TimeLimit};
use basho::record::{PlayedMove, Reason};
use basho::records::convert::{ConvertError, Target, print};
use basho::records::transcript::{TranscriptError, to_record};
use basho::sheet::{GameScore, Seat as SheetSeat, Sheet};
use oshi::games::language::Language;
use oshi::games::notation::Form;
use serde::{Deserialize, Serialize};

use crate::complete;
use crate::game::{Game, GameFault, NodeId, RESIGNATION, ROOT, Seat, SeatKind, State, TIME};

/// A form of export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum As {
    /// The whole game, without loss.
    Complete,
    /// A score sheet in words.
    Sheet,
    /// A score sheet in symbols.
    Symbols,
    /// A record of basho's.
    Record,
    /// A `position` command with all moves.
    Moves,
    /// A position line.
    Position,
    /// A picture of a position.
    Svg,
}

/// An exported file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// The type of its content.
    pub mime: &'static str,
    /// Its content.
    pub text: String,
}

/// Why a game cannot be exported in a form.
#[derive(Debug, thiserror::Error)]
pub enum ExportFault {
    /// There is no such position.
    #[error(transparent)]
    Game(#[from] GameFault),
    /// The form cannot hold it.
    #[error(transparent)]
    Form(#[from] ConvertError),
    /// A record cannot hold it.
    #[error(transparent)]
    Record(#[from] TranscriptError),
    /// It cannot be written as JSON.
    #[error("the game cannot be written: {0}")]
    Json(#[from] serde_json::Error),
}

/// Exports a game as it was played, or the line to `node`. The complete form ignores `node`.
///
/// # Errors
/// [`ExportFault`].
pub fn export(
    game: &Game,
    node: Option<NodeId>,
    form: As,
    language: Language,
) -> Result<Export, ExportFault> {
    let end = node.unwrap_or_else(|| end_of(game));
    let board = game.board(end)?;
    let printed = |target| print(&sheet(game, end), 1, target);
    let (extension, mime, text) = match form {
        As::Complete => ("json", "application/json", complete::write(game)?),
        As::Sheet => ("txt", "text/plain", printed(Target::Sheet(Form::Words, language))?),
        As::Symbols => ("txt", "text/plain", printed(Target::Sheet(Form::Symbols, language))?),
        As::Record => ("jsonl", "application/jsonl", record(game, end)?),
        As::Moves => ("txt", "text/plain", printed(Target::Moves)?),
        As::Position => ("txt", "text/plain", board.line()),
        As::Svg => ("svg", "image/svg+xml", board.svg()),
    };
    let name = format!("{}-{}.{extension}", board.variant().name(), game.id);
    Ok(Export { name, mime, text: text.trim_end().to_owned() + "\n" })
}

/// The last node of a game: its head, because later nodes are analysis; the end of the main line
/// if the game is not being played.
fn end_of(game: &Game) -> NodeId {
    match game.state {
        State::Free => game.main_line().last().copied().unwrap_or(ROOT),
        State::Playing | State::Paused | State::Over => game.head,
    }
}

/// The sheet of the line to a position.
fn sheet(game: &Game, end: NodeId) -> Sheet {
    let moves = game.moves_to(end);
    let source = game.source.as_ref().filter(|source| source.moves == moves);
    let by_rules = game.board(end).ok().and_then(|board| board.outcome()).map(GameScore::from);
    // A resignation or a flag ends the game at its head.
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
        date: source.map_or_else(|| game.begun.and_then(date), |source| source.date.clone()),
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

/// The limit of a player's time, as basho writes it; empty without one.
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

/// The local date of a time in milliseconds since 1970.
fn date(ms: u64) -> Option<String> {
    let moment = jiff::Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()?;
    Some(jiff::tz::TimeZone::system().to_datetime(moment).date().to_string())
}

/// The record of the line to a position: the imported one if the moves are the same.
fn record(game: &Game, end: NodeId) -> Result<String, ExportFault> {
    let sheet = sheet(game, end);
    let source = game.source.as_ref().filter(|source| source.moves == sheet.moves);
    if let Some(record) = source.and_then(|source| source.record.clone()) {
        return Ok(record);
    }
    let mut record = to_record(&sheet, 1)?;
    let path = game.path(end);
    for ((played, &before), &after) in record.moves.iter_mut().zip(&path).zip(path.iter().skip(1)) {
        add_figures(played, game, before, after);
    }
    Ok(serde_json::to_string(&record)?)
}

/// Adds the known figures of a move: its time, and the evaluation if it was the best move there.
fn add_figures(played: &mut PlayedMove, game: &Game, before: NodeId, after: NodeId) {
    played.ms = game.node(after).ok().and_then(|node| node.ms).map(|ms| ms as f64);
    let eval = game.evals.get(&before).filter(|eval| eval.line.first() == Some(&played.text));
    if let Some(eval) = eval {
        played.score = Some(oshi::protocol::Score::from(eval.score).to_string());
        played.nodes = eval.nodes;
    }
}
