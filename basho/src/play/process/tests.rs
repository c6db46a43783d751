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

/// So late that only a hang reaches it.
fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

#[test]
fn lines_go_out_and_come_back() {
    let mut process = shell("while read line; do echo \"got $line\"; done");
    process.send("one\ntwo\n", far()).unwrap();
    assert_eq!(process.read_line(far()).unwrap(), "got one");
    assert_eq!(process.read_line(far()).unwrap(), "got two");
    assert_eq!(process.read_line(soon()), Err(PipeError::Deadline));
}

#[test]
fn an_exit_is_told_with_its_code_or_signal() {
    let mut process = shell("echo last; exit 3");
    assert_eq!(process.read_line(far()).unwrap(), "last");
    assert_eq!(process.read_line(far()), Err(PipeError::Ended(Exit::Code(3))));
    assert_eq!(
        shell("kill -9 $$").read_line(far()),
        Err(PipeError::Ended(Exit::Signal(Signal::SIGKILL)))
    );
}

#[test]
fn an_exit_is_seen_while_a_forked_child_holds_the_pipe() {
    let mut process = shell("sleep 1000 & exit 4");
    assert_eq!(process.read_line(far()), Err(PipeError::Ended(Exit::Code(4))));
}

#[test]
fn a_line_without_end_is_garbled_and_takes_bounded_memory() {
    let mut process = shell("while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done");
    assert!(matches!(process.read_line(far()), Err(PipeError::Garbled(_))));
    assert!(process.buffer.len() < 2 * MAX_LINE);
}

#[test]
fn only_free_text_may_hold_any_bytes() {
    let mut process = shell("printf 'id name J\\374rgen\\nbestmove \\374\\n'");
    assert_eq!(process.read_line(far()).unwrap(), "id name J\u{fffd}rgen");
    assert!(matches!(process.read_line(far()), Err(PipeError::Garbled(_))));
}

#[test]
fn a_child_that_does_not_read_cannot_block_the_sender() {
    let mut process = shell("exec sleep 1000");
    let much = "x".repeat(1 << 20) + "\n";
    assert_eq!(process.send(&much, soon()), Err(PipeError::Deadline));
}

#[test]
fn no_process_of_the_group_outlives_it() {
    let mut process = shell("trap '' TERM HUP; sleep 1000 & echo $!; while :; do sleep 1000; done");
    let forked: i32 = process.read_line(far()).unwrap().parse().unwrap();
    let group = process.group;
    drop(process);
    // A killed grandchild may stay a zombie until its new parent reaps it; signal 0 then still finds it.
    let stat = || std::fs::read_to_string(format!("/proc/{forked}/stat")).unwrap_or_default();
    let is_gone = || killpg(group, None).is_err() || stat().contains(") Z ");
    // The kernel ends a killed process when it next schedules it; only one that was not killed still runs after a minute.
    let timeout = far();
    while !is_gone() && Instant::now() < timeout {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(is_gone(), "still there: {}", stat());
}

#[test]
fn keeps_the_last_lines_of_stderr() {
    let mut process = shell(
        "for i in 1 2 3; do echo line $i >&2; done; echo ready; read line; printf '\\033[1mlast\\n' >&2; exit 3",
    );
    assert_eq!(process.read_line(far()).unwrap(), "ready");
    assert_eq!(process.stderr_tail().lines(), ["line 1", "line 2", "line 3"]);
    process.send("go\n", far()).unwrap();
    assert_eq!(process.read_line(far()), Err(PipeError::Ended(Exit::Code(3))));
    assert_eq!(process.stderr_tail().lines(), ["line 1", "line 2", "line 3", "\\u001b[1mlast"]);
}

#[test]
fn a_child_that_holds_stderr_open_delays_nothing() {
    let mut process = shell("sleep 1000 & echo last >&2; exec 1>&-; exit 4");
    assert_eq!(process.read_line(far()), Err(PipeError::Ended(Exit::Code(4))));
    assert_eq!(process.stderr_tail().lines(), ["last"]);
}

#[test]
fn stderr_that_is_closed_delays_nothing() {
    let mut process = shell("echo first >&2; exec 2>&-; read line; echo $line; exec sleep 1000");
    process.send("go\n", far()).unwrap();
    assert_eq!(process.read_line(far()).unwrap(), "go");
    assert_eq!(process.stderr_tail().lines(), ["first"]);
}

#[test]
fn a_flood_of_stderr_blocks_neither_side() {
    let mut process =
        shell("head -c 100000000 /dev/zero | tr '\\0' x >&2; echo over >&2; echo done; yes >&2");
    assert_eq!(process.read_line(far()).unwrap(), "done");
    // From here on, the flood does not end.
    let words = process.stderr_tail();
    assert!(words.lines().len() <= MAX_LINES && !words.is_empty(), "{words:?}");
}

#[test]
fn an_interrupt_ends_a_wait() {
    let mut process = shell("exec sleep 1000");
    process.interrupt.stop_now();
    assert_eq!(process.read_line(far()), Err(PipeError::Interrupted));
}

#[test]
fn a_program_that_is_none_is_named() {
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
fn a_folder_that_is_none_is_named_and_not_the_program() {
    let dir = Some(PathBuf::from("/no/such/folder"));
    let program = ChildProgram { path: PathBuf::from("sh"), args: vec![], dir, stderr: None };
    let error = Process::spawn(&program, Interrupt::default()).unwrap_err().to_string();
    assert_eq!(error, "cannot start `sh` in `/no/such/folder`: expected a folder");
}
