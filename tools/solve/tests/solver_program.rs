//! The program `oshi-solve`, used as its user would: for long proofs that may be broken off at any moment.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use oshi::game::Outcome;
use oshi::games::kamon::Kamon;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[path = "../../../tests/integration/support/solved.rs"]
mod solved;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oshi-solve"));
    command.args(["--hash", "64"]);
    command
}

/// What a run says to the words, which it must end well.
fn run(words: &[&str]) -> String {
    let output = program().args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The results, and the expansions of all runs from the last line.
fn results_and_cost(text: &str) -> (Vec<&str>, u64) {
    let (last, results) = text
        .lines()
        .collect::<Vec<_>>()
        .split_last()
        .map(|(last, rest)| (*last, rest.to_vec()))
        .unwrap();
    let (expansions, _) = last.split_once(" expansions").unwrap();
    (results, expansions.replace(',', "").parse().unwrap())
}

/// A position that takes seconds.
fn hard() -> String {
    let mut positions = solved::easy::<Kamon>("kamon-solved.txt", u64::MAX);
    positions.remove(2).0.to_string()
}

#[test]
fn a_proof_that_is_killed_ten_times_ends_as_the_unbroken_one_and_costs_little_more() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("proof.checkpoint");
    let position = hard();
    let unbroken = run(&["--position", &position]);
    let (expected, cost) = results_and_cost(&unbroken);
    let words =
        ["--position", &position, "--checkpoint-every", "0", "--report-every", "0", "--checkpoint"];
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    for _ in 0..10 {
        let mut child = program()
            .args(words)
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // It may also have ended before.
        lines.take(rng.random_range(2..5)).for_each(drop);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = program().args(words).arg(&file).output().unwrap();
    assert!(said(&output).contains("goes on after"), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let (results, broken_cost) = results_and_cost(&text);
    assert_eq!(results, expected);
    assert!(broken_cost < cost + cost / 2, "{broken_cost} expansions, {cost} without a break");
    // And once more: the result stands in the file.
    let again = program().args(words).arg(&file).output().unwrap();
    assert_eq!(
        results_and_cost(&String::from_utf8(again.stdout).unwrap()),
        (expected, broken_cost)
    );
}

/// A checkpoint of a short proof: its folder, its place, and the words that made it.
fn checkpoint() -> (tempfile::TempDir, PathBuf, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("proof.checkpoint");
    let (position, _) = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[0];
    run(&["--position", &position.to_string(), "--checkpoint", file.to_str().unwrap()]);
    (dir, file, position.to_string())
}

/// What a run says that refuses the file.
fn refusal(file: &Path, position: &str) -> String {
    let before = fs::read(file).unwrap();
    let output =
        program().args(["--position", position, "--checkpoint"]).arg(file).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(fs::read(file).unwrap(), before, "what is refused is not overwritten");
    assert!(said(&output).contains(file.to_str().unwrap()), "{}", said(&output));
    said(&output)
}

#[test]
fn a_checkpoint_with_any_byte_changed_or_lost_is_refused() {
    let (_dir, file, position) = checkpoint();
    let whole = fs::read(&file).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 10) {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&file, &changed).unwrap();
        let said = refusal(&file, &position);
        assert!(
            said.contains("line ") || said.contains("the file is damaged"),
            "byte {place}: {said}"
        );
        fs::write(&file, &whole[..place]).unwrap();
        refusal(&file, &position);
    }
}

#[test]
fn a_checkpoint_of_another_position_format_or_key_scheme_is_refused_at_its_line() {
    let (_dir, file, position) = checkpoint();
    let (other, _) = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[1];
    assert!(refusal(&file, &other.to_string()).contains(&format!("line 6: expected `{other}`")));
    let whole = fs::read(&file).unwrap();
    for (line, old, new) in
        [(1, "checkpoint 1", "checkpoint 0"), (2, "keys ", "keyz "), (6, &position[..4], "....")]
    {
        let at = whole.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
        let mut changed = whole.clone();
        changed[at..at + new.len()].copy_from_slice(new.as_bytes());
        fs::write(&file, changed).unwrap();
        let said = refusal(&file, &position);
        assert!(said.contains(&format!("line {line}: expected `")), "{said}");
    }
}

#[test]
fn all_moves_of_a_position_are_named_with_their_results() {
    for (position, expected) in solved::easy::<Kamon>("kamon-solved.txt", 3_000).iter().take(12) {
        use oshi::game::Game;
        let text = run(&["--position", &position.to_string(), "--all-moves", "--threads", "2"]);
        let moves = position.legal_moves();
        let of = |outcome: &str| {
            text.lines().filter(|line| line.starts_with("  ") && line.ends_with(outcome)).count()
        };
        let winner = |outcome: Outcome| {
            outcome.winner().map_or("a draw".to_owned(), |winner| format!("{winner} wins"))
        };
        assert!(text.starts_with(&format!("{position}: {}\n", winner(*expected))), "{text}");
        let results = ["Black wins", "White wins", "a draw"].map(of);
        assert_eq!(results.iter().sum::<usize>(), moves.len(), "{text}");
        let good = of(&winner(*expected));
        assert!(
            text.contains(&format!("{good} of {} moves ", moves.len())) || good == moves.len(),
            "{text}"
        );
    }
}

/// A frontier of some positions, and its folder.
fn split(dir: &Path, position: &str, open: &str, words: &[&str]) -> PathBuf {
    let folder = dir.join("proof");
    // Hardly a look at each, so that most are open.
    run(&[
        &[
            "--position",
            position,
            "--judge",
            "8",
            "--split",
            open,
            "--into",
            folder.to_str().unwrap(),
        ],
        words,
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

/// Has each shard work on a machine of its own, where it sees nothing of the others, and brings their answers together.
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
fn eight_shards_find_what_one_process_does_of_wins_draws_and_losses() {
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
        // A draw is two questions, and so two rounds.
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
fn a_shard_that_is_missing_is_told_and_can_be_made_up_for() {
    let dir = tempfile::tempdir().unwrap();
    let (position, _) = solved::easy::<Kamon>("kamon-solved.txt", 1_000_000)[0];
    let folder = split(dir.path(), &position.to_string(), "20", &[]);
    answer_apart(dir.path(), &folder);
    let whole = merge(&folder).unwrap();
    let (result, _) = whole.split_once('\n').unwrap();
    // A shard may turn out not to be needed; all of them do not.
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
fn answers_that_were_cut_off_in_the_middle_of_a_line_are_given_again() {
    let dir = tempfile::tempdir().unwrap();
    let (position, _) = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[0];
    let folder = split(dir.path(), &position.to_string(), "10", &["--all-moves"]);
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
fn the_split_of_a_position_that_is_decided_leaves_nothing_to_solve() {
    let dir = tempfile::tempdir().unwrap();
    let (position, _) = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[0];
    let folder = dir.path().join("proof");
    let position = position.to_string();
    run(&[
        "--position",
        &position,
        "--judge",
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
fn a_folder_that_is_damaged_taken_or_worked_on_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (position, _) = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[0];
    let position = position.to_string();
    let folder = split(dir.path(), &position, "10", &[]);
    let path = folder.to_str().unwrap();
    let refused = |words: &[&str], what: &str| {
        let output = program().args(words).output().unwrap();
        assert!(
            !output.status.success() && said(&output).contains(what),
            "{words:?}: {}",
            said(&output)
        );
    };
    refused(&["--position", &position, "--split", "10", "--into", path], "expected a new folder");
    refused(&["--shard", "9/8", "--into", path], "expected a shard");
    let held = fs::File::create(answers(&folder, "1/2")).unwrap();
    held.lock().unwrap();
    refused(&["--shard", "1/2", "--into", path], "answers-1-of-2.txt: another process works on it");
    fs::write(answers(&folder, "2/2"), "win b nothing\n").unwrap();
    refused(
        &["--merge", path],
        "answers-2-of-2.txt: line 1: expected `win|draw PLAYER POSITION`, found `win b nothing`",
    );
    fs::remove_file(answers(&folder, "2/2")).unwrap();
    fs::write(folder.join("answers-2-of-2.txt~"), "what an editor keeps\n").unwrap();
    refused(&["--merge", path], "missing");
    let frontier = folder.join("frontier.txt");
    let whole = fs::read_to_string(&frontier).unwrap();
    fs::write(&frontier, &whole[..whole.len() - 5]).unwrap();
    refused(
        &["--merge", path],
        &format!("frontier.txt: line {}: expected `sha256 HEX`", whole.lines().count()),
    );
    fs::write(&frontier, whole.replacen(" b ", " w ", 1)).unwrap();
    refused(&["--merge", path], "frontier.txt: its SHA-256 is not the one at its end");
    fs::write(&frontier, whole.replacen("frontier 2", "frontier 1", 1)).unwrap();
    refused(
        &["--merge", path],
        "frontier.txt: line 1: expected `oshi frontier 2`, found `oshi frontier 1`",
    );
}

#[test]
fn drafts_of_killed_processes_are_removed_and_nothing_else() {
    let (dir, file, position) = checkpoint();
    let [draft, other] = [".proof.checkpoint.Ab12Cd.draft", ".proof.checkpoint.swp"]
        .map(|name| dir.path().join(name));
    for path in [&draft, &other] {
        fs::write(path, "half").unwrap();
    }
    run(&["--position", &position, "--checkpoint", file.to_str().unwrap()]);
    assert_eq!((draft.exists(), other.exists()), (false, true));
}

#[test]
fn a_checkpoint_that_another_process_writes_is_refused() {
    let (_dir, file, position) = checkpoint();
    let lock = fs::File::open(file.with_added_extension("lock")).unwrap();
    lock.lock().unwrap();
    assert!(refusal(&file, &position).contains("another process works on it"));
    lock.unlock().unwrap();
    run(&["--position", &position, "--checkpoint", file.to_str().unwrap()]);
}

#[test]
fn a_checkpoint_that_cannot_be_written_any_more_ends_no_proof() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("away");
    fs::create_dir(&folder).unwrap();
    let position = hard();
    let (expected, _) = position_result(&run(&["--position", &position]));
    let words =
        ["--position", &position, "--checkpoint-every", "0", "--report-every", "0", "--checkpoint"];
    let command = &mut program();
    command.args(words).arg(folder.join("x")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.next();
    // At once, whatever is being written there.
    fs::rename(&folder, dir.path().join("gone")).unwrap();
    let told = lines.map(Result::unwrap).any(|line| line.contains("goes on without"));
    let output = child.wait_with_output().unwrap();
    assert_eq!(position_result(&String::from_utf8(output.stdout).unwrap()).0, expected);
    // It says so in the end too, unless it had ended before.
    assert_eq!(output.status.success(), !told);
}

/// The first line, and the others.
fn position_result(text: &str) -> (String, String) {
    let (first, rest) = text.split_once('\n').unwrap();
    (first.to_owned(), rest.to_owned())
}

#[test]
fn no_file_of_a_run_takes_the_place_of_another() {
    let (dir, checkpoint, position) = checkpoint();
    let positions = dir.path().join("positions.txt");
    fs::write(&positions, format!("{position}\n")).unwrap();
    for place in [&checkpoint, &positions] {
        let before = fs::read(place).unwrap();
        let command = &mut program();
        command
            .arg("--positions")
            .arg(&positions)
            .arg("--checkpoint")
            .arg(&checkpoint)
            .arg("--certificate")
            .arg(place);
        let output = command.output().unwrap();
        assert!(said(&output).contains("two files of a run have this place"), "{}", said(&output));
        assert_eq!(fs::read(place).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn files_are_for_whoever_may_read_new_files_and_links_are_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    let mode = |name: &str| place(name).metadata().unwrap().permissions().mode();
    let position = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[0].0.to_string();
    let certify = |name: &str| {
        run(&["--position", &position, "--certificate", place(name).to_str().unwrap()])
    };
    fs::write(place("plain"), "").unwrap();
    certify("new.txt");
    assert_eq!(mode("new.txt"), mode("plain"));
    fs::write(place("old.txt"), "").unwrap();
    fs::set_permissions(place("old.txt"), PermissionsExt::from_mode(0o640)).unwrap();
    symlink("old.txt", place("link.txt")).unwrap();
    certify("link.txt");
    assert!(place("link.txt").symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read(place("old.txt")).unwrap(), fs::read(place("new.txt")).unwrap());
    assert_eq!(mode("old.txt") & 0o777, 0o640);
}

#[test]
fn a_position_that_is_none_is_refused_at_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("positions.txt");
    let position = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[0].0.to_string();
    for (text, expected) in [
        (format!("# two\n{position} ;win\n\nnothing\n"), "positions.txt: line 4: "),
        (format!("nothing\n{position}\n"), "positions.txt: line 1: "),
        ("# none\n".to_owned(), "positions.txt: expected a position, found none"),
    ] {
        fs::write(&file, &text).unwrap();
        let output = program().arg("--positions").arg(&file).output().unwrap();
        assert!(!output.status.success() && said(&output).contains(expected), "{}", said(&output));
    }
    let output = program().args(["--position", "nothing"]).output().unwrap();
    assert!(said(&output).contains("--position"), "{}", said(&output));
}

#[test]
fn answers_that_contradict_each_other_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (position, _) = solved::easy::<Kamon>("kamon-solved.txt", 1_000_000)[0];
    let folder = split(dir.path(), &position.to_string(), "20", &[]);
    answer(&folder, "1/1");
    let text = fs::read_to_string(answers(&folder, "1/1")).unwrap();
    let first = text.lines().next().unwrap();
    let (claim, position) = first.split_at("win b".len());
    let opposite = if claim == "win b" { "win w" } else { "win b" };
    fs::write(answers(&folder, "2/2"), format!("{opposite}{position}\n")).unwrap();
    let refused = said(&program().arg("--merge").arg(&folder).output().unwrap());
    assert!(
        refused.contains("contradicts another answer about") && refused.contains(position.trim()),
        "{refused}"
    );
}

#[test]
fn what_cannot_be_written_in_the_end_is_refused_before_the_work() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let position = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[0].0.to_string();
    for option in ["--checkpoint", "--certificate"] {
        for place in [place("no-folder/x"), place(".")] {
            let output =
                program().args(["--position", &position, option, &place]).output().unwrap();
            assert!(
                !output.status.success() && output.stdout.is_empty(),
                "{option} {place}: {}",
                said(&output)
            );
        }
    }
    let turned = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1 turned";
    let output = program()
        .args(["--position", turned, "--certificate", &place("turned.txt")])
        .output()
        .unwrap();
    assert!(
        said(&output).contains("certificates are of positions on the standard board"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_result_that_nobody_can_read_is_an_error_and_no_panic() {
    let position = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[0].0.to_string();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = program().args(["--position", &position]).stdout(writer).output().unwrap();
    assert!(
        said(&output).contains("cannot write the results to stdout")
            && output.status.code() == Some(1),
        "{}",
        said(&output)
    );
}
