//! Engines that misbehave: each forfeits for its own reason, the tournament continues, and no
//! process survives.

use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use basho::record::{GameRecord, Reason};
use basho::records::journal;
use tempfile::TempDir;

use crate::support::mock::{mock, script};
use crate::support::runner::{BASHO, arguments, records, stderr, stdout};

/// The result of two pairs of games of a mock against the random player.
struct Faulty {
    dir: TempDir,
    games: Vec<GameRecord>,
    code: Option<i32>,
}

/// Limits that no answer exceeds.
const UNHURRIED: [&str; 2] = ["movetime=60000", "patience=60000"];

/// Limits for engines that answer `go` too late.
const HURRIED: [&str; 2] = ["movetime=50", "patience=60000"];

/// Limits for engines that never answer `go`. The patience suffices for a shell to start.
const IMPATIENT: [&str; 2] = ["movetime=1", "patience=15000"];

fn play(text: &str, times: [&str; 2], extra: &[&str]) -> Faulty {
    let dir = tempfile::tempdir().unwrap();
    let path = script(dir.path(), "mock.sh", text);
    let into = dir.path().join("run");
    let status = Command::new(BASHO)
        .args([
            "match",
            "--engine",
            "cmd=sh",
            "name=mock",
            &format!("args={}", path.display()),
            "--engine",
            "cmd=builtin:random",
        ])
        .arg("--each")
        .args(times)
        .args(["timemargin=0", "--rounds", "2", "--into"])
        .arg(&into)
        .args(extra)
        .output()
        .unwrap();
    Faulty { games: records(&into), dir, code: status.status.code() }
}

/// Plays four games and checks that the mock lost each for this reason, with `words` in the
/// message.
fn assert_forfeits(text: &str, reason: Reason, words: &str) -> Faulty {
    let times = match reason {
        Reason::Stall => IMPATIENT,
        Reason::Timeout => HURRIED,
        _ => UNHURRIED,
    };
    let faulty = play(text, times, &["--concurrency", "4"]);
    assert_lost(&faulty, reason, words);
    faulty
}

/// Checks that the mock lost four games for this reason, with `words` in each message.
fn assert_lost(faulty: &Faulty, reason: Reason, words: &str) {
    assert_eq!(faulty.code, Some(0));
    assert_eq!(faulty.games.len(), 4);
    for game in &faulty.games {
        assert_eq!(game.reason, reason, "{}", game.detail);
        assert!(game.detail.contains(words), "{}", game.detail);
        let loser = if game.result == basho::sheet::GameScore::BlackWins {
            &game.white
        } else {
            &game.black
        };
        assert_eq!(loser.name, "mock");
    }
}

#[test]
fn forfeits_at_crash_on_start() {
    assert_forfeits("exit 7", Reason::Crash, "exited with code 7");
}

#[test]
fn forfeits_at_crash_during_game() {
    let text = mock(
        "if [ -n \"$moved\" ]; then kill -SEGV $$; fi; moved=1; sleep 0; echo 'bestmove a1a5'",
    );
    let faulty = play(&text, UNHURRIED, &[]);
    assert_eq!((faulty.code, faulty.games.len()), (Some(0), 4));
    // As the opener the mock plays a legal move and crashes at the second. As the second player it
    // has no move a1a5.
    assert_fault_of_opener(&faulty.games, Reason::Crash, "killed by SIGSEGV");
}

/// Checks that the mock is at fault for `reason` as the opener, and plays an illegal move as the
/// second player.
fn assert_fault_of_opener(games: &[GameRecord], reason: Reason, detail: &str) {
    for game in games {
        let expected = if game.black.name == "mock" { reason } else { Reason::IllegalMove };
        assert_eq!(game.reason, expected, "{}", game.detail);
        assert_eq!(game.detail.contains(detail), expected == reason, "{}", game.detail);
    }
}

#[test]
fn stalls_without_answer() {
    assert_forfeits(&mock(":"), Reason::Stall, "no answer");
}

#[test]
fn stalls_without_uciok() {
    // The wait is short, because no answer comes.
    let faulty = play(
        "while read -r line; do :; done",
        ["movetime=1", "patience=300"],
        &["--concurrency", "4"],
    );
    assert_lost(&faulty, Reason::Stall, "`uciok`");
}

#[test]
fn records_overrun_of_late_answer() {
    let faulty =
        assert_forfeits(&mock("sleep 0.3; echo 'bestmove a1a5'"), Reason::Timeout, "loses on time");
    for game in &faulty.games {
        let last = game.moves.last().unwrap();
        assert!(last.overrun_ms.unwrap() >= 200.0 && last.ms >= Some(250.0), "{last:?}");
    }
}

#[test]
fn forfeits_at_illegal_move() {
    assert_forfeits(&mock("echo 'bestmove d4d3'"), Reason::IllegalMove, "illegal move `d4d3`");
}

#[test]
fn forfeits_at_missing_move() {
    assert_forfeits(&mock("echo 'bestmove (none)'"), Reason::Garbled, "(none)");
}

#[test]
fn forfeits_at_garbled_answer() {
    assert_forfeits(&mock("printf 'bestmove a1\\377\\n'"), Reason::Garbled, "not UTF-8");
    assert_forfeits(&mock("printf 'info score cp 1 pv a1\\377\\n'"), Reason::Garbled, "not UTF-8");
    assert_forfeits(&mock("echo 'bestmove xyzzy'"), Reason::Garbled, "xyzzy");
}

#[test]
fn accepts_any_bytes_in_free_text() {
    let greeting = concat!(
        r"printf 'id author J\374rgen\noption name B\374cher type string default \374\n",
        r"\377\000\376 noise\n'"
    );
    let on_go = r"printf 'info depth 1 score cp 3 string T\344u\n\377\n'; echo 'bestmove d4d3'";
    assert_forfeits(
        &format!("{greeting}\n{}", mock(on_go)),
        Reason::IllegalMove,
        "illegal move `d4d3`",
    );
}

#[test]
fn forfeits_at_oversized_line() {
    assert_forfeits(
        &mock("head -c 5000000 /dev/zero | tr '\\000' x; echo"),
        Reason::Garbled,
        "65536 bytes",
    );
}

#[test]
fn stalls_when_flooded_without_answer() {
    assert_forfeits(&mock("yes 'info string flood'"), Reason::Stall, "no answer");
}

#[test]
fn forfeits_at_endless_options() {
    assert_forfeits("read -r line; yes 'option name X type button'", Reason::Garbled, "options");
}

#[test]
fn quotes_malformed_option() {
    let option = "option name Depth type spin default 9";
    assert_forfeits(
        &format!("read -r line; echo '{option}'; echo uciok; read -r line"),
        Reason::Garbled,
        option,
    );
}

/// Command lines of all processes that contain the text, from `/proc`.
#[cfg(target_os = "linux")]
fn running(text: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(text)).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn kills_engine_that_ignores_quit_or_forks() {
    let stubborn = "trap '' TERM HUP INT PIPE\n".to_owned()
        + &mock("tail -n 0 -f \"$0\" & echo 'bestmove d4d3'")
            .replace("quit) exit 0", "quit) while :; do sleep 1; done");
    let faulty = assert_forfeits(&stubborn, Reason::IllegalMove, "d4d3");
    // The mock and its children have its path among their arguments. A killed process disappears
    // only when the kernel next runs it, so poll.
    let path = faulty.dir.path().display().to_string();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !running(&path).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(running(&path), Vec::<String>::new());
}

/// No polling: all processes are gone when basho ends.
#[test]
#[cfg(target_os = "linux")]
fn kills_descendants_that_leave_group_or_session() {
    let ways = [
        "setsid tail -n 0 -f \"$0\" &",
        "(setsid tail -n 0 -f \"$0\" > /dev/null 2>&1 < /dev/null &)",
        "(setsid sh -c '(trap \"\" TERM HUP; tail -n 0 -f \"$0\") & exit' \"$0\" > /dev/null 2>&1 \
         &)",
        "(env -i setsid tail -n 0 -f \"$0\" > /dev/null 2>&1 &)",
        "set -m; tail -n 0 -f \"$0\" & set +m",
        // A chain of processes: each starts the next and ends.
        "(setsid sh -c \"$HEIRS\" \"$0\" 200 > /dev/null 2>&1 &)",
    ];
    let heirs = concat!(
        r#"HEIRS='[ $1 = 0 ] && exec tail -n 0 -f "$0"; "#,
        r#"sh -c "$HEIRS" "$0" $(($1 - 1)) & exit'; export HEIRS"#
    );
    for way in ways {
        let faulty = assert_forfeits(
            &mock(&format!("{heirs}; {way}\necho 'bestmove d4d3'")),
            Reason::IllegalMove,
            "d4d3",
        );
        assert_eq!(
            running(&faulty.dir.path().display().to_string()),
            Vec::<String>::new(),
            "{way}"
        );
    }
}

#[test]
fn forfeits_at_unrequested_answer() {
    let text =
        mock("echo 'bestmove d4d3'").replace("echo readyok", "echo 'bestmove a1a5'; echo readyok");
    assert_forfeits(&text, Reason::Garbled, "`bestmove a1a5` without a `go`");
    let twice = play(&mock("echo 'bestmove a1a5'; echo 'bestmove a5a6'"), UNHURRIED, &[]);
    assert_eq!(twice.games.len(), 4);
    // As the opener the mock plays a legal move, and its second answer belongs to no `go`. As the
    // second player it has no move a1a5.
    assert_fault_of_opener(&twice.games, Reason::Garbled, "`bestmove a5a6` without a `go`");
}

#[test]
fn counts_answer_before_exit() {
    for game in play(&mock("echo 'bestmove a1a5'; exit 0"), UNHURRIED, &[]).games {
        assert!(game.black.name != "mock" || game.moves.len() > 1, "{game:?}");
        assert_eq!(
            game.reason,
            if game.black.name == "mock" { Reason::Crash } else { Reason::IllegalMove }
        );
    }
}

#[test]
fn limits_stderr_file_without_blocking_engine() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("stderr");
    let text = mock("head -c 20000000 /dev/zero >&2; echo 'bestmove d4d3'");
    let path = script(dir.path(), "mock.sh", &text);
    let mut command = Command::new(BASHO);
    command.args([
        "match",
        "--engine",
        "cmd=sh",
        &format!("args={}", path.display()),
        &format!("stderr={}", file.display()),
    ]);
    command.args(
        "--engine cmd=builtin:random --each movetime=60000 --rounds 1 --concurrency 2 \
                  --into"
            .split(' '),
    );
    let output = command.arg(dir.path().join("run")).output().unwrap();
    assert!(
        String::from_utf8_lossy(&output.stdout).matches("illegal move `d4d3`").count() == 2,
        "{output:?}"
    );
    let log = std::fs::read(&file).unwrap();
    assert!((16 << 20..(16 << 20) + (1 << 17)).contains(&log.len()), "{}", log.len());
    assert!(log.ends_with(b"the file has reached 16 MiB)\n"));
}

#[test]
fn strict_ends_tournament_at_first_fault() {
    let faulty = play(&mock("echo 'bestmove d4d3'"), UNHURRIED, &["--strict"]);
    assert_eq!(faulty.code, Some(3));
    assert_eq!(faulty.games.len(), 1);
}

#[test]
fn shows_last_stderr_lines_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let on_go = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '\\033line %s J\\374r\\n' $i >&2; \
                 done; exit 3";
    let path = script(dir.path(), "mock.sh", &mock(on_go));
    let run = dir.path().join("run");
    let mut command = Command::new(BASHO);
    command.args(["match", "--engine", "cmd=sh", "name=mock", &format!("args={}", path.display())]);
    command.args("--engine cmd=builtin:random --each movetime=60000 --rounds 1 --into".split(' '));
    let played = command.arg(&run).output().unwrap();
    assert_eq!(played.status.code(), Some(0));
    let expected: Vec<String> =
        (3..=12).map(|number| format!("\\u001bline {number} J\u{fffd}r")).collect();
    let indented = expected.iter().fold(String::new(), |text, line| text + "\n    " + line);
    let printed = stderr(&played);
    assert_eq!(
        printed
            .matches(&format!("mock was at fault; its last lines on stderr:{indented}\n"))
            .count(),
        1,
        "{printed}"
    );
    journal::read_lines(&run, |_, read| {
        let (game, line) = read.unwrap();
        assert_eq!(game.stderr_tail.lines(), expected);
        assert!(line.contains("\"stderr\":["));
    })
    .unwrap();
    let report = Command::new(BASHO).arg("report").arg(&run).output().unwrap();
    let printed = stdout(&report);
    assert!(
        printed.contains(&format!(
            "mock is at fault: Black disconnects: exited with code 3; \
                                    expected `bestmove` after `go`; its last lines on \
                                    stderr:{indented}\n"
        )),
        "{printed}"
    );
    let html = dir.path().join("page.html");
    assert!(
        Command::new(BASHO)
            .arg("report")
            .arg(&run)
            .arg("--html")
            .arg(&html)
            .status()
            .unwrap()
            .success()
    );
    assert!(std::fs::read_to_string(html).unwrap().contains(&expected.join("\n")));
}

#[test]
fn omits_stderr_from_records_without_fault() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let players = arguments(
        "match --engine cmd=builtin:random --engine cmd=builtin:greedy --rounds 1 \
                         --into",
    );
    assert!(Command::new(BASHO).args(players).arg(&run).output().unwrap().status.success());
    assert!(!std::fs::read_to_string(run.join("games.jsonl")).unwrap().contains("stderr"));
}

#[test]
fn shows_stderr_of_engine_that_fails_to_start() {
    let dir = tempfile::tempdir().unwrap();
    let path = script(dir.path(), "mock.sh", "echo 'No module named net' >&2; exit 1");
    let mut command = Command::new(BASHO);
    command.args(["match", "--engine", "cmd=sh", "name=mock", &format!("args={}", path.display())]);
    command.args("--engine cmd=builtin:random --each movetime=60000 --rounds 1 --into".split(' '));
    let printed =
        String::from_utf8(command.arg(dir.path().join("run")).output().unwrap().stderr).unwrap();
    assert!(
        printed.contains("engine 1 (mock) does not start properly: exited with code 1"),
        "{printed}"
    );
    assert!(printed.contains("\n    No module named net\n"), "{printed}");
}

/// The engine sleeps longer than its time while other processes use all processors.
#[test]
#[cfg(target_os = "linux")]
fn keeps_loss_on_time_of_sleeping_engine_on_busy_machine() {
    let burners = 2 * std::thread::available_parallelism().unwrap().get();
    let mut burning: Vec<_> = (0..burners)
        .map(|_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap())
        .collect();
    let faulty = play(
        &mock("sleep 2; echo 'bestmove a1a5'"),
        ["movetime=200", "patience=60000"],
        &["--concurrency", "4"],
    );
    burning.iter_mut().for_each(|child| {
        child.kill().unwrap();
        child.wait().unwrap();
    });
    assert_lost(&faulty, Reason::Timeout, "loses on time");
    assert!(faulty.games.iter().all(|game| game.replayed.is_empty()), "{:?}", faulty.games);
}
