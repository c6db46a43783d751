//! What an engine says stays what it says: it takes no memory, writes no file and commands no terminal.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::runner_faults::{BASHO, mock, script};

/// Two games of a mock against the random player, in a folder of their own; where the games go is below it.
fn command(dir: &Path, text: &str) -> Command {
    let path = script(dir, "mock.sh", text);
    let mut command = Command::new(BASHO);
    command
        .current_dir(dir)
        .args(["match", "--engine", "cmd=sh", "name=mock", &format!("args={}", path.display()), "patience=2000"])
        .args(["--engine", "cmd=builtin:random", "--each", "movetime=50", "timemargin=0", "--rounds", "1", "--into", "run"]);
    command
}

/// The most memory that basho's process has held so far, in KiB. A child that has not become basho yet may still show the memory
/// of the process that starts it.
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
fn no_engine_makes_basho_hold_much() {
    // As long as a line may be: the longest that is read whole.
    let much = "x=$(head -c 65000 /dev/zero | tr '\\000' x)\n";
    let floods = [
        ("options", format!("{much}read -r line; yes \"option name $x type button\"")),
        ("choices", format!("{much}read -r line; yes \"option name y type combo default $x var $x\" | cut -c 1-65000")),
        ("names", format!("{much}read -r line; yes \"id name $x\"")),
        ("noise", format!("{much}read -r line; yes \"$x\"")),
        ("a line without end", "read -r line; tr '\\000' x < /dev/zero".to_owned()),
        ("scores", format!("{much}{}", mock("yes \"info depth 1 score cp 1 pv $x\""))),
        ("remarks", format!("{much}{}", mock("yes \"info string error: $x\""))),
    ];
    for (what, text) in floods {
        let dir = tempfile::tempdir().unwrap();
        let mut child = command(dir.path(), &text).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak_memory(&child).unwrap_or_default().max(peak);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(0 < peak && peak < 64 * 1024, "{what}: {peak} KiB");
    }
}

/// All files and folders below, by their paths from there.
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

/// What a mock says of itself that would be a file, a command or a page, were it taken for one.
const HOSTILE: &str = "echo 'id name ../../outside'; echo 'id author $(touch outside)'\n\
    echo 'option name LogFile type string default ../outside'; echo 'option name ../outside type button'\n\
    echo 'info string setoption name LogFile value outside'; printf 'info string \\033[2J\\007\\n'\n";

#[test]
fn nothing_that_an_engine_says_becomes_a_file() {
    for best in ["../outside", "a1a5 ponder ../outside", "> outside"] {
        let dir = tempfile::tempdir().unwrap();
        let text = format!("{HOSTILE}{}", mock(&format!("echo 'bestmove {best}'")));
        assert!(command(dir.path(), &text).output().unwrap().status.success());
        let expected = ["mock.sh", "run", "run/games.jsonl", "run/tournament.toml"];
        assert_eq!(files(dir.path(), Path::new("")), expected);
    }
}

/// Nothing but text and the ends of lines.
fn assert_plain(output: &Output) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}

#[test]
fn nothing_that_an_engine_says_commands_the_terminal() {
    let colours = "printf 'id name \\033[31mred\\007\\nid author \\033]0;title\\007\\n'\n";
    for on_go in
        ["printf 'bestmove \\033[2J\\n'", "printf '\\033[2J\\377\\n'", "printf 'info depth \\033[2J\\nbestmove a1\\033[2Ja5\\n'"]
    {
        let dir = tempfile::tempdir().unwrap();
        let text = mock(on_go).replace("uci) ", &format!("uci) {}; ", colours.trim_end()));
        assert_plain(&command(dir.path(), &text).output().unwrap());
        let path = script(dir.path(), "mock.sh", &text);
        assert_plain(&Command::new(BASHO).args(["check", "sh"]).arg(path).output().unwrap());
        assert_plain(&Command::new(BASHO).args(["report", "--games"]).arg(dir.path().join("run")).output().unwrap());
    }
}

#[test]
fn no_position_or_name_makes_the_engine_write_a_file() {
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
    let output = Command::new(env!("CARGO_BIN_EXE_oshi")).current_dir(dir.path()).args(lines).output().unwrap();
    assert!(output.status.success());
    assert_eq!(files(dir.path(), Path::new("")), Vec::<OsString>::new());
}
