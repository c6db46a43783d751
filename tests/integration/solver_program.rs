//! The program `examples/solve`, used as its user would: for long proofs that may be broken off at any moment.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use oshi::game::Outcome;
use oshi::games::kamon::Kamon;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::support::solved;

fn program() -> Command {
    // Cargo builds the examples for the tests, and puts them beside the programs.
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_oshi")).with_file_name("examples").join("solve"));
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
    let (last, results) = text.lines().collect::<Vec<_>>().split_last().map(|(last, rest)| (*last, rest.to_vec())).unwrap();
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
    let words = ["--position", &position, "--checkpoint-every", "0", "--report-every", "0", "--checkpoint"];
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    for _ in 0..10 {
        let mut child = program().args(words).arg(&file).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
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
    assert_eq!(results_and_cost(&String::from_utf8(again.stdout).unwrap()), (expected, broken_cost));
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
    let output = program().args(["--position", position, "--checkpoint"]).arg(file).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(fs::read(file).unwrap(), before, "what is refused is not overwritten");
    assert!(said(&output).contains(file.to_str().unwrap()), "{}", said(&output));
    said(&output)
}

#[test]
fn a_checkpoint_with_any_byte_changed_or_lost_is_refused() {
    let (_dir, file, position) = checkpoint();
    let whole = fs::read(&file).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 40) {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&file, &changed).unwrap();
        let said = refusal(&file, &position);
        assert!(said.contains("line ") || said.contains("the file is damaged"), "byte {place}: {said}");
        fs::write(&file, &whole[..place]).unwrap();
        refusal(&file, &position);
    }
}

#[test]
fn a_checkpoint_of_another_position_format_or_key_scheme_is_refused_at_its_line() {
    let (_dir, file, position) = checkpoint();
    let (other, _) = solved::easy::<Kamon>("kamon-solved.txt", 5_000)[1];
    assert!(refusal(&file, &other.to_string()).contains("line 2: expected `keys "), "another layout has other keys");
    let whole = fs::read(&file).unwrap();
    for (line, old, new) in [(1, "checkpoint 1", "checkpoint 0"), (2, "keys ", "keyz "), (6, &position[..4], "....")] {
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
        let of = |outcome: &str| text.lines().filter(|line| line.starts_with("  ") && line.ends_with(outcome)).count();
        let winner = |outcome: Outcome| outcome.winner().map_or("a draw".to_owned(), |winner| format!("{winner} wins"));
        assert!(text.starts_with(&format!("{position}: {}\n", winner(*expected))), "{text}");
        let results = ["Black wins", "White wins", "a draw"].map(of);
        assert_eq!(results.iter().sum::<usize>(), moves.len(), "{text}");
        let good = of(&winner(*expected));
        assert!(text.contains(&format!("{good} of {} moves ", moves.len())) || good == moves.len(), "{text}");
    }
}
