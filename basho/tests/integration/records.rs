//! Validation of records: report, page, merge and resume leave out the same invalid records, name
//! them, and agree on the standings.

mod large;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::stat::Mode;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use basho::records::load;
use basho::records::tail::FolderTail;

use crate::support::mock::{mock, script};
use crate::support::runner::BASHO;

/// Exit code and output of a command.
struct CommandOutput {
    code: Option<i32>,
    stdout: String,
    /// The lines that name invalid records, up to the reason.
    named: Vec<String>,
    stderr: String,
}

fn basho(dir: &Path, words: &[&str]) -> CommandOutput {
    let output = Command::new(BASHO).args(words).current_dir(dir).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let named = stderr.lines().filter_map(|line| {
        Some(line.split_once(": line ")?.1.split_once("; the record is left out")?.0)
    });
    CommandOutput {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        named: named.map(str::to_owned).collect(),
        stderr,
    }
}

/// The last standings in an output.
fn standings(output: &CommandOutput) -> &str {
    const RULE: &str = "--------------------------------------------------\n";
    output.stdout.rsplit(RULE).nth(1).unwrap()
}

/// Plays a tournament `run` of the built-in players and an engine that soon moves illegally.
fn play(dir: &Path) {
    let mock = script(dir, "mock.sh", &mock("echo 'bestmove a1a5'"));
    let text = format!(
        "rounds = 6\nopenings = {{ random_start = true }}\n[each]\nmovetime = 60000\n[[engine]]\n\
         cmd = 'builtin:random'\n\
         [[engine]]\ncmd = 'builtin:greedy'\n[[engine]]\ncmd = 'sh'\nname = 'mock'\nargs = \
         ['{}']\n",
        mock.display()
    );
    fs::write(dir.join("run.toml"), text).unwrap();
    let output = basho(dir, &["run", "run.toml", "--into", "run"]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
}

const GAMES: u64 = 36;

/// Edits a record at random. Returns true if it must be invalid now.
fn edit(record: &mut Value, others: &[Value], rng: &mut ChaCha8Rng) -> bool {
    let before = record.clone();
    let other = others.choose(rng).unwrap();
    let moves = record["moves"].as_array().unwrap().len();
    let at = rng.random_range(0..moves.max(1));
    let must_fail = match rng.random_range(0..12) {
        0 => {
            let moves = record["moves"].as_array_mut().unwrap();
            moves.truncate(at);
            false
        }
        1 => {
            let played = other["moves"][0].clone();
            record["moves"].as_array_mut().unwrap().insert(at.min(moves), played);
            false
        }
        2 if moves > 0 => {
            record["moves"][at]["move"] = other["moves"][0]["move"].clone();
            false
        }
        3 => {
            record["result"] = (*["1-0", "0-1", "1/2-1/2", "*"].choose(rng).unwrap()).into();
            true
        }
        4 => {
            let reasons = ["normal", "illegal-move", "timeout", "crash", "stall", "interrupted"];
            record["reason"] = (*reasons.choose(rng).unwrap()).into();
            true
        }
        5 => {
            let names = [
                "random",
                "greedy",
                "mock",
                "x",
                "",
                "\u{1b}[2J\nWarning: line 1, game 1: x; the record is left out",
            ];
            record[*["black", "white"].choose(rng).unwrap()]["name"] =
                (*names.choose(rng).unwrap()).into();
            true
        }
        6 | 7 => {
            let numbers = [0, 1, 2, 3, GAMES, GAMES + 1, u64::MAX];
            record[*["game", "pair", "round"].choose(rng).unwrap()] =
                (*numbers.choose(rng).unwrap()).into();
            true
        }
        8 => {
            record["white"]["seed"] = rng.random_range(0..1000).into();
            true
        }
        9 => {
            let starts = [json!("startpos"), json!("nowhere"), other["opening"]["start"].clone()];
            record["opening"]["start"] = starts.choose(rng).unwrap().clone();
            true
        }
        10 => {
            record["opening"]["moves"] = json!(["a1a4"]);
            true
        }
        _ => {
            *record = other.clone();
            false
        }
    };
    must_fail && *record != before
}

/// Edits 8 records of a tournament `times` times and checks all four commands.
fn edit_at_random(times: usize, seed: u64) {
    const EDITS: usize = 8;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    play(dir);
    let good = fs::read_to_string(dir.join("run/games.jsonl")).unwrap();
    let records: Vec<Value> =
        good.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len() as u64, GAMES);
    let mut named = 0;
    for time in 0..times {
        let mut edited = records.clone();
        let (mut failing, mut left) = (BTreeSet::new(), EDITS);
        while left > 0 {
            let line = rng.random_range(0..edited.len());
            // A record is edited once, so that no edit undoes another.
            if edited[line] == records[line] {
                let must_fail = edit(&mut edited[line], &records, &mut rng);
                failing.extend(must_fail.then_some(line + 1));
                left -= usize::from(edited[line] != records[line]);
            }
        }
        let text: String = edited.iter().map(|record| format!("{record}\n")).collect();
        fs::write(dir.join("run/games.jsonl"), &text).unwrap();

        let report = basho(dir, &["report", "run"]);
        let page = basho(dir, &["report", "run", "--html", "page.html"]);
        let merge = basho(dir, &["merge", "run", "--into", "merged"]);
        let context = format!("seed {seed}, time {time}: {}", report.stderr);
        let lines: BTreeSet<usize> = report
            .named
            .iter()
            .map(|named| named.split([',', ':']).next().unwrap().parse().unwrap())
            .collect();
        assert!(failing.is_subset(&lines), "{failing:?}, {context}");
        assert_eq!(report.named.len(), report.stderr.lines().count(), "{context}");
        named += report.named.len();
        let code = Some(if report.named.is_empty() { 0 } else { 74 });
        for output in [&page, &merge] {
            assert_eq!((output.code, &output.named), (code, &report.named), "{context}");
        }
        assert_eq!(report.code, code, "{context}");
        assert_eq!(standings(&merge), standings(&report), "{context}");
        // The merged folder is valid, and the page shows the same games.
        let merged = basho(dir, &["report", "merged"]);
        assert_eq!((merged.code, standings(&merged)), (Some(0), standings(&report)), "{context}");
        let mut kept: Vec<(u64, Value)> = Vec::new();
        for line in fs::read_to_string(dir.join("merged/games.jsonl")).unwrap().lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            kept.push((record["game"].as_u64().unwrap(), record["result"].clone()));
        }
        let html = fs::read_to_string(dir.join("page.html")).unwrap();
        let index = html
            .split_once("<script type=\"application/json\"")
            .unwrap()
            .1
            .split_once('>')
            .unwrap()
            .1;
        let index: Value = serde_json::from_str(index.split("</script>").next().unwrap()).unwrap();
        let shown = index["games"].as_array().unwrap().iter();
        assert_eq!(
            shown
                .map(|game| (game["number"].as_u64().unwrap(), game["result"].clone()))
                .collect::<Vec<_>>(),
            kept
        );

        // Resume plays exactly the missing games and removes no line.
        let resume = basho(dir, &["resume", "run"]);
        assert_eq!(
            (resume.code, &resume.named),
            (Some(0), &report.named),
            "all games are present now, {context}"
        );
        let started = resume
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("Started game ")?.split(' ').next()?.parse().ok());
        let known: BTreeSet<u64> = kept.iter().map(|(game, _)| *game).collect();
        let missing: Vec<u64> = (1..=GAMES).filter(|game| !known.contains(game)).collect();
        assert_eq!(started.collect::<Vec<u64>>(), missing, "{context}");
        assert!(
            fs::read_to_string(dir.join("run/games.jsonl")).unwrap().starts_with(&text),
            "{context}"
        );
        let after = basho(dir, &["report", "run"]);
        assert_eq!((after.code, standings(&after)), (code, standings(&resume)), "{context}");
        assert_eq!(after.named, report.named, "{context}");
        fs::remove_dir_all(dir.join("merged")).unwrap();
    }
    println!("{} records were edited, {named} left out", times * EDITS);
    assert!(named > times * EDITS / 2, "the edits test too little");
}

#[test]
fn all_readers_leave_out_the_same_edited_records() {
    edit_at_random(5, 1);
}

#[test]
#[ignore = "a thousand edited records, instead of 40"]
fn all_readers_leave_out_the_same_thousand_edited_records() {
    edit_at_random(125, 2);
}

#[test]
fn keeps_invalid_line_and_merges_without_it() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    play(dir);
    let games = dir.join("run/games.jsonl");
    let good = fs::read_to_string(&games).unwrap();
    let before = basho(dir, &["report", "run"]);
    let edited = good.replacen("\"result\":\"1-0\"", "\"result\":\"0-1\"", 1);
    assert_ne!(edited, good);
    fs::write(&games, &edited).unwrap();
    let resume = basho(dir, &["resume", "run"]);
    // All games are present, so `resume` succeeds. Commands that only read end with code 74.
    assert_eq!((resume.code, resume.named.len()), (Some(0), 1), "{}", resume.stderr);
    // The built-in players play the same game again.
    let report = basho(dir, &["report", "run", "--games"]);
    assert_eq!((report.code, standings(&report)), (Some(74), standings(&before)));
    assert_eq!(report.stdout.matches("Finished game ").count() as u64, GAMES);
    assert!(fs::read_to_string(&games).unwrap().starts_with(&edited));
    let again = basho(dir, &["resume", "run"]);
    assert_eq!((again.code, again.stdout.matches("Started game").count()), (Some(0), 0));
    let merge = basho(dir, &["merge", "run", "--into", "clean"]);
    assert_eq!((merge.code, merge.named), (Some(74), report.named));
    let clean = basho(dir, &["report", "clean"]);
    assert_eq!(
        (clean.code, standings(&clean), clean.stderr.as_str()),
        (Some(0), standings(&before), "")
    );
}

#[test]
fn leaves_out_game_of_another_shard() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    play(dir);
    let manifest = fs::read_to_string(dir.join("run/tournament.toml")).unwrap();
    fs::write(
        dir.join("run/tournament.toml"),
        manifest.replacen("shard = \"1/1\"", "shard = \"2/3\"", 1),
    )
    .unwrap();
    let report = basho(dir, &["report", "run"]);
    assert_eq!(
        (report.code, report.named.len() as u64),
        (Some(74), GAMES * 2 / 3),
        "{}",
        report.stderr
    );
    assert!(
        report.stderr.contains("not a game of shard 2/3, which is played here"),
        "{}",
        report.stderr
    );
}

/// All commands that read the games of the folder `run`.
const READERS: [&[&str]; 6] = [
    &["report", "run"],
    &["report", "run", "--html", "page.html"],
    &["resume", "run"],
    &["merge", "run", "--into", "merged"],
    &["sheet", "run"],
    &["convert", "run", "--to", "moves"],
];

#[test]
fn reads_growing_folder_once() {
    let temp = tempfile::tempdir().unwrap();
    play(temp.path());
    let (dir, games) = (temp.path().join("run"), temp.path().join("run/games.jsonl"));
    let text = fs::read_to_string(&games).unwrap();
    let expected = load::read(&dir, |_, _| ()).unwrap().1.standings;
    let mut lines = text.split_inclusive('\n');
    fs::write(&games, lines.next().unwrap()).unwrap();
    let mut tail = FolderTail::open(&dir).unwrap();
    let read = |tail: &mut FolderTail| {
        let mut numbers = Vec::new();
        assert!(tail.read(|record| numbers.push(record.game)).unwrap());
        numbers.len()
    };
    assert_eq!((read(&mut tail), read(&mut tail)), (1, 0));
    for line in lines {
        File::options().append(true).open(&games).unwrap().write_all(line.as_bytes()).unwrap();
        assert_eq!(read(&mut tail), 1, "{line}");
    }
    assert_eq!(tail.standings().tallies(), expected.tallies());
    fs::write(&games, "").unwrap();
    assert!(!tail.read(|_| ()).unwrap(), "another file");
}

#[test]
fn rejects_folders_with_endless_files() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    play(dir);
    let games = dir.join("run/games.jsonl");
    let replacements: [&dyn Fn(&Path); 3] = [
        &|path| nix::unistd::mkfifo(path, Mode::S_IRWXU).unwrap(),
        &|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        &|path| fs::create_dir(path).unwrap(),
    ];
    for path in [games.clone(), dir.join("run/tournament.toml")] {
        let kept = dir.join("kept");
        fs::rename(&path, &kept).unwrap();
        for replace in replacements {
            replace(&path);
            for words in READERS {
                let output = basho(dir, words);
                assert_eq!(output.code, Some(74), "{words:?}: {}", output.stderr);
                assert!(
                    output.stderr.contains(": expected a regular file"),
                    "{words:?}: {}",
                    output.stderr
                );
            }
            if path.is_dir() {
                fs::remove_dir(&path).unwrap()
            } else {
                fs::remove_file(&path).unwrap()
            }
        }
        fs::rename(&kept, &path).unwrap();
    }
    for words in [["sheet", "/dev/zero"], ["sheet", "."]] {
        let output = basho(dir, &words);
        assert!(matches!(output.code, Some(64 | 74)), "{words:?}: {}", output.stderr);
    }
    // A pipe given by the user ends with its writer.
    let piped = Command::new(BASHO)
        .args(["sheet", "/dev/stdin"])
        .stdin(Stdio::from(piped(&games)))
        .output()
        .unwrap();
    let named = basho(dir, &["sheet", "run/games.jsonl"]);
    assert_eq!(
        (piped.status.code(), String::from_utf8(piped.stdout).unwrap()),
        (Some(0), named.stdout)
    );
}

/// A pipe that delivers a file.
fn piped(games: &Path) -> std::io::PipeReader {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let bytes = fs::read(games).unwrap();
    // The reader may close the pipe early.
    std::thread::spawn(move || drop(writer.write_all(&bytes)));
    reader
}

#[test]
fn prints_hostile_names_on_one_line() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let engines = |count| {
        let engine =
            "[[engine]]\ncmd = 'builtin:random'\nname = \"x\\nFEIGNED\\r\\u0085\\tFEIGNED\"\n";
        format!(
            "rounds = 2\nopenings = {{ random_start = true }}\n{}[[engine]]\ncmd = \
             'builtin:greedy'\n",
            engine.repeat(count)
        )
    };
    let plain = |words: &[&str]| {
        let output = basho(dir, words);
        let lines = output.stdout.lines().chain(output.stderr.lines());
        for line in lines {
            assert!(
                !line.starts_with("FEIGNED") && !line.contains(['\r', '\t', '\u{85}']),
                "{words:?}: {line:?}"
            );
        }
        output
    };
    for (name, count) in [("two", 1), ("three", 2)] {
        fs::write(dir.join("names.toml"), engines(count)).unwrap();
        assert_eq!(plain(&["run", "names.toml", "--into", name]).code, Some(0));
        let games = dir.join(name).join("games.jsonl");
        let records = fs::read_to_string(&games).unwrap();
        for words in [
            &["report", name][..],
            &["report", name, "--games"],
            &["sheet", name],
            &["convert", name, "--to", "moves"],
        ] {
            assert_eq!(plain(words).code, Some(0));
        }
        let detail = |line: &str| {
            format!("{},\"detail\":\"x\\nFEIGNED\"}}\n", line.split(",\"detail\":").next().unwrap())
        };
        fs::write(&games, records.lines().map(detail).collect::<String>()).unwrap();
        assert_eq!(plain(&["report", name, "--games"]).code, Some(0));
        // A start of several lines is still one position.
        fs::write(&games, records.replace(" b - 0-0 3", "\\nb - 0-0 3")).unwrap();
        let moves = plain(&["convert", name, "--to", "moves"]);
        assert!(
            moves.stdout.lines().all(|line| line.starts_with("position fen ")),
            "{}",
            moves.stdout
        );
        fs::write(&games, records.replace("\\nFEIGNED", "\\nFEIGNED\\n\\tFEIGNED")).unwrap();
        assert_eq!(plain(&["report", name]).code, Some(74));
    }
    let missing = "[[engine]]\ncmd = './nowhere'\nname = \"x\\nFEIGNED\"\nnodes = 1\n[[engine]]\n\
                   cmd = 'builtin:greedy'\n";
    fs::write(dir.join("names.toml"), missing).unwrap();
    assert_eq!(plain(&["run", "names.toml", "--into", "missing"]).code, Some(64));
}
