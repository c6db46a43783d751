//! Invalid input: the message names file, line, key and expectation, and no tournament starts.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::Command;

use crate::support::mock::{mock, script};
use crate::support::runner::{BASHO, arguments};

/// Runs basho in a folder and returns its exit code and its stderr.
fn basho(dir: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(BASHO).args(words).current_dir(dir).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Checks that a tournament file is rejected with a message that has all `parts`.
fn assert_rejected(text: &str, parts: &[&str]) {
    let temp = tempfile::tempdir().unwrap();
    std::fs::write(temp.path().join("bad.toml"), text).unwrap();
    std::fs::write(temp.path().join("bad.txt"), "startpos\na1a5\na1h8\n").unwrap();
    let (code, message) = basho(temp.path(), &["run", "bad.toml"]);
    assert_eq!(code, Some(64), "{message}");
    for part in parts {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
    assert!(!temp.path().join("runs").exists(), "a tournament was started");
}

const ENGINES: &str = "engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]\n";

#[test]
fn states_reason_once() {
    let temp = tempfile::tempdir().unwrap();
    let (code, message) = basho(temp.path(), &["run", "none.toml"]);
    assert_eq!((code, message.matches("No such file").count()), (Some(64), 1), "{message}");
    let (code, message) = basho(temp.path(), &["stats", "--ptnml", "1,2,3"]);
    assert_eq!(
        (code, message.as_str()),
        (Some(64), "Error: --ptnml: expected five counts LL,LD,M,WD,WW\n")
    );
}

#[test]
fn rejects_openings_that_are_not_a_file() {
    let temp = tempfile::tempdir().unwrap();
    nix::unistd::mkfifo(&temp.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    for place in ["pipe", "."] {
        let file = format!("file={place}");
        let engines = arguments("match --engine cmd=builtin:random --engine cmd=builtin:greedy");
        let (code, message) = basho(temp.path(), &[&engines[..], &["--openings", &file]].concat());
        assert!(code == Some(64) && message.contains("expected a regular file"), "{message}");
    }
}

#[test]
fn names_line_of_unknown_key() {
    assert_rejected(
        &format!("rounds = 2\nroundz = 3\n{ENGINES}"),
        &["bad.toml", "line 2", "roundz", "expected", "`rounds`"],
    );
    assert_rejected(
        "engine = [\n{ cmd = 'builtin:random' },\n{ cmd = 'builtin:greedy', hash = 1 },\n]",
        &["line 3", "hash", "option"],
    );
}

#[test]
fn names_line_of_invalid_value() {
    let cases: [(&str, &[&str]); 14] = [
        ("rounds = 0", &["line 1", "rounds", "1 to 4294967295"]),
        ("rounds = 'many'", &["line 1", "rounds", "expected"]),
        ("variant = 'chess'", &["line 1", "chess", "kamisado-standard"]),
        ("format = 'swiss'", &["line 1", "swiss", "gauntlet"]),
        ("each = { tc = 'fast' }", &["line 1", "fast", "10+0.1"]),
        ("openings = { random_plies = 1000 }", &["line 1", "at most 64", "1000"]),
        ("openings = { random_plies = 1, file = 'x' }", &["line 1", "either `file` or"]),
        ("openings = { start = 2 }", &["line 1", "`start` needs a `file`"]),
        ("openings = { file = 'bad.txt', start = 0 }", &["line 1", "1 to 9223372036854775807"]),
        ("resign = { movecount = 3 }", &["line 1", "missing field `score`"]),
        ("resign = { movecount = 0, score = 600 }", &["line 1", "above 0", "movecount=0"]),
        ("resign = { score = -600 }", &["line 1", "score", "-600"]),
        ("sprt = { elo0 = 5, elo1 = 0 }", &["line 1", "elo0 below elo1", "elo0=5"]),
        ("sprt = { elo0 = 0, elo1 = 5, alpha = 2 }", &["line 1", "alpha", "alpha=2"]),
    ];
    for (line, parts) in cases {
        assert_rejected(&format!("{line}\n{ENGINES}"), parts);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn rejects_endless_tournament_file() {
    let temp = tempfile::tempdir().unwrap();
    let (code, message) = basho(temp.path(), &["run", "/dev/zero"]);
    assert!(
        code == Some(64) && message.contains("/dev/zero: expected at most 1048576 bytes"),
        "{code:?}: {message}"
    );
}

#[test]
fn names_engines_that_cannot_play() {
    assert_rejected("engine = [{ cmd = 'builtin:random' }]", &["at least two engines", "got 1"]);
    let named = "each = { name = 'both' }\nengine = [{ cmd = 'builtin:random' }, { cmd = \
                 'builtin:greedy' }]";
    assert_rejected(named, &["each", "name `both`", "expected a name in the table of each engine"]);
    assert_rejected("engine = [{ cmd = 'builtin:random' }, { name = 'x' }]", &["engine 2", "cmd"]);
    assert_rejected(
        "engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:best' }]",
        &["engine 2", "best", "builtin:greedy"],
    );
    assert_rejected(
        "engine = [{ cmd = 'builtin:random' }, { cmd = 'x' }]",
        &["engine 2", "no limit", "`tc`, `movetime`, `nodes` or `depth`"],
    );
    assert_rejected(
        "engine = [{ cmd = 'builtin:random' }, { cmd = 'x', movetime = 1, tc = '1' }]",
        &["engine 2", "both `tc`"],
    );
    let program =
        "engine = [{ cmd = 'builtin:random' }, { cmd = './bad.txt', nodes = 1, name = 'mine' }]";
    assert_rejected(program, &["engine 2 (mine)", "bad.txt", "engine program"]);
    let three = "sprt = { elo0 = 0, elo1 = 5 }\nengine = [{ cmd = 'builtin:random' }, { cmd = \
                 'builtin:random' }, { cmd = 'builtin:random' }]";
    assert_rejected(three, &["sprt", "two engines", "got 3"]);
}

#[test]
fn refuses_command_line_as_program() {
    let temp = tempfile::tempdir().unwrap();
    let second = ["--engine", "cmd=builtin:random", "--each", "nodes=1"];
    for (cmd, program, args) in
        [("sh bot.sh -x", "sh", "bot.sh -x"), ("sh ./bot.sh", "/sh", "./bot.sh")]
    {
        let (code, message) = basho(
            temp.path(),
            &[&["match", "--engine", &format!("cmd={cmd}")], &second[..]].concat(),
        );
        assert_eq!(code, Some(64), "{message}");
        assert!(message.contains("expected its arguments in `args`: cmd="), "{message}");
        assert!(message.contains(&format!("{program} args=\"{args}\"")), "{message}");
    }
}

#[test]
fn keeps_quoted_arguments_whole() {
    let temp = tempfile::tempdir().unwrap();
    script(temp.path(), "echo.sh", &format!("printf '%s|' \"$@\" > words\n{}", mock(":")));
    let args = r#"args=echo.sh --net "/data/my nets/a" --x='b c'"#;
    let (_, message) = basho(
        temp.path(),
        &[
            "match",
            "--engine",
            "cmd=sh",
            args,
            "--engine",
            "cmd=builtin:random",
            "--each",
            "nodes=1",
            "patience=1",
            "--rounds",
            "1",
        ],
    );
    let words = std::fs::read_to_string(temp.path().join("words"));
    assert_eq!(words.unwrap_or(message), "--net|/data/my nets/a|--x=b c|");
}

#[test]
fn names_place_of_unmatched_quote() {
    let engines =
        "engine = [{ cmd = 'builtin:random' },\n{ cmd = 'sh', args = '-c \"exit', nodes = 1 }]";
    assert_rejected(
        engines,
        &[
            "bad.toml",
            "line 2",
            "unmatched `\"` at character 4 of `-c \"exit`; expected another one",
        ],
    );
    let temp = tempfile::tempdir().unwrap();
    let words =
        arguments("match --engine cmd=sh args=it's --engine cmd=builtin:random --each nodes=1");
    let (code, message) = basho(temp.path(), &words);
    assert!(
        code == Some(64) && message.contains("unmatched `'` at character 3 of `it's`"),
        "{message}"
    );
}

#[test]
fn names_undeclared_engine_option() {
    let mock = "while read -r word rest; do case $word in uci) echo option name Hash type spin \
                default 1 min 1 max 9; \
                echo uciok;; isready) echo readyok;; quit) exit;; esac; done";
    let engine = |option: &str| {
        format!(
            "engine = [{{ cmd = 'builtin:random' }}, {{ cmd = 'sh', args = ['-c', '{mock}'], \
             nodes = 1, option = {{ {option} }} }}]"
        )
    };
    assert_rejected(&engine("Hush = 1"), &["engine 2 (sh)", "no option `Hush`", "Hash"]);
    assert_rejected(&engine("Hash = 10"), &["engine 2 (sh)", "Hash", "from 1 to 9", "`10`"]);
}

#[test]
fn names_file_and_line_of_invalid_opening() {
    assert_rejected(
        &format!("openings = {{ file = 'bad.txt' }}\n{ENGINES}"),
        &["bad.txt:3", "a1h8", "expected"],
    );
    assert_rejected(
        &format!("openings = {{ file = 'none.txt' }}\n{ENGINES}"),
        &["none.txt", "No such file"],
    );
}

#[test]
fn rejects_invalid_arguments_as_usage_errors() {
    let temp = tempfile::tempdir().unwrap();
    let builtin = arguments("match --engine cmd=builtin:random --engine cmd=builtin:greedy");
    let with = |more: &[&'static str]| [builtin.as_slice(), more].concat();
    let cases: [(Vec<&str>, &str); 11] = [
        (with(&["--dry-run", "--shard", "0/4"]), "0/4"),
        (vec!["stats", "--ptnml", "18446744073709551615,1,0,0,0"], "expected a count"),
        (vec!["--engine", "cmd=builtin:random"], "basho match --engine"),
        (vec!["fight"], "fight"),
        (vec!["run", "none.toml"], "none.toml"),
        (with(&["--each", "node=5"]), "node"),
        (with(&["--each", "nodes"]), "key=value"),
        (with(&["--shard", "5/4"]), "5/4"),
        (with(&["--rounds", "0"]), "rounds"),
        (vec!["stats", "--ptnml", "1,2,3"], "five counts"),
        (vec!["stats", "--ptnml", "1,2,3,4,5", "--elo0", "5", "--elo1", "1"], "elo0 below elo1"),
    ];
    for (words, part) in cases {
        let (code, message) = basho(temp.path(), &words);
        assert_eq!(code, Some(64), "{words:?}: {message}");
        assert!(message.contains(part), "{words:?}: {message}");
    }
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0, "a tournament was started");
    assert_eq!(basho(temp.path(), &["--help"]).0, Some(0));
    let (code, message) = basho(temp.path(), &with(&["--dry-run", "--log", "log.txt"]));
    assert_eq!((code, temp.path().join("log.txt").exists()), (Some(0), false), "{message}");
    assert_eq!(basho(temp.path(), &["stats", "--ptnml", " 1, 2,3 ,4,5"]), (Some(0), String::new()));
}

#[test]
fn rejects_folder_that_exists_or_cannot_be_made() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::write(temp.path().join("file"), "").unwrap();
    let words = arguments("match --engine cmd=builtin:random --engine cmd=builtin:greedy --into");
    let into = |place: &'static str| basho(temp.path(), &[words.as_slice(), &[place]].concat());
    let (code, message) = into("file/run");
    assert_eq!(code, Some(74));
    assert!(message.contains("file"), "{message}");
    let (code, message) = into("file");
    assert_eq!(code, Some(64));
    assert!(message.contains("exists already") && message.contains("resume"), "{message}");
    let (code, message) = basho(temp.path(), &["report", "nowhere"]);
    assert_eq!(code, Some(64));
    assert!(message.contains("nowhere") && message.contains("tournament.toml"), "{message}");
}

#[test]
fn numbers_duplicate_names_with_warning() {
    let temp = tempfile::tempdir().unwrap();
    let words =
        arguments("match --engine cmd=builtin:random --engine cmd=builtin:random --rounds 1");
    let (code, message) = basho(temp.path(), &words);
    assert_eq!(code, Some(0));
    assert!(message.contains("Warning: the name `random` is used twice"), "{message}");
    let records = std::fs::read_to_string(temp.path().join("runs/match/games.jsonl")).unwrap();
    assert!(records.contains("\"random_2\""));
}

#[test]
fn warns_of_more_concurrent_games_than_cores() {
    let temp = tempfile::tempdir().unwrap();
    let engines = arguments(
        "match --engine cmd=builtin:random --engine cmd=builtin:greedy --variant \
                         kamisado-simple",
    );
    let (code, message) =
        basho(temp.path(), &[&engines[..], &["--concurrency", "1000", "--rounds", "500"]].concat());
    assert_eq!(code, Some(0));
    assert!(message.contains("Warning: 1000 games at once"), "{message}");
}

#[test]
fn limits_concurrency_to_number_of_games() {
    let temp = tempfile::tempdir().unwrap();
    let engines = arguments(
        "match --live --engine cmd=builtin:random --engine cmd=builtin:greedy \
                         --rounds 1",
    );
    let (code, message) =
        basho(temp.path(), &[&engines[..], &["--concurrency", "18446744073709551615"]].concat());
    assert_eq!(code, Some(0), "{message}");
    assert!(!message.contains("18446744073709551615"), "{message}");
}

#[test]
fn names_argument_that_is_not_utf8() {
    let temp = tempfile::tempdir().unwrap();
    let mut words: Vec<OsString> =
        ["-engine", "cmd=a", "-engine", "cmd=b", "-rounds", "1", "-event"]
            .map(OsString::from)
            .into();
    words.push(OsString::from_vec(b"caf\xe9".to_vec()));
    let output = Command::new(BASHO).args(words).current_dir(temp.path()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(64), "{message}");
    assert!(message.contains("caf") && message.contains("UTF-8"), "{message}");
}

#[test]
fn warns_of_identical_games() {
    let temp = tempfile::tempdir().unwrap();
    // The mock plays a1a5 with either colour, so all games are the same and end by an illegal move.
    script(temp.path(), "mock.sh", &mock("echo 'bestmove a1a5'"));
    let engine = ["--engine", "cmd=sh", "args=mock.sh"];
    let words = [
        ["match"].as_slice(),
        &engine,
        &["name=a"],
        &engine,
        &["name=b", "--each", "nodes=1", "--rounds", "5"],
    ]
    .concat();
    let (code, message) = basho(temp.path(), &words);
    assert_eq!(code, Some(0));
    assert!(message.contains("only 1 of 10 games differ"), "{message}");
}
