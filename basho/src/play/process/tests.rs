use std::path::PathBuf;

use super::*;
use crate::stderr_tail::MAX_LINES;

fn shell(script: &str) -> Process {
    let program = ChildProgram {
        path: PathBuf::from("sh"),
        args: vec!["-c".to_owned(), script.to_owned()],
        dir: None,
        stderr: None,
    };
    Process::spawn(&program, Interrupt::default()).unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_millis(100)
}

/// Only a hang reaches it.
fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

#[test]
fn exchanges_lines() {
    let mut process = shell("while read line; do echo \"got $line\"; done");
    process.send("one\ntwo\n", far()).unwrap();
    assert_eq!(process.read_line(far()).unwrap(), "got one");
    assert_eq!(process.read_line(far()).unwrap(), "got two");
    assert_eq!(process.read_line(soon()), Err(PipeError::Deadline));
}

#[test]
fn reports_exit_code_or_signal() {
    let mut process = shell("echo last; exit 3");
    assert_eq!(process.read_line(far()).unwrap(), "last");
    assert_eq!(process.read_line(far()), Err(PipeError::Ended(Exit::Code(3))));
    assert_eq!(
        shell("kill -9 $$").read_line(far()),
        Err(PipeError::Ended(Exit::Signal(Signal::SIGKILL)))
    );
}

#[test]
fn notices_exit_while_forked_child_holds_pipe() {
    let mut process = shell("sleep 1000 & exit 4");
    assert_eq!(process.read_line(far()), Err(PipeError::Ended(Exit::Code(4))));
}

#[test]
fn rejects_endless_line_in_bounded_memory() {
    let mut process = shell("while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done");
    assert!(matches!(process.read_line(far()), Err(PipeError::Garbled(_))));
    assert!(process.buffer.len() < 2 * MAX_LINE);
}

#[test]
fn accepts_invalid_utf8_in_free_text_only() {
    let mut process = shell("printf 'id name J\\374rgen\\nbestmove \\374\\n'");
    assert_eq!(process.read_line(far()).unwrap(), "id name J\u{fffd}rgen");
    assert!(matches!(process.read_line(far()), Err(PipeError::Garbled(_))));
}

#[test]
fn sending_to_deaf_child_hits_deadline() {
    let mut process = shell("exec sleep 1000");
    let much = "x".repeat(1 << 20) + "\n";
    assert_eq!(process.send(&much, soon()), Err(PipeError::Deadline));
}

#[test]
fn kills_all_processes_of_the_group() {
    let mut process = shell("trap '' TERM HUP; sleep 1000 & echo $!; while :; do sleep 1000; done");
    let forked: i32 = process.read_line(far()).unwrap().parse().unwrap();
    let group = process.group;
    drop(process);
    // A killed grandchild may stay a zombie until its new parent reaps it. Signal 0 still finds it.
    let stat = || std::fs::read_to_string(format!("/proc/{forked}/stat")).unwrap_or_default();
    let is_gone = || killpg(group, None).is_err() || stat().contains(") Z ");
    // The kernel ends a killed process when it next schedules it. After a minute, only a process
    // that was not killed still runs.
    let timeout = far();
    while !is_gone() && Instant::now() < timeout {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(is_gone(), "still there: {}", stat());
}

#[test]
fn keeps_the_last_lines_of_stderr() {
    let mut process = shell(
        "for i in 1 2 3; do echo line $i >&2; done; echo ready; read line; \
         printf '\\033[1mlast\\n' >&2; exit 3",
    );
    assert_eq!(process.read_line(far()).unwrap(), "ready");
    assert_eq!(process.stderr_tail().lines(), ["line 1", "line 2", "line 3"]);
    process.send("go\n", far()).unwrap();
    assert_eq!(process.read_line(far()), Err(PipeError::Ended(Exit::Code(3))));
    assert_eq!(process.stderr_tail().lines(), ["line 1", "line 2", "line 3", "\\u001b[1mlast"]);
}

#[test]
fn does_not_wait_for_child_holding_stderr() {
    let mut process = shell("sleep 1000 & echo last >&2; exec 1>&-; exit 4");
    assert_eq!(process.read_line(far()), Err(PipeError::Ended(Exit::Code(4))));
    assert_eq!(process.stderr_tail().lines(), ["last"]);
}

#[test]
fn does_not_wait_for_closed_stderr() {
    let mut process = shell("echo first >&2; exec 2>&-; read line; echo $line; exec sleep 1000");
    process.send("go\n", far()).unwrap();
    assert_eq!(process.read_line(far()).unwrap(), "go");
    assert_eq!(process.stderr_tail().lines(), ["first"]);
}

#[test]
fn flood_of_stderr_blocks_neither_side() {
    let mut process =
        shell("head -c 100000000 /dev/zero | tr '\\0' x >&2; echo over >&2; echo done; yes >&2");
    assert_eq!(process.read_line(far()).unwrap(), "done");
    // From here on, the flood does not end.
    let words = process.stderr_tail();
    assert!(words.lines().len() <= MAX_LINES && !words.is_empty(), "{words:?}");
}

#[test]
fn interrupt_ends_a_wait() {
    let mut process = shell("exec sleep 1000");
    process.interrupt.stop_now();
    assert_eq!(process.read_line(far()), Err(PipeError::Interrupted));
}

#[test]
fn names_missing_program() {
    let program = ChildProgram {
        path: PathBuf::from("/no/such/engine"),
        args: vec![],
        dir: None,
        stderr: None,
    };
    let error = Process::spawn(&program, Interrupt::default()).unwrap_err().to_string();
    assert!(error.starts_with("cannot run `/no/such/engine`"), "{error}");
}

#[test]
fn names_missing_working_directory() {
    let dir = Some(PathBuf::from("/no/such/folder"));
    let program = ChildProgram { path: PathBuf::from("sh"), args: vec![], dir, stderr: None };
    let error = Process::spawn(&program, Interrupt::default()).unwrap_err().to_string();
    assert_eq!(error, "cannot start `sh` in `/no/such/folder`: expected a folder");
}
