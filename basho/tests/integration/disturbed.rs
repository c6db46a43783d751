//! Disturbances from outside: signals, a stalled machine, missing resources, replaced programs.
//! No engine loses by them, and basho replays the games.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use basho::record::{GameRecord, Reason};
use basho::records::manifest;
use tempfile::TempDir;

use crate::support::mock::{mock, script};
use crate::support::runner::{BASHO, records, stderr};

/// A pair of games of a mock against the random player. The mock finds the folder in `$1`.
struct Trial(TempDir);

impl Trial {
    fn new(text: &str) -> Trial {
        let trial = Trial(tempfile::tempdir().unwrap());
        script(trial.path(), "mock.sh", text);
        trial
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self) -> PathBuf {
        self.path().join("run")
    }

    fn command(&self) -> Command {
        let path = self.path().display();
        let args = format!("args={path}/mock.sh {path}");
        self.with_mock(&["cmd=sh", "name=mock", &args, "patience=60000"])
    }

    fn with_mock(&self, mock: &[&str]) -> Command {
        let mut command = Command::new(BASHO);
        command.args(["match", "--engine"]).args(mock).args([
            "--engine",
            "cmd=builtin:random",
            "--each",
            "movetime=60000",
        ]);
        command.args(["--rounds", "1", "--into"]).arg(self.run());
        command
    }

    fn resume(&self) -> Output {
        Command::new(BASHO).arg("resume").arg(self.run()).output().unwrap()
    }

    fn games(&self) -> Vec<GameRecord> {
        records(&self.run())
    }
}

/// A mock that runs a command once and otherwise answers with an illegal move, which loses at once.
fn once(action: &str) -> String {
    mock(&format!(
        "if [ ! -e \"$1/done\" ]; then : > \"$1/done\"; {action}; fi; echo 'bestmove d4d3'"
    ))
}

#[test]
fn replays_game_when_engine_is_killed_from_outside() {
    for action in ["kill -TERM $$", "kill -INT $$", "kill -HUP $$", "kill -KILL $$", "exit 143"] {
        let trial = Trial::new(&once(action));
        assert_eq!(trial.command().output().unwrap().status.code(), Some(0));
        let games = trial.games();
        assert_eq!(games.len(), 2, "{action}");
        assert!(games.iter().all(|game| game.reason == Reason::IllegalMove), "{action}: {games:?}");
        let replayed: Vec<&String> = games.iter().flat_map(|game| &game.replayed).collect();
        assert!(
            matches!(replayed.as_slice(), [why] if why.contains("the engine was ended from \
                outside")),
            "{action}: {replayed:?}"
        );
        let report = Command::new(BASHO).arg("report").arg(trial.run()).output().unwrap();
        assert!(
            String::from_utf8_lossy(&report.stdout).contains("Games played again: 1 "),
            "{report:?}"
        );
    }
}

#[test]
fn loses_game_after_three_replays() {
    let trial = Trial::new(&mock("kill -TERM $$"));
    assert_eq!(trial.command().output().unwrap().status.code(), Some(0));
    for game in trial.games() {
        assert_eq!((game.reason, game.replayed.len()), (Reason::Crash, 3), "{}", game.detail);
        assert!(game.detail.contains("killed by SIGTERM"), "{}", game.detail);
    }
}

#[test]
fn interrupts_game_when_signal_reaches_basho_and_engine() {
    // The signal may reach either process first, and the engine may end in any way.
    let actions = [
        "kill -TERM $PPID; kill -TERM $$",
        "kill -HUP $PPID; exit 1",
        "kill -INT $PPID; exec 1>&-; sleep 1000",
        "(kill -INT $$; kill -INT $PPID) & wait",
    ];
    for action in actions {
        let trial = Trial::new(&once(action));
        assert_eq!(trial.command().output().unwrap().status.code(), Some(130), "{action}");
        let reasons: Vec<Reason> = trial.games().iter().map(|game| game.reason).collect();
        assert_eq!(reasons, [Reason::Interrupted], "{action}");
        assert_eq!(trial.resume().status.code(), Some(0));
        let played: Vec<u64> = trial.games()[1..].iter().map(|game| game.game).collect();
        assert_eq!(played, [1, 2], "{action}");
    }
}

/// Polls until a condition holds.
fn wait_until(mut holds: impl FnMut() -> bool) {
    while !holds() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
fn send(child: &Child, signal: nix::sys::signal::Signal) {
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id().cast_signed()), signal).unwrap();
}

/// SIGSTOP stalls basho while the mock exceeds its time.
#[test]
#[cfg(target_os = "linux")]
fn replays_loss_on_time_during_machine_stall() {
    use nix::sys::signal::Signal;
    let late = ": > \"$1/asked\"; while [ ! -e \"$1/stopped\" ]; do sleep 0.01; done; sleep 0.5; \
                echo 'bestmove d4d3'; : > \"$1/answered\"";
    let text =
        mock(&format!("if [ ! -e \"$1/asked\" ]; then {late}; else echo 'bestmove d4d3'; fi"));
    let trial = Trial::new(&text);
    let args = format!("args={0}/mock.sh {0}", trial.path().display());
    let mock = ["cmd=sh", "name=mock", &args, "patience=60000", "movetime=400", "timemargin=100"];
    let mut child = trial.with_mock(&mock).stdout(Stdio::null()).spawn().unwrap();
    wait_until(|| trial.path().join("asked").exists());
    send(&child, Signal::SIGSTOP);
    let stat = || std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    wait_until(|| stat().contains(") T "));
    std::fs::write(trial.path().join("stopped"), "").unwrap();
    wait_until(|| trial.path().join("answered").exists());
    send(&child, Signal::SIGCONT);
    assert!(child.wait().unwrap().success());
    let games = trial.games();
    // A real stall of the machine may add a further replay.
    let late = &games[0].replayed;
    assert!(
        late.first().is_some_and(
            |why| why.contains("loses on time") && why.contains("the machine stood still")
        ),
        "{late:?}"
    );
    assert!(
        !games[0].moves.iter().any(|played| played.ms >= Some(500.0)),
        "the moves are those of the game that counts"
    );
}

/// A tournament that ended because its program changed itself by `action`: the trial, the path of
/// the program, and the output. In `action`, `$0` is the program and `$1` its folder.
fn with_changed_program(action: &str) -> (Trial, PathBuf, Output) {
    let trial = Trial::new("");
    let engine = trial.path().join("engine");
    script(trial.path(), "draft", &format!("#!/bin/sh\n{}", once(action)));
    // Another process makes the copy. A file written here may still be open in a child of another
    // thread, and then it cannot be executed.
    assert!(
        Command::new("install")
            .args(["-m", "755"])
            .arg(trial.path().join("draft"))
            .arg(&engine)
            .status()
            .unwrap()
            .success()
    );
    let (cmd, args) =
        (format!("cmd={}", engine.display()), format!("args={}", trial.path().display()));
    let output = trial.with_mock(&[&cmd, &args, "name=mock", "patience=60000"]).output().unwrap();
    assert_eq!(output.status.code(), Some(75), "{output:?}");
    (trial, engine, output)
}

/// A tournament that ended because its program was replaced, and the path of the program.
fn with_replaced_program() -> (Trial, PathBuf) {
    let (trial, engine, output) = with_changed_program(
        "sed 's/d4d3/e4e3/g' \"$0\" > \"$1/other\"; chmod +x \"$1/other\"; \
         mv \"$0\" \"$1/before\"; mv \"$1/other\" \"$0\"; exit 1",
    );
    assert!(
        stderr(&output)
            .contains("has changed since the tournament began; restore the program, or start"),
        "{output:?}"
    );
    (trial, engine)
}

#[test]
fn ends_tournament_when_program_is_replaced() {
    let (trial, engine) = with_replaced_program();
    let reasons: Vec<Reason> = trial.games().iter().map(|game| game.reason).collect();
    assert_eq!(reasons, [Reason::Interrupted]);

    let rejected = trial.resume();
    assert_eq!(rejected.status.code(), Some(75));
    assert!(stderr(&rejected).contains("engine 1 (mock)"), "{rejected:?}");
    std::fs::rename(trial.path().join("before"), &engine).unwrap();
    assert_eq!(trial.resume().status.code(), Some(0));
    assert!(
        trial.games()[1..].iter().all(|game| game.detail.contains("d4d3")),
        "both games are those of the old program"
    );
    assert_eq!(trial.games().len(), 3);
}

/// The manual says to delete its line.
#[test]
fn records_accepted_program_on_resume() {
    let (trial, _) = with_replaced_program();
    let recorded = || manifest::read(&trial.run()).unwrap().programs.remove("mock");
    let before = recorded();
    let path = trial.run().join("tournament.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let kept =
        text.lines().filter(|line| !line.starts_with("mock = ")).map(|line| format!("{line}\n"));
    std::fs::write(&path, kept.collect::<String>()).unwrap();
    assert_eq!(recorded(), None);
    assert_eq!(trial.resume().status.code(), Some(0));
    assert!(
        trial.games()[1..].iter().all(|game| game.detail.contains("e4e3")),
        "both games are those of the new program"
    );
    assert!(recorded().is_some() && recorded() != before, "{:?}", recorded());
}

#[test]
fn ends_tournament_when_program_is_missing() {
    // basho notices it when the next game needs a new process.
    let (trial, engine, output) = with_changed_program("mv \"$0\" \"$1/away\"");
    assert!(
        stderr(&output).contains("cannot run") && stderr(&output).contains("restore the program"),
        "{output:?}"
    );
    let reasons: Vec<Reason> = trial.games().iter().map(|game| game.reason).collect();
    assert_eq!(reasons, [Reason::IllegalMove, Reason::Interrupted]);
    std::fs::rename(trial.path().join("away"), &engine).unwrap();
    assert_eq!(trial.resume().status.code(), Some(0));
}

#[test]
fn loses_no_game_when_open_files_run_out() {
    let mut codes = Vec::new();
    // The number that suffices depends on what this process leaves open. At some limit one engine
    // can be started but not two. The shell of the engine needs descriptor 10, so some numbers are
    // taken in advance.
    for limit in 12..=21 {
        let trial = Trial::new(&mock("echo 'bestmove d4d3'"));
        let args = format!("args={}/mock.sh", trial.path().display());
        let mut command = Command::new("sh");
        command.args([
            "-c",
            &format!("exec 3<&0 4<&0 5<&0 6<&0 7<&0; ulimit -n {limit}; exec \"$@\""),
            "sh",
            BASHO,
            "match",
        ]);
        for name in ["name=a", "name=b"] {
            command.args(["--engine", "cmd=sh", name, &args]);
        }
        let output = command
            .args(["--each", "movetime=60000", "--rounds", "1", "--into"])
            .arg(trial.run())
            .output()
            .unwrap();
        let games = if trial.run().exists() { trial.games() } else { Vec::new() };
        match output.status.code() {
            Some(0) => assert_eq!(games.len(), 2),
            Some(75) => assert!(stderr(&output).contains("`ulimit -n`"), "{output:?}"),
            _ => assert!(games.is_empty() && stderr(&output).contains("open files"), "{output:?}"),
        }
        assert!(
            games
                .iter()
                .all(|game| matches!(game.reason, Reason::IllegalMove | Reason::Interrupted)),
            "{games:?}"
        );
        codes.push((output.status.code(), trial.run().exists()));
    }
    assert!(codes.contains(&(Some(75), true)) && codes.contains(&(Some(0), true)), "{codes:?}");
}
