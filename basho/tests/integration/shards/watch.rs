//! A sequential test over all shards: it decides like one process, and rejects foreign folders.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use basho::records::manifest::{self, Manifest};
use basho::records::merge::merge;
use basho::records::standings::Standings;
use basho::records::tail::ShardTails;
use basho::shard::Shard;
use basho::statistics::sprt::Decision;

use super::{read_to, rejection, sprt, standings, started, three};
use crate::support::runner::{BASHO, stderr, stdout};

fn watch(parts: &[PathBuf]) -> Child {
    let mut command = Command::new(BASHO);
    command.arg("watch").args(parts).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn decides_like_one_process_and_stops_shards() {
    let temp = tempfile::tempdir().unwrap();
    let whole = sprt(&temp.path().join("whole"), &[]).output().unwrap();
    assert_eq!(whole.status.code(), Some(1));
    let parts: Vec<PathBuf> =
        (1..=4).map(|index| temp.path().join(format!("part{index}"))).collect();
    // `watch` starts before the shards.
    let watch_over = watch(&parts);
    let shard = |index: usize| sprt(&parts[index], &["--shard", &format!("{}/4", index + 1)]);
    let shards: Vec<Child> =
        (0..4).map(|index| shard(index).stdout(Stdio::null()).spawn().unwrap()).collect();
    let watched = watch_over.wait_with_output().unwrap();
    assert_eq!(watched.status.code(), Some(1), "{watched:?}");
    assert_eq!(standings(&watched), standings(&whole));
    assert!(
        stdout(&watched).contains("SPRT ([0.00, 20.00]) completed - H0 was accepted"),
        "{watched:?}"
    );
    // Each shard has games for hours, and ends.
    for mut child in shards {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let again = shard(0).output().unwrap();
    assert_eq!((again.status.code(), started(&again)), (Some(0), 0), "{again:?}");
    assert!(
        stdout(&again).contains("part1/stop: SPRT ([0.00, 20.00]) completed - H0 was accepted"),
        "{again:?}"
    );
    // A second `watch` and a merge give the same verdict.
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

/// The lines of the records of 300 games between the built-in players.
fn recorded(temp: &Path) -> Vec<String> {
    let dir = temp.join("recorded");
    let mut command = Command::new(BASHO);
    command.args(
        "match --engine cmd=builtin:random --engine cmd=builtin:greedy --openings \
                  random_start=true"
            .split(' '),
    );
    assert!(
        command.args(["--rounds", "150", "--into"]).arg(&dir).output().unwrap().status.success()
    );
    fs::read_to_string(dir.join("games.jsonl"))
        .unwrap()
        .split_inclusive('\n')
        .map(str::to_owned)
        .collect()
}

/// Makes the folder of a shard of the tournament of [`recorded`], with a sequential test.
fn make(dir: &Path, shard: Shard) -> Manifest {
    let text = "rounds = 150\nopenings = { random_start = true }\nsprt = { elo0 = 0, elo1 = 20 }\n\
        engine = [{ cmd = 'builtin:random', name = 'random' }, { cmd = 'builtin:greedy', name = \
        'greedy' }]";
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
    assert_eq!(alone.decision(), Decision::AcceptH0);
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
            // Cut anywhere, also inside a line.
            let length = rng.random_range(0..1 << 16).min(left[index].len());
            append(&dirs[index], &left[index].drain(..length).collect::<String>());
            shards.read().unwrap();
            let (_, standings) = shards.whole().unwrap();
            let state = *standings.sprt().unwrap();
            assert!(
                standings.decision() == Decision::Continue || state == verdict,
                "time {time}: {state:?}"
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
fn rejects_paths_that_cannot_become_shards() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("file");
    fs::write(&file, "").unwrap();
    for place in [file.as_path(), Path::new("/dev/null")] {
        let message =
            rejection(Command::new(BASHO).arg("watch").arg(temp.path().join("coming")).arg(place));
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
        command.args(
            "sprt --engine cmd=builtin:random --engine cmd=builtin:greedy --sprt elo0=0 \
                      elo1=1"
                .split(' '),
        );
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
        rejection(Command::new(BASHO).current_dir(temp.path()).arg("watch").args(names))
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
    // An invalid record is named, and the code is 74.
    let games = fs::read_to_string(place("2/games.jsonl")).unwrap();
    fs::write(place("2/games.jsonl"), games + "{}\n").unwrap();
    let damaged = Command::new(BASHO)
        .current_dir(temp.path())
        .args(["watch", "1", "2", "3"])
        .output()
        .unwrap();
    assert_eq!(damaged.status.code(), Some(74), "{damaged:?}");
    assert!(stderr(&damaged).contains("2: line 3: missing field"), "{damaged:?}");
    assert_eq!(standings(&damaged), standings(&whole));
    // Unreadable records.
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
        stderr(&merge(&["1", "other"], "no"))
            .contains("1 and other are of different tournaments: `seed` is 1, not 2")
    );
    assert!(stderr(&merge(&["1", "file"], "no")).contains("file: no tournament there"));
    assert!(!place("no").exists());
    let partly = merge(&["1", "3"], "partly");
    assert_eq!(partly.status.code(), Some(0), "{partly:?}");
    assert!(stderr(&partly).contains("shard 2/3 is in none of these folders"), "{partly:?}");
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
