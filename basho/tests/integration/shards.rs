//! Shards of a tournament: they resume after kills and losses, and merge to the whole tournament.

mod watch;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::mock::{mock, script};
use crate::support::program::oshi;
use crate::support::runner::{BASHO, games, stderr, stdout};

const RULE: &str = "--------------------------------------------------\n";

/// A tournament of the built-in players and oshi.
fn three(rounds: u32, into: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(BASHO);
    command.args(
        "match --engine cmd=builtin:random --engine cmd=builtin:greedy --engine \
                  name=oshi nodes=10"
            .split(' '),
    );
    command.args([
        &format!("cmd={oshi}", oshi = oshi()),
        "--openings",
        "random_start=true",
        "random_plies=2",
        "--seed",
        "5",
    ]);
    command.args(["--rounds", &rounds.to_string(), "--into"]).arg(into).args(more);
    command
}

/// A sequential test that soon accepts H0, with games for hours.
fn sprt(into: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(BASHO);
    command.args(
        "sprt --engine cmd=builtin:random --engine cmd=builtin:greedy --sprt elo0=0 \
                  elo1=20"
            .split(' '),
    );
    command
        .args(["--openings", "random_start=true", "--seed", "3", "--rounds", "1000000", "--into"])
        .arg(into)
        .args(more);
    command
}

/// The last standings in an output.
fn standings(output: &Output) -> String {
    stdout(output).rsplit(RULE).nth(1).unwrap().to_owned()
}

/// Number of games that a command started.
fn started(output: &Output) -> usize {
    stdout(output).matches("Started game ").count()
}

/// The message of a command that fails with code 64 or 74.
fn rejection(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(64 | 74)), "{output:?}");
    stderr(&output)
}

#[test]
fn repeated_command_resumes_or_repeats_standings() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let first = three(2, &dir, &[]).output().unwrap();
    assert_eq!((first.status.code(), started(&first)), (Some(0), 12), "{first:?}");
    let whole = fs::read_to_string(dir.join("games.jsonl")).unwrap();
    let again = three(2, &dir, &["--concurrency", "2", "--ratinginterval", "1"]).output().unwrap();
    assert_eq!((again.status.code(), started(&again)), (Some(0), 0), "{again:?}");
    assert_eq!(standings(&again), standings(&first));
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(dir.join("games.jsonl"), lines[..7].join("\n") + "\n" + &lines[7][..20]).unwrap();
    let rest = three(2, &dir, &[]).output().unwrap();
    assert_eq!((rest.status.code(), started(&rest)), (Some(0), 5), "{rest:?}");
    assert_eq!(standings(&rest), standings(&first));
}

#[test]
fn names_difference_to_tournament_in_folder() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    assert!(three(1, &dir, &[]).output().unwrap().status.success());
    let before = fs::read(dir.join("games.jsonl")).unwrap();
    let cases: [(u32, &[&str], &str); 6] = [
        (2, &[], "`rounds` is 1, not 2"),
        (1, &["--format", "gauntlet"], "`format` is `round-robin`, not `gauntlet`"),
        (1, &["--shard", "1/2"], "`shard` is `1/1`, not `1/2`"),
        (1, &["--each", "timemargin=7"], "`each.timemargin` is nothing, not 7"),
        (1, &["--each", "option.Hash=7"], "`each.option` is nothing, not something"),
        (1, &["--variant", "kamon"], "`variant` is `kamisado-standard`, not `kamon`"),
    ];
    for (rounds, more, expected) in cases {
        let message = rejection(&mut three(rounds, &dir, more));
        assert!(
            message.contains(expected) && message.contains("run holds another tournament"),
            "{more:?}: {message}"
        );
    }
    let other =
        three(1, &dir, &["--engine", "cmd=builtin:random", "name=fourth"]).output().unwrap();
    assert!(stderr(&other).contains("`engine 4` is nothing, not something"), "{other:?}");
    assert_eq!(fs::read(dir.join("games.jsonl")).unwrap(), before);
}

#[test]
fn repeated_command_ends_at_recorded_fault() {
    let temp = tempfile::tempdir().unwrap();
    let engine = script(temp.path(), "mock.sh", &mock("echo 'bestmove d4d3'"));
    let run = || {
        let mut command = Command::new(BASHO);
        command.args([
            "match",
            "--strict",
            "--engine",
            "cmd=sh",
            &format!("args={}", engine.display()),
            "--engine",
        ]);
        command
            .args(["cmd=builtin:random", "--each", "movetime=60000", "--into"])
            .arg(temp.path().join("run"));
        command.output().unwrap()
    };
    let (first, again) = (run(), run());
    assert_eq!((first.status.code(), again.status.code()), (Some(3), Some(3)), "{again:?}");
    assert_eq!((started(&first), started(&again)), (1, 0));
}

/// Reads lines until one contains `part`.
fn read_to(lines: impl std::io::Read, part: &str) {
    let mut lines = BufReader::new(lines).lines();
    assert!(lines.any(|line| line.unwrap().contains(part)), "no line with `{part}`");
}

#[test]
fn waits_for_other_process_until_it_is_killed() {
    let temp = tempfile::tempdir().unwrap();
    let go = temp.path().join("go");
    let wait = format!(
        "while [ -e \"$0\" ] && [ ! -e {} ]; do sleep 0.05; done; echo 'bestmove d4d3'",
        go.display()
    );
    let engine = script(temp.path(), "mock.sh", &mock(&wait));
    let begin = || {
        let mut command = Command::new(BASHO);
        command.args([
            "match",
            "--engine",
            "cmd=sh",
            &format!("args={}", engine.display()),
            "--engine",
            "cmd=builtin:random",
        ]);
        command
            .args(["--each", "movetime=60000", "--rounds", "1", "--into"])
            .arg(temp.path().join("run"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut first = begin();
    read_to(first.stdout.take().unwrap(), "Started game 1 of 2");
    let mut second = begin();
    read_to(
        second.stderr.take().unwrap(),
        "another basho plays this tournament right now; waiting until it ends",
    );
    first.kill().unwrap();
    first.wait().unwrap();
    fs::write(go, "").unwrap();
    let output = second.wait_with_output().unwrap();
    assert_eq!((output.status.code(), started(&output)), (Some(0), 2), "{output:?}");
    assert_eq!(games(&temp.path().join("run")).len(), 2);
}

#[test]
fn one_of_simultaneous_starts_plays() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let begun: Vec<Child> = (0..4)
        .map(|_| three(3, &dir, &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    let outputs: Vec<Output> =
        begun.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    assert!(
        outputs
            .iter()
            .all(|output| output.status.success() && standings(output) == standings(&outputs[0])),
        "{outputs:?}"
    );
    assert_eq!(outputs.iter().map(started).sum::<usize>(), 18);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "a draft remains");
}

/// Kills a run after a number of results, unless it has ended.
fn kill_after(mut command: Command, results: usize) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let finished =
        lines.filter(|line| line.as_ref().is_ok_and(|line| line.starts_with("Finished game ")));
    finished.take(results).for_each(drop);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn merges_killed_and_lost_shards_to_whole_tournament() {
    const SHARDS: u64 = 8;
    const ROUNDS: u32 = 24;
    let temp = tempfile::tempdir().unwrap();
    let place = |name: &str| temp.path().join(name);
    assert!(three(ROUNDS, &place("whole"), &[]).output().unwrap().status.success());
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let mut merge = Command::new(BASHO);
    merge.arg("merge");
    for index in 1..=SHARDS {
        let dir = place(&format!("part{index}"));
        let shard = format!("{index}/{SHARDS}");
        let part = || three(ROUNDS, &dir, &["--shard", &shard, "--concurrency", "2"]);
        for _ in 0..5 {
            kill_after(part(), rng.random_range(0..3));
        }
        let output = part().output().unwrap();
        assert!(output.status.success(), "{output:?}");
        if index == 3 {
            fs::remove_dir_all(&dir).unwrap();
            assert!(part().output().unwrap().status.success());
        }
        // Each pairing has a third of the games. Numbers are those of the whole tournament.
        let part = games(&dir);
        assert_eq!(part.len(), 3 * 2 * ROUNDS as usize / SHARDS as usize);
        for pairing in [["random", "greedy"], ["random", "oshi"], ["greedy", "oshi"]] {
            let meets = |names: [&str; 2]| pairing == names || pairing == [names[1], names[0]];
            assert_eq!(
                part.iter().filter(|game| meets([&game.black.name, &game.white.name])).count(),
                part.len() / 3
            );
        }
        let started = stdout(&output);
        assert!(started.contains(&format!("Shard {shard}: 18 of 144 games")), "{started}");
        assert!(
            started
                .lines()
                .filter(|line| line.starts_with("Started game"))
                .all(|line| line.contains(" of 144 ("))
        );
        merge.arg(dir);
    }
    assert!(merge.arg("--into").arg(place("merged")).output().unwrap().status.success());
    assert_eq!(games(&place("merged")), games(&place("whole")));
}

#[test]
fn obeys_stop_file_until_removed() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("stop"), "enough\n").unwrap();
    for (mut command, code) in
        [(three(1, &dir, &[]), 0), (sprt(&dir, &[]), 2), (sprt(&dir, &["--shard", "1/2"]), 0)]
    {
        let output = command.output().unwrap();
        assert_eq!((output.status.code(), started(&output)), (Some(code), 0), "{output:?}");
        assert!(stdout(&output).contains("run/stop: enough"), "{output:?}");
    }
    fs::remove_file(dir.join("stop")).unwrap();
    let played_now = three(1, &dir, &[]).output().unwrap();
    assert_eq!((played_now.status.code(), started(&played_now)), (Some(0), 6), "{played_now:?}");
}

/// Starts a tournament that plays for hours, and waits for its first result.
fn start_long_run(dir: &Path) -> (Child, impl BufRead) {
    let mut command = three(1_000_000, dir, &[]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("Finished game ") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0);
    }
    (child, lines)
}

#[test]
fn ends_when_records_disappear() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let assert_ends = |remove: &dyn Fn()| {
        let (child, mut lines) = start_long_run(&dir);
        remove();
        let mut printed = String::new();
        lines.read_to_string(&mut printed).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{output:?}");
        let message = stderr(&output);
        assert!(
            message.contains("run/games.jsonl: ") && message.contains("during play"),
            "{message}"
        );
        assert!(!printed.contains("basho resume"), "{printed}");
    };
    assert_ends(&|| fs::remove_dir_all(&dir).unwrap());
    assert_ends(&|| fs::remove_file(dir.join("games.jsonl")).unwrap());
    assert_ends(&|| {
        fs::copy(dir.join("games.jsonl"), dir.join("copy")).unwrap();
        fs::rename(dir.join("copy"), dir.join("games.jsonl")).unwrap();
    });
}

#[test]
fn restarts_when_records_are_missing() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let first = three(1, &dir, &[]).output().unwrap();
    assert_eq!(started(&first), 6, "{first:?}");
    fs::remove_file(dir.join("games.jsonl")).unwrap();
    for command in ["report", "resume"] {
        let message = rejection(Command::new(BASHO).arg(command).arg(&dir));
        assert!(
            message.contains("run/games.jsonl") && !message.contains("no tournament"),
            "{command}: {message}"
        );
    }
    let again = three(1, &dir, &[]).output().unwrap();
    assert_eq!((again.status.code(), started(&again)), (Some(0), 6), "{again:?}");
    assert_eq!(standings(&again), standings(&first));
}

#[test]
fn shard_with_damaged_line_succeeds_when_complete() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    assert!(three(1, &dir, &["--shard", "1/2"]).output().unwrap().status.success());
    let whole = fs::read_to_string(dir.join("games.jsonl")).unwrap();
    fs::write(dir.join("games.jsonl"), format!("damaged\n{whole}")).unwrap();
    for _ in 0..2 {
        let again = three(1, &dir, &["--shard", "1/2"]).output().unwrap();
        assert_eq!((again.status.code(), started(&again)), (Some(0), 0), "{again:?}");
        assert!(stderr(&again).contains("run: line 1: "), "{again:?}");
    }
    // A command that only reads ends with code 74.
    assert_eq!(
        Command::new(BASHO).arg("report").arg(&dir).output().unwrap().status.code(),
        Some(74)
    );
}

#[test]
fn ratinginterval_may_change_on_resume() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let tables = |interval: &str| {
        let output = three(3, &dir, &["--ratinginterval", interval]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        stdout(&output).matches("Rank Name").count()
    };
    let at_the_end = tables("1000");
    let games = fs::read_to_string(dir.join("games.jsonl")).unwrap();
    let first: String = games.split_inclusive('\n').take(2).collect();
    fs::write(dir.join("games.jsonl"), first).unwrap();
    assert!(tables("1") > at_the_end, "the second start prints the standings more often");
}
