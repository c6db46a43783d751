//! `basho check`: steps that pass and fail, and exit codes.

use std::process::Command;

use crate::support::mock::{mock, script};
use crate::support::program::oshi;
use crate::support::runner::{BASHO, stderr, stdout};

#[test]
fn oshi_passes_check() {
    let output = Command::new(BASHO).args(["check", oshi()]).output().unwrap();
    let printed = stdout(&output);
    // A move may exceed its clock on a busy machine.
    let (passed, failed): (Vec<&str>, Vec<&str>) = printed
        .lines()
        .filter(|line| line.contains(" Step ") && !line.contains(" it plays within a clock"))
        .partition(|line| line.starts_with("Passed Step "));
    assert_eq!((passed.len(), failed), (18, Vec::new()));
    assert!(printed.ends_with("Expected by GUIs: 8 of 8 steps passed\n"), "{printed}");
    let needed = printed.contains("Needed by basho: 11 of 11 steps passed\n");
    assert_eq!(output.status.code(), Some(if needed { 0 } else { 3 }), "{printed}");
}

/// The engine answers every `go` at once and prints no `info` line, not even for an error.
#[test]
#[cfg(target_os = "linux")]
fn instant_mover_passes_needed_steps() {
    let mover = format!(
        "sed -u 's/^go.*/go nodes 1/; /^ugi/d; /^quit/q' | {oshi} | grep --line-buffered -v \
         '^info'",
        oshi = oshi()
    );
    let output = Command::new(BASHO).args(["check", "sh", "-c", &mover]).output().unwrap();
    let printed = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains("Needed by basho: 11 of 11 steps passed\n"), "{printed}");
    for failed in ["prints a score", "names the error", "`ugi`"] {
        assert!(
            printed.lines().any(|line| line.starts_with("Failed Step") && line.contains(failed)),
            "{failed}: {printed}"
        );
    }
}

#[test]
fn continues_after_crash_and_shows_stderr() {
    let crashes = format!(
        "(while read -r line; do case $line in\n\
         *'go depth'*) echo 'no depth here' >&2; exit;; *'go movetime'*) line='go nodes 1';; \
         esac; echo \"$line\"; [ \"$line\" != quit ] || exit; done) | {oshi}",
        oshi = oshi()
    );
    let output = Command::new(BASHO).args(["check", "sh", "-c", &crashes]).output().unwrap();
    let printed = stdout(&output);
    assert_eq!(output.status.code(), Some(3), "{printed}");
    let failed: Vec<&str> =
        printed.lines().filter(|line| line.starts_with("Failed Step")).collect();
    assert!(
        matches!(&failed[..], [line] if line.contains("it plays for `go depth`: exited with code \
                                                       0")),
        "{printed}"
    );
    assert!(printed.contains("its last lines on stderr:\n    no depth here\n"), "{printed}");
    assert!(printed.contains("Needed by basho: 10 of 11 steps passed"), "{printed}");
    assert!(printed.ends_with("Expected by GUIs: 8 of 8 steps passed\n"), "{printed}");
}

#[test]
fn interrupted_check_does_not_fail() {
    let temp = tempfile::tempdir().unwrap();
    let path = script(temp.path(), "mock.sh", &mock("while kill -INT $PPID; do sleep 0.05; done"));
    let output = Command::new(BASHO).args(["check", "sh"]).arg(path).output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stdout(&output));
}

#[test]
fn missing_program_is_usage_error() {
    let output = Command::new(BASHO).args(["check", "./no-such-engine"]).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(stderr(&output).contains("cannot run `./no-such-engine`"), "{output:?}");
}

#[test]
fn accepts_variant_of_check_after_engine() {
    let printed =
        |words: &[&str]| stdout(&Command::new(BASHO).arg("check").args(words).output().unwrap());
    let script = "exit 1";
    assert!(
        printed(&["sh", "--variant", "kamon", "-c", script]).starts_with("Checking sh in kamon\n")
    );
    assert!(
        printed(&["--variant", "kamon", "sh", "-c", script]).starts_with("Checking sh in kamon\n")
    );
    // After an argument of the engine, it is an argument of the engine too.
    assert!(
        printed(&["sh", "-c", script, "--variant", "kamon"])
            .starts_with("Checking sh in kamisado-standard\n")
    );
}

#[test]
fn fails_programs_that_are_not_engines() {
    let failed = |script: &str| {
        let output = Command::new(BASHO).args(["check", "sh", "-c", script]).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        stdout(&output)
    };
    assert!(failed("exit 1").contains("Failed Step 1"));
    let illegal = "while read -r word rest; do case $word in uci) echo uciok;; isready) echo \
                   readyok;; \
                   go) echo bestmove a1a8;; stop) echo bestmove a1a5;; ugi) echo ugiok;; quit) \
                   exit 0;; esac; done";
    let printed = failed(illegal);
    assert!(
        printed.contains("Failed Step 6") && printed.contains("illegal move `a1a8`"),
        "{printed}"
    );
    assert!(printed.contains("Failed Step 12: it reports its name and author"), "{printed}");
    assert!(printed.contains("Passed Step 19"), "{printed}");
    let dies = "while read -r word rest; do case $word in uci) echo option name Hash type spin \
                default 1 min 1 max 2; echo uciok;; \
                isready) echo readyok;; setoption) exit 1;; go) echo bestmove a1a8;; ugi) echo \
                ugiok;; quit) exit 0;; esac; done";
    let printed = failed(dies);
    assert!(
        printed.contains("Failed Step 4")
            && printed.contains("Passed Step 5")
            && printed.contains("Passed Step 19"),
        "{printed}"
    );
    let printed = failed("exit 1");
    assert!(
        printed.contains("Skipped Step 19")
            && printed.contains("Needed by basho: 0 of 11 steps passed"),
        "{printed}"
    );
}
