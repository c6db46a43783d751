//! Ends of the program, its input and its output.

use std::io::{BufRead, Read, Write};
#[cfg(target_os = "linux")]
use std::process::Command;
use std::process::Stdio;

use super::best_moves;
use crate::support::dialogue::{Dialogue, spawn, wait};

#[test]
fn quit_does_not_wait_for_reader() {
    let (mut child, output) = spawn(&[], Stdio::piped());
    // More output than a pipe and the engine's queue hold.
    let text = "svg\n".repeat(3000) + "go infinite\nquit\n";
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(wait(&mut child).success());
    drop(output);
}

#[test]
fn quit_writes_earlier_output() {
    let (mut child, output) = spawn(&[], Stdio::piped());
    child.stdin.take().unwrap().write_all("svg\n".repeat(20).as_bytes()).unwrap();
    let lines: Vec<String> = output.lines().map(Result::unwrap).collect();
    assert_eq!(lines.iter().filter(|line| line.as_str() == "</svg>").count(), 20);
    assert!(wait(&mut child).success());
}

#[test]
fn end_of_input_lets_limited_search_finish() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("go nodes 20000");
    let (lines, status) = dialogue.end();
    assert!(lines.iter().any(|line| line.contains(" nodes 20000 ")), "{lines:#?}");
    assert_eq!(best_moves(&lines).len(), 1);
    assert!(status.success());
}

#[test]
fn end_of_input_stops_unlimited_search() {
    for go in ["go", "go infinite", "go ponder movetime 0", "go winc 1000"] {
        let mut dialogue = Dialogue::begin();
        dialogue.say(go);
        let (lines, status) = dialogue.end();
        assert_eq!(best_moves(&lines).len(), 1, "{go}");
        assert!(status.success());
    }
}

#[test]
fn last_line_needs_no_line_end() {
    let mut dialogue = Dialogue::begin();
    dialogue.say_bytes(b"query gameover");
    let (lines, status) = dialogue.end();
    assert_eq!(lines, ["response false"]);
    assert!(status.success());
}

#[test]
fn quit_ends_program_during_search() {
    for before in ["", "go infinite", "go perft 200", "bench"] {
        let mut dialogue = Dialogue::begin();
        dialogue.say(before);
        dialogue.say("quit");
        let (lines, status) = dialogue.end();
        assert!(best_moves(&lines).is_empty(), "{before}");
        assert!(status.success(), "{before}");
    }
}

#[test]
fn closed_output_ends_program_silently() {
    // The input stays open, so only the closed output can end the program.
    let (mut child, output) = spawn(
        &["setoption name MultiPV value 100", "position random 1", "go depth 1000000"],
        Stdio::piped(),
    );
    drop(output);
    assert!(wait(&mut child).success());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
}

#[test]
#[cfg(target_os = "linux")]
fn full_output_is_an_error() {
    for word in ["d", "--help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output =
            Command::new(crate::support::program::oshi()).arg(word).stdout(full).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(1) && text.contains("No space left on device"),
            "{word}: {text}"
        );
    }
}

#[test]
fn closed_stderr_does_not_end_program() {
    let (mut child, output) = spawn(&[], Stdio::piped());
    drop(child.stderr.take());
    child.stdin.take().unwrap().write_all(b"debug on\nisready\ngo nodes 10\n").unwrap();
    let lines: Vec<String> = output.lines().map(Result::unwrap).collect();
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:#?}");
    assert!(wait(&mut child).success());
}
