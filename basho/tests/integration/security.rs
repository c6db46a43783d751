//! Hostile output of engines: it exhausts no memory, writes no file and controls no terminal.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::support::mock::{mock, script};
use crate::support::runner::{BASHO, stderr, stdout};

/// A pair of games of a mock against the random player, recorded in `run` below `dir`.
fn command(dir: &Path, text: &str) -> Command {
    patient_command(dir, text, 60_000)
}

/// Like [`command`], with `patience` milliseconds for any answer.
fn patient_command(dir: &Path, text: &str, patience: u32) -> Command {
    let path = script(dir, "mock.sh", text);
    let mut command = Command::new(BASHO);
    command
        .current_dir(dir)
        .args([
            "match",
            "--engine",
            "cmd=sh",
            "name=mock",
            &format!("args={}", path.display()),
            &format!("patience={patience}"),
        ])
        .args(
            "--engine cmd=builtin:random --each movetime=50 timemargin=0 --rounds 1 --into \
               run"
            .split(' '),
        );
    command
}

/// Peak memory of basho's process in KiB. `None` before the child process has become basho.
#[cfg(target_os = "linux")]
fn peak_memory(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    status
        .strip_prefix("Name:\tbasho\n")?
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

#[test]
#[cfg(target_os = "linux")]
fn limits_memory_under_floods() {
    // Nearly the longest accepted line.
    let long_line = "x=$(head -c 65000 /dev/zero | tr '\\000' x)\n";
    let floods = [
        ("options", format!("{long_line}read -r line; yes \"option name $x type button\"")),
        (
            "choices",
            format!(
                "{long_line}read -r line; yes \"option name y type combo default $x var $x\" | \
                 cut -c 1-65000"
            ),
        ),
        ("names", format!("{long_line}read -r line; yes \"id name $x\"")),
        ("noise", format!("{long_line}read -r line; yes \"$x\"")),
        ("a line without end", "read -r line; tr '\\000' x < /dev/zero".to_owned()),
        ("scores", format!("{long_line}{}", mock("yes \"info depth 1 score cp 1 pv $x\""))),
        ("remarks", format!("{long_line}{}", mock("yes \"info string error: $x\""))),
    ];
    for (what, text) in floods {
        let dir = tempfile::tempdir().unwrap();
        let mut child = patient_command(dir.path(), &text, 2000)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak_memory(&child).unwrap_or_default().max(peak);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(0 < peak && peak < 64 * 1024, "{what}: {peak} KiB");
    }
}

/// All files and folders below a folder, as relative paths.
fn files(dir: &Path, below: &Path) -> Vec<OsString> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir.join(below)).unwrap() {
        let path = below.join(entry.unwrap().file_name());
        if dir.join(&path).is_dir() {
            found.extend(files(dir, &path));
        }
        found.push(path.into());
    }
    found.sort();
    found
}

/// Output of a mock with names that are dangerous as file names, commands or markup.
const HOSTILE: &str = "echo 'id name ../../outside'; echo 'id author $(touch outside)'\n\
    echo 'option name LogFile type string default ../outside'; echo 'option name ../outside type \
    button'\n\
    echo 'info string setoption name LogFile value outside'; printf 'info \
    string \\033[2J\\007\\n'\n";

#[test]
fn writes_no_file_named_by_engine() {
    for best in ["../outside", "a1a5 ponder ../outside", "> outside"] {
        let dir = tempfile::tempdir().unwrap();
        let text = format!("{HOSTILE}{}", mock(&format!("echo 'bestmove {best}'")));
        assert!(command(dir.path(), &text).output().unwrap().status.success());
        let expected = ["mock.sh", "run", "run/games.jsonl", "run/tournament.toml"];
        assert_eq!(files(dir.path(), Path::new("")), expected);
    }
}

/// Checks that an output has no control characters but line ends.
fn assert_plain(output: &Output) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}

/// A mock whose name and author hold control characters.
fn colourful(on_go: &str) -> String {
    let colours = "printf 'id name \\033[31mred\\007\\nid author \\033]0;title\\007\\n'";
    mock(on_go)
        .replace("uci) ", &format!("uci) {colours}; "))
        .replace("isready)", "ugi) echo ugiok;;\nisready)")
}

/// Answers to `go` that hold control characters: an illegal move, bytes that are not UTF-8, and a
/// score.
const HOSTILE_ANSWERS: [&str; 3] = [
    "printf 'bestmove \\033[2J\\n'",
    "printf '\\033[2J\\377\\n'",
    "printf 'info depth \\033[2J\\nbestmove a1\\033[2Ja5\\n'",
];

#[test]
fn check_prints_no_control_characters_of_engine() {
    for answer in HOSTILE_ANSWERS {
        let dir = tempfile::tempdir().unwrap();
        // Every step would wait its whole timeout for a missing move.
        let rest = if answer.contains("bestmove") { "" } else { "; echo 'bestmove a1a5'" };
        let path = script(dir.path(), "mock.sh", &colourful(&format!("{answer}{rest}")));
        assert_plain(&Command::new(BASHO).args(["check", "sh"]).arg(path).output().unwrap());
    }
}

#[test]
fn prints_no_control_characters_of_engines() {
    for answer in HOSTILE_ANSWERS {
        let dir = tempfile::tempdir().unwrap();
        let text = colourful(answer);
        assert_plain(&patient_command(dir.path(), &text, 1000).output().unwrap());
        assert_plain(
            &Command::new(BASHO)
                .args(["report", "--games"])
                .arg(dir.path().join("run"))
                .output()
                .unwrap(),
        );
    }
}

#[test]
fn oshi_writes_no_file_named_by_commands() {
    let dir = tempfile::tempdir().unwrap();
    let lines = [
        "position fen ../outside b - 0-0 3",
        "position fen LogFile value outside moves outside",
        "position startpos moves ../outside",
        "setoption name UCI_Variant value ../outside",
        "setoption name ../outside value x",
        "setoption name LogFile value",
        "setoption name LogFile value ../no/such/folder/outside",
        "go nodes 10",
    ];
    let output = Command::new(crate::support::program::oshi())
        .current_dir(dir.path())
        .args(lines)
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(files(dir.path(), Path::new("")), Vec::<OsString>::new());
}

/// Terminal control sequences, escaped as in TOML and JSON: colour, bell, cleared screen.
const CONTROL_SEQUENCES: &str = "\\u001b[31mx\\u0007\\u009b2J";

fn basho(dir: &Path, args: &[&str]) -> Output {
    Command::new(BASHO).current_dir(dir).args(args).output().unwrap()
}

#[test]
fn prints_no_control_characters_of_files() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    let engines = format!(
        "[[engine]]\ncmd = 'builtin:random'\nname = \"{CONTROL_SEQUENCES}\"\n[[engine]]\ncmd = \
         'builtin:greedy'\n"
    );
    file("names.toml", &format!("rounds = 2\n{engines}"));
    assert_plain(&basho(dir.path(), &["run", "names.toml", "--into", "run"]));
    // A detail that does not come from basho.
    let records = fs::read_to_string(dir.path().join("run/games.jsonl")).unwrap();
    let detail = |line: &str| {
        format!(
            "{},\"detail\":\"{CONTROL_SEQUENCES}\"}}\n",
            line.split(",\"detail\":").next().unwrap()
        )
    };
    file("run/games.jsonl", &records.lines().map(detail).collect::<String>());
    for args in
        [&["report", "run", "--games"][..], &["sheet", "run"], &["convert", "run", "--to", "moves"]]
    {
        let output = basho(dir.path(), args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        assert_plain(&output);
    }

    // The conversion keeps the text.
    let printed = basho(dir.path(), &["convert", "run", "--to", "jsonl"]);
    assert_plain(&printed);
    file("again.jsonl", &stdout(&printed));
    assert!(String::from_utf8_lossy(&printed.stdout).contains(CONTROL_SEQUENCES));
    assert_eq!(
        basho(dir.path(), &["convert", "again.jsonl", "--to", "jsonl"]).stdout,
        printed.stdout
    );

    assert!(basho(dir.path(), &["report", "run", "--html", "page.html"]).status.success());
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("\\u001b[31mx") && !page.contains(|c: char| c.is_control() && c != '\n'));

    // Messages quote invalid input.
    let raw = "\u{1b}[31mx\u{7}\u{9b}2J";
    file("broken.toml", &format!("rounds = '{raw}'"));
    file("unknown.toml", &format!("{engines}\"{CONTROL_SEQUENCES}\" = 1"));
    file("broken.jsonl", &format!("{raw}\n{{\"{raw}\n"));
    file("broken.txt", &format!("Black: {raw}\n1. {raw} {raw}\n"));
    file("broken.moves", &format!("position startpos moves {raw}\n"));
    file(
        "run/games.jsonl",
        &format!("{}{raw}\n", records.replace("\"normal\"", &format!("\"{CONTROL_SEQUENCES}\""))),
    );
    let rejected: [&[&str]; 8] = [
        &["run", "broken.toml", "--into", "no"],
        &["run", "unknown.toml", "--into", "no"],
        &["convert", "broken.jsonl", "--from", "jsonl", "--to", "moves"],
        &["sheet", "--parse", "broken.txt"],
        &["convert", "broken.moves", "--from", "moves", "--to", "sheet"],
        &["report", "run"],
        &["report", "run", "--html", "page.html"],
        &["convert", "run", "--to", "sheet"],
    ];
    for args in rejected {
        let output = basho(dir.path(), args);
        assert!(!output.status.success() && !output.stderr.is_empty(), "{args:?}: {output:?}");
        assert_plain(&output);
    }
}

#[test]
fn logs_no_control_characters() {
    let dir = tempfile::tempdir().unwrap();
    let text = format!("{HOSTILE}{}", mock("printf 'bestmove \\033[2J\\n'"));
    let output = command(dir.path(), &text).arg("--verbose").output().unwrap();
    assert!(stderr(&output).contains("bestmove"));
    assert_plain(&output);
}

#[test]
fn prints_names_and_messages_of_any_length() {
    let dir = tempfile::tempdir().unwrap();
    let (long, wide) = ("n".repeat(1 << 16), "\\u0007".repeat(1 << 14));
    let names = [long.as_str(), &wide, "short"];
    let engines: String = names
        .iter()
        .map(|name| format!("[[engine]]\ncmd = 'builtin:random'\nname = \"{name}\"\n"))
        .collect();
    fs::write(
        dir.path().join("t.toml"),
        format!("rounds = 1\nvariant = 'kamisado-simple'\n{engines}"),
    )
    .unwrap();
    let games = dir.path().join("run/games.jsonl");
    for words in [
        &["run", "t.toml", "--into", "run"][..],
        &["report", "run", "--games"],
        &["report", "run", "--html", "page.html"],
        &["sheet", "run"],
        &["convert", "run", "--to", "jsonl"],
        &["merge", "run", "--into", "merged"],
    ] {
        let output = basho(dir.path(), words);
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    }
    // A detail of the same length.
    let text = fs::read_to_string(&games)
        .unwrap()
        .replace("\"detail\":\"", &format!("\"detail\":\"{long}"));
    fs::write(&games, text).unwrap();
    let output = basho(dir.path(), &["report", "run", "--games"]);
    assert!(output.status.code().is_some_and(|code| code != 101), "{}", stderr(&output));
}
