//! Loads the valid games of a folder. Standings, page, merge and resume all use it, so that they
//! count the same games.
//!
//! Invalid records are skipped and reported, but stay in the file. An incomplete last line is
//! ignored.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use super::calibration::count_game;
use super::folder::RecordError;
use super::journal;
use super::manifest::{self, Manifest};
use super::validate::{Course, ValidationError, Validator, ValidatorError};
use crate::record::GameRecord;
use crate::records::standings::Standings;
use crate::statistics::calibration::Calibration;
use oshi::game::Text;
use oshi::games::Visitor;
use oshi::games::notation::Notation;

/// The games of a folder.
#[derive(Debug)]
pub struct LoadedGames {
    /// Standings of the valid records.
    pub standings: Standings,
    /// Calibration of the reported win probabilities, by index of the engine.
    pub calibration: Vec<Calibration>,
    /// Invalid records, in the order of the file.
    pub invalid: Vec<InvalidRecord>,
    /// Number of bytes in complete lines.
    pub whole: u64,
}

/// A record that was skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidRecord {
    /// Line number in the file, from 1.
    pub line: usize,
    /// Number of the game, if readable.
    pub game: Option<u64>,
    /// Error message.
    pub message: String,
}

impl Display for InvalidRecord {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let InvalidRecord { line, game, message } = self;
        match game {
            Some(game) => write!(f, "line {line}, game {game}: {message}"),
            None => write!(f, "line {line}: {message}; expected the record of a game"),
        }
    }
}

/// Why the games of a folder cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The tournament or its openings are invalid.
    #[error("{0}")]
    Validator(#[from] ValidatorError),
    /// A file of the folder cannot be read.
    #[error("{0}")]
    Record(#[from] RecordError),
}

/// Loads the tournament and games of a folder. Another process may play there at the same time.
///
/// `visit` receives each valid record, including those of interrupted games, and its line.
///
/// # Errors
/// [`LoadError`] if the folder holds no tournament or cannot be read.
pub fn read(
    dir: &Path,
    visit: impl FnMut(&GameRecord, &str),
) -> Result<(Manifest, LoadedGames), LoadError> {
    let manifest = manifest::read(dir)?;
    let audit = games(dir, &manifest, visit)?;
    Ok((manifest, audit))
}

/// Loads the games of a folder with this manifest.
///
/// # Errors
/// [`LoadError`] if the folder cannot be read.
pub fn games(
    dir: &Path,
    manifest: &Manifest,
    visit: impl FnMut(&GameRecord, &str),
) -> Result<LoadedGames, LoadError> {
    struct Plain<'a, F>(&'a Path, &'a Manifest, F);

    impl<F: FnMut(&GameRecord, &str)> Visitor for Plain<'_, F> {
        type Output = Result<LoadedGames, LoadError>;

        fn visit<G: Notation>(mut self, start: G) -> Self::Output {
            courses(self.0, self.1, start, |record, line, _| (self.2)(record, line))
        }
    }

    manifest.tournament.variant.0.start().visit(Plain(dir, manifest, visit))
}

/// Loads the games of a folder, and passes the replayed moves of each to `visit`. `start` is the
/// start of the variant.
///
/// # Errors
/// [`LoadError`] if the folder cannot be read.
pub fn courses<G: Notation>(
    dir: &Path,
    manifest: &Manifest,
    start: G,
    mut visit: impl FnMut(&GameRecord, &str, &Course<G>),
) -> Result<LoadedGames, LoadError> {
    let validator = Validator::new(manifest, start)?;
    let mut standings = Standings::new(&manifest.tournament, manifest.shard);
    let mut calibration = vec![Calibration::default(); manifest.tournament.engines.len()];
    let mut invalid = Vec::new();
    let whole = journal::read_lines(dir, |line, read| {
        match admit_line(line, read, |record| admit(&validator, &mut standings, record)) {
            Ok((record, text, course)) => {
                count_game(&mut calibration, &record, &course);
                visit(&record, text, &course);
            }
            Err(fault) => invalid.push(fault),
        }
    })?;
    Ok(LoadedGames { standings, calibration, invalid, whole })
}

/// Admits the record of a line; returns it, its text and the result of `admit`.
///
/// # Errors
/// [`InvalidRecord`] if the line is unreadable or `admit` rejects its record.
pub(super) fn admit_line<T>(
    line: usize,
    read: Result<(GameRecord, &str), String>,
    admit: impl FnOnce(&GameRecord) -> Result<T, ValidationError>,
) -> Result<(GameRecord, &str, T), InvalidRecord> {
    let (record, text) = read.map_err(|message| InvalidRecord { line, game: None, message })?;
    match admit(&record) {
        Ok(admitted) => Ok((record, text, admitted)),
        Err(fault) => {
            Err(InvalidRecord { line, game: Some(record.game), message: fault.to_string() })
        }
    }
}

/// Validates and counts a game; returns its replayed moves.
///
/// # Errors
/// [`ValidationError`] says why the game does not count.
pub(super) fn admit<G: Text>(
    validator: &Validator<G>,
    standings: &mut Standings,
    record: &GameRecord,
) -> Result<Course<G>, ValidationError> {
    let course = validator.validate(record)?;
    if standings.add(record) { Ok(course) } else { Err(ValidationError::Duplicate) }
}
