//! Follows the records of all shards of a tournament while they are played, and makes the sequential test over all of them.
//!
//! The test counts pairs in the order of the schedule and none past a missing one, as it does where one process plays all games. So both
//! decide the same on the same games, whichever shard is ahead.

use std::fs;
use std::path::{Path, PathBuf};

use super::difference;
use super::folder::{RecordError, STOP};
use super::journal::JournalTail;
use super::load::{InvalidRecord, admit};
use super::manifest::{self, Manifest};
use super::stop;
use super::validate::{ValidationError, Validator, ValidatorError};
use crate::record::GameRecord;
use crate::records::standings::Standings;
use crate::shard::Shard;
use crate::statistics::sprt::Decision;
use oshi::games::Visitor;
use oshi::games::notation::Notation;

/// Why shards cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum TailError {
    /// A folder is at fault.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A folder does not say what is played.
    #[error("{dir}: {source}")]
    Validator {
        /// The folder.
        dir: PathBuf,
        /// Why not.
        source: ValidatorError,
    },
    /// What is there is no folder, and no shard can be played in it.
    #[error("{0}: expected a folder")]
    NoFolder(PathBuf),
    /// There is no test to make.
    #[error("{0}: a tournament without a sequential test; expected one with `sprt`")]
    NoTest(PathBuf),
    /// Two folders are no shards of one division, or are the same one.
    #[error("{first} is shard {}, {other} is shard {}; expected each shard of one division once", shards[0], shards[1])]
    Shards {
        /// A folder.
        first: PathBuf,
        /// Another one.
        other: PathBuf,
        /// The shards of both.
        shards: [Shard; 2],
    },
    /// A shard is in none of the folders.
    #[error(
        "shard {0} is in none of these folders; expected all shards of the tournament, those too whose folders do not exist yet"
    )]
    Missing(Shard),
}

/// The shards of a tournament, as far as they were read.
pub struct ShardTails {
    parts: Vec<(PathBuf, Option<Part>)>,
    /// Of the whole tournament, once a shard has begun.
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

/// Counts a game if its record is valid.
type Admit = Box<dyn Fn(&mut Standings, &GameRecord) -> Result<(), ValidationError> + Send>;

/// One folder, as far as it was read: its standings grow with its file, so that a look at them costs the same at any number of games.
pub struct FolderTail {
    part: Part,
    standings: Standings,
}

impl FolderTail {
    /// The tournament of a folder, before its first game.
    ///
    /// # Errors
    /// [`TailError`]: the folder holds no tournament, or one that cannot be judged.
    pub fn open(dir: &Path) -> Result<FolderTail, TailError> {
        let part = Part::new(dir, manifest::read(dir)?)?;
        let standings = Standings::new(&part.manifest.tournament, part.manifest.shard);
        Ok(FolderTail { part, standings })
    }

    /// Reads the games that were added, and calls `visit` with each valid record. `false` if the file is not the one that was read
    /// before; then the folder must be opened again.
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

    /// The manifest of the tournament.
    pub const fn manifest(&self) -> &Manifest {
        &self.part.manifest
    }

    /// The standings of the games that were read.
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

    /// Reads what was added to the folders since it was read last. If a folder was lost and made again, all is read anew.
    ///
    /// # Errors
    /// [`TailError`] names the folders at fault.
    pub fn read(&mut self) -> Result<(), TailError> {
        if !self.read_on()? {
            let dirs: Vec<PathBuf> = self.parts.drain(..).map(|(dir, _)| dir).collect();
            *self = ShardTails::new(dirs);
            // If another one is lost meanwhile, the next call notices.
            self.read_on()?;
        }
        Ok(())
    }

    /// `false` if a folder is not the one that was read before.
    fn read_on(&mut self) -> Result<bool, TailError> {
        self.meet()?;
        let Some((_, standings)) = &mut self.whole else { return Ok(true) };
        for (dir, part) in &mut self.parts {
            let Some(Part { tail, admit, .. }) = part else { continue };
            let read = tail.read(|line, read| {
                let (game, message) = match read {
                    Err(message) => (None, message),
                    Ok((record, _)) => match admit(standings, &record) {
                        Ok(()) => return,
                        Err(fault) => (Some(record.game), fault.to_string()),
                    },
                };
                self.invalid.push((dir.clone(), InvalidRecord { line, game, message }));
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

    /// Looks for shards that have begun since.
    fn meet(&mut self) -> Result<(), TailError> {
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
        match Shard::missing(self.begun().map(|(_, manifest)| manifest.shard)).first() {
            Some(&shard) if self.waiting().next().is_none() => Err(TailError::Missing(shard)),
            _ => Ok(()),
        }
    }

    /// Whether this can be a further shard of the tournament.
    fn check_new(&self, dir: &Path, manifest: &Manifest) -> Result<(), TailError> {
        if manifest.tournament.sprt.is_none() {
            return Err(TailError::NoTest(dir.to_owned()));
        }
        for (first, of_first) in self.begun() {
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

    fn begun(&self) -> impl Iterator<Item = (&Path, &Manifest)> {
        self.parts.iter().filter_map(|(dir, part)| Some((dir.as_path(), &part.as_ref()?.manifest)))
    }

    /// The folders in which nothing has begun yet.
    pub fn waiting(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().filter(|(_, part)| part.is_none()).map(|(dir, _)| dir.as_path())
    }

    /// Those of them that hold something else: they may have been named by mistake. One with a stop only is in its place.
    pub fn strange(&self) -> impl Iterator<Item = &Path> {
        let holds_something = |dir: &&Path| {
            let names =
                fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name());
            names.into_iter().any(|name| name != STOP)
        };
        self.waiting().filter(holds_something)
    }

    /// What is played, and the standings of all shards; `None` before the first of them has begun.
    pub fn whole(&self) -> Option<&(Manifest, Standings)> {
        self.whole.as_ref()
    }

    /// The records that were left out since it was asked last, each with its folder.
    pub fn take_invalid(&mut self) -> Vec<(PathBuf, InvalidRecord)> {
        std::mem::take(&mut self.invalid)
    }

    /// Tells all folders that no more games are wanted there, if the test has ended.
    ///
    /// # Errors
    /// [`RecordError`], after all other folders were told.
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
