//! Description of the command line: version, completions, manual pages, and the document.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};

use crate::support::runner::{BASHO, arguments};

fn basho(arguments: &[&str]) -> Output {
    let output = Command::new(BASHO).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn stdout(arguments: &[&str]) -> String {
    String::from_utf8(basho(arguments).stdout).unwrap()
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = stdout(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned));
    names.filter(|name| !name.is_empty() && name != "help").collect()
}

#[test]
fn documents_every_command_and_option() {
    let document = include_str!("../../../docs/tournaments.md");
    let commands = commands();
    assert!(commands.len() > 10, "{commands:?}");
    let mut missing = BTreeSet::new();
    for command in commands {
        assert!(document.contains(&format!("`basho {command}")), "{command}");
        let help = stdout(&[&command, "--help"]);
        let options = help.lines().filter_map(|line| {
            let line = line.trim_start();
            let long = if line.starts_with("--") {
                line
            } else {
                line.strip_prefix('-')?.split_once(", ")?.1
            };
            long.split([' ', '='])
                .next()
                .filter(|option| option.starts_with("--"))
                .map(str::to_owned)
        });
        let is_documented =
            |option: &str| ["--help", "--version"].contains(&option) || document.contains(option);
        missing.extend(
            options
                .filter(|option| !is_documented(option))
                .map(|option| format!("{command} {option}")),
        );
    }
    assert_eq!(missing, BTreeSet::new());
}

#[test]
fn completions_and_manual_have_every_command() {
    assert!(stdout(&["--version"]).starts_with("basho "));
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("man");
    basho(&["man", "--into", dir.to_str().unwrap()]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{command} in {shell}");
        }
    }
    for command in commands() {
        assert!(
            fs::read_to_string(dir.join(format!("basho-{command}.1")))
                .unwrap()
                .contains(".SH SYNOPSIS")
        );
    }
    assert_eq!(stdout(&["man"]), fs::read_to_string(dir.join("basho.1")).unwrap());
    for rejected in [["completions", "csh"], ["man", "--to"]] {
        assert_eq!(Command::new(BASHO).args(rejected).output().unwrap().status.code(), Some(64));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn opens_page_or_warns_without_browser() {
    use std::os::unix::fs::PermissionsExt;

    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let engines =
        arguments("match --engine cmd=builtin:random --engine cmd=builtin:greedy --rounds 1");
    basho(&[&engines, ["--into", dir.to_str().unwrap()].as_slice()].concat());
    let page = temp.path().join("a page.html");
    let open = |path: &std::path::Path| {
        let words = ["report", dir.to_str().unwrap(), "--html", page.to_str().unwrap(), "--open"];
        Command::new(BASHO).args(words).env("PATH", path).output().unwrap()
    };
    let none = open(&temp.path().join("nothing"));
    assert_eq!(none.status.code(), Some(0), "the page was written");
    assert!(
        String::from_utf8_lossy(&none.stderr).starts_with("Warning: no browser could be started")
    );
    // The mock browser writes its argument to a named pipe, so the test waits for its start.
    let programs = temp.path().join("bin");
    fs::create_dir(&programs).unwrap();
    let pipe = temp.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let browser = programs.join("xdg-open");
    fs::write(&browser, format!("#!/bin/sh\necho \"$1\" > '{}'\n", pipe.display())).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let opened = open(&programs);
    assert_eq!(
        (opened.status.code(), String::from_utf8_lossy(&opened.stderr).as_ref()),
        (Some(0), "")
    );
    assert_eq!(fs::read_to_string(&pipe).unwrap().trim(), page.to_str().unwrap());
}
