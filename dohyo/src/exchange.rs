//! Games in and out: score sheets, records, move lists and position lines, as basho reads and prints them.

use std::path::Path;

use oshi::games::Variant;
use oshi::games::language::Language;
use oshi::games::notation::Form;
use oshi::protocol::Score;
use oshi::runner::record::{GameRecord, Reason};
use oshi::runner::records::convert::{Archive, Fault, Target, print};
use oshi::sheet::{GameScore, Seat as SheetSeat, Sheet};
use serde::Serialize;

use crate::board;
use crate::driver::{chance_of_score, for_black};
use crate::game::{
    BY_RULES, Eval, Game, GameFault, GameId, NodeId, RESIGNATION, ROOT, Seat, SeatKind, Source, State, TIME, Verdict,
};

/// The most characters of a name; every list of games has it.
const LONGEST_NAME: usize = 200;

/// The most errors of a text that are told: each line may be one, and a page shows a few.
const MOST_ERRORS: usize = 1_000;

/// A game of a text that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BadLine {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

/// What a text holds.
pub struct Import {
    /// Its games.
    pub games: Vec<Game>,
    /// What could not be read, as far as it is told.
    pub errors: Vec<BadLine>,
    /// How many errors more there are.
    pub untold: usize,
}

/// A game of a text, or what is wrong with it, and the line that it begins on, from 1.
type Entry = (usize, Result<Game, String>);

/// Reads all games of a text, in whatever form. A game that names no start begins from that of `variant`, or of another one where it can be
/// played as it is told there alone: records do not name their variant.
pub fn import(text: &str, title: &str, variant: Variant) -> Import {
    let mut entries = read_as(variant, text, title);
    for &other in Variant::ALL.iter().filter(|&&other| other != variant) {
        if entries.iter().all(|(_, read)| is_as_told(read)) {
            break;
        }
        for (entry, again) in entries.iter_mut().zip(read_as(other, text, title)) {
            if !is_as_told(&entry.1) && is_as_told(&again.1) {
                *entry = again;
            }
        }
    }
    let mut import = Import { games: Vec::new(), errors: Vec::new(), untold: 0 };
    for (line, read) in entries {
        match read {
            Ok(game) => import.games.push(game),
            Err(text) if import.errors.len() < MOST_ERRORS => import.errors.push(BadLine { line, text }),
            Err(_) => import.untold += 1,
        }
    }
    import
}

/// The games of a text where those that name no start begin from that of `variant`. Their number and lines are the same for all variants.
fn read_as(variant: Variant, text: &str, title: &str) -> Vec<Entry> {
    let archive = Archive::of_text(Path::new(title), text.as_bytes(), variant);
    let read = |(line, sheet): (usize, Result<Sheet, Fault>)| {
        let game = sheet
            .map_err(|fault| fault.to_string())
            .and_then(|sheet| game(&sheet, archive.record(line).as_ref(), title).map_err(|fault| fault.to_string()));
        (line, game)
    };
    archive.entries().map(read).collect()
}

/// Whether the moves can be played, and end the game if it is told to have ended by the rules.
fn is_as_told(read: &Result<Game, String>) -> bool {
    read.as_ref().is_ok_and(|game| {
        let has_ended = || game.board(game.head).is_ok_and(|board| board.outcome().is_some());
        game.verdict.as_ref().is_none_or(|verdict| verdict.reason != BY_RULES || has_ended())
    })
}

/// Reads the only game of a text that has one, without its end: its start, and the moves from there.
///
/// # Errors
/// What is wrong with it.
pub fn read_line(text: &str, variant: Variant) -> Result<Sheet, Fault> {
    let archive = Archive::of_text(Path::new(""), text.as_bytes(), variant);
    let first = archive.entries().next();
    first.map_or_else(|| Ok(Sheet::new(board::start(variant.start()).line())), |(_, sheet)| sheet)
}

/// Why a sheet is no game.
#[derive(Debug, thiserror::Error)]
pub enum SheetFault {
    /// Its start is no position.
    #[error(transparent)]
    Start(#[from] oshi::games::PositionError),
    /// Its moves are too many, or not legal.
    #[error(transparent)]
    Moves(#[from] GameFault),
}

/// The game of a sheet; with the times and the scores of its record, if it was one.
///
/// # Errors
/// [`SheetFault`].
pub fn game(sheet: &Sheet, record: Option<&GameRecord>, title: &str) -> Result<Game, SheetFault> {
    let seat = |seat: &SheetSeat| Seat { kind: SeatKind::Person, name: shortened(&seat.name) };
    let mut game = Game::new(GameId::unused(), board::read(&sheet.start)?, sheet.seats.each_ref().map(seat), None);
    let opening = record.map_or(0, |record| record.opening.moves.len());
    let mut last: NodeId = ROOT;
    for (ply, text) in sheet.moves.iter().enumerate() {
        let played = record.and_then(|record| record.moves.get(ply.checked_sub(opening)?));
        let turn = game.board(last)?.turn();
        if let (Some(played), Some(turn)) = (played, turn)
            && let Some((score, chance)) = played.score.as_deref().and_then(chance_of_score)
        {
            let eval = Eval {
                black: for_black(chance, turn),
                score: score.into(),
                proven: matches!(score, Score::Mate(_)),
                line: vec![text.clone()],
                ms: played.ms.unwrap_or_default() as u64,
                nodes: played.nodes.unwrap_or(0),
            };
            game.learn(last, eval);
        }
        game.restore(last + 1, last, text, played.and_then(|played| played.ms).map(|ms| ms as u64))?;
        last += 1;
    }
    game.title = match sheet.game {
        Some(number) => format!("{} {number}", shortened(title)).trim().to_owned(),
        None => shortened(title),
    };
    game.head = last;
    game.state = if sheet.result == GameScore::Unfinished { State::Free } else { State::Over };
    let reason = || sheet.ending.as_deref().map_or(BY_RULES, reason_of).to_owned();
    game.verdict = (game.state == State::Over).then(|| Verdict { result: sheet.result, reason: reason() });
    game.source = Some(Source {
        game: sheet.game,
        date: sheet.date.clone(),
        limits: sheet.seats.each_ref().map(|seat| seat.limit.clone()),
        ending: sheet.ending.clone(),
        moves: sheet.moves.clone(),
        record: record.and_then(|record| serde_json::to_string(record).ok()),
    });
    Ok(game)
}

/// A name of a sensible length.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => name.get(..end).unwrap_or_default().to_owned() + "…",
        None => name.to_owned(),
    }
}

/// What the page has a word for, if an ending of a sheet is that; else the ending itself.
fn reason_of(ending: &str) -> &str {
    let reason = ending.split_once(": ").map(|(reason, _)| reason);
    [(Reason::Resignation, RESIGNATION), (Reason::Timeout, TIME)]
        .into_iter()
        .find_map(|(known, word)| (reason == Some(&*known.to_string())).then_some(word))
        .unwrap_or(ending)
}

/// How a game is given out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum As {
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

/// A file for the person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// The type of its content.
    pub mime: &'static str,
    /// Its content.
    pub text: String,
}

/// Why a game cannot be given out like this.
#[derive(Debug, thiserror::Error)]
pub enum ExportFault {
    /// There is no such position.
    #[error(transparent)]
    Game(#[from] GameFault),
    /// The form does not hold it.
    #[error(transparent)]
    Form(#[from] Fault),
}

/// A game as a file: the main line, or the line to `node`.
///
/// # Errors
/// [`ExportFault`].
pub fn export(game: &Game, node: Option<NodeId>, form: As, language: Language) -> Result<Export, ExportFault> {
    let end = node.or_else(|| game.main_line().last().copied()).unwrap_or(ROOT);
    let board = game.board(end)?;
    let (sheet, record) = sheet(game, end);
    let printed = |target| print(&sheet, 1, target);
    let (extension, mime, text) = match form {
        As::Sheet => ("txt", "text/plain", printed(Target::Sheet(Form::Words, language))?),
        As::Symbols => ("txt", "text/plain", printed(Target::Sheet(Form::Symbols, language))?),
        As::Record => {
            let record = record.map_or_else(|| printed(Target::Jsonl), Ok)?;
            ("jsonl", "application/jsonl", record)
        }
        As::Moves => ("txt", "text/plain", printed(Target::Moves)?),
        As::Position => ("txt", "text/plain", board.line()),
        As::Svg => ("svg", "image/svg+xml", board.svg()),
    };
    let name = format!("{}-{}.{extension}", board.variant().name(), game.id);
    Ok(Export { name, mime, text: text.trim_end().to_owned() + "\n" })
}

/// The sheet of the line to a position; and the record that it was read from, if it is the same game.
fn sheet(game: &Game, end: NodeId) -> (Sheet, Option<String>) {
    let moves = game.moves_to(end);
    let source = game.source.as_ref().filter(|source| source.moves == moves);
    let by_rules = game.board(end).ok().and_then(|board| board.outcome()).map(GameScore::from);
    // What ended the game otherwise ended it where it stands.
    let verdict = game.verdict.as_ref().filter(|_| by_rules.is_none() && (end == game.head || source.is_some()));
    let result = by_rules.or(verdict.map(|verdict| verdict.result)).unwrap_or_default();
    let loser = match result.winner() {
        Some(winner) => (!winner).to_string(),
        None => String::new(),
    };
    let ending = match (source, verdict) {
        (Some(source), _) => source.ending.clone(),
        (None, Some(verdict)) if verdict.reason == TIME => Some(format!("{}: {loser} loses on time", Reason::Timeout)),
        (None, Some(verdict)) if verdict.reason == RESIGNATION => Some(format!("{}: {loser} resigns", Reason::Resignation)),
        (None, Some(verdict)) => Some(verdict.reason.clone()),
        (None, None) => None,
    };
    let limits = source.map(|source| source.limits.clone()).unwrap_or_default();
    let [black, white] = game.seats.each_ref().map(|seat| seat.name.clone());
    let [black_limit, white_limit] = limits;
    let sheet = Sheet {
        game: source.and_then(|source| source.game),
        date: source.and_then(|source| source.date.clone()),
        seats: [SheetSeat { name: black, limit: black_limit }, SheetSeat { name: white, limit: white_limit }],
        start: game.start().line(),
        moves,
        result,
        ending,
    };
    (sheet, source.and_then(|source| source.record.clone()))
}
