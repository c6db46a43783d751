//! What is played in a folder: its `tournament.toml`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::{GAMES, MANIFEST, OPENINGS, RecordError, open};
use crate::runner::config::Tournament;
use crate::runner::play::schedule::Shard;

/// What is played in a folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The part of the tournament.
    pub shard: Shard,
    /// The tournament, resolved.
    pub tournament: Tournament,
    /// The SHA-256 of each engine's program, by the name of the engine: of the files that it began with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
}

/// Makes the folder of a new tournament, completely or not at all. A file of openings is copied into it, so that the folder is
/// self-contained; the returned manifest names the copy.
///
/// # Errors
/// [`RecordError`] names the file or folder at fault.
pub fn create(dir: &Path, manifest: &Manifest) -> Result<Manifest, RecordError> {
    let exists = || RecordError::Exists(dir.to_owned());
    if dir.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(RecordError::io(parent))?;
    let draft = parent.join(format!(".{}.{}", dir.file_name().unwrap_or_default().to_string_lossy(), std::process::id()));
    // An existing one is left from a killed process with the same id.
    let _ = std::fs::remove_dir_all(&draft);
    std::fs::create_dir(&draft).map_err(RecordError::io(&draft))?;
    let made = fill(&draft, dir, manifest).and_then(|manifest| {
        std::fs::rename(&draft, dir).map(|()| manifest).map_err(|source| match source.kind() {
            // Another process has made it meanwhile.
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => exists(),
            _ => RecordError::io(dir)(source),
        })
    });
    if made.is_err() {
        // The draft is useless; a failure to remove it is not worth a second message.
        let _ = std::fs::remove_dir_all(&draft);
    }
    made
}

fn fill(draft: &Path, dir: &Path, manifest: &Manifest) -> Result<Manifest, RecordError> {
    let mut manifest = manifest.clone();
    if let Some(file) = &mut manifest.tournament.openings.file {
        // In its own folder, so that it can keep its name, which reports show.
        let name = file.file_name().unwrap_or_default().to_owned();
        std::fs::create_dir(draft.join(OPENINGS)).map_err(RecordError::io(draft))?;
        std::fs::copy(&*file, draft.join(OPENINGS).join(&name)).map_err(RecordError::io(file))?;
        *file = std::path::absolute(dir.join(OPENINGS).join(name)).map_err(RecordError::io(dir))?;
    }
    let path = draft.join(MANIFEST);
    let text =
        toml::to_string(&manifest).map_err(|error| RecordError::Manifest { path: path.clone(), message: error.to_string() })?;
    let write = |path: &Path, text: &str| {
        let mut file = File::create(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write(&path, &text).map_err(RecordError::io(&path))?;
    let games = draft.join(GAMES);
    write(&games, "").map_err(RecordError::io(&games))?;
    Ok(manifest)
}

/// Reads the manifest of a folder.
///
/// # Errors
/// [`RecordError`] names the file and what is wrong with it.
pub fn read(dir: &Path) -> Result<Manifest, RecordError> {
    let path = dir.join(MANIFEST);
    let text = io::read_to_string(open(dir, &path)?).map_err(RecordError::io(&path))?;
    let mut manifest: Manifest = toml::from_str(&text)
        .map_err(|error| RecordError::Manifest { path, message: error.to_string().trim_end().to_owned() })?;
    if let Some(file) = &mut manifest.tournament.openings.file {
        // The folder may have been moved.
        *file = dir.join(OPENINGS).join(file.file_name().unwrap_or_default());
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest_of(text: &str) -> Manifest {
        Manifest { shard: Shard::WHOLE, tournament: toml::from_str(text).unwrap(), programs: BTreeMap::new() }
    }

    #[test]
    fn a_folder_that_exists_or_cannot_be_made_is_refused_and_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("deep").join("run");
        let manifest = manifest_of("engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]");
        create(&dir, &manifest).unwrap();
        assert_eq!(read(&dir).unwrap(), manifest);
        assert!(matches!(create(&dir, &manifest), Err(RecordError::Exists(_))));
        let file = temp.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(create(&file.join("run"), &manifest), Err(RecordError::Io { .. })));
        assert!(matches!(read(temp.path()), Err(RecordError::NoTournament(_))));
    }

    #[test]
    fn openings_are_kept_with_the_games() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("mine.txt");
        std::fs::write(&file, "startpos\n").unwrap();
        let dir = temp.path().join("run");
        let mut asked = manifest_of("");
        asked.tournament.openings.file = Some(file.clone());
        let kept = create(&dir, &asked).unwrap().tournament.openings.file.unwrap();
        std::fs::remove_file(file).unwrap();
        assert_eq!(std::fs::read_to_string(kept).unwrap(), "startpos\n");
        let moved = temp.path().join("moved");
        std::fs::rename(&dir, &moved).unwrap();
        let found = read(&moved).unwrap().tournament.openings.file.unwrap();
        assert_eq!(found.file_name().unwrap(), "mine.txt");
        assert_eq!(std::fs::read_to_string(found).unwrap(), "startpos\n");
    }
}
