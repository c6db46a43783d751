//! What is no engine's fault: signals to all processes, a machine that stands still or has no room, a program that is replaced.
//! Nobody loses by it, and the games are played again.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use basho::record::{GameRecord, Reason};
use basho::records::{journal, manifest};
use tempfile::TempDir;

use crate::support::mock::{mock, script};
use crate::support::runner::BASHO;

/// A pair of games of a mock against the random player, in a folder; the mock finds the folder in `$1`.
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
        let mut games = Vec::new();
        journal::read_games(&self.run(), |game, _| {
            games.push(game);
            Ok(())
        })
        .unwrap();
        games
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What it does once, and what it does ever after: an illegal move, which loses at once.
fn once(deed: &str) -> String {
    mock(&format!(
        "if [ ! -e \"$1/done\" ]; then : > \"$1/done\"; {deed}; fi; echo 'bestmove d4d3'"
    ))
}

#[test]
fn replays_game_when_engine_is_killed_from_outside() {
    for deed in ["kill -TERM $$", "kill -INT $$", "kill -HUP $$", "kill -KILL $$", "exit 143"] {
        let trial = Trial::new(&once(deed));
        assert_eq!(trial.command().output().unwrap().status.code(), Some(0));
        let games = trial.games();
        assert_eq!(games.len(), 2, "{deed}");
        assert!(games.iter().all(|game| game.reason == Reason::IllegalMove), "{deed}: {games:?}");
        let again: Vec<&String> = games.iter().flat_map(|game| &game.replayed).collect();
        assert!(
            matches!(again.as_slice(), [why] if why.contains("the engine was ended from outside")),
            "{deed}: {again:?}"
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
    // Whichever process gets it first, and however the engine ends.
    let deeds = [
        "kill -TERM $PPID; kill -TERM $$",
        "kill -HUP $PPID; exit 1",
        "kill -INT $PPID; exec 1>&-; sleep 1000",
        "(kill -INT $$; kill -INT $PPID) & wait",
    ];
    for deed in deeds {
        let trial = Trial::new(&once(deed));
        assert_eq!(trial.command().output().unwrap().status.code(), Some(130), "{deed}");
        let reasons: Vec<Reason> = trial.games().iter().map(|game| game.reason).collect();
        assert_eq!(reasons, [Reason::Interrupted], "{deed}");
        assert_eq!(trial.resume().status.code(), Some(0));
        let played: Vec<u64> = trial.games()[1..].iter().map(|game| game.game).collect();
        assert_eq!(played, [1, 2], "{deed}");
    }
}

/// Waits for something that comes for certain.
fn await_that(mut holds: impl FnMut() -> bool) {
    while !holds() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
fn send(child: &Child, signal: nix::sys::signal::Signal) {
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id().cast_signed()), signal).unwrap();
}

/// The machine stands still for basho while the mock lets its time pass.
#[test]
#[cfg(target_os = "linux")]
fn replays_loss_on_time_during_machine_stall() {
    use nix::sys::signal::Signal;
    let late = ": > \"$1/asked\"; while [ ! -e \"$1/stopped\" ]; do sleep 0.01; done; sleep 0.5; echo 'bestmove d4d3'; : > \"$1/said\"";
    let text =
        mock(&format!("if [ ! -e \"$1/asked\" ]; then {late}; else echo 'bestmove d4d3'; fi"));
    let trial = Trial::new(&text);
    let args = format!("args={0}/mock.sh {0}", trial.path().display());
    let mock = ["cmd=sh", "name=mock", &args, "patience=60000", "movetime=400", "timemargin=100"];
    let mut child = trial.with_mock(&mock).stdout(Stdio::null()).spawn().unwrap();
    await_that(|| trial.path().join("asked").exists());
    send(&child, Signal::SIGSTOP);
    let stat = || std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    await_that(|| stat().contains(") T "));
    std::fs::write(trial.path().join("stopped"), "").unwrap();
    await_that(|| trial.path().join("said").exists());
    send(&child, Signal::SIGCONT);
    assert!(child.wait().unwrap().success());
    let games = trial.games();
    // Another one may follow by itself.
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

/// A tournament that has ended since a program was replaced, and that program.
fn with_a_replaced_program() -> (Trial, PathBuf) {
    let trial = Trial::new("");
    let engine = trial.path().join("engine");
    let deed = "sed 's/d4d3/e4e3/g' \"$0\" > \"$1/other\"; chmod +x \"$1/other\"; mv \"$0\" \"$1/before\"; mv \"$1/other\" \"$0\"; exit 1";
    script(trial.path(), "draft", &format!("#!/bin/sh\n{}", once(deed)));
    // Copied by another process: a file that this one writes may still be open in a child of another thread, and then cannot be run.
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
    assert!(
        stderr(&output)
            .contains("has changed since the tournament began; restore the program, or start"),
        "{output:?}"
    );
    (trial, engine)
}

#[test]
fn ends_tournament_when_program_is_replaced() {
    let (trial, engine) = with_a_replaced_program();
    let reasons: Vec<Reason> = trial.games().iter().map(|game| game.reason).collect();
    assert_eq!(reasons, [Reason::Interrupted]);

    let refused = trial.resume();
    assert_eq!(refused.status.code(), Some(75));
    assert!(stderr(&refused).contains("engine 1 (mock)"), "{refused:?}");
    std::fs::rename(trial.path().join("before"), &engine).unwrap();
    assert_eq!(trial.resume().status.code(), Some(0));
    assert!(
        trial.games()[1..].iter().all(|game| game.detail.contains("d4d3")),
        "both games are those of the program of before"
    );
    assert_eq!(trial.games().len(), 3);
}

/// As the manual says, by deleting its line.
#[test]
fn records_accepted_program_on_resume() {
    let (trial, _) = with_a_replaced_program();
    let known = || manifest::read(&trial.run()).unwrap().programs.remove("mock");
    let before = known();
    let path = trial.run().join("tournament.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let kept =
        text.lines().filter(|line| !line.starts_with("mock = ")).map(|line| format!("{line}\n"));
    std::fs::write(&path, kept.collect::<String>()).unwrap();
    assert_eq!(known(), None);
    assert_eq!(trial.resume().status.code(), Some(0));
    assert!(
        trial.games()[1..].iter().all(|game| game.detail.contains("e4e3")),
        "both games are those of the new program"
    );
    assert!(known().is_some() && known() != before, "{:?}", known());
}

#[test]
fn ends_tournament_when_program_is_missing() {
    let trial = Trial::new("");
    let engine = trial.path().join("engine");
    // It is seen to be gone when the next game needs a new process.
    script(trial.path(), "draft", &format!("#!/bin/sh\n{}", once("mv \"$0\" \"$1/away\"")));
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
    // How many are enough depends on what this process leaves open; somewhere in between one engine can be started, and not two. Some
    // are taken from the start, since the shell that is the engine needs number 10 for itself.
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
