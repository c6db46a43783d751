//! Output of basho: it is complete, or the exit code says that it is not.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::program::oshi;
use crate::support::runner::BASHO;

/// Placeholder for the path of `oshi` in a command.
const OSHI: &str = "{oshi}";

fn basho(dir: &Path, words: &[&str], stdout: Stdio) -> (Option<i32>, String) {
    let words = words.iter().map(|&word| if word == OSHI { oshi() } else { word });
    let output = Command::new(BASHO).args(words).current_dir(dir).stdout(stdout).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

const MATCH: [&str; 10] = [
    "match",
    "--engine",
    "cmd=builtin:random",
    "--engine",
    "cmd=builtin:greedy",
    "--openings",
    "random_start=true",
    "--rounds",
    "2",
    "--into",
];

/// A folder with a tournament `run`, its sheets and a page.
fn folder() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    assert_eq!(
        basho(temp.path(), &[&MATCH[..], &["run"]].concat(), Stdio::null()),
        (Some(0), String::new())
    );
    let sheets = File::create(temp.path().join("sheets.txt")).unwrap();
    assert_eq!(basho(temp.path(), &["sheet", "run"], sheets.into()).0, Some(0));
    temp
}

/// All commands that print.
const PRINTING: [&[&str]; 18] = [
    &["report", "run"],
    &["report", "run", "--format", "json"],
    &["report", "run", "--format", "markdown"],
    &["report", "run", "--games"],
    &["resume", "run"],
    &["sheet", "run"],
    &["sheet", "run", "--symbols", "--lang", "de"],
    &["sheet", "--parse", "sheets.txt"],
    &["convert", "run", "--to", "jsonl"],
    &["convert", "run", "--to", "sheet"],
    &["convert", "run", "--to", "moves"],
    &["board", "startpos"],
    &["stats", "--ptnml", "1,2,3,4,5", "--elo0", "0", "--elo1", "5"],
    &["check", OSHI],
    &["merge", "run", "--into", "merged"],
    &["--help"],
    &["report", "--help"],
    &["--version"],
];

/// Whether this is a failed check. A move may exceed its clock on a busy machine.
fn may_fail(words: &[&str], code: Option<i32>) -> bool {
    words[0] == "check" && code == Some(3)
}

#[test]
#[cfg(target_os = "linux")]
fn fails_when_output_is_full() {
    let temp = folder();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let play = [&MATCH[..], &["played"]].concat();
    for words in PRINTING.into_iter().chain([play.as_slice()]) {
        let (code, message) = basho(temp.path(), words, full());
        assert!(code == Some(74) || may_fail(words, code), "{words:?}: {code:?}, {message}");
        assert!(
            message.starts_with("Error: standard output: No space left on device"),
            "{words:?}: {message}"
        );
    }
    for words in
        [["report", "run", "--html", "/dev/full"], ["board", "startpos", "--out", "/dev/full"]]
    {
        let (code, message) = basho(temp.path(), &words, Stdio::null());
        assert!(
            code == Some(74) && message.contains("/dev/full: No space left on device"),
            "{words:?}: {message}"
        );
    }
    // `check` is a command that has lines to log.
    let logged = basho(temp.path(), &["--log", "/dev/full", "check", OSHI], Stdio::null());
    assert!(may_fail(&["check"], logged.0) || logged.0 == Some(74), "{logged:?}");
    assert!(logged.1.starts_with("Error: /dev/full: No space left on device"), "{logged:?}");
    // The tournament continued.
    assert_eq!(
        fs::read_to_string(temp.path().join("played/games.jsonl")).unwrap().lines().count(),
        4
    );
}

#[test]
fn refuses_outputs_that_are_not_files() {
    let temp = folder();
    let pipe = temp.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(temp.path().join("socket")).unwrap();
    let stderr = |place: &str| format!("stderr={place}");
    for place in ["pipe", "socket", "run", "/dev/zero"] {
        let stderr = stderr(place);
        let play = [
            "match",
            "--engine",
            "cmd=sh",
            &stderr,
            "nodes=1",
            "--engine",
            "cmd=builtin:random",
            "--into",
            "never",
        ];
        for words in [
            &["--log", place, "report", "run"][..],
            &["report", "run", "--html", place],
            &["board", "startpos", "--out", place],
            &play,
        ] {
            let (code, message) = basho(temp.path(), words, Stdio::null());
            assert!(
                code != Some(0) && message.contains("expected a regular file or a new one"),
                "{words:?}: {code:?}, {message}"
            );
        }
        assert!(!temp.path().join("never").exists(), "{place}");
    }
    for place in ["/dev/null", "/dev/stderr", "new"] {
        for words in [["report", "run", "--html", place], ["board", "startpos", "--out", place]] {
            assert_eq!(basho(temp.path(), &words, Stdio::null()).0, Some(0), "{words:?}");
        }
        assert_eq!(
            basho(temp.path(), &["--log", place, "report", "run"], Stdio::null()).0,
            Some(0),
            "{place}"
        );
    }
}

#[test]
fn succeeds_when_output_is_closed() {
    let temp = folder();
    for words in PRINTING {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, message) = basho(temp.path(), words, writer.into());
        assert!(code == Some(0) || may_fail(words, code), "{words:?}: {code:?}");
        assert_eq!(message, "", "{words:?}");
    }
}

#[test]
fn keeps_old_file_when_write_fails() {
    let temp = folder();
    let page = temp.path().join("page.html");
    fs::write(&page, "old").unwrap();
    // The page exceeds the limit of one block. Without the trap, a signal would kill basho.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" report run --html page.html";
    let output =
        Command::new("sh").args(["-c", limited, BASHO]).current_dir(temp.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(74), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(&page).unwrap(), "old");
    let mut names: Vec<_> =
        fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["page.html", "run", "sheets.txt"], "the draft is removed");
}

#[test]
fn replaces_file_and_keeps_permissions() {
    let temp = folder();
    let (page, link) = (temp.path().join("page.html"), temp.path().join("link.html"));
    fs::write(&page, "old").unwrap();
    fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("page.html", &link).unwrap();
    for (words, beginning) in [
        (["report", "run", "--html", "link.html"], "<!doctype html>"),
        (["board", "startpos", "--out", "link.html"], "<svg"),
    ] {
        assert_eq!(basho(temp.path(), &words, Stdio::null()).0, Some(0));
        let text = fs::read_to_string(&page).unwrap().to_lowercase();
        assert!(text.starts_with(beginning), "{text:.40}");
        assert!(link.is_symlink());
        assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o640);
    }
}

#[test]
fn reports_verdict_in_every_format() {
    let temp = folder();
    let report = |format| {
        let output = Command::new(BASHO)
            .args(["report", "run", "--format", format])
            .current_dir(temp.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let summary: serde_json::Value = serde_json::from_str(&report("json")).unwrap();
    let verdict = summary["verdict"]["text"].as_str().unwrap();
    assert!(verdict.contains(" Elo, 4 games, 0 faults") || verdict.contains("points, 4 games"));
    assert_eq!(summary["games"]["played"], 4);
    assert!(report("text").lines().any(|line| line == verdict.replace('±', "+/-")));
    let markdown = report("markdown").replace('\\', "");
    assert_eq!(markdown.lines().next().unwrap(), format!("**{verdict}**"));
}
