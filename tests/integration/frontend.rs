//! The frontend of `examples/`, used as its user would.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const ENGINE: &str = env!("CARGO_BIN_EXE_oshi");

/// What the frontend says to these lines, after which its input ends.
fn run(lines: &[&str], arguments: &[&str]) -> String {
    // Cargo builds the examples for the tests, and puts them beside the programs.
    let frontend = Path::new(ENGINE).with_file_name("examples").join("frontend");
    let mut child = Command::new(frontend)
        .arg(ENGINE)
        .args(["--movetime", "1"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_wrong_move_is_refused_and_a_right_one_answered() {
    let said = run(&["a1a9", "", "a1a5", "back", "h1h2"], &[]);
    assert!(said.contains("info string error: move 1 of the list: `a1a9` is not a move"), "{said}");
    assert_eq!(said.matches("\nbestmove ").count(), 2, "{said}");
    assert_eq!(said.matches("Black opens the round with any tower").count(), 4, "{said}");
}

#[test]
fn the_user_may_be_the_second_player_of_any_game() {
    let said = run(&["quit"], &["--variant", "kamon", "--white"]);
    assert_eq!(said.matches("\nbestmove ").count(), 1, "{said}");
    assert!(said.contains("White"), "{said}");
}

#[test]
fn a_variant_that_the_engine_does_not_play_is_refused() {
    let output = Command::new(Path::new(ENGINE).with_file_name("examples").join("frontend"))
        .args([ENGINE, "--variant", "chess"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("does not play `chess`"));
}
