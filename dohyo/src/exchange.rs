//! Import: complete games, and every form of text that basho reads.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use basho::record::{GameRecord, Reason};
use basho::records::convert::{Archive, ConvertError, TextForm};
use basho::sheet::{GameScore, Seat as SheetSeat, Sheet};
use oshi::games::Variant;
use oshi::protocol::Score;
use serde::Serialize;

use crate::board;
use crate::complete;
use crate::driver::{Stop, Stopped, chance_of_score, for_black};
use crate::game::{
    BY_RULES, Eval, Game, GameFault, GameId, NodeId, RESIGNATION, ROOT, Seat, SeatKind, Source,
    State, TIME, Verdict,
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
#[derive(Default)]
pub struct Import {
    /// Its games; one more than `room` if the text has too many.
    pub games: Vec<Game>,
    /// What could not be read, as far as it is told.
    pub errors: Vec<BadLine>,
    /// How many errors more there are.
    pub untold: usize,
}

/// Reads all games of a text in any form, until they exceed `room`. Records do not name their
/// variant: a game without a start begins from that of `variant`. If its moves or its end do not
/// fit there, the first variant that they fit is used.
///
/// # Errors
/// [`Stopped`]: the work was cancelled.
pub fn import(
    text: &str,
    title: &str,
    variant: Variant,
    room: usize,
    stop: &Stop,
) -> Result<Import, Stopped> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reading = Reading::default();
    if complete::is_at_start_of(text) {
        for (number, (line, game)) in complete::read_all(text).enumerate() {
            stop.check()?;
            reading.take(number, line, game.map_err(|error| error.to_string()), true);
            if reading.games.len() > room {
                break;
            }
        }
        return Ok(reading.end());
    }
    let others = Variant::ALL.iter().copied().filter(|&other| other != variant);
    for variant in std::iter::once(variant).chain(others) {
        let archive = Archive::of_text(Path::new(title), text.as_bytes(), variant);
        // All variants give the same entries on the same lines.
        for (number, (line, sheet)) in archive.entries().enumerate() {
            stop.check()?;
            if !reading.is_as_told(number) {
                reading.take_sheet(number, line, sheet, &archive, title);
            }
            if reading.games.len() > room {
                break;
            }
        }
        // Lists of moves and sheets have been tried as games of all variants.
        let is_done = archive.form() != TextForm::Jsonl || reading.is_whole();
        if is_done || reading.games.len() > room {
            break;
        }
        reading.is_again = true;
    }
    Ok(reading.end())
}

/// The games and errors of a text so far. Each pass reads it for another variant. Errors are
/// counted, and only the first ones are kept.
#[derive(Default)]
struct Reading {
    /// By their place in the text; `true` if moves and end fit the variant.
    games: BTreeMap<usize, (Game, bool)>,
    /// The first errors, by their place in the text.
    errors: BTreeMap<usize, BadLine>,
    /// Number of places with an error.
    faults: usize,
    /// Whether this is a later pass, for another variant.
    is_again: bool,
}

impl Reading {
    fn is_as_told(&self, number: usize) -> bool {
        self.games.get(&number).is_some_and(|&(_, is_as_told)| is_as_told)
    }

    /// Whether every place has a game that fits its variant.
    fn is_whole(&self) -> bool {
        self.faults == 0 && self.games.values().all(|&(_, is_as_told)| is_as_told)
    }

    fn take_sheet(
        &mut self,
        number: usize,
        line: usize,
        sheet: Result<Sheet, ConvertError>,
        archive: &Archive,
        title: &str,
    ) {
        let read = sheet
            .map_err(ReadError::from)
            .and_then(|sheet| Ok(game(&sheet, archive.record(line).as_ref(), title)?));
        let as_told = read.as_ref().is_ok_and(is_as_told);
        // A later variant only replaces a result that did not fit.
        if !self.is_again || as_told {
            self.take(number, line, read, as_told);
        }
    }

    /// Adds the result of reading a place of the text.
    fn take(
        &mut self,
        number: usize,
        line: usize,
        read: Result<Game, impl Display>,
        is_as_told: bool,
    ) {
        match read {
            Ok(game) => {
                let is_first = self.games.insert(number, (game, is_as_told)).is_none();
                if self.is_again && is_first {
                    self.faults -= 1;
                    self.errors.remove(&number);
                }
            }
            Err(error) => {
                self.faults += 1;
                if self.errors.len() < MOST_ERRORS {
                    self.errors.insert(number, BadLine { line, text: error.to_string() });
                }
            }
        }
    }

    fn end(self) -> Import {
        let untold = self.faults - self.errors.len();
        let games = self.games.into_values().map(|(game, _)| game).collect();
        Import { games, errors: self.errors.into_values().collect(), untold }
    }
}

/// Why a place of a text is not a game.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    /// It cannot be read.
    #[error(transparent)]
    Text(#[from] ConvertError),
    /// It is not a game of dohyo.
    #[error(transparent)]
    Sheet(#[from] SheetFault),
}

/// Whether a game that ended by the rules has a final position.
fn is_as_told(game: &Game) -> bool {
    let has_ended = || game.board(game.head).is_ok_and(|board| board.outcome().is_some());
    game.verdict.as_ref().is_none_or(|verdict| verdict.reason != BY_RULES || has_ended())
}

/// Reads the only game of a text that has one, without its end: its start, and the moves from there.
///
/// # Errors
/// [`ConvertError`] at the first error; nothing of a game with a fault is kept.
pub fn read_line(text: &str, variant: Variant) -> Result<Sheet, ConvertError> {
    let archive = Archive::of_text(Path::new(""), text.as_bytes(), variant);
    let mut first = None;
    for (_, read) in archive.entries() {
        let sheet = read?;
        first = first.or(Some(sheet));
    }
    Ok(first.unwrap_or_else(|| Sheet::new(board::start(variant.start()).line())))
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
    let mut game = Game::new(
        GameId::unused(),
        board::read(&sheet.start)?,
        sheet.seats.each_ref().map(seat),
        None,
    );
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
                ms: played.ms.map(|ms| ms as u64),
                nodes: played.nodes,
            };
            game.learn(last, eval);
        }
        game.restore(
            last + 1,
            last,
            text,
            played.and_then(|played| played.ms).map(|ms| ms as u64),
        )?;
        last += 1;
    }
    game.title = match sheet.game {
        Some(number) => format!("{} {number}", shortened(title)).trim().to_owned(),
        None => shortened(title),
    };
    game.head = last;
    game.state = if sheet.result == GameScore::Unfinished { State::Free } else { State::Over };
    let reason = || sheet.ending.as_deref().map_or(BY_RULES, reason_of).to_owned();
    game.verdict =
        (game.state == State::Over).then(|| Verdict { result: sheet.result, reason: reason() });
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
