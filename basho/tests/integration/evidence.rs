//! Faults in sequential tests: the test ends without a verdict, unless it tolerates faults.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use basho::record::{GameRecord, Reason};
use basho::records::manifest;

use crate::support::mock::{mock, script};
use crate::support::program::oshi;
use crate::support::runner::{BASHO, arguments, records, stderr, stdout};

/// The engines at fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Culprit {
    Base,
    New,
    Both,
}

/// Time of the first fault: the first game, or after [`GAMES_BEFORE`] games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    AtOnce,
    Later,
}

const GAMES_BEFORE: usize = 20;

/// A kind of fault: the shell commands that replace the answer to `go`, and its words in messages.
struct Kind {
    action: &'static str,
    words: &'static str,
    reason: Reason,
}

const CRASH: Kind = Kind { action: "exit 3", words: "disconnects: ", reason: Reason::Crash };
const HANG: Kind =
    Kind { action: "exec sleep 1000", words: "stalls: no answer", reason: Reason::Stall };
const ILLEGAL: Kind = Kind {
    action: "echo bestmove a1a1 >&3",
    words: "makes an illegal move",
    reason: Reason::IllegalMove,
};
const LATE: Kind = Kind {
    action: "sleep 3; echo bestmove a1a1 >&3",
    words: "loses on time",
    reason: Reason::Timeout,
};

/// Writes an engine that plays like oshi, and is at fault in every game after the first `after`
/// games. Before each fault it writes to stderr. Its `go` searches a single node, for speed.
fn faulty(dir: &Path, name: &str, after: usize, action: &str) -> PathBuf {
    let text = format!(
        "exec 3>&1; games=0\n\
         while read -r line; do\n\
           case $line in\n\
             ucinewgame) games=$((games + 1));;\n\
             go*) line='go nodes 1'\n\
               if [ $games -gt {after} ]; then echo 'Traceback of {name}' >&2; echo 'boom' >&2; \
               {action}; continue; fi;;\n\
           esac\n\
           echo \"$line\"\n\
         done | {oshi}",
        oshi = oshi()
    );
    script(dir, &format!("{name}.sh"), &text)
}

const HEALTHY: usize = usize::MAX >> 1;

fn engine(dir: &Path, name: &str, after: usize, action: &str) -> [String; 3] {
    let path = faulty(dir, name, after, action);
    ["cmd=sh".to_owned(), format!("name={name}"), format!("args={}", path.display())]
}

/// Runs a sequential test of `new` against `base` that stays undecided within its games.
fn sprt(
    dir: &Path,
    culprit: Culprit,
    when: When,
    kind: &Kind,
    rounds: &str,
    more: &[&str],
) -> Output {
    let after = if when == When::AtOnce { 0 } else { GAMES_BEFORE };
    let [base, new] = [Culprit::Base, Culprit::New]
        .map(|engine| if culprit == engine || culprit == Culprit::Both { after } else { HEALTHY });
    let mut command = Command::new(BASHO);
    command.arg("sprt");
    command.arg("--engine").args(engine(dir, "new", new, kind.action));
    command.arg("--engine").args(engine(dir, "base", base, kind.action));
    let patience = if kind.reason == Reason::Stall { "patience=15000" } else { "patience=60000" };
    let time = if kind.reason == Reason::Timeout { "movetime=1500" } else { "nodes=1" };
    command.args([
        "--each",
        time,
        patience,
        "--variant",
        "kamisado-simple",
        "--sprt",
        "elo0=0",
        "elo1=5",
    ]);
    command
        .args(["--rounds", rounds, "--openings", "random_start=true", "random_plies=4"])
        .args(more);
    command.arg("--into").arg(dir.join("run")).output().unwrap()
}

fn basho(command: &str, dir: &Path, more: &[&str]) -> Output {
    Command::new(BASHO).arg(command).arg(dir).args(more).output().unwrap()
}

/// Whether the output names the fault with its engine, its game and its last lines on stderr.
fn names_fault(printed: &str, fault: &GameRecord, kind: &Kind) -> bool {
    let engine = if fault.result == basho::sheet::GameScore::BlackWins {
        &fault.white
    } else {
        &fault.black
    };
    let game = format!("game {} ", fault.game);
    let words = [
        &game,
        &format!("{} is at fault", engine.name),
        kind.words,
        "boom",
        &format!("Traceback of {}", engine.name),
    ];
    words.iter().all(|word| printed.contains(*word))
}

fn assert_ends_without_verdict(culprit: Culprit, when: When, kind: &Kind) {
    let case = format!("{culprit:?} {when:?} {:?}", kind.reason);
    let temp = tempfile::tempdir().unwrap();
    let concurrency = if when == When::AtOnce { "2" } else { "1" };
    let output = sprt(temp.path(), culprit, when, kind, "40", &["--concurrency", concurrency]);
    assert_eq!(output.status.code(), Some(3), "{case}: {output:?}");
    let run = temp.path().join("run");
    let games = records(&run);
    let faults: Vec<&GameRecord> = games.iter().filter(|game| game.reason.is_fault()).collect();
    let first = faults.first().unwrap();
    assert!(faults.iter().all(|game| game.reason == kind.reason), "{case}: {faults:?}");
    assert!(faults.len() <= if when == When::AtOnce { 2 } else { 1 }, "{case}: {faults:?}");
    assert!(
        games.iter().all(|game| game.game <= first.game + 2),
        "{case}: within one pair of the fault"
    );
    assert_eq!(first.game > GAMES_BEFORE as u64, when == When::Later, "{case}");
    assert!(
        first.stderr_tail.lines().last().is_some_and(|line| line == "boom"),
        "{case}: {first:?}"
    );
    let printed = stderr(&output);
    assert!(faults.iter().any(|fault| names_fault(&printed, fault, kind)), "{case}: {printed}");
    assert!(!stdout(&output).contains("accepted"), "{case}: {}", stdout(&output));
    assert!(stdout(&output).contains("ended without a verdict, 0 tolerated"), "{case}");

    let before = std::fs::read(run.join("games.jsonl")).unwrap();
    let resumed = basho("resume", &run, &[]);
    assert_eq!(resumed.status.code(), Some(3), "{case}: {resumed:?}");
    let printed = stderr(&resumed);
    assert!(faults.iter().any(|fault| names_fault(&printed, fault, kind)), "{case}: {printed}");
    assert!(stdout(&resumed).contains("--tolerate-faults"), "{case}: {resumed:?}");
    assert_eq!(
        std::fs::read(run.join("games.jsonl")).unwrap(),
        before,
        "{case}: a game was played"
    );

    let report = basho("report", &run, &[]);
    assert_eq!(report.status.code(), Some(0), "{case}: {report:?}");
    let printed = stdout(&report);
    assert!(
        !printed.contains("accepted") && printed.contains("without a verdict"),
        "{case}: {printed}"
    );
    assert!(names_fault(&printed, first, kind), "{case}: {printed}");
}

/// Checks all cases, `at_a_time` of them in parallel.
fn assert_all_end_without_verdict(kind: &Kind, at_a_time: usize) {
    let culprits = [Culprit::Base, Culprit::New, Culprit::Both];
    let cases: Vec<_> = culprits
        .iter()
        .flat_map(|&culprit| [(culprit, When::AtOnce), (culprit, When::Later)])
        .collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some(&(culprit, when)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    assert_ends_without_verdict(culprit, when, kind);
                }
            });
        }
    });
}

#[test]
fn ends_sprt_at_crash() {
    assert_all_end_without_verdict(&CRASH, 2);
}

#[test]
fn ends_sprt_at_hang() {
    assert_all_end_without_verdict(&HANG, 6);
}

#[test]
fn ends_sprt_at_illegal_move() {
    assert_all_end_without_verdict(&ILLEGAL, 2);
}

#[test]
fn ends_sprt_at_loss_on_time() {
    assert_all_end_without_verdict(&LATE, 3);
}

/// Shell commands for a fault in the first two games of all processes. `$0` names the files.
fn twice_at_fault() -> &'static str {
    "if mkdir \"$0.1\" 2>/dev/null || mkdir \"$0.2\" 2>/dev/null; then exit 3; fi; echo \"$line\""
}

fn tolerant(dir: &Path, more: &[&str]) -> Output {
    let kind = Kind { action: twice_at_fault(), words: "", reason: Reason::Crash };
    sprt(dir, Culprit::Base, When::AtOnce, &kind, "3", more)
}

#[test]
fn counts_tolerated_faults_in_verdict() {
    let temp = tempfile::tempdir().unwrap();
    let output = tolerant(temp.path(), &["--tolerate-faults", "2"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stdout(&output).contains("undecided after all games, 2 faults"), "{output:?}");
    let games = records(&temp.path().join("run"));
    assert_eq!(
        (games.len(), games.iter().filter(|game| game.reason == Reason::Crash).count()),
        (6, 2)
    );
}

#[test]
fn ends_sprt_beyond_tolerance_and_resumes_with_more() {
    let temp = tempfile::tempdir().unwrap();
    let run = temp.path().join("run");
    let output = tolerant(temp.path(), &["--tolerate-faults", "1"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(stdout(&output).contains("without a verdict, 1 tolerated, 2 faults"), "{output:?}");
    assert!(records(&run).len() < 6);
    // The same command ends in the same way. With more tolerance, `resume` continues.
    assert_eq!(tolerant(temp.path(), &["--tolerate-faults", "1"]).status.code(), Some(3));
    let resumed = basho("resume", &run, &["--tolerate-faults", "2"]);
    assert_eq!(resumed.status.code(), Some(2), "{resumed:?}");
    assert_eq!(manifest::read(&run).unwrap().tournament.sprt.unwrap().0.tolerate_faults, 2);
    let report = stdout(&basho("report", &run, &[]));
    assert!(report.contains("undecided after all games, 2 faults"), "{report}");
    // With less tolerance the verdict is void again.
    assert_eq!(tolerant(temp.path(), &[]).status.code(), Some(3));
}

#[test]
fn ends_at_fault_from_file_and_fastchess_line() {
    let temp = tempfile::tempdir().unwrap();
    let path = script(temp.path(), "bad.sh", &mock("echo boom >&2; echo bestmove a1a1"));
    let file = temp.path().join("test.toml");
    let write = |key: &str| {
        let engine = format!(
            "[[engine]]\ncmd = 'sh'\nargs = ['{}']\nname = 'bad'\nnodes = 1\n",
            path.display()
        );
        let sprt = format!("[sprt]\nelo0 = 0\nelo1 = 5\n{key}\n");
        let text = format!(
            "rounds = 1\n{sprt}{engine}[[engine]]\ncmd = 'builtin:random'\nname = 'good'\n"
        );
        std::fs::write(&file, text).unwrap();
    };
    let play = |words: &[&str], into: &str| {
        let output = Command::new(BASHO)
            .args(words)
            .arg("--into")
            .arg(temp.path().join(into))
            .output()
            .unwrap();
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    let file_name = file.display().to_string();
    write("");
    let (code, printed) = play(&["run", &file_name], "file");
    assert!(
        code == Some(3) && printed.contains("bad is at fault") && printed.contains("\n    boom"),
        "{code:?}: {printed}"
    );
    let (code, printed) = play(&["run", &file_name, "--tolerate-faults", "2"], "flag");
    assert!(code == Some(2) && printed.contains("2 faults"), "{code:?}: {printed}");
    write("tolerate-faults = 2");
    let (code, printed) = play(&["run", &file_name], "key");
    assert!(code == Some(2) && printed.contains("2 faults"), "{code:?}: {printed}");

    let args = format!("args={}", path.display());
    let line = [
        "-engine",
        "cmd=sh",
        &args,
        "name=bad",
        "-engine",
        "cmd=builtin:random",
        "-each",
        "nodes=1",
    ];
    let line =
        [line.as_slice(), &["-sprt", "elo0=0", "elo1=5", "-rounds", "1", "-recover"]].concat();
    let (code, printed) = play(&line, "line");
    assert!(code == Some(3) && printed.contains("bad is at fault"), "{code:?}: {printed}");
    let (code, printed) =
        play(&[line.as_slice(), &["--tolerate-faults", "2"]].concat(), "tolerant-line");
    assert!(code == Some(2) && printed.contains("2 faults"), "{code:?}: {printed}");
}

#[test]
fn rejects_tolerance_without_sprt() {
    let temp = tempfile::tempdir().unwrap();
    let run = temp.path().join("run");
    let line =
        arguments("match --engine cmd=builtin:random --engine cmd=builtin:greedy --rounds 1");
    let rejected = |command: &mut Command| {
        let output = command.output().unwrap();
        let printed = stderr(&output);
        assert!(
            output.status.code() == Some(64) && printed.contains("no sequential test"),
            "{printed}"
        );
    };
    rejected(Command::new(BASHO).args(&line).args(["--tolerate-faults", "1", "--into"]).arg(&run));
    assert!(
        Command::new(BASHO).args(&line).arg("--into").arg(&run).output().unwrap().status.success()
    );
    rejected(Command::new(BASHO).arg("resume").arg(&run).args(["--tolerate-faults", "1"]));
}

#[test]
fn states_zero_faults_in_verdict() {
    let temp = tempfile::tempdir().unwrap();
    let line = arguments(
        "sprt --engine cmd=builtin:greedy --engine cmd=builtin:random --sprt elo0=0 \
                      elo1=50",
    );
    let run = temp.path().join("run");
    let output = Command::new(BASHO)
        .args(line)
        .args(["--rounds", "500", "--into"])
        .arg(&run)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let verdict = "completed - H1 was accepted, 0 faults";
    assert!(stdout(&output).contains(verdict), "{}", stdout(&output));
    assert!(stdout(&basho("report", &run, &[])).contains(verdict));
    let html = temp.path().join("page.html");
    assert!(basho("report", &run, &["--html", &html.display().to_string()]).status.success());
    let page = std::fs::read_to_string(html).unwrap();
    assert!(page.contains("H1 was accepted") && page.contains(", 0 faults."));
}

#[test]
fn ends_all_shards_at_fault_in_one() {
    let temp = tempfile::tempdir().unwrap();
    let path = script(temp.path(), "bad.sh", &mock("echo boom >&2; echo bestmove a1a1"));
    let args = format!("args={}", path.display());
    let parts = ["1", "2"].map(|index| temp.path().join(index));
    let play = |index: usize| {
        let mut command = Command::new(BASHO);
        command.args([
            "sprt",
            "--engine",
            "cmd=sh",
            &args,
            "name=bad",
            "--engine",
            "cmd=builtin:random",
            "--each",
            "nodes=1",
        ]);
        command.args([
            "--sprt",
            "elo0=0",
            "elo1=5",
            "--rounds",
            "6",
            "--shard",
            &format!("{}/2", index + 1),
            "--into",
        ]);
        command.arg(&parts[index]).output().unwrap()
    };
    let shard = play(1);
    assert_eq!(shard.status.code(), Some(3), "{shard:?}");
    assert_eq!(records(&parts[1]).len(), 1);
    let watched = Command::new(BASHO).arg("watch").args(&parts).output().unwrap();
    assert_eq!(watched.status.code(), Some(3), "{watched:?}");
    let printed = stdout(&watched) + &stderr(&watched);
    assert!(
        printed.contains("without a verdict")
            && printed.contains("bad is at fault")
            && printed.contains("\n    boom"),
        "{printed}"
    );
    assert!(!printed.contains("accepted"), "{printed}");
    assert!(parts.iter().all(|part| part.join("stop").exists()));
    let merged = Command::new(BASHO)
        .arg("merge")
        .args(&parts)
        .arg("--into")
        .arg(temp.path().join("whole"))
        .output()
        .unwrap();
    let printed = stdout(&merged);
    assert!(printed.contains("without a verdict") && !printed.contains("accepted"), "{merged:?}");
}
