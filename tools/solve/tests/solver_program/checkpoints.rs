//! Checkpoints: resuming, damaged files, locks.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use oshi::games::kamon::Kamon;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{checkpoint, program, run, solved, stderr};

/// Splits the output into results and the expansions in its last line.
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

/// A position that takes seconds to solve.
fn hard() -> String {
    let mut positions = solved::easy::<Kamon>("kamon-solved.txt", u64::MAX);
    positions.remove(2).0.to_string()
}

#[test]
fn killed_proof_resumes_from_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("proof.checkpoint");
    let position = hard();
    let unbroken = run(&["--position", &position]);
    let (expected, cost) = results_and_cost(&unbroken);
    let arguments =
        ["--position", &position, "--checkpoint-every", "0", "--report-every", "0", "--checkpoint"];
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    for _ in 0..10 {
        let mut child = program()
            .args(arguments)
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // The process may end earlier.
        lines.take(rng.random_range(2..5)).for_each(drop);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = program().args(arguments).arg(&file).output().unwrap();
    assert!(stderr(&output).contains("resumed after"), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let (results, broken_cost) = results_and_cost(&text);
    assert_eq!(results, expected);
    assert!(broken_cost < cost + cost / 2, "{broken_cost} expansions, {cost} without a break");
    // The checkpoint holds the result, so another run needs no expansions.
    let again = program().args(arguments).arg(&file).output().unwrap();
    assert_eq!(
        results_and_cost(&String::from_utf8(again.stdout).unwrap()),
        (expected, broken_cost)
    );
}

/// The message of a run that rejects the checkpoint.
fn rejection(file: &Path, position: &str) -> String {
    let before = fs::read(file).unwrap();
    let output =
        program().args(["--position", position, "--checkpoint"]).arg(file).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(fs::read(file).unwrap(), before, "the checkpoint was overwritten");
    assert!(stderr(&output).contains(file.to_str().unwrap()), "{}", stderr(&output));
    stderr(&output)
}

#[test]
fn rejects_damaged_checkpoint() {
    let (_dir, file, position) = checkpoint();
    let whole = fs::read(&file).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 10) {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&file, &changed).unwrap();
        let message = rejection(&file, &position);
        assert!(
            message.contains("line ") || message.contains("damaged file"),
            "byte {place}: {message}"
        );
        fs::write(&file, &whole[..place]).unwrap();
        rejection(&file, &position);
    }
}

#[test]
fn rejects_checkpoint_of_other_proof_at_its_line() {
    let (_dir, file, position) = checkpoint();
    let (other, _) = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[1];
    assert!(rejection(&file, &other.to_string()).contains(&format!("line 6: expected `{other}`")));
    let whole = fs::read(&file).unwrap();
    for (line, old, new) in
        [(1, "checkpoint 1", "checkpoint 0"), (2, "keys ", "keyz "), (6, &position[..4], "....")]
    {
        let at = whole.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
        let mut changed = whole.clone();
        changed[at..at + new.len()].copy_from_slice(new.as_bytes());
        fs::write(&file, changed).unwrap();
        let message = rejection(&file, &position);
        assert!(message.contains(&format!("line {line}: expected `")), "{message}");
    }
}

#[test]
fn removes_drafts_of_killed_processes() {
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
fn rejects_locked_checkpoint() {
    let (_dir, file, position) = checkpoint();
    let lock = fs::File::open(file.with_added_extension("lock")).unwrap();
    lock.lock().unwrap();
    assert!(rejection(&file, &position).contains("in use by another process"));
    lock.unlock().unwrap();
    run(&["--position", &position, "--checkpoint", file.to_str().unwrap()]);
}

#[test]
fn proof_continues_without_writable_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("away");
    fs::create_dir(&folder).unwrap();
    let position = hard();
    let expected = first_line(&run(&["--position", &position]));
    let arguments =
        ["--position", &position, "--checkpoint-every", "0", "--report-every", "0", "--checkpoint"];
    let command = &mut program();
    command.args(arguments).arg(folder.join("x")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.next();
    // A rename is atomic, even if the program is writing a checkpoint.
    fs::rename(&folder, dir.path().join("gone")).unwrap();
    let warned =
        lines.map(Result::unwrap).any(|line| line.contains("continuing without a checkpoint"));
    let output = child.wait_with_output().unwrap();
    assert_eq!(first_line(&String::from_utf8(output.stdout).unwrap()), expected);
    // The last checkpoint fails too, unless the program had ended before the rename.
    assert_eq!(output.status.success(), !warned);
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap().to_owned()
}
