//! Links between the documents of the repository, and of a packed release.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::{fs, iter};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Folders without documents of ours. The one in `.ci` is written for the archives.
const SKIPPED: [&str; 5] = ["target", "node_modules", ".git", ".ci", "runs"];

/// Returns the paths of all documents below a folder, relative to the root.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            if !SKIPPED.iter().any(|&skipped| path.ends_with(skipped)) {
                found.extend(documents(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

/// Returns the lines of a document outside fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fence && !is_fenced
    })
}

/// Removes code spans from a line.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// Returns the targets of all links and images of a document.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        let line = without_code(line);
        for (opening, closing) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"')] {
            for rest in line.split(opening).skip(1) {
                found.extend(rest.split_once(closing).map(|(target, _)| target.to_owned()));
            }
        }
    }
    found
}

/// Returns the anchors of a document's headings, as GitHub forms them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for heading in prose(text).filter(|line| line.starts_with('#')) {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let slug: String = title
            .chars()
            .filter(|&char| char.is_alphanumeric() || "-_ ".contains(char))
            .map(|char| if char == ' ' { '-' } else { char })
            .collect();
        let numbered = (1..).map(|number| format!("{slug}-{number}"));
        let free = iter::once(slug.clone()).chain(numbered).find(|slug| !found.contains(slug));
        found.extend(free);
    }
    found
}

/// Resolves `.` and `..` in a path.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => assert!(normal.pop(), "{} leaves the root", path.display()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// Returns the dead links of some documents; a target must satisfy `exists`.
fn dead_links(documents: &[PathBuf], exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let mut dead = Vec::new();
    for document in documents {
        let text = fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => document.clone(),
                _ => normal(&document.parent().unwrap().join(file)),
            };
            let is_alive = exists(&target)
                && (anchor.is_empty()
                    || anchors(&fs::read_to_string(Path::new(ROOT).join(&target)).unwrap())
                        .contains(anchor));
            if !is_alive {
                dead.push(format!("{}: {link}", document.display()));
            }
        }
    }
    dead
}

#[test]
fn links_between_documents_are_alive() {
    let documents = documents(Path::new(""));
    assert!(documents.len() > 10, "{documents:?}");
    let dead = dead_links(&documents, |path| Path::new(ROOT).join(path).exists());
    assert_eq!(dead, Vec::<String>::new());
}

#[test]
fn links_of_packed_documents_lead_to_packed_files() {
    let script = fs::read_to_string(Path::new(ROOT).join(".ci/package")).unwrap();
    let list = script.lines().find_map(|line| line.strip_prefix("documents=(")).unwrap();
    let packed: Vec<&Path> = list.trim_end_matches(')').split(' ').map(Path::new).collect();
    let is_packed = |path: &Path| packed.iter().any(|&packed| path.starts_with(packed));
    let documents: Vec<PathBuf> =
        documents(Path::new("")).into_iter().filter(|path| is_packed(path)).collect();
    assert!(documents.contains(&PathBuf::from("README.md")));
    let exists = |path: &Path| is_packed(path) && Path::new(ROOT).join(path).exists();
    assert_eq!(dead_links(&documents, exists), Vec::<String>::new());
    // It becomes the README of the archive.
    let readme = fs::read_to_string(Path::new(ROOT).join(".ci/archive.md")).unwrap();
    for link in links(&readme) {
        assert!(exists(Path::new(&link)), "{link}");
    }
    assert!(anchors(&readme).contains("the-games"), "docs/play.md links to it");
}
