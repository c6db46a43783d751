//! The games of a folder as far as they can be believed. Whoever reads records reads them here, so that all count the same: standings,
//! page, merge and resume.
//!
//! A record that does not hold is left out and named; it stays in the file. Half a line at the end, which a kill leaves, is none.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use super::folder::RecordError;
use super::journal;
use super::judge::{Course, Fault, Judge, JudgeError};
use super::manifest::{self, Manifest};
use super::record::GameRecord;
use crate::game::Text;
use crate::games::Visitor;
use crate::runner::statistics::standings::Standings;

/// What the records of a folder say.
#[derive(Debug)]
pub struct Audit {
    /// What the records that hold add up to.
    pub standings: Standings,
    /// Those that do not hold, in the order of the file.
    pub problems: Vec<Problem>,
    /// How many bytes of whole lines there are.
    pub whole: u64,
}

/// A record that is left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The line of the file, from 1.
    pub line: usize,
    /// The number of the game, where it can be read.
    pub game: Option<u64>,
    /// What is wrong.
    pub message: String,
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Problem { line, game, message } = self;
        match game {
            Some(game) => write!(f, "line {line}, game {game}: {message}"),
            None => write!(f, "line {line}: {message}; expected the record of a game"),
        }
    }
}

/// Why the games of a folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The folder does not say what is played.
    #[error("{0}")]
    Judge(#[from] JudgeError),
    /// The folder is at fault.
    #[error("{0}")]
    Record(#[from] RecordError),
}

/// Reads what is played in a folder and its games, without disturbing who plays there. `visit` is called with every record that
/// holds, those of interrupted games too, and with its line.
///
/// # Errors
/// [`AuditError`] where the folder is no tournament or cannot be read.
pub fn read(dir: &Path, visit: impl FnMut(&GameRecord, &str)) -> Result<(Manifest, Audit), AuditError> {
    let manifest = manifest::read(dir)?;
    let audit = games(dir, &manifest, visit)?;
    Ok((manifest, audit))
}

/// Reads the games of a folder in which this is played.
///
/// # Errors
/// [`AuditError`] where the folder cannot be read.
pub fn games(dir: &Path, manifest: &Manifest, visit: impl FnMut(&GameRecord, &str)) -> Result<Audit, AuditError> {
    struct Plain<'a, F>(&'a Path, &'a Manifest, F);

    impl<F: FnMut(&GameRecord, &str)> Visitor for Plain<'_, F> {
        type Output = Result<Audit, AuditError>;

        fn visit<G: Text>(mut self, start: G) -> Self::Output {
            courses(self.0, self.1, start, |record, line, _| (self.2)(record, line))
        }
    }

    manifest.tournament.variant.0.start().visit(Plain(dir, manifest, visit))
}

/// The same for a game that is known, with the course of each game; `start` is the start of the variant.
///
/// # Errors
/// [`AuditError`] where the folder cannot be read.
pub fn courses<G: Text>(
    dir: &Path,
    manifest: &Manifest,
    start: G,
    mut visit: impl FnMut(&GameRecord, &str, &Course<G>),
) -> Result<Audit, AuditError> {
    let judge = Judge::new(manifest, start)?;
    let mut standings = Standings::new(&manifest.tournament, manifest.shard);
    let mut problems = Vec::new();
    let whole = journal::read_lines(dir, |line, read| {
        let (game, message) = match read {
            Err(message) => (None, message),
            Ok((record, text)) => {
                let judged =
                    judge.judge(&record).and_then(|course| if standings.add(&record) { Ok(course) } else { Err(Fault::Twice) });
                match judged {
                    Ok(course) => return visit(&record, text, &course),
                    Err(fault) => (Some(record.game), fault.to_string()),
                }
            }
        };
        problems.push(Problem { line, game, message });
    })?;
    Ok(Audit { standings, problems, whole })
}
