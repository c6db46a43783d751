//! Compares the settings of two tournament folders, and names differences by the keys of the
//! tournament file.

use std::collections::BTreeSet;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::folder::{MANIFEST, RecordError};
use super::manifest::Manifest;
use crate::digest::digest;

/// Checks that a folder holds the requested tournament. Concurrency, output settings and the
/// tolerance of faults may differ.
///
/// # Errors
/// [`RecordError::OtherTournament`] with the differences. [`RecordError::Io`] if a file of openings
/// cannot be read.
pub fn expect_same(dir: &Path, found: &Manifest, requested: &Manifest) -> Result<(), RecordError> {
    match between(found, requested, Relation::Same)? {
        None => Ok(()),
        Some(differences) => Err(RecordError::OtherTournament { dir: dir.to_owned(), differences }),
    }
}

/// Checks that two folders hold parts of one tournament. Shards and paths of programs may differ.
///
/// # Errors
/// [`RecordError::DifferentTournaments`] with the differences. [`RecordError::Io`] if a file of
/// openings cannot be read.
pub fn expect_siblings(
    first: (&Path, &Manifest),
    other: (&Path, &Manifest),
) -> Result<(), RecordError> {
    match between(first.1, other.1, Relation::Sibling)? {
        None => Ok(()),
        Some(differences) => Err(RecordError::DifferentTournaments {
            first: first.0.to_owned(),
            other: other.0.to_owned(),
            differences,
        }),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Same,
    Sibling,
}

/// The differences, in one line; `None` for equal settings.
fn between(
    first: &Manifest,
    other: &Manifest,
    relation: Relation,
) -> Result<Option<String>, RecordError> {
    let [first, other] = [comparable(first, relation)?, comparable(other, relation)?];
    let mut differences = Vec::new();
    compare("", Some(&Value::Table(first)), Some(&Value::Table(other)), &mut differences);
    let more = differences.len().saturating_sub(MAX_NAMED);
    differences.truncate(MAX_NAMED);
    if more > 0 {
        differences.push(format!("{more} more"));
    }
    Ok((!differences.is_empty()).then(|| differences.join(", ")))
}

/// Further differences are only counted.
const MAX_NAMED: usize = 4;

/// The settings that must agree, as a table with the keys of a tournament file.
fn comparable(manifest: &Manifest, relation: Relation) -> Result<Table, RecordError> {
    let mut tournament = manifest.tournament.clone();
    tournament.concurrency = NonZeroUsize::MIN;
    tournament.ratinginterval = NonZeroU64::MIN;
    tournament.live = false;
    if relation == Relation::Sibling {
        for engine in std::iter::once(&mut tournament.each).chain(&mut tournament.engines) {
            (engine.cmd, engine.dir, engine.stderr) = (None, None, None);
        }
    } else {
        if let Some(sprt) = &mut tournament.sprt {
            sprt.0.tolerate_faults = 0;
        }
        for engine in &mut tournament.engines {
            let unasked = engine.name.as_ref().and_then(|name| manifest.defaults.get(name));
            unasked.into_iter().flatten().for_each(|option| drop(engine.option.remove(option)));
        }
    }
    // Each folder has its own copy of the openings, so compare the content.
    if let Some(path) = tournament.openings.file.take() {
        let digest = digest(&path).map_err(RecordError::io(&path))?;
        tournament.openings.file = Some(PathBuf::from(format!("SHA-256 {digest}")));
    }
    let mut comparable = Table::try_from(tournament).map_err(|error| RecordError::Manifest {
        path: PathBuf::from(MANIFEST),
        message: error.to_string(),
    })?;
    if relation == Relation::Same {
        comparable.insert("shard".to_owned(), Value::String(manifest.shard.to_string()));
    }
    Ok(comparable)
}

/// Collects the differences at and below a key.
fn compare(key: &str, first: Option<&Value>, other: Option<&Value>, differences: &mut Vec<String>) {
    match (first, other) {
        _ if first == other => {}
        (Some(Value::Table(first)), Some(Value::Table(other))) => {
            let keys: BTreeSet<&String> = first.keys().chain(other.keys()).collect();
            let name = |below: &str| {
                if key.is_empty() { below.to_owned() } else { format!("{key}.{below}") }
            };
            keys.into_iter().for_each(|below| {
                compare(&name(below), first.get(below), other.get(below), differences)
            });
        }
        (Some(Value::Array(first)), Some(Value::Array(other))) => {
            for index in 0..first.len().max(other.len()) {
                compare(
                    &format!("{key} {}", index + 1),
                    first.get(index),
                    other.get(index),
                    differences,
                );
            }
        }
        _ => differences.push(format!("`{key}` is {}, not {}", shown(first), shown(other))),
    }
}

/// A value as shown in a message.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::Table(_) | Value::Array(_)) => "something".to_owned(),
        Some(Value::String(text)) => format!("`{}`", text.escape_debug()),
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOURNAMENT: &str = "rounds = 3\nseed = 7\n[[engine]]\ncmd = '/a/oshi'\nname = 'dev'\n\
        nodes = 5\n\
        [[engine]]\ncmd = 'builtin:greedy'\nname = 'greedy'\n";

    fn manifest(shard: &str, tournament: &str) -> Manifest {
        Manifest::new(shard.parse().unwrap(), toml::from_str(tournament).unwrap())
    }

    fn differences(shard: &str, edit: [&str; 2], relation: Relation) -> Option<String> {
        let edited = TOURNAMENT.replace(edit[0], edit[1]);
        between(&manifest("1/4", TOURNAMENT), &manifest(shard, &edited), relation).unwrap()
    }

    #[test]
    fn names_differences_by_key() {
        let differs = |edit| differences("1/4", edit, Relation::Same);
        assert_eq!(differs(["", ""]), None);
        assert_eq!(differs(["rounds = 3", "rounds = 4"]).unwrap(), "`rounds` is 3, not 4");
        assert_eq!(
            differs(["nodes = 5", "movetime = 5"]).unwrap(),
            "`engine 1.movetime` is nothing, not 5, `engine 1.nodes` is 5, not nothing"
        );
        assert_eq!(
            differs(["'/a/oshi'", "'/b/oshi'"]).unwrap(),
            "`engine 1.cmd` is `/a/oshi`, not `/b/oshi`"
        );
        assert_eq!(
            differs(["seed = 7", "seed = 7\nsprt = { elo0 = 0, elo1 = 5 }"]).unwrap(),
            "`sprt` is nothing, not something"
        );
        let many = differs([
            "rounds = 3\nseed = 7",
            "variant = 'kamon'\nformat = 'gauntlet'\nstrict = true\n\
             openings = { random_start = true }",
        ]);
        assert!(many.unwrap().ends_with(", 2 more"));
        assert_eq!(
            differences("2/4", ["", ""], Relation::Same).unwrap(),
            "`shard` is `1/4`, not `2/4`"
        );
    }

    #[test]
    fn ignores_concurrency_and_programs_of_siblings() {
        let slower = ["rounds = 3", "rounds = 3\nconcurrency = 9\nlive = true\nratinginterval = 1"];
        assert_eq!(differences("1/4", slower, Relation::Same), None);
        assert_eq!(differences("2/4", ["/a/oshi", "/b/oshi"], Relation::Sibling), None);
        assert_eq!(
            differences("2/4", ["seed = 7", "seed = 8"], Relation::Sibling).unwrap(),
            "`seed` is 7, not 8"
        );
    }

    #[test]
    fn ignores_recorded_engine_defaults() {
        let requested = manifest("1/1", TOURNAMENT);
        let mut found = manifest(
            "1/1",
            &TOURNAMENT.replace("nodes = 5", "nodes = 5\noption = { Hash = 16, Seed = 1 }"),
        );
        found.defaults.insert("dev".to_owned(), vec!["Hash".to_owned()]);
        let differs = between(&found, &requested, Relation::Same).unwrap().unwrap();
        assert_eq!(differs, "`engine 1.option` is something, not nothing");
        let same =
            manifest("1/1", &TOURNAMENT.replace("nodes = 5", "nodes = 5\noption = { Seed = 1 }"));
        assert_eq!(between(&found, &same, Relation::Same).unwrap(), None);
    }

    #[test]
    fn compares_openings_by_content() {
        let temp = tempfile::tempdir().unwrap();
        let with = |name: &str, text: &str| {
            let path = temp.path().join(name);
            std::fs::write(&path, text).unwrap();
            let mut manifest = manifest("1/1", TOURNAMENT);
            manifest.tournament.openings.file = Some(path);
            manifest
        };
        let [one, copy, other] = [
            with("one", "startpos"),
            with("copy", "startpos"),
            with("other", "startpos moves a1a2"),
        ];
        assert_eq!(between(&one, &copy, Relation::Same).unwrap(), None);
        assert!(
            between(&one, &other, Relation::Sibling)
                .unwrap()
                .unwrap()
                .starts_with("`openings.file` is `SHA-256 ")
        );
        std::fs::remove_file(temp.path().join("copy")).unwrap();
        assert!(between(&one, &copy, Relation::Same).unwrap_err().to_string().contains("copy: "));
    }
}
