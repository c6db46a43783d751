//! Import of complete games and of every form of text that basho reads.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use basho::record::{GameRecord, Reason};
use basho::records::convert::{Archive, ConvertError, TextForm};
use basho::records::transcript::start_line;
use basho::sheet::{GameScore, Seat as SheetSeat, Sheet};
use oshi::games::Variant;
use oshi::protocol::Score;
use serde::Serialize;

use crate::board;
use crate::cancel::{CancelToken, Cancelled};
use crate::complete;
use crate::game::{
    BY_RULES, Eval, Game, GameError, GameId, NodeId, RESIGNATION, ROOT, Seat, SeatKind, Source,
    State, TIME, Timestamp, Verdict,
};
use crate::search_output::{for_black, read_score};

/// Maximum length of an imported name in characters. Every list of games contains the names.
const MAX_NAME_LENGTH: usize = 200;

/// Maximum number of reported errors of a text. Every line may have one.
const MAX_ERRORS: usize = 1_000;

/// An unreadable game of a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BadLine {
    /// Number of the line, counted from 1.
    pub line: usize,
    /// Description of the error.
    pub text: String,
}

/// Settings of an import.
#[derive(Clone, Debug)]
pub struct ImportOptions<'a> {
    /// Title of the games, usually a file name.
    pub title: &'a str,
    /// Variant of games without a start.
    pub variant: Variant,
    /// Maximum number of games. The import stops after the first game beyond it.
    pub room: usize,
    /// Time of the import.
    pub now: Timestamp,
    /// Cancels the import.
    pub cancel: CancelToken,
}

/// The result of an import.
#[derive(Default)]
pub struct Import {
    /// The games. One more than [`ImportOptions::room`] if the text has too many.
    pub games: Vec<Game>,
    /// The first errors.
    pub errors: Vec<BadLine>,
    /// Number of further errors.
    pub omitted: usize,
}

/// Reads all games of a text. Each game gets an id from `new_id`.
///
/// A record does not name its variant. A game without a start begins at the start of
/// [`ImportOptions::variant`]. If its moves or its end do not fit that variant, the first variant
/// that they fit is used.
///
/// # Errors
/// [`Cancelled`].
pub fn import(
    text: &str,
    options: &ImportOptions<'_>,
    new_id: &mut dyn FnMut() -> GameId,
) -> Result<Import, Cancelled> {
    let text = text.trim_start_matches('\u{feff}');
    let mut state = ImportState::default();
    if complete::is_at_start_of(text) {
        for (number, (line, game)) in complete::read_all(text, new_id).enumerate() {
            options.cancel.check()?;
            state.add(number, line, game, true);
            if state.games.len() > options.room {
                break;
            }
        }
        return Ok(state.finish());
    }
    let others = Variant::ALL.iter().copied().filter(|&other| other != options.variant);
    for variant in std::iter::once(options.variant).chain(others) {
        let archive = Archive::of_text(Path::new(options.title), text.as_bytes(), variant);
        // The entries and their lines do not depend on the variant.
        for (number, (line, sheet)) in archive.entries().enumerate() {
            options.cancel.check()?;
            if !state.fits(number) {
                let read = sheet.map_err(ReadError::from).and_then(|sheet| {
                    let record = archive.record(line);
                    Ok(from_sheet(new_id(), &sheet, record.as_ref(), options.title, options.now)?)
                });
                let fits = read.as_ref().is_ok_and(has_stated_end);
                // In a later pass only a game that fits replaces an earlier result.
                if !state.is_later_pass || fits {
                    state.add(number, line, read, fits);
                }
            }
            if state.games.len() > options.room {
                break;
            }
        }
        // `Archive` itself tries all variants for lists of moves and sheets.
        let is_done = archive.form() != TextForm::Jsonl || state.is_complete();
        if is_done || state.games.len() > options.room {
            break;
        }
        state.is_later_pass = true;
    }
    Ok(state.finish())
}

/// Games and errors so far. Each pass reads the text for another variant.
#[derive(Default)]
struct ImportState {
    /// Games by their index in the text. True if moves and end fit the variant.
    games: BTreeMap<usize, (Game, bool)>,
    /// The first errors, by their index in the text.
    errors: BTreeMap<usize, BadLine>,
    /// Number of all errors.
    error_count: usize,
    is_later_pass: bool,
}

impl ImportState {
    fn fits(&self, number: usize) -> bool {
        self.games.get(&number).is_some_and(|&(_, fits)| fits)
    }

    fn is_complete(&self) -> bool {
        self.error_count == 0 && self.games.values().all(|&(_, fits)| fits)
    }

    fn add(&mut self, number: usize, line: usize, read: Result<Game, impl Display>, fits: bool) {
        match read {
            Ok(game) => {
                let is_first = self.games.insert(number, (game, fits)).is_none();
                if self.is_later_pass && is_first {
                    self.error_count -= 1;
                    self.errors.remove(&number);
                }
            }
            Err(error) => {
                self.error_count += 1;
                if self.errors.len() < MAX_ERRORS {
                    self.errors.insert(number, BadLine { line, text: error.to_string() });
                }
            }
        }
    }

    fn finish(self) -> Import {
        let omitted = self.error_count - self.errors.len();
        let games = self.games.into_values().map(|(game, _)| game).collect();
        Import { games, errors: self.errors.into_values().collect(), omitted }
    }
}

/// An unreadable game.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error(transparent)]
    Text(#[from] ConvertError),
    #[error(transparent)]
    Sheet(#[from] SheetError),
}

/// Returns false for a game that was ended by the rules without a final position.
fn has_stated_end(game: &Game) -> bool {
    let has_ended = || game.board(game.head).is_ok_and(|board| board.outcome().is_some());
    game.verdict.as_ref().is_none_or(|verdict| verdict.reason != BY_RULES || has_ended())
}

/// Reads the start and the moves of the first game of a text.
///
/// # Errors
/// [`ConvertError`] of the first invalid game in the text.
pub fn read_line(text: &str, variant: Variant) -> Result<Sheet, ConvertError> {
    let archive = Archive::of_text(Path::new(""), text.as_bytes(), variant);
    let mut first = None;
    for (_, read) in archive.entries() {
        let sheet = read?;
        first = first.or(Some(sheet));
    }
    Ok(first.unwrap_or_else(|| Sheet::new(start_line(variant))))
}

/// A score sheet that is not a valid game.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    /// Invalid starting position.
    #[error(transparent)]
    Start(#[from] oshi::games::PositionError),
    /// Illegal move, or too many moves.
    #[error(transparent)]
    Moves(#[from] GameError),
}

/// Makes a game from a score sheet, with times and scores from its record, if it has one.
///
/// # Errors
/// [`SheetError`].
pub fn from_sheet(
    id: GameId,
    sheet: &Sheet,
    record: Option<&GameRecord>,
    title: &str,
    now: Timestamp,
) -> Result<Game, SheetError> {
    let seat = |seat: &SheetSeat| Seat { kind: SeatKind::Person, name: shortened(&seat.name) };
    let seats = sheet.seats.each_ref().map(seat);
    let mut game = Game::new(id, board::read(&sheet.start)?, seats, None, now);
    let opening = record.map_or(0, |record| record.opening.moves.len());
    let mut last: NodeId = ROOT;
    for (ply, text) in sheet.moves.iter().enumerate() {
        let played = record.and_then(|record| record.moves.get(ply.checked_sub(opening)?));
        let turn = game.board(last)?.turn();
        if let (Some(played), Some(turn)) = (played, turn)
            && let Some((score, probability)) = played.score.as_deref().and_then(read_score)
        {
            let eval = Eval {
                black: for_black(probability, turn),
                score: score.into(),
                proven: matches!(score, Score::Mate(_)),
                line: vec![text.clone()],
                ms: played.ms.map(|ms| ms as u64),
                nodes: played.nodes,
            };
            game.record_eval(last, eval);
        }
        let ms = played.and_then(|played| played.ms).map(|ms| ms as u64);
        game.restore(last + 1, last, text, ms)?;
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

/// Cuts a name to [`MAX_NAME_LENGTH`].
fn shortened(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME_LENGTH) {
        Some((end, _)) => name.get(..end).unwrap_or_default().to_owned() + "…",
        None => name.to_owned(),
    }
}

/// Returns the reason that a page can translate, or else the ending itself.
fn reason_of(ending: &str) -> &str {
    let reason = ending.split_once(": ").map(|(reason, _)| reason);
    [(Reason::Resignation, RESIGNATION), (Reason::Timeout, TIME)]
        .into_iter()
        .find_map(|(known, word)| (reason == Some(&*known.to_string())).then_some(word))
        .unwrap_or(ending)
}
