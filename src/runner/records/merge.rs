//! Merges the parts of a tournament that were played in different places.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::audit::{self, AuditError, Problem};
use super::folder::RecordError;
use super::journal::Journal;
use super::manifest::{self, Manifest};
use super::record::Reason;
use crate::runner::play::schedule::Shard;

/// Why parts cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A folder is at fault.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// The games of a folder cannot be read.
    #[error("{0}")]
    Audit(#[from] AuditError),
    /// There is nothing to merge.
    #[error("expected the folder of at least one part")]
    Nothing,
    /// Two folders hold parts of different tournaments.
    #[error("{first} and {other} are of different tournaments; expected the same but for the shard and the paths")]
    Different {
        /// The first folder.
        first: PathBuf,
        /// The one that differs from it.
        other: PathBuf,
    },
    /// A game was played in two folders.
    #[error("game {game} is in {first} and in {other}; expected each game once")]
    Twice {
        /// The number of the game.
        game: u64,
        /// Where it was found first.
        first: PathBuf,
        /// Where it was found again.
        other: PathBuf,
    },
}

/// Makes a folder with the games of all parts, in their order; returns the invalid records, each with its folder. `resume` plays
/// missing games there.
///
/// # Errors
/// [`MergeError`] names the folders at fault.
pub fn merge(parts: &[PathBuf], into: &Path) -> Result<Vec<(PathBuf, Problem)>, MergeError> {
    let (first, others) = parts.split_first().ok_or(MergeError::Nothing)?;
    let manifest = Manifest { shard: Shard::WHOLE, ..manifest::read(first)? };
    for other in others {
        let same = essence(&manifest::read(other)?)? == essence(&manifest)?;
        if !same {
            return Err(MergeError::Different { first: first.clone(), other: other.clone() });
        }
    }
    let mut games: BTreeMap<u64, (&PathBuf, String)> = BTreeMap::new();
    let mut problems = Vec::new();
    for part in parts {
        let mut twice = None;
        let (_, audit) = audit::read(part, |game, line| {
            if game.reason != Reason::Interrupted
                && let Some((first, _)) = games.insert(game.game, (part, line.to_owned()))
            {
                twice = twice.take().or_else(|| Some((game.game, first.clone())));
            }
        })?;
        if let Some((game, first)) = twice {
            return Err(MergeError::Twice { game, first, other: part.clone() });
        }
        problems.extend(audit.problems.into_iter().map(|problem| (part.clone(), problem)));
    }
    manifest::create(into, &manifest)?;
    // An incomplete folder would look like one in which games are missing.
    write(into, games.values().map(|(_, line)| line)).inspect_err(|_| drop(fs::remove_dir_all(into)))?;
    Ok(problems)
}

fn write<'a>(into: &Path, mut lines: impl Iterator<Item = &'a String>) -> Result<(), RecordError> {
    let mut journal = Journal::open(into)?;
    lines.try_for_each(|line| journal.append_line(line))?;
    journal.sync()
}

/// What two parts of one tournament have in common: everything but the shard and the paths.
fn essence(manifest: &Manifest) -> Result<(Manifest, Vec<u8>), RecordError> {
    let mut essence = manifest.clone();
    essence.shard = Shard::WHOLE;
    // The same source gives different files on different machines.
    essence.programs.clear();
    let tournament = &mut essence.tournament;
    tournament.concurrency = std::num::NonZeroUsize::MIN;
    for engine in std::iter::once(&mut tournament.each).chain(&mut tournament.engines) {
        (engine.cmd, engine.dir, engine.stderr) = (None, None, None);
    }
    let openings = match tournament.openings.file.take() {
        Some(path) => std::fs::read(&path).map_err(|source: io::Error| RecordError::Io { path, source })?,
        None => Vec::new(),
    };
    Ok((essence, openings))
}
