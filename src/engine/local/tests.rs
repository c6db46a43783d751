use std::rc::Rc;

use super::*;

thread_local! {
    static ENGINE: RefCell<Option<Rc<LocalEngine>>> = const { RefCell::new(None) };
    /// Texts that arrive at the next pauses.
    static ARRIVING: RefCell<VecDeque<&'static str>> = const { RefCell::new(VecDeque::new()) };
    static OUTPUT: RefCell<String> = const { RefCell::new(String::new()) };
}

fn deliver() {
    let engine = ENGINE.with_borrow(Clone::clone);
    if let (Some(engine), Some(text)) = (engine, ARRIVING.with_borrow_mut(VecDeque::pop_front)) {
        engine.receive(text);
    }
}

/// Runs the jobs of `text` while others arrive. Returns the lines printed, without reports.
fn answers(text: &str, arriving: &[&'static str]) -> (Rc<LocalEngine>, Vec<String>) {
    let print = |text: &str| OUTPUT.with_borrow_mut(|output| output.push_str(text));
    let engine = Rc::new(LocalEngine::new(print, deliver));
    ENGINE.set(Some(Rc::clone(&engine)));
    ARRIVING.set(arriving.iter().copied().collect());
    engine.receive(text);
    engine.run_jobs();
    let output = OUTPUT.take();
    let lines = output.lines().filter(|line| !line.starts_with("info depth"));
    // The move of a stopped search depends on time.
    let lines = lines.map(|line| if line.starts_with("bestmove") { "bestmove" } else { line });
    (engine, lines.map(str::to_owned).collect())
}

#[test]
fn answers_during_search_and_stops_it() {
    let (engine, lines) = answers(
        "go infinite\nquery p1turn",
        &["isready", "position startpos", "stop\nmoves a1a5\nquery p1turn"],
    );
    assert_eq!(
        lines,
        [
            "response true",
            "readyok",
            "info string error: `position` during a search: expected `stop` first",
            "bestmove",
            "response false",
        ]
    );
    assert!(!engine.has_job());
}

#[test]
fn runs_searches_that_waited_for_the_answer_of_a_stopped_one() {
    let (_, lines) = answers("go infinite", &["stop\ngo nodes 10\nquery p1turn"]);
    assert_eq!(lines, ["bestmove", "response true", "bestmove"]);
}

#[test]
fn withholds_answer_until_ponder_hit() {
    let (engine, lines) = answers("go ponder nodes 10\nponderhit", &[]);
    assert_eq!(lines, ["bestmove"]);
    engine.receive("go ponder nodes 10");
    engine.run_jobs();
    assert!(!OUTPUT.take().contains("bestmove"));
    engine.receive("ponderhit");
    assert!(OUTPUT.take().starts_with("bestmove "));
}

#[test]
fn prints_nothing_after_quit() {
    let (engine, lines) = answers("go infinite", &["quit\nisready", "isready"]);
    assert_eq!(lines, [""; 0]);
    engine.receive("isready");
    assert!(engine.has_quit() && OUTPUT.take().is_empty());
}

#[test]
fn counts_leaves_and_stops_benchmark() {
    let (_, lines) = answers("go perft 1\nstop", &[]);
    assert_eq!(lines, ["info string perft stopped"]);
    let (_, lines) = answers("bench", &["stop"]);
    assert_eq!(lines.last().map(String::as_str), Some("info string bench stopped"));
}

#[test]
fn reads_any_line_end_and_rejects_long_line() {
    let long = format!("query p1turn\r\nquery gameover\rd {}", "x".repeat(1 << 18));
    let (_, lines) = answers(&long, &[]);
    assert_eq!(
        lines,
        [
            "response true",
            "response false",
            "info string error: line too long: expected at most 262144 bytes",
        ]
    );
}

#[test]
fn has_no_log_and_one_thread() {
    let (_, lines) = answers(
        "debug on\nsetoption name LogFile value x\nsetoption name LogFile value\n\
         setoption name Threads value 2\nsetoption name Threads value 1",
        &[],
    );
    assert_eq!(
        lines,
        [
            "info string error: cannot open the log file: unsupported",
            "info string error: invalid value `2` for option `Threads`: expected a whole number \
             from 1 to 1",
        ]
    );
}
