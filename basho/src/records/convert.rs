//! Converts games between text formats: records, score sheets, lists of moves, and Boardspace's
//! SGF.
//!
//! An unreadable game is reported with its line. The other games are still read.

#[cfg(unix)]
mod files;

use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::transcript::{self, TranscriptError};
use crate::record::{GameRecord, MAX_LINE_LENGTH};
use crate::sheet::foreign::{self, Foreign};
use crate::sheet::{
    self, BoardspaceError, GameError, ListError, Problem, Sheet, as_text, read_boardspace,
    read_lists, starts_as_sgf, starts_as_sheet,
};
use oshi::games::Variant;
use oshi::games::language::Language;
use oshi::games::notation::Form;
use oshi::protocol::{Command, Start};
use oshi::text::{Extent, Lines, NotText};

/// A text format for games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum TextForm {
    /// Records of a tournament, one JSON object per line.
    Jsonl,
    /// Score sheets, one after the other.
    Sheet,
    /// Lists of moves in free form. Printed as one `position` command per game.
    Moves,
    /// SGF games of Boardspace; read only.
    Boardspace,
}

impl TextForm {
    /// The formats that can be printed.
    pub const PRINTED: &[TextForm] = &[TextForm::Jsonl, TextForm::Sheet, TextForm::Moves];

    /// Detects the format of a file by its name, else by its text.
    fn detect(path: &Path, text: &str) -> TextForm {
        let object = text.trim_start().strip_prefix('{');
        let is_record = object.is_some_and(|members| members.trim_start().starts_with(['"', '}']));
        if path.extension().is_some_and(|extension| extension == "jsonl") || is_record {
            TextForm::Jsonl
        } else if starts_as_sgf(text) {
            TextForm::Boardspace
        } else if starts_as_sheet(text) {
            TextForm::Sheet
        } else {
            TextForm::Moves
        }
    }
}

/// Output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Records.
    Jsonl,
    /// Score sheets.
    Sheet(Form, Language),
    /// `position` commands.
    Moves,
}

/// An unreadable game and its place.
#[derive(Debug)]
pub struct BadGame {
    /// Path of the file.
    pub path: PathBuf,
    /// Line number, from 1.
    pub line: usize,
    /// The error.
    pub fault: ConvertError,
}

impl Display for BadGame {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.fault)
    }
}

/// Why a game cannot be read or printed.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// An incomplete record.
    #[error("the record is cut short: {0}; expected a whole line")]
    CutShort(String),
    /// A line that is not a record.
    #[error("{0}; expected the record of a game")]
    Record(String),
    /// A record that breaks the rules.
    #[error("game {game}: {error}")]
    Game {
        /// Number of the game.
        game: u64,
        /// Violation of the rules.
        error: GameError,
    },
    /// A file that is not text.
    #[error(transparent)]
    NotText(#[from] NotText),
    /// An unreadable sheet, or a line that is not UTF-8.
    #[error(transparent)]
    Sheet(#[from] Problem),
    /// A game that breaks the rules.
    #[error(transparent)]
    Moves(#[from] GameError),
    /// A list of moves that is unreadable, at least in part.
    #[error(transparent)]
    List(#[from] ListError),
    /// A Boardspace game that is unreadable, at least in part.
    #[error(transparent)]
    Boardspace(#[from] BoardspaceError),
    /// A file in another known format.
    #[error(
        "this is {0}; expected records, score sheets, lists of moves or SGF games of Boardspace"
    )]
    Foreign(Foreign),
    /// A game that the output format cannot hold.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
}

impl ConvertError {
    /// Whether the plies before the fault were kept as a game of their own.
    pub const fn keeps_plies(&self) -> bool {
        match self {
            ConvertError::List(ListError::Cut { kept, .. }) => *kept > 0,
            ConvertError::Boardspace(error) => error.kept() > 0,
            _ => false,
        }
    }
}

/// A line of a file.
#[derive(Debug)]
struct Line {
    /// Content without the newline; empty if the line is too long.
    bytes: Vec<u8>,
    extent: Extent,
}

impl Line {
    fn is_blank(&self) -> bool {
        !self.extent.is_too_long && self.bytes.trim_ascii().is_empty()
    }

    fn text(&self) -> Result<&str, Problem> {
        if self.extent.is_too_long {
            Err(Problem::TooLong(MAX_LINE_LENGTH))
        } else {
            as_text(&self.bytes)
        }
    }
}

/// A file of games, held in memory except for lines that are too long.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    lines: Vec<Line>,
    form: TextForm,
    /// Variants to try for a list of moves without a start. `startpos` is the start of the first
    /// one.
    variants: Vec<Variant>,
    foreign: Option<Foreign>,
    /// Why the file has no lines, if it is not text.
    not_text: Option<NotText>,
}

impl Archive {
    /// Games from a text in memory; `name` stands in messages.
    ///
    /// `startpos` is the start of `variant`. A list of moves gets another variant if only that one
    /// can play it.
    pub fn of_text(name: &Path, text: &[u8], variant: Variant) -> Archive {
        let others = Variant::ALL.iter().copied().filter(|&other| other != variant);
        let variants = std::iter::once(variant).chain(others).collect();
        // Reading from memory cannot fail.
        Archive::of_lines(
            name.to_owned(),
            Lines::new(text).and_then(collect).unwrap_or_default(),
            None,
            variants,
        )
    }

    fn of_lines(
        path: PathBuf,
        lines: Vec<Line>,
        from: Option<TextForm>,
        variants: Vec<Variant>,
    ) -> Archive {
        let mut archive =
            Archive { path, lines, form: TextForm::Moves, variants, foreign: None, not_text: None };
        let text = archive.text(BEGINNING);
        archive.form = from.unwrap_or_else(|| TextForm::detect(&archive.path, &text));
        let is_record = from.is_some()
            || archive.path.extension().is_some_and(|extension| extension == "jsonl");
        archive.foreign =
            if is_record { None } else { foreign::by_beginning(&archive.text(usize::MAX)) };
        archive
    }

    /// Format of the text.
    pub const fn form(&self) -> TextForm {
        self.form
    }

    /// Text of the first lines. Lines that are not UTF-8 are read as Latin-1.
    fn text(&self, lines: usize) -> String {
        let decoded =
            self.lines.iter().take(lines).map(|line| match std::str::from_utf8(&line.bytes) {
                Ok(text) => text.to_owned(),
                Err(_) => line.bytes.iter().copied().map(char::from).collect(),
            });
        decoded.collect::<Vec<_>>().join("\n")
    }

    /// Iterates over the games.
    pub fn games(&self) -> impl Iterator<Item = Result<Sheet, BadGame>> {
        self.entries().map(|(line, game)| {
            game.map_err(|fault| BadGame { path: self.path.clone(), line, fault })
        })
    }

    /// Iterates over the games with the number of their first line, from 1. A game read up to a
    /// fault is followed by that fault, with the line of the fault.
    pub fn entries(&self) -> impl Iterator<Item = (usize, Result<Sheet, ConvertError>)> {
        let games: Box<dyn Iterator<Item = (usize, Result<Sheet, ConvertError>)>> =
            match (self.foreign, self.form) {
                (Some(foreign), _) => {
                    Box::new(std::iter::once((1, Err(ConvertError::Foreign(foreign)))))
                }
                (None, TextForm::Jsonl) => {
                    Box::new(self.lines().map(|(number, line)| (number, self.read_record(line))))
                }
                (None, TextForm::Moves) => self.read_moves(),
                (None, TextForm::Sheet) => {
                    Box::new(sheet::parse_lines(self.lines.iter().map(Line::text)).into_iter().map(
                        |(title, sheet)| match sheet {
                            Ok(sheet) => (title, Ok(sheet)),
                            Err(error) => (error.line, Err(error.problem.into())),
                        },
                    ))
                }
                (None, TextForm::Boardspace) => {
                    let games = read_boardspace(&self.text(usize::MAX)).into_iter();
                    Box::new(games.map(|(line, game)| (line, game.map_err(ConvertError::from))))
                }
            };
        let refused = self.not_text.iter().map(|not_text| (1, Err(not_text.clone().into())));
        refused.chain(games)
    }

    /// The record on this line, if the format is [`TextForm::Jsonl`].
    pub fn record(&self, line: usize) -> Option<GameRecord> {
        let text = self
            .lines
            .get(line.checked_sub(1)?)
            .filter(|_| self.form == TextForm::Jsonl)?
            .text()
            .ok()?;
        GameRecord::read(text).ok()
    }

    /// The lines that are not blank, with their numbers.
    fn lines(&self) -> impl Iterator<Item = (usize, &Line)> {
        (1..).zip(&self.lines).filter(|(_, line)| !line.is_blank())
    }

    fn read_record(&self, line: &Line) -> Result<Sheet, ConvertError> {
        let text = line.text()?;
        let is_whole = line.extent.is_ended || serde_json::from_str::<IgnoredAny>(text).is_ok();
        let record = GameRecord::read(text).map_err(|message| {
            if is_whole { ConvertError::Record(message) } else { ConvertError::CutShort(message) }
        })?;
        transcript::to_sheet(&record, self.variants.first().copied().unwrap_or_default())
            .map_err(|error| ConvertError::Game { game: record.game, error })
    }

    /// Reads lists of moves. An unreadable line separates the games around it.
    fn read_moves(&self) -> Box<dyn Iterator<Item = (usize, Result<Sheet, ConvertError>)> + '_> {
        if foreign::is_chess(&self.text(BEGINNING))
            && self.lists().take(BEGINNING).all(|(_, game)| game.is_err())
        {
            return Box::new(std::iter::once((1, Err(ConvertError::Foreign(Foreign::ChessPgn)))));
        }
        Box::new(self.lists())
    }

    fn lists(&self) -> impl Iterator<Item = (usize, Result<Sheet, ConvertError>)> {
        let lines = || (1..).zip(&self.lines).map(|(number, line)| (number, line.text()));
        let texts = lines().filter_map(|(number, text)| Some((number, text.ok()?)));
        let listed = read_lists(texts, &self.variants)
            .map(|listed| (listed.line, listed.game.map_err(ConvertError::from)));
        let bad = lines().filter_map(|(number, text)| Some((number, Err(text.err()?.into()))));
        in_order(listed, bad)
    }
}

/// Merges two iterators that are sorted by line.
fn in_order<T>(
    first: impl Iterator<Item = (usize, T)>,
    second: impl Iterator<Item = (usize, T)>,
) -> impl Iterator<Item = (usize, T)> {
    let (mut first, mut second) = (first.peekable(), second.peekable());
    std::iter::from_fn(move || match (first.peek(), second.peek()) {
        (Some((one, _)), Some((other, _))) if other < one => second.next(),
        (Some(_), _) => first.next(),
        (None, _) => second.next(),
    })
}

/// Number of lines used to detect the format.
const BEGINNING: usize = 100;

/// Reads all lines.
fn collect(mut input: Lines<impl BufRead>) -> io::Result<Vec<Line>> {
    let (mut lines, mut bytes) = (Vec::new(), Vec::new());
    while let Some(extent) = input.read(&mut bytes, MAX_LINE_LENGTH)? {
        lines.push(Line { bytes: bytes.clone(), extent });
    }
    Ok(lines)
}

/// Text of a game, without a final newline. `number` is its number in the file, from 1.
///
/// # Errors
/// [`ConvertError`] if the output format cannot hold the game.
pub fn print(sheet: &Sheet, number: u64, target: Target) -> Result<String, ConvertError> {
    Ok(match target {
        Target::Sheet(form, language) => sheet.print(form, language)?.trim_end().to_owned(),
        Target::Moves => {
            // A start with line breaks is read and written as one line.
            let words: Vec<&str> = sheet.start.split_whitespace().collect();
            Command::Position { start: Start::Fen(words.join(" ")), moves: sheet.moves.clone() }
                .to_string()
        }
        Target::Jsonl => {
            let record = transcript::to_record(sheet, number)?;
            serde_json::to_string(&record)
                .map_err(|error| ConvertError::Record(error.to_string()))?
        }
    })
}
