//! Reads the records of all shards while they are played, and computes the sequential test over all
//! of them.
//!
//! The test counts pairs in the order of the schedule and stops at the first missing one, as in a
//! tournament played by one process. So both reach the same decision from the same games.

use std::fs;
use std::path::{Path, PathBuf};

use super::difference;
use super::folder::{RecordError, STOP};
use super::journal::JournalTail;
use super::load::{InvalidRecord, admit, admit_line};
use super::manifest::{self, Manifest};
use super::stop;
use super::validate::{ValidationError, Validator, ValidatorError};
use crate::record::GameRecord;
use crate::records::standings::Standings;
use crate::shard::Shard;
use crate::statistics::sprt::Decision;
use oshi::games::Visitor;
use oshi::games::notation::Notation;

/// Why shards cannot be read together.
#[derive(Debug, thiserror::Error)]
pub enum TailError {
    /// A file of a folder cannot be read.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A tournament or its openings are invalid.
    #[error("{dir}: {source}")]
    Validator {
        /// Path of the folder.
        dir: PathBuf,
        /// The error.
        source: ValidatorError,
    },
    /// The path is not a folder, so no shard can be played there.
    #[error("{0}: expected a folder")]
    NoFolder(PathBuf),
    /// The tournament has no sequential test.
    #[error("{0}: a tournament without a sequential test; expected one with `sprt`")]
    NoTest(PathBuf),
    /// Two folders hold the same shard, or shards of different divisions.
    #[error(
        "{first} is shard {}, {other} is shard {}; expected each shard of one division once",
        shards[0],
        shards[1]
    )]
    Shards {
        /// A folder.
        first: PathBuf,
        /// Another folder.
        other: PathBuf,
        /// Shards in the two folders.
        shards: [Shard; 2],
    },
    /// No folder holds this shard.
    #[error(
        "shard {0} is in none of these folders; expected the folders of all shards, \
         including those that do not exist yet"
    )]
    Missing(Shard),
}

/// The shards of a tournament, read incrementally.
pub struct ShardTails {
    parts: Vec<(PathBuf, Option<Part>)>,
    /// Manifest and standings of the whole tournament, once a shard has begun.
    whole: Option<(Manifest, Standings)>,
    invalid: Vec<(PathBuf, InvalidRecord)>,
}

/// A shard that has begun.
struct Part {
    manifest: Manifest,
    tail: JournalTail,
    admit: Admit,
}

impl Part {
    fn new(dir: &Path, manifest: Manifest) -> Result<Part, TailError> {
        let admit = manifest.tournament.variant.0.start().visit(Admission(&manifest));
        let admit = admit.map_err(|source| TailError::Validator { dir: dir.to_owned(), source })?;
        Ok(Part { manifest, tail: JournalTail::new(dir), admit })
    }
}

/// Validates and counts a game.
type Admit = Box<dyn Fn(&mut Standings, &GameRecord) -> Result<(), ValidationError> + Send>;

/// One folder, read incrementally: each look at its standings costs only the games added since.
pub struct FolderTail {
    part: Part,
    standings: Standings,
}

impl FolderTail {
    /// Opens the tournament of a folder, before its first game.
    ///
    /// # Errors
    /// [`TailError`] if the folder holds no valid tournament.
    pub fn open(dir: &Path) -> Result<FolderTail, TailError> {
        let part = Part::new(dir, manifest::read(dir)?)?;
        let standings = Standings::new(&part.manifest.tournament, part.manifest.shard);
        Ok(FolderTail { part, standings })
    }

    /// Reads the games added since the last call, and calls `visit` with each valid record.
    ///
    /// Returns false if the file was replaced; then open the folder again.
    ///
    /// # Errors
    /// [`RecordError`] if the file cannot be read.
    pub fn read(&mut self, mut visit: impl FnMut(&GameRecord)) -> Result<bool, RecordError> {
        let FolderTail { part: Part { tail, admit, .. }, standings } = self;
        tail.read(|_, read| {
            if let Ok((record, _)) = read
                && admit(standings, &record).is_ok()
            {
                visit(&record);
            }
        })
    }

    /// Manifest of the folder.
    pub const fn manifest(&self) -> &Manifest {
        &self.part.manifest
    }

    /// Standings of the games read so far.
    pub const fn standings(&self) -> &Standings {
        &self.standings
    }
}

impl ShardTails {
    /// The shards in these folders, which need not exist yet.
    pub fn new(dirs: impl IntoIterator<Item = PathBuf>) -> ShardTails {
        ShardTails {
            parts: dirs.into_iter().map(|dir| (dir, None)).collect(),
            whole: None,
            invalid: Vec::new(),
        }
    }

    /// Reads what was added to the folders since the last call. If a folder was replaced, reads
    /// everything again.
    ///
    /// # Errors
    /// [`TailError`] names the folders at fault.
    pub fn read(&mut self) -> Result<(), TailError> {
        if !self.read_on()? {
            let dirs: Vec<PathBuf> = self.parts.drain(..).map(|(dir, _)| dir).collect();
            *self = ShardTails::new(dirs);
            // If another folder is replaced in the meantime, the next call notices.
            self.read_on()?;
        }
        Ok(())
    }

    /// Returns false if a folder was replaced.
    fn read_on(&mut self) -> Result<bool, TailError> {
        self.open_new_shards()?;
        let Some((_, standings)) = &mut self.whole else { return Ok(true) };
        for (dir, part) in &mut self.parts {
            let Some(Part { tail, admit, .. }) = part else { continue };
            let read = tail.read(|line, read| {
                if let Err(fault) = admit_line(line, read, |record| admit(standings, record)) {
                    self.invalid.push((dir.clone(), fault));
                }
            });
            match read {
                Ok(true) => {}
                Ok(false) | Err(RecordError::NoTournament(_) | RecordError::NoGames(_)) => {
                    return Ok(false);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Looks for shards that have begun.
    fn open_new_shards(&mut self) -> Result<(), TailError> {
        for index in 0..self.parts.len() {
            let Some((dir, None)) = self.parts.get(index) else { continue };
            let manifest = match manifest::read(dir) {
                Ok(manifest) => manifest,
                Err(RecordError::NoTournament(_)) if dir.is_dir() || !dir.exists() => continue,
                Err(RecordError::NoTournament(_)) => {
                    return Err(TailError::NoFolder(dir.clone()));
                }
                Err(error) => return Err(error.into()),
            };
            self.check_new(dir, &manifest)?;
            let part = Part::new(dir, manifest)?;
            let standings = || Standings::new(&part.manifest.tournament, Shard::WHOLE);
            self.whole.get_or_insert_with(|| (part.manifest.clone(), standings()));
            if let Some((_, place)) = self.parts.get_mut(index) {
                *place = Some(part);
            }
        }
        match Shard::missing(self.started().map(|(_, manifest)| manifest.shard)).first() {
            Some(&shard) if self.waiting().next().is_none() => Err(TailError::Missing(shard)),
            _ => Ok(()),
        }
    }

    /// Checks that a folder can hold another shard of the tournament.
    fn check_new(&self, dir: &Path, manifest: &Manifest) -> Result<(), TailError> {
        if manifest.tournament.sprt.is_none() {
            return Err(TailError::NoTest(dir.to_owned()));
        }
        for (first, of_first) in self.started() {
            difference::expect_siblings((first, of_first), (dir, manifest))?;
            let shards = [of_first.shard, manifest.shard];
            if shards[0] == shards[1] || !shards[0].is_sibling_of(shards[1]) {
                return Err(TailError::Shards {
                    first: first.to_owned(),
                    other: dir.to_owned(),
                    shards,
                });
            }
        }
        Ok(())
    }

    fn started(&self) -> impl Iterator<Item = (&Path, &Manifest)> {
        self.parts.iter().filter_map(|(dir, part)| Some((dir.as_path(), &part.as_ref()?.manifest)))
    }

    /// Folders in which no shard has begun.
    pub fn waiting(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().filter(|(_, part)| part.is_none()).map(|(dir, _)| dir.as_path())
    }

    /// Waiting folders that hold other files than a stop file, and may have been named by mistake.
    pub fn holding_other_files(&self) -> impl Iterator<Item = &Path> {
        let holds_something = |dir: &&Path| {
            let names =
                fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name());
            names.into_iter().any(|name| name != STOP)
        };
        self.waiting().filter(holds_something)
    }

    /// Manifest and standings of the whole tournament; `None` before the first shard has begun.
    pub fn whole(&self) -> Option<&(Manifest, Standings)> {
        self.whole.as_ref()
    }

    /// Takes the invalid records found since the last call, each with its folder.
    pub fn take_invalid(&mut self) -> Vec<(PathBuf, InvalidRecord)> {
        std::mem::take(&mut self.invalid)
    }

    /// Writes a stop file into all folders if the test has ended.
    ///
    /// # Errors
    /// The first [`RecordError`], after trying all folders.
    pub fn stop_if_decided(&self, reason: &str) -> Result<(), RecordError> {
        let has_ended =
            |(_, standings): &(Manifest, Standings)| standings.decision() != Decision::Continue;
        if !self.whole().is_some_and(has_ended) {
            return Ok(());
        }
        self.parts.iter().map(|(dir, _)| stop::write(dir, reason)).fold(Ok(()), Result::and)
    }
}

/// Makes the validator of a shard's records.
struct Admission<'a>(&'a Manifest);

impl Visitor for Admission<'_> {
    type Output = Result<Admit, ValidatorError>;

    fn visit<G: Notation>(self, start: G) -> Self::Output {
        let validator = Validator::new(self.0, start)?;
        Ok(Box::new(move |standings, record| admit(&validator, standings, record).map(drop)))
    }
}
