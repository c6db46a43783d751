//! One tournament on many machines, any of which may be lost at any moment: what is started again goes on, shards are equal parts, and
//! a sequential test over all of them decides as one process does.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use basho::records::manifest::{self, Manifest};
use basho::records::merge::merge;
use basho::records::standings::Standings;
use basho::records::tail::ShardTails;
use basho::shard::Shard;
use basho::statistics::sprt::Decision;

use crate::support::mock::{mock, script};
use crate::support::program::oshi;
use crate::support::runner::{BASHO, games};

const RULE: &str = "--------------------------------------------------\n";

/// A tournament of the built-in players and the engine.
fn three(rounds: u32, into: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(BASHO);
    command.args([
        "match",
        "--engine",
        "cmd=builtin:random",
        "--engine",
        "cmd=builtin:greedy",
        "--engine",
        "name=oshi",
        "nodes=10",
    ]);
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

/// A sequential test that H0 soon wins, though there are games for hours.
fn test(into: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(BASHO);
    command.args([
        "sprt",
        "--engine",
        "cmd=builtin:random",
        "--engine",
        "cmd=builtin:greedy",
        "--sprt",
        "elo0=0",
        "elo1=20",
    ]);
    command
        .args(["--openings", "random_start=true", "--seed", "3", "--rounds", "1000000", "--into"])
        .arg(into)
        .args(more);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The standings that were printed last.
fn standings(output: &Output) -> String {
    text(&output.stdout).rsplit(RULE).nth(1).unwrap().to_owned()
}

fn played(output: &Output) -> usize {
    text(&output.stdout).matches("Started game ").count()
}

/// What a command refuses with code 64 or 74.
fn refused(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(64 | 74)), "{output:?}");
    text(&output.stderr)
}

#[test]
fn repeated_command_resumes_or_repeats_standings() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let first = three(2, &dir, &[]).output().unwrap();
    assert_eq!((first.status.code(), played(&first)), (Some(0), 12), "{first:?}");
    let whole = fs::read_to_string(dir.join("games.jsonl")).unwrap();
    let again = three(2, &dir, &["--concurrency", "2", "--ratinginterval", "1"]).output().unwrap();
    assert_eq!((again.status.code(), played(&again)), (Some(0), 0), "{again:?}");
    assert_eq!(standings(&again), standings(&first));
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(dir.join("games.jsonl"), lines[..7].join("\n") + "\n" + &lines[7][..20]).unwrap();
    let rest = three(2, &dir, &[]).output().unwrap();
    assert_eq!((rest.status.code(), played(&rest)), (Some(0), 5), "{rest:?}");
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
        let message = refused(&mut three(rounds, &dir, more));
        assert!(
            message.contains(expected) && message.contains("run holds another tournament"),
            "{more:?}: {message}"
        );
    }
    let other =
        three(1, &dir, &["--engine", "cmd=builtin:random", "name=fourth"]).output().unwrap();
    assert!(text(&other.stderr).contains("`engine 4` is nothing, not something"), "{other:?}");
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
    assert_eq!((played(&first), played(&again)), (1, 0));
}

/// Reads lines until one contains this.
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
    assert_eq!((output.status.code(), played(&output)), (Some(0), 2), "{output:?}");
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
    assert_eq!(outputs.iter().map(played).sum::<usize>(), 18);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "a draft is left");
}

/// Kills a run as soon as it has said this many results, or has ended.
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
        // Of every pairing a third of the games, and numbers that fit.
        let part = games(&dir);
        assert_eq!(part.len(), 3 * 2 * ROUNDS as usize / SHARDS as usize);
        for pairing in [["random", "greedy"], ["random", "oshi"], ["greedy", "oshi"]] {
            let meets = |names: [&str; 2]| pairing == names || pairing == [names[1], names[0]];
            assert_eq!(
                part.iter().filter(|game| meets([&game.black.name, &game.white.name])).count(),
                part.len() / 3
            );
        }
        let started = text(&output.stdout);
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

fn watch(parts: &[PathBuf]) -> Child {
    let mut command = Command::new(BASHO);
    command.arg("watch").args(parts).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn decides_like_one_process_and_stops_shards() {
    let temp = tempfile::tempdir().unwrap();
    let whole = test(&temp.path().join("whole"), &[]).output().unwrap();
    assert_eq!(whole.status.code(), Some(1));
    let parts: Vec<PathBuf> =
        (1..=4).map(|index| temp.path().join(format!("part{index}"))).collect();
    // Before there is anything to see.
    let watch_over = watch(&parts);
    let shard = |index: usize| test(&parts[index], &["--shard", &format!("{}/4", index + 1)]);
    let shards: Vec<Child> =
        (0..4).map(|index| shard(index).stdout(Stdio::null()).spawn().unwrap()).collect();
    let watched = watch_over.wait_with_output().unwrap();
    assert_eq!(watched.status.code(), Some(1), "{watched:?}");
    assert_eq!(standings(&watched), standings(&whole));
    assert!(
        text(&watched.stdout).contains("SPRT ([0.00, 20.00]) completed - H0 was accepted"),
        "{watched:?}"
    );
    // Each has games for hours, and ends.
    for mut child in shards {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let again = shard(0).output().unwrap();
    assert_eq!((again.status.code(), played(&again)), (Some(0), 0), "{again:?}");
    assert!(
        text(&again.stdout)
            .contains("part1/stop: SPRT ([0.00, 20.00]) completed - H0 was accepted"),
        "{again:?}"
    );
    // Whoever asks again, or merges, gets the same answer.
    assert_eq!(standings(&watch(&parts).wait_with_output().unwrap()), standings(&whole));
    let merge = Command::new(BASHO)
        .arg("merge")
        .args(&parts)
        .arg("--into")
        .arg(temp.path().join("merged"))
        .output()
        .unwrap();
    assert_eq!(merge.status.code(), Some(0), "{merge:?}");
    assert_eq!(standings(&merge), standings(&whole));
}

/// The records of 300 games between the built-in players, one a line.
fn recorded(temp: &Path) -> Vec<String> {
    let dir = temp.join("recorded");
    let mut command = Command::new(BASHO);
    command.args([
        "match",
        "--engine",
        "cmd=builtin:random",
        "--engine",
        "cmd=builtin:greedy",
        "--openings",
        "random_start=true",
    ]);
    assert!(
        command.args(["--rounds", "150", "--into"]).arg(&dir).output().unwrap().status.success()
    );
    fs::read_to_string(dir.join("games.jsonl"))
        .unwrap()
        .split_inclusive('\n')
        .map(str::to_owned)
        .collect()
}

/// Makes the folder of a shard of the tournament of [`recorded`], with a test.
fn make(dir: &Path, shard: Shard) -> Manifest {
    let text = "rounds = 150\nopenings = { random_start = true }\nsprt = { elo0 = 0, elo1 = 20 }\n\
        engine = [{ cmd = 'builtin:random', name = 'random' }, { cmd = 'builtin:greedy', name = 'greedy' }]";
    manifest::create(dir, &Manifest::new(shard, toml::from_str(text).unwrap())).unwrap()
}

fn append(dir: &Path, text: &str) {
    fs::OpenOptions::new()
        .append(true)
        .open(dir.join("games.jsonl"))
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

#[test]
fn decides_in_order_of_schedule() {
    let temp = tempfile::tempdir().unwrap();
    let lines = recorded(temp.path());
    let manifest = make(&temp.path().join("whole"), Shard::WHOLE);
    let mut alone = Standings::new(&manifest.tournament, Shard::WHOLE);
    for line in &lines {
        alone.add(&serde_json::from_str(line).unwrap());
    }
    let verdict = *alone.sprt().unwrap();
    assert_eq!(verdict.decision, Decision::AcceptH0);
    let schedule = manifest.tournament.schedule();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for time in 0..20 {
        let dirs: Vec<PathBuf> =
            (1..=4).map(|index| temp.path().join(format!("{time}-{index}"))).collect();
        let mut shards = ShardTails::new(dirs.clone());
        let mut left: Vec<String> = (1..=4)
            .map(|index| {
                let shard = format!("{index}/4").parse().unwrap();
                schedule.games_of(shard).map(|game| lines[game as usize - 1].as_str()).collect()
            })
            .collect();
        while left.iter().any(|text| !text.is_empty()) {
            let index = rng.random_range(0..4);
            if !dirs[index].exists() {
                make(&dirs[index], format!("{}/4", index + 1).parse().unwrap());
            }
            // Anywhere, in the middle of a line too.
            let length = rng.random_range(0..1 << 16).min(left[index].len());
            append(&dirs[index], &left[index].drain(..length).collect::<String>());
            shards.read().unwrap();
            let seen = *shards.whole().unwrap().1.sprt().unwrap();
            assert!(
                seen.decision == Decision::Continue || seen == verdict,
                "time {time}: {seen:?}"
            );
        }
        assert_eq!(*shards.whole().unwrap().1.sprt().unwrap(), verdict);
        assert_eq!(shards.take_invalid(), []);
    }
}

#[test]
fn rereads_folder_that_is_lost_and_made_again() {
    let temp = tempfile::tempdir().unwrap();
    let lines = recorded(temp.path());
    let dirs = ["1", "2"].map(|name| temp.path().join(name));
    let begin = |index: usize, games: &[usize]| {
        make(&dirs[index], format!("{}/2", index + 1).parse().unwrap());
        games.iter().for_each(|&game| append(&dirs[index], &lines[game - 1]));
    };
    let mut shards = ShardTails::new(dirs.clone());
    let mut counted = || {
        shards.read().unwrap();
        assert_eq!(shards.take_invalid(), []);
        let waiting = shards.waiting().count();
        shards
            .whole()
            .map(|(_, standings)| (standings.played(), standings.sprt().unwrap().pairs(), waiting))
    };
    assert_eq!(counted(), None);
    begin(0, &[1, 2, 5, 6]);
    assert_eq!(counted(), Some((4, 1, 1)));
    begin(1, &[3, 4]);
    assert_eq!(counted(), Some((6, 3, 0)));
    fs::remove_dir_all(&dirs[1]).unwrap();
    assert_eq!(counted(), Some((4, 1, 1)));
    begin(1, &[3]);
    assert_eq!(counted(), Some((5, 1, 0)));
    append(&dirs[1], &lines[3]);
    assert_eq!(counted(), Some((6, 3, 0)));
}

#[test]
fn obeys_stop_file_until_removed() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("stop"), "enough\n").unwrap();
    for (mut command, code) in
        [(three(1, &dir, &[]), 0), (test(&dir, &[]), 2), (test(&dir, &["--shard", "1/2"]), 0)]
    {
        let output = command.output().unwrap();
        assert_eq!((output.status.code(), played(&output)), (Some(code), 0), "{output:?}");
        assert!(text(&output.stdout).contains("run/stop: enough"), "{output:?}");
    }
    fs::remove_file(dir.join("stop")).unwrap();
    let played_now = three(1, &dir, &[]).output().unwrap();
    assert_eq!((played_now.status.code(), played(&played_now)), (Some(0), 6), "{played_now:?}");
}

/// A basho in whose folder the records are, that plays until it is told to end.
fn plays_on(dir: &Path) -> (Child, impl BufRead) {
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
    let gone = |take: &dyn Fn()| {
        let (child, mut lines) = plays_on(&dir);
        take();
        let mut said = String::new();
        lines.read_to_string(&mut said).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{output:?}");
        let message = text(&output.stderr);
        assert!(
            message.contains("run/games.jsonl: ") && message.contains("during play"),
            "{message}"
        );
        assert!(!said.contains("basho resume"), "{said}");
    };
    gone(&|| fs::remove_dir_all(&dir).unwrap());
    gone(&|| fs::remove_file(dir.join("games.jsonl")).unwrap());
    gone(&|| {
        fs::copy(dir.join("games.jsonl"), dir.join("copy")).unwrap();
        fs::rename(dir.join("copy"), dir.join("games.jsonl")).unwrap();
    });
}

#[test]
fn restarts_when_records_are_missing() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let first = three(1, &dir, &[]).output().unwrap();
    assert_eq!(played(&first), 6, "{first:?}");
    fs::remove_file(dir.join("games.jsonl")).unwrap();
    for command in ["report", "resume"] {
        let message = refused(Command::new(BASHO).arg(command).arg(&dir));
        assert!(
            message.contains("run/games.jsonl") && !message.contains("no tournament"),
            "{command}: {message}"
        );
    }
    let again = three(1, &dir, &[]).output().unwrap();
    assert_eq!((again.status.code(), played(&again)), (Some(0), 6), "{again:?}");
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
        assert_eq!((again.status.code(), played(&again)), (Some(0), 0), "{again:?}");
        assert!(text(&again.stderr).contains("run: line 1: "), "{again:?}");
    }
    // Who only reads says by its code that something was left out.
    assert_eq!(
        Command::new(BASHO).arg("report").arg(&dir).output().unwrap().status.code(),
        Some(74)
    );
}

#[test]
fn rejects_paths_that_cannot_become_shards() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("file");
    fs::write(&file, "").unwrap();
    for place in [file.as_path(), Path::new("/dev/null")] {
        let message =
            refused(Command::new(BASHO).arg("watch").arg(temp.path().join("coming")).arg(place));
        assert!(
            message.contains(&format!("{}: ", place.display()))
                && message.contains("expected a folder"),
            "{message}"
        );
    }
    let foreign = temp.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("notes.txt"), "").unwrap();
    let mut child =
        Command::new(BASHO).arg("watch").arg(&foreign).stderr(Stdio::piped()).spawn().unwrap();
    read_to(child.stderr.take().unwrap(), "foreign: no tournament.toml among the files");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn names_folders_that_do_not_belong_together() {
    let temp = tempfile::tempdir().unwrap();
    let place = |name: &str| temp.path().join(name);
    let shard = |name: &str, shard: &str, seed: &str| {
        let mut command = Command::new(BASHO);
        command.args([
            "sprt",
            "--engine",
            "cmd=builtin:random",
            "--engine",
            "cmd=builtin:greedy",
            "--sprt",
            "elo0=0",
            "elo1=1",
        ]);
        command
            .args(["--rounds", "4", "--shard", shard, "--seed", seed, "--into"])
            .arg(place(name));
        assert_eq!(command.output().unwrap().status.code(), Some(0));
    };
    shard("1", "1/3", "1");
    shard("2", "2/3", "1");
    shard("3", "3/3", "1");
    shard("of4", "3/4", "1");
    shard("other", "3/3", "2");
    assert!(three(1, &place("untested"), &[]).output().unwrap().status.success());
    fs::write(place("file"), "").unwrap();
    fs::create_dir(place("broken")).unwrap();
    fs::write(place("broken/tournament.toml"), "shard = 3/3").unwrap();
    let watch = |names: &[&str]| {
        refused(Command::new(BASHO).current_dir(temp.path()).arg("watch").args(names))
    };
    let cases: [(&[&str], &[&str]); 7] = [
        (&["1", "2"], &["shard 3/3 is in none of these folders"]),
        (&["1", "2", "2"], &["2 is shard 2/3, 2 is shard 2/3"]),
        (&["1", "2", "of4"], &["1 is shard 1/3, of4 is shard 3/4"]),
        (&["1", "2", "other"], &["1 and other", "different tournaments", "`seed` is 1, not 2"]),
        (&["untested"], &["untested: a tournament without a sequential test"]),
        (&["1", "broken"], &["broken/tournament.toml", "TOML"]),
        (&[], &["DIRS"]),
    ];
    for (names, parts) in cases {
        let message = watch(names);
        assert!(parts.iter().all(|part| message.contains(part)), "{names:?}: {message}");
    }
    let whole = Command::new(BASHO)
        .current_dir(temp.path())
        .args(["watch", "1", "2", "3"])
        .output()
        .unwrap();
    assert_eq!(whole.status.code(), Some(2), "{whole:?}");
    // A record that is nobody's is named, and the code says that one was left out.
    let games = fs::read_to_string(place("2/games.jsonl")).unwrap();
    fs::write(place("2/games.jsonl"), games + "{}\n").unwrap();
    let damaged = Command::new(BASHO)
        .current_dir(temp.path())
        .args(["watch", "1", "2", "3"])
        .output()
        .unwrap();
    assert_eq!(damaged.status.code(), Some(74), "{damaged:?}");
    assert!(text(&damaged.stderr).contains("2: line 3: missing field"), "{damaged:?}");
    assert_eq!(standings(&damaged), standings(&whole));
    // Games that cannot be read at all.
    fs::remove_file(place("2/games.jsonl")).unwrap();
    fs::create_dir(place("2/games.jsonl")).unwrap();
    assert!(watch(&["1", "2", "3"]).contains("2/games.jsonl: expected a regular file"));
    let merge = |names: &[&str], into: &str| {
        Command::new(BASHO)
            .current_dir(temp.path())
            .arg("merge")
            .args(names)
            .args(["--into", into])
            .output()
            .unwrap()
    };
    assert!(
        text(&merge(&["1", "other"], "no").stderr)
            .contains("1 and other are of different tournaments: `seed` is 1, not 2")
    );
    assert!(text(&merge(&["1", "file"], "no").stderr).contains("file: no tournament there"));
    assert!(!place("no").exists());
    let partly = merge(&["1", "3"], "partly");
    assert_eq!(partly.status.code(), Some(0), "{partly:?}");
    assert!(text(&partly.stderr).contains("shard 2/3 is in none of these folders"), "{partly:?}");
}

#[test]
fn merge_reports_shards_with_other_programs() {
    let temp = tempfile::tempdir().unwrap();
    let part = |index: u32, program: &str| {
        let dir = temp.path().join(index.to_string());
        let mut manifest =
            make(&temp.path().join(format!("draft{index}")), format!("{index}/3").parse().unwrap());
        manifest.programs = [("random".to_owned(), program.to_owned())].into();
        manifest::create(&dir, &manifest).unwrap();
        dir
    };
    let parts = [part(1, "one"), part(2, "other"), part(3, "one")];
    assert_eq!(merge(&parts, &temp.path().join("whole")).unwrap().other_programs, parts[1..2]);
}

#[test]
fn ratinginterval_may_change_on_resume() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let tables = |interval: &str| {
        let output = three(3, &dir, &["--ratinginterval", interval]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout).matches("Rank Name").count()
    };
    let at_the_end = tables("1000");
    let games = fs::read_to_string(dir.join("games.jsonl")).unwrap();
    let first: String = games.split_inclusive('\n').take(2).collect();
    fs::write(dir.join("games.jsonl"), first).unwrap();
    assert!(tables("1") > at_the_end, "the second start asked for more");
}
