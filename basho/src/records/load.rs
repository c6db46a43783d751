//! The valid games of a folder. Standings, page, merge and resume all read records here, so that they all count the same.
//!
//! An invalid record is left out and reported; it stays in the file. Half a line at the end, which a kill may leave, is ignored.

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

/// The content of a folder's records.
#[derive(Debug)]
pub struct LoadedGames {
    /// The standings of the valid records.
    pub standings: Standings,
    /// Whether the chances that were said came true, by the numbers of the engines.
    pub calibration: Vec<Calibration>,
    /// The invalid records, in the order of the file.
    pub invalid: Vec<InvalidRecord>,
    /// How many bytes of whole lines there are.
    pub whole: u64,
}

/// An invalid record, which is left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidRecord {
    /// The line of the file, from 1.
    pub line: usize,
    /// The number of the game, if it can be read.
    pub game: Option<u64>,
    /// What is wrong.
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

/// Why the games of a folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The folder does not say what is played.
    #[error("{0}")]
    Validator(#[from] ValidatorError),
    /// The folder is at fault.
    #[error("{0}")]
    Record(#[from] RecordError),
}

/// Reads the tournament of a folder and its games, without disturbing a process that plays there. `visit` is called with every valid
/// record, also of interrupted games, and with its line.
///
/// # Errors
/// [`LoadError`] if the folder is not a tournament or cannot be read.
pub fn read(
    dir: &Path,
    visit: impl FnMut(&GameRecord, &str),
) -> Result<(Manifest, LoadedGames), LoadError> {
    let manifest = manifest::read(dir)?;
    let audit = games(dir, &manifest, visit)?;
    Ok((manifest, audit))
}

/// Reads the games of a folder with this manifest.
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

/// The same for a known type of game, with the course of each game; `start` is the start of the variant.
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
        let (game, message) = match read {
            Err(message) => (None, message),
            Ok((record, text)) => match admit(&validator, &mut standings, &record) {
                Ok(course) => {
                    count_game(&mut calibration, &record, &course);
                    return visit(&record, text, &course);
                }
                Err(fault) => (Some(record.game), fault.to_string()),
            },
        };
        invalid.push(InvalidRecord { line, game, message });
    })?;
    Ok(LoadedGames { standings, calibration, invalid, whole })
}

/// Counts a game if its record is valid; its course.
///
/// # Errors
/// [`ValidationError`] says why it does not count.
pub(super) fn admit<G: Text>(
    validator: &Validator<G>,
    standings: &mut Standings,
    record: &GameRecord,
) -> Result<Course<G>, ValidationError> {
    let course = validator.validate(record)?;
    if standings.add(record) { Ok(course) } else { Err(ValidationError::Duplicate) }
}
