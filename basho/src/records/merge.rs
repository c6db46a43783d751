//! Merges the shards of a tournament.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::difference;
use super::folder::RecordError;
use super::journal::Journal;
use super::load::{self, InvalidRecord, LoadError};
use super::manifest::{self, Manifest};
use super::stop;
use crate::record::Reason;
use crate::shard::Shard;

/// Why shards cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A file of a folder cannot be read or written.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// The games of a folder cannot be loaded.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// No folder holds a tournament.
    #[error("expected the folder of at least one part")]
    Nothing,
    /// Two folders hold a record of the same game.
    #[error("game {game} is in {first} and in {other}; expected each game once")]
    Twice {
        /// Number of the game.
        game: u64,
        /// The first folder with the game.
        first: PathBuf,
        /// Another folder with the game.
        other: PathBuf,
    },
}

/// Result of a merge: the parts left out or inconsistent.
#[derive(Debug)]
pub struct Merged {
    /// Invalid records, each with its folder.
    pub invalid: Vec<(PathBuf, InvalidRecord)>,
    /// Shards that no folder holds.
    pub missing: Vec<Shard>,
    /// Folders with other engine programs than the first.
    pub other_programs: Vec<PathBuf>,
}

/// Creates a folder with the games of all shards, in order. `resume` can play missing games there.
///
/// A folder that was stopped before its first game has no manifest and adds nothing.
///
/// # Errors
/// [`MergeError`] names the folders at fault.
pub fn merge(parts: &[PathBuf], into: &Path) -> Result<Merged, MergeError> {
    let mut manifests: Vec<(&PathBuf, Manifest)> = Vec::new();
    for part in parts {
        match manifest::read(part) {
            Ok(manifest) => manifests.push((part, manifest)),
            Err(RecordError::NoTournament(_)) if stop::read(part).is_some() => {}
            Err(error) => return Err(error.into()),
        }
    }
    let ((first, manifest), others) = manifests.split_first().ok_or(MergeError::Nothing)?;
    for (other, of_other) in others {
        difference::expect_siblings((first, manifest), (other, of_other))?;
    }
    let is_other = |(_, of_other): &&(&PathBuf, Manifest)| of_other.programs != manifest.programs;
    let other_programs =
        others.iter().filter(is_other).map(|(other, _)| (*other).clone()).collect();
    let missing = Shard::missing(manifests.iter().map(|(_, manifest)| manifest.shard));
    let manifest = Manifest { shard: Shard::WHOLE, ..manifest.clone() };
    let mut games: BTreeMap<u64, (&PathBuf, String)> = BTreeMap::new();
    let mut invalid = Vec::new();
    for (part, _) in &manifests {
        let mut twice = None;
        let (_, loaded) = load::read(part, |game, line| {
            if game.reason != Reason::Interrupted
                && let Some((first, _)) = games.insert(game.game, (part, line.to_owned()))
            {
                twice = twice.take().or_else(|| Some((game.game, first.clone())));
            }
        })?;
        if let Some((game, first)) = twice {
            return Err(MergeError::Twice { game, first, other: part.to_path_buf() });
        }
        invalid.extend(loaded.invalid.into_iter().map(|record| (part.to_path_buf(), record)));
    }
    manifest::create(into, &manifest)?;
    // An incomplete folder would look like one with missing games.
    write(into, games.values().map(|(_, line)| line))
        .inspect_err(|_| drop(fs::remove_dir_all(into)))?;
    Ok(Merged { invalid, missing, other_programs })
}

fn write<'a>(into: &Path, mut lines: impl Iterator<Item = &'a String>) -> Result<(), RecordError> {
    let mut journal = Journal::open(into)?;
    lines.try_for_each(|line| journal.append_line(line))?;
    journal.sync()
}
