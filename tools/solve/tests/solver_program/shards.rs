//! Proofs of many processes: split, shards, merge.

use std::fs;
use std::path::{Path, PathBuf};

use oshi::game::Outcome;
use oshi::games::kamon::Kamon;

use crate::{first_solved, program, run, solved, stderr};

/// Splits a position into at least `open` positions. Returns the folder.
fn split(dir: &Path, position: &str, open: &str, arguments: &[&str]) -> PathBuf {
    let folder = dir.join("proof");
    // Eight expansions leave most positions open.
    run(&[
        &[
            "--position",
            position,
            "--split-expansions",
            "8",
            "--split",
            open,
            "--into",
            folder.to_str().unwrap(),
        ],
        arguments,
    ]
    .concat());
    folder
}

fn answer(folder: &Path, shard: &str) {
    run(&["--shard", shard, "--into", folder.to_str().unwrap()]);
}

fn merge(folder: &Path) -> Result<String, String> {
    let output = program().arg("--merge").arg(folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    if output.status.success() { Ok(text) } else { Err(text) }
}

fn answers(folder: &Path, shard: &str) -> PathBuf {
    folder.join(format!("answers-{}.txt", shard.replace('/', "-of-")))
}

const SHARDS: [&str; 8] = ["1/8", "2/8", "3/8", "4/8", "5/8", "6/8", "7/8", "8/8"];

/// Runs all shards in copies of the folder, as on separate machines, and collects their answers.
fn answer_apart(dir: &Path, folder: &Path) {
    for shard in SHARDS {
        let alone = dir.join("alone");
        fs::create_dir(&alone).unwrap();
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            fs::copy(entry.path(), alone.join(entry.file_name())).unwrap();
        }
        answer(&alone, shard);
        fs::copy(answers(&alone, shard), dir.join(shard.replace('/', "-"))).unwrap();
        fs::remove_dir_all(&alone).unwrap();
    }
    for shard in SHARDS {
        fs::copy(dir.join(shard.replace('/', "-")), answers(folder, shard)).unwrap();
    }
}

#[test]
fn eight_shards_agree_with_one_process() {
    let positions = solved::easy::<Kamon>("kamon-solved.txt", 6_000);
    for wanted in ["Black wins", "White wins", "a draw"] {
        let dir = tempfile::tempdir().unwrap();
        let text = |outcome: &Outcome| {
            outcome.winner().map_or("a draw".to_owned(), |winner| format!("{winner} wins"))
        };
        let (position, _) = positions.iter().find(|(_, outcome)| text(outcome) == wanted).unwrap();
        let position = position.to_string();
        let folder = split(dir.path(), &position, "20", &["--all-moves"]);
        assert!(merge(&folder).unwrap_err().contains("missing: position "));
        // A draw takes two queries, so the shards run twice.
        answer_apart(dir.path(), &folder);
        if merge(&folder).is_err() {
            answer_apart(dir.path(), &folder);
        }
        let single = run(&["--position", &position, "--all-moves"]);
        let (single, _) = single.rsplit_once("\n  ").unwrap();
        assert_eq!(merge(&folder).unwrap().trim_end(), single);
    }
}

#[test]
fn merge_lists_missing_positions() {
    let dir = tempfile::tempdir().unwrap();
    let position = first_solved(1_000_000);
    let folder = split(dir.path(), &position, "20", &[]);
    answer_apart(dir.path(), &folder);
    let whole = merge(&folder).unwrap();
    let (result, _) = whole.split_once('\n').unwrap();
    // The result may not need every shard, but it needs at least one.
    for shard in SHARDS {
        fs::remove_file(answers(&folder, shard)).unwrap();
    }
    assert!(merge(&folder).unwrap_err().contains("missing: position "));
    for shard in SHARDS {
        answer(&folder, shard);
    }
    assert!(merge(&folder).unwrap().starts_with(result));
}

#[test]
fn shard_repeats_incomplete_answers() {
    let dir = tempfile::tempdir().unwrap();
    let position = first_solved(5_000);
    let folder = split(dir.path(), &position, "10", &["--all-moves"]);
    answer(&folder, "1/1");
    let result = merge(&folder).unwrap();
    let file = answers(&folder, "1/1");
    let whole = fs::read(&file).unwrap();
    for cut in [1, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
        fs::write(&file, &whole[..cut]).unwrap();
        answer(&folder, "1/1");
        assert_eq!(merge(&folder).as_ref(), Ok(&result), "cut at {cut}");
        assert!(
            fs::read_to_string(&file)
                .unwrap()
                .lines()
                .all(|line| line.starts_with("win ") || line.starts_with("draw "))
        );
    }
}

#[test]
fn split_of_decided_position_leaves_nothing_open() {
    let dir = tempfile::tempdir().unwrap();
    let position = first_solved(5_000);
    let folder = dir.path().join("proof");
    let position = position.to_string();
    run(&[
        "--position",
        &position,
        "--split-expansions",
        "1000000",
        "--split",
        "1000",
        "--into",
        folder.to_str().unwrap(),
    ]);
    assert!(merge(&folder).unwrap().starts_with(&position));
    answer(&folder, "1/1");
    assert_eq!(fs::read_to_string(answers(&folder, "1/1")).unwrap(), "");
}

#[test]
fn rejects_damaged_or_locked_folder() {
    let dir = tempfile::tempdir().unwrap();
    let position = first_solved(5_000);
    let folder = split(dir.path(), &position, "10", &[]);
    let path = folder.to_str().unwrap();
    let assert_rejected = |arguments: &[&str], message: &str| {
        let output = program().args(arguments).output().unwrap();
        assert!(
            !output.status.success() && stderr(&output).contains(message),
            "{arguments:?}: {}",
            stderr(&output)
        );
    };
    assert_rejected(
        &["--position", &position, "--split", "10", "--into", path],
        "expected a new or empty folder",
    );
    assert_rejected(&["--shard", "9/8", "--into", path], "expected a shard");
    let held = fs::File::create(answers(&folder, "1/2")).unwrap();
    held.lock().unwrap();
    assert_rejected(
        &["--shard", "1/2", "--into", path],
        "answers-1-of-2.txt: in use by another process",
    );
    fs::write(answers(&folder, "2/2"), "win b nothing\n").unwrap();
    assert_rejected(
        &["--merge", path],
        "answers-2-of-2.txt: line 1: expected `win|draw PLAYER POSITION`, found `win b nothing`",
    );
    fs::remove_file(answers(&folder, "2/2")).unwrap();
    fs::write(folder.join("answers-2-of-2.txt~"), "backup of an editor\n").unwrap();
    assert_rejected(&["--merge", path], "missing");
    let frontier = folder.join("frontier.txt");
    let whole = fs::read_to_string(&frontier).unwrap();
    fs::write(&frontier, &whole[..whole.len() - 5]).unwrap();
    assert_rejected(
        &["--merge", path],
        &format!("frontier.txt: line {}: expected `sha256 HEX`", whole.lines().count()),
    );
    fs::write(&frontier, whole.replacen(" b ", " w ", 1)).unwrap();
    assert_rejected(&["--merge", path], "frontier.txt: damaged file: its SHA-256 differs");
    fs::write(&frontier, whole.replacen("frontier 2", "frontier 1", 1)).unwrap();
    assert_rejected(
        &["--merge", path],
        "frontier.txt: line 1: expected `oshi frontier 2`, found `oshi frontier 1`",
    );
}

#[test]
fn rejects_contradicting_answers() {
    let dir = tempfile::tempdir().unwrap();
    let position = first_solved(1_000_000);
    let folder = split(dir.path(), &position, "20", &[]);
    answer(&folder, "1/1");
    let text = fs::read_to_string(answers(&folder, "1/1")).unwrap();
    let first = text.lines().next().unwrap();
    let (claim, position) = first.split_at("win b".len());
    let opposite = if claim == "win b" { "win w" } else { "win b" };
    fs::write(answers(&folder, "2/2"), format!("{opposite}{position}\n")).unwrap();
    let message = stderr(&program().arg("--merge").arg(&folder).output().unwrap());
    assert!(
        message.contains("answer contradicts another one") && message.contains(position.trim()),
        "{message}"
    );
}
