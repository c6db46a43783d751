//! End-to-end tests of `oshi-solve`.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use oshi::game::Outcome;
use oshi::games::kamon::Kamon;

#[path = "../../../../tests/integration/support/solved.rs"]
mod solved;

mod checkpoints;
mod shards;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oshi-solve"));
    command.args(["--hash", "64"]);
    command
}

/// Runs the program, which must succeed, and returns its stdout.
fn run(arguments: &[&str]) -> String {
    let output = program().args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The first solved position within this number of nodes.
fn first_solved(max_nodes: u64) -> String {
    solved::easy::<Kamon>("kamon-solved.txt", max_nodes)[0].0.to_string()
}

/// A checkpoint of a short proof: its folder, its path, and the position.
fn checkpoint() -> (tempfile::TempDir, PathBuf, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("proof.checkpoint");
    let position = first_solved(5_000);
    run(&["--position", &position, "--checkpoint", file.to_str().unwrap()]);
    (dir, file, position)
}

#[test]
fn lists_all_moves_with_results() {
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

#[test]
fn rejects_invalid_position_at_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("positions.txt");
    let position = first_solved(5_000);
    for (text, expected) in [
        (format!("# two\n{position} ;win\n\nnothing\n"), "positions.txt: line 4: "),
        (format!("nothing\n{position}\n"), "positions.txt: line 1: "),
        ("# none\n".to_owned(), "positions.txt: expected a position, found none"),
    ] {
        fs::write(&file, &text).unwrap();
        let output = program().arg("--positions").arg(&file).output().unwrap();
        assert!(
            !output.status.success() && stderr(&output).contains(expected),
            "{}",
            stderr(&output)
        );
    }
    let output = program().args(["--position", "nothing"]).output().unwrap();
    assert!(stderr(&output).contains("--position"), "{}", stderr(&output));
}

#[test]
fn rejects_file_used_twice() {
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
        assert!(stderr(&output).contains("this one is used twice"), "{}", stderr(&output));
        assert_eq!(fs::read(place).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn keeps_permissions_and_follows_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    let mode = |name: &str| place(name).metadata().unwrap().permissions().mode();
    let position = first_solved(5_000);
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
fn rejects_unwritable_files_before_the_work() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let position = first_solved(5_000);
    for option in ["--checkpoint", "--certificate"] {
        for place in [place("no-folder/x"), place(".")] {
            let output =
                program().args(["--position", &position, option, &place]).output().unwrap();
            assert!(
                !output.status.success() && output.stdout.is_empty(),
                "{option} {place}: {}",
                stderr(&output)
            );
        }
    }
    let turned = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1 turned";
    let output = program()
        .args(["--position", turned, "--certificate", &place("turned.txt")])
        .output()
        .unwrap();
    assert!(
        stderr(&output).contains("expected a position on the standard board"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn closed_stdout_is_an_error() {
    let position = first_solved(5_000);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = program().args(["--position", &position]).stdout(writer).output().unwrap();
    assert!(
        stderr(&output).contains("cannot write the results to stdout")
            && output.status.code() == Some(1),
        "{}",
        stderr(&output)
    );
}
