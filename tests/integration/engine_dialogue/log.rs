//! Log of the dialogue.

use std::io::Read;
use std::process::Stdio;

use super::words;
use crate::support::dialogue::{Dialogue, spawn, wait};

#[test]
fn log_file_receives_dialogue() {
    let path = std::env::temp_dir().join(format!("oshi-log-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let lines = words(&[
        &format!("setoption name LogFile value {}", path.display()),
        "query result",
        "setoption name LogFile value",
        "d",
    ]);
    let log = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(lines[0], "response none");
    assert!(log.contains("> query result") && log.contains("< response none"), "{log}");
    assert!(!log.contains("Fen:"), "the log was closed before `d`: {log}");
}

#[test]
fn debug_logs_dialogue_to_stderr() {
    let (mut child, _output) = spawn(
        &["query result", "debug on", "query gameover", "debug off", "query p1turn"],
        Stdio::null(),
    );
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(wait(&mut child).success());
    assert!(
        errors.contains("< response false")
            && !errors.contains("response none")
            && !errors.contains("response true"),
        "{errors}"
    );
}

#[test]
fn unread_log_does_not_block() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("debug on");
    // The log exceeds the capacity of any pipe.
    for _ in 0..100 {
        dialogue.say_bytes(&b"isready\n".repeat(100));
        for _ in 0..100 {
            assert_eq!(dialogue.next_line().as_deref(), Some("readyok"));
        }
    }
    dialogue.say("quit");
    assert!(dialogue.end().1.success());
}
