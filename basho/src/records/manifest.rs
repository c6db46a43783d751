//! The manifest of a folder, `tournament.toml`: the tournament, its shard and its programs.

use std::collections::BTreeMap;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::{self, GAMES, MANIFEST, OPENINGS, RecordError, open};
use crate::config::Tournament;
use crate::shard::Shard;
use oshi::text;

/// Version of the manifest format. A newer version is refused. A manifest without a version has the
/// first one, which divided games into shards differently.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct ManifestFormat(u32);

impl ManifestFormat {
    const FIRST: ManifestFormat = ManifestFormat(1);
    /// The version that this program writes.
    pub const PRESENT: ManifestFormat = ManifestFormat(2);

    const fn first() -> ManifestFormat {
        ManifestFormat::FIRST
    }
}

impl TryFrom<u32> for ManifestFormat {
    type Error = String;

    fn try_from(number: u32) -> Result<ManifestFormat, String> {
        let format = ManifestFormat(number);
        let is_known = (ManifestFormat::FIRST..=ManifestFormat::PRESENT).contains(&format);
        is_known.then_some(format).ok_or_else(|| {
            format!("unknown format {number}; expected {} at most", ManifestFormat::PRESENT.0)
        })
    }
}

impl From<ManifestFormat> for u32 {
    fn from(format: ManifestFormat) -> u32 {
        format.0
    }
}

/// The manifest of a folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// First in the file, so that it is checked before the keys that depend on it.
    #[serde(default = "ManifestFormat::first")]
    pub format: ManifestFormat,
    /// Part of the tournament played here.
    pub shard: Shard,
    /// The resolved tournament.
    pub tournament: Tournament,
    /// SHA-256 of the program that each engine began with, by the engine's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// Options that the user did not set, by the engine's name. The tournament records the engine's
    /// own defaults for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, Vec<String>>,
}

impl Manifest {
    /// A manifest before the engines were started.
    pub fn new(shard: Shard, tournament: Tournament) -> Manifest {
        Manifest {
            format: ManifestFormat::PRESENT,
            shard,
            tournament,
            programs: BTreeMap::new(),
            defaults: BTreeMap::new(),
        }
    }
}

/// Creates the folder of a new tournament, completely or not at all.
///
/// A file of openings is copied into it. The returned manifest names the copy.
///
/// # Errors
/// [`RecordError`] names the file or folder at fault.
pub fn create(dir: &Path, manifest: &Manifest) -> Result<Manifest, RecordError> {
    let exists = || RecordError::Exists(dir.to_owned());
    if !is_free(dir) {
        return Err(exists());
    }
    let parent =
        dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(RecordError::io(parent))?;
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let everybody = Permissions::from_mode(0o777);
    let draft = tempfile::Builder::new()
        .prefix(&format!(".{name}."))
        .permissions(everybody)
        .tempdir_in(parent);
    // Removed when dropped, unless it is renamed to `dir`.
    let draft = draft.map_err(RecordError::io(parent))?;
    let made = fill(draft.path(), dir, manifest)?;
    std::fs::rename(draft.path(), dir).map_err(|source| match source.kind() {
        // Another process has created it in the meantime.
        io::ErrorKind::DirectoryNotEmpty
        | io::ErrorKind::AlreadyExists
        | io::ErrorKind::NotADirectory => exists(),
        _ => RecordError::io(dir)(source),
    })?;
    let _ = draft.keep();
    Ok(made)
}

/// Whether nothing is there but perhaps an empty folder, which a rename replaces.
fn is_free(dir: &Path) -> bool {
    match std::fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => dir.symlink_metadata().is_err(),
    }
}

fn fill(draft: &Path, dir: &Path, manifest: &Manifest) -> Result<Manifest, RecordError> {
    let mut manifest = manifest.clone();
    if let Some(file) = &mut manifest.tournament.openings.file {
        // A folder of its own lets the file keep its name, which reports show.
        let name = file.file_name().unwrap_or_default().to_owned();
        std::fs::create_dir(draft.join(OPENINGS)).map_err(RecordError::io(draft))?;
        std::fs::copy(&*file, draft.join(OPENINGS).join(&name)).map_err(RecordError::io(file))?;
        *file = std::path::absolute(dir.join(OPENINGS).join(name)).map_err(RecordError::io(dir))?;
    }
    let path = draft.join(MANIFEST);
    let text = text_of(&manifest, &path)?;
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

fn text_of(manifest: &Manifest, path: &Path) -> Result<String, RecordError> {
    toml::to_string(manifest).map_err(|error| RecordError::Manifest {
        path: path.to_owned(),
        message: error.to_string(),
    })
}

/// Replaces the manifest of a folder, completely or not at all.
///
/// # Errors
/// [`RecordError`] names the file at fault.
pub fn replace(dir: &Path, manifest: &Manifest) -> Result<(), RecordError> {
    let path = dir.join(MANIFEST);
    let text = text_of(manifest, &path)?;
    let write = || -> io::Result<()> {
        let mut draft = folder::new_file(dir)?;
        draft.write_all(text.as_bytes())?;
        draft.as_file().sync_all()?;
        draft.persist(&path)?;
        Ok(())
    };
    write().map_err(RecordError::io(&path))
}

/// Whether a folder has a manifest.
pub fn exists(dir: &Path) -> bool {
    dir.join(MANIFEST).symlink_metadata().is_ok()
}

/// Reads the manifest of a folder.
///
/// # Errors
/// [`RecordError`] names the file and what is wrong with it.
///
/// ```
/// use basho::config::Tournament;
/// use basho::records::load;
/// use basho::records::manifest::{self, Manifest};
/// use basho::shard::Shard;
///
/// let mut tournament: Tournament =
///     toml::from_str("engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]")?;
/// tournament.resolve()?;
/// let temp = tempfile::tempdir()?;
/// let dir = temp.path().join("run");
/// manifest::create(&dir, &Manifest::new(Shard::WHOLE, tournament))?;
///
/// let (manifest, games) = load::read(&dir, |record, _| println!("game {}", record.game))?;
/// assert_eq!(manifest, manifest::read(&dir)?);
/// assert_eq!(games.standings.planned(), 4);
/// assert!(games.invalid.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(dir: &Path) -> Result<Manifest, RecordError> {
    let path = dir.join(MANIFEST);
    let text = text::read_all(open(dir, &path)?).map_err(RecordError::io(&path))?;
    let mut manifest: Manifest = toml::from_str(&text).map_err(|error| RecordError::Manifest {
        path: path.clone(),
        message: error.to_string().trim_end().to_owned(),
    })?;
    let Manifest { format, shard, .. } = manifest;
    // With a single pairing both formats divide games the same way.
    if format < ManifestFormat::PRESENT
        && !shard.is_whole()
        && manifest.tournament.schedule().pairings().len() > 1
    {
        return Err(RecordError::OldShard { path, shard });
    }
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
        Manifest::new(Shard::WHOLE, toml::from_str(text).unwrap())
    }

    #[test]
    fn refuses_existing_and_impossible_folders() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("deep").join("run");
        let manifest =
            manifest_of("engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]");
        create(&dir, &manifest).unwrap();
        assert_eq!(read(&dir).unwrap(), manifest);
        assert!(matches!(create(&dir, &manifest), Err(RecordError::Exists(_))));
        let file = temp.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(create(&file.join("run"), &manifest), Err(RecordError::Io { .. })));
        assert!(matches!(create(&file, &manifest), Err(RecordError::Exists(_))));
        assert!(matches!(read(temp.path()), Err(RecordError::NoTournament(_))));
    }

    #[test]
    fn creates_tournament_in_empty_folder() {
        let temp = tempfile::tempdir().unwrap();
        let manifest =
            manifest_of("engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]");
        create(temp.path(), &manifest).unwrap();
        assert_eq!(read(temp.path()).unwrap(), manifest);
    }

    #[test]
    fn refuses_differently_divided_shards_of_first_format() {
        let temp = tempfile::tempdir().unwrap();
        let read_one = |shard: &str, engines: usize| {
            let engine = "[[tournament.engine]]\ncmd = 'builtin:random'\n";
            let text = format!("shard = '{shard}'\n[tournament]\n{}", engine.repeat(engines));
            std::fs::write(temp.path().join(MANIFEST), text).unwrap();
            read(temp.path())
        };
        assert!(read_one("1/1", 3).is_ok() && read_one("2/4", 2).is_ok());
        let refused = read_one("2/4", 3).unwrap_err().to_string();
        assert!(refused.contains("tournament.toml") && refused.contains("shard 2/4"), "{refused}");
        std::fs::write(temp.path().join(MANIFEST), "format = 3\nshard = '1/1'\n[tournament]\n")
            .unwrap();
        assert!(
            read(temp.path())
                .unwrap_err()
                .to_string()
                .contains("unknown format 3; expected 2 at most")
        );
    }

    #[test]
    fn copies_openings_into_the_folder() {
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
