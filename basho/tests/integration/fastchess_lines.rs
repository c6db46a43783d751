//! Command lines of fastchess from shells and scripts: basho plays each or says what to write
//! instead. Programs that parse the output of fastchess understand the output of basho.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::support::mock::{mock, script};
use crate::support::program::oshi;
use crate::support::readers::{Fishtest, OpenBench};
use crate::support::runner::{BASHO, games};

/// A folder with the files that the lines name.
fn work_folder() -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for folder in ["Engines", "Books", "app/tests/data"] {
        fs::create_dir_all(temp.path().join(folder)).unwrap();
    }
    symlink(oshi(), temp.path().join("Engines/oshi")).unwrap();
    let data = ["openings.epd", "openings.pgn", "short.epd", "black-to-move.epd", "test.epd"]
        .map(|name| format!("app/tests/data/{name}"));
    let books = ["Books/UHO_Lichess_4852_v1.epd", "Books/8moves_v3.pgn"].map(str::to_owned);
    for file in data.iter().chain(&books) {
        fs::write(temp.path().join(file), "a1a5\nb1b5\nstartpos moves c1c5\nd1d5\ne1e5\n").unwrap();
    }
    fs::write(temp.path().join("Books/kamon.epd"), "startpos\n").unwrap();
    temp
}

/// Runs a line in a folder through the shell.
fn run(dir: &Path, line: &str) -> Output {
    Command::new("sh")
        .args(["-c", &format!("exec \"$0\" {line}"), BASHO])
        .current_dir(dir)
        .output()
        .unwrap()
}

/// Plays a match of two engines and checks its output with both parsers.
fn assert_is_parsed(dir: &Path, line: &str, played: u32) -> (OpenBench, Fishtest) {
    let output = run(dir, &format!("{line} --into records"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{line}\n{stderr}");
    assert_eq!(games(&dir.join("records")).len(), played as usize, "{line}");
    let openbench = OpenBench::read(&output.stdout);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let batch = if line.contains("-ratinginterval 1 ") { 2 } else { played };
    let fishtest = Fishtest::read(&stdout, &stderr, played, batch);
    assert_eq!(fishtest.pentanomial, openbench.pentanomial, "{line}");
    let [wins, losses, draws] = fishtest.wins_losses_draws;
    assert_eq!([losses, draws, wins], openbench.trinomial, "{line}");
    let end: Vec<&str> = stdout.lines().rev().take(3).collect();
    assert!(
        matches!(
            end.as_slice(),
            [time, "Finished match", "Tournament finished"] if is_total_time(time)
        ),
        "{line}: {end:?}"
    );
    (openbench, fishtest)
}

/// `Total Time: 00:00:01 (hours:minutes:seconds)`.
fn is_total_time(line: &str) -> bool {
    let time = line
        .strip_prefix("Total Time: ")
        .and_then(|rest| rest.strip_suffix(" (hours:minutes:seconds)"));
    time.is_some_and(|time| {
        time.split(':')
            .all(|part| part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[test]
fn plays_or_explains_fastchess_lines() {
    let text = include_str!("../data/fastchess-lines.txt");
    let lines: Vec<_> =
        text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(lines.len() >= 30);
    for case in lines {
        let (expected, line) = case.split_once(" | ").unwrap();
        let (verb, parts) = expected.split_once(' ').unwrap();
        let temp = work_folder();
        match verb {
            "plays" => drop(assert_is_parsed(temp.path(), line, parts.parse().unwrap())),
            "means" => {
                let output = run(temp.path(), &format!("{line} --dry-run"));
                let (stdout, stderr) = (
                    String::from_utf8(output.stdout).unwrap(),
                    String::from_utf8(output.stderr).unwrap(),
                );
                assert_eq!(output.status.code(), Some(0), "{line}\n{stderr}");
                let missing: Vec<_> = parts
                    .split("; ")
                    .filter(|part| !stdout.lines().any(|line| line == *part))
                    .collect();
                assert!(missing.is_empty(), "{line}\nno {missing:?} in\n{stdout}");
            }
            _ => {
                let output = run(temp.path(), line);
                let stderr = String::from_utf8(output.stderr).unwrap();
                assert_eq!((verb, output.status.code()), ("hints", Some(64)), "{line}\n{stderr}");
                let missing: Vec<_> =
                    parts.split("; ").filter(|part| !stderr.contains(part)).collect();
                assert!(missing.is_empty(), "{line}\nno {missing:?} in\n{stderr}");
                assert!(!temp.path().join("runs").exists(), "a folder was made: {line}");
            }
        }
    }
}

#[test]
fn dry_run_prints_playable_file() {
    let temp = work_folder();
    let line = "-engine cmd=builtin:random -engine cmd=builtin:greedy -each restart=on depth=3 \
                -rounds 1 -resign score=600 \
                -openings file=Books/8moves_v3.pgn start=2 plies=1";
    let printed = run(temp.path(), &format!("{line} --dry-run"));
    fs::write(temp.path().join("printed.toml"), &printed.stdout).unwrap();
    for (command, into) in [("run printed.toml", "a"), (line, "b")] {
        assert_eq!(run(temp.path(), &format!("{command} --into {into}")).status.code(), Some(0));
    }
    assert_eq!(games(&temp.path().join("a")), games(&temp.path().join("b")));
    assert_eq!(games(&temp.path().join("a"))[0].opening.moves, ["b1b5"]);
}

#[test]
fn notes_ignored_options_once_on_stderr() {
    let temp = work_folder();
    let line = "-engine cmd=builtin:random -engine cmd=builtin:greedy -draw score=5 -tb x -pgnout \
                -pgnout file=y --dry-run";
    let output = run(temp.path(), line);
    let expected = "\
Note: -draw is ignored: the rules end every game
Note: -tb is ignored: there are no tablebases for these games
Note: -pgnout is ignored: games are recorded in the tournament's folder; `basho sheet` and `basho \
convert` print them
";
    assert_eq!(
        (String::from_utf8(output.stderr).unwrap().as_str(), output.status.code()),
        (expected, Some(0))
    );
}

#[test]
fn logs_lines_of_engines() {
    let temp = work_folder();
    let line = "-engine cmd=Engines/oshi nodes=1 -engine cmd=builtin:random -rounds 1 -variant \
                kamisado-simple -log file=log.txt engine=true";
    assert_eq!(run(temp.path(), line).status.code(), Some(0));
    let log = fs::read_to_string(temp.path().join("log.txt")).unwrap();
    assert!(log.contains("> go nodes 1") && log.contains("< bestmove "), "{log:.2000}");
    assert!(!log.contains('\x1b'), "escape codes in a file");
    let rejected = run(temp.path(), "report runs/match --log nowhere/log.txt");
    assert_eq!(rejected.status.code(), Some(74));
    assert!(String::from_utf8(rejected.stderr).unwrap().contains("nowhere/log.txt: No such file"));
}

/// Plays four games in which the first engine is at fault.
fn at_fault(on_go: &str, limit: &str) -> (OpenBench, Fishtest) {
    let temp = work_folder();
    script(temp.path(), "mock.sh", &mock(on_go));
    let line = format!(
        "-engine cmd=sh args=mock.sh name=mock -engine cmd=builtin:random name=healthy -each \
         {limit} \
         -rounds 2 -repeat -recover -concurrency 2 -ratinginterval 1 -srand 1"
    );
    assert_is_parsed(temp.path(), &line, 4)
}

#[test]
fn output_parsers_count_each_fault_once() {
    let lost = ([4, 0, 0], [2, 0, 0, 0, 0]);
    let (openbench, fishtest) = at_fault("exit 1", "nodes=1");
    assert_eq!((openbench.trinomial, openbench.pentanomial), lost);
    assert_eq!((openbench.crashes, openbench.time_losses, openbench.illegals), (4, 0, 0));
    assert_eq!((fishtest.crashes, fishtest.time_losses), (4, 0));
    let (openbench, fishtest) = at_fault("echo bestmove a1a1", "nodes=1");
    assert_eq!((openbench.crashes, openbench.time_losses, openbench.illegals), (0, 0, 4));
    assert_eq!((fishtest.crashes, fishtest.time_losses), (0, 0));
    let (openbench, fishtest) = at_fault("sleep 1; echo bestmove a1a1", "st=0.001 timemargin=500");
    assert_eq!((openbench.crashes, openbench.time_losses, openbench.illegals), (0, 4, 0));
    assert_eq!((fishtest.crashes, fishtest.time_losses), (0, 4));
}
