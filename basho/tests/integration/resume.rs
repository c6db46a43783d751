//! Resumption after kills and interrupts: no game is lost or played twice.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::runner::{BASHO, games};

/// A tournament of the built-in players.
fn begin(dir: &Path, rounds: u32, extra: &[&str]) -> Command {
    let mut command = Command::new(BASHO);
    command.args(
        "match --engine cmd=builtin:random --engine cmd=builtin:greedy --engine \
                  cmd=builtin:greedy"
            .split(' '),
    );
    command.args(
        "name=other --openings random_start=true random_plies=2 --seed 5 --concurrency \
                  2"
        .split(' '),
    );
    command.args(["--rounds", &rounds.to_string(), "--into"]).arg(dir).args(extra);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn resume(dir: &Path) -> Command {
    let mut command = Command::new(BASHO);
    command.arg("resume").arg(dir).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn resumes_after_fifty_kills_with_same_games() {
    const ROUNDS: u32 = 1500;
    let temp = tempfile::tempdir().unwrap();
    let (whole, broken) = (temp.path().join("whole"), temp.path().join("broken"));
    let start = Instant::now();
    assert!(begin(&whole, ROUNDS, &[]).status().unwrap().success());
    let mut longest = start.elapsed() / 25;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut kills = 0;
    let played = || if broken.exists() { games(&broken).len() } else { 0 };
    while kills < 50 || played() == 0 {
        let mut command =
            if broken.exists() { resume(&broken) } else { begin(&broken, ROUNDS, &[]) };
        let mut child = command.spawn().unwrap();
        std::thread::sleep(rng.random_range(Duration::ZERO..longest));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        // On a busy machine all kills may come before the first game. Then wait longer.
        if kills >= 50 {
            longest *= 2;
        }
    }
    println!("{} games between {kills} kills", played());
    assert!(resume(&broken).status().unwrap().success());
    assert_eq!(games(&whole), games(&broken));
    assert_eq!(games(&whole).len(), 3 * 2 * ROUNDS as usize);
}

#[test]
fn resumes_nothing_when_finished() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    assert!(begin(&dir, 2, &[]).status().unwrap().success());
    let before = std::fs::read(dir.join("games.jsonl")).unwrap();
    assert!(resume(&dir).status().unwrap().success());
    assert_eq!(std::fs::read(dir.join("games.jsonl")).unwrap(), before);
}

#[test]
fn merges_shards_to_whole_tournament() {
    let temp = tempfile::tempdir().unwrap();
    let place = |name: &str| temp.path().join(name);
    assert!(begin(&place("whole"), 7, &[]).status().unwrap().success());
    let mut merge = Command::new(BASHO);
    merge.arg("merge");
    for shard in ["1/3", "2/3", "3/3"] {
        let dir = place(&shard.replace('/', "of"));
        assert!(begin(&dir, 7, &["--shard", shard]).status().unwrap().success());
        merge.arg(dir);
    }
    merge.arg("--into").arg(place("merged")).stdout(Stdio::null());
    assert!(merge.status().unwrap().success());
    assert_eq!(games(&place("merged")), games(&place("whole")));
    // A merge rejects the same part twice and parts of different tournaments.
    let rejected = |parts: [&str; 2]| {
        let output = Command::new(BASHO)
            .arg("merge")
            .args(parts.map(place))
            .arg("--into")
            .arg(place("none"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(64));
        assert!(!place("none").exists());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(rejected(["1of3", "1of3"]).contains("expected each game once"));
    assert!(begin(&place("other"), 8, &["--shard", "2/3"]).status().unwrap().success());
    assert!(rejected(["1of3", "other"]).contains("different tournaments"));
}

#[test]
fn finishes_games_on_interrupt_and_resumes() {
    let temp = tempfile::tempdir().unwrap();
    let (whole, broken) = (temp.path().join("whole"), temp.path().join("broken"));
    assert!(begin(&whole, 1500, &[]).status().unwrap().success());
    let child = begin(&broken, 1500, &[]).spawn().unwrap();
    while !broken.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let code = child.wait_with_output().unwrap().status.code();
    assert!(code == Some(130) || games(&broken).len() == 9000, "{code:?}");
    assert!(resume(&broken).status().unwrap().success());
    assert_eq!(games(&broken), games(&whole));
}
