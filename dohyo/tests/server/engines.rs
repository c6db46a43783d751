//! Engines that are killed, misbehave or cannot be run: a message, a restart, and the game
//! continues.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::mock::{mock, script};
use crate::support::{DOHYO, Server, Tab, engine, legal, person};

/// Returns the text of the next message of this severity.
fn next_message(tab: &mut Tab, kind: &str) -> String {
    let message = tab.until(|message| message["is"] == "message" && message["kind"] == kind);
    message["text"].as_str().unwrap().to_owned()
}

/// Writes an executable script.
fn program(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = script(dir, name, &format!("#!/bin/sh\n{text}"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn rejects_engine_that_cannot_run() {
    let data = tempfile::tempdir().unwrap();
    let plain = script(data.path(), "plain", "");
    let cases = [
        ("/no/such/engine --x".to_owned(), "no program `/no/such/engine`"),
        ("no-such-engine".to_owned(), "no program `no-such-engine`"),
        (plain.display().to_string(), "no program `"),
        ("sh -c \"exit".to_owned(), "unmatched `\"` at character 7"),
        (" ".to_owned(), "no program; expected one"),
    ];
    for (command, expected) in cases {
        let words = ["--no-open", "--port", "0", "--data"];
        let output = Command::new(DOHYO)
            .args(words)
            .arg(data.path())
            .args(["--engine", &command])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{command}: {text}");
        assert!(text.contains(expected), "{command}: {text}");
    }
}

#[test]
fn runs_engine_with_spaces_in_path_and_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("my engines");
    std::fs::create_dir(&folder).unwrap();
    let report = |name: &str| {
        format!("printf '%s|' \"$@\" > '{}'\nexec {DOHYO} engine", dir.path().join(name).display())
    };
    let (bare, quoted) =
        (program(&folder, "a bot", &report("bare")), program(&folder, "bot", &report("quoted")));
    let quoted = format!("'{}' --net=\"my nets/a\" -x", quoted.display());
    let server = Server::start(&["--engine", bare.to_str().unwrap(), "--engine", &quoted]);
    let mut tab = server.tab();
    assert_eq!(tab.welcome["engines"][1]["name"], "a bot");
    for (number, name, arguments) in [(1, "bare", "|"), (2, "quoted", "--net=my nets/a|-x|")] {
        let game =
            tab.new_game("kamisado-simple", [person(), engine(number, Value::Null, json!(1))]);
        tab.play(&game, &game["nodes"][0], "a1a5");
        tab.until(|message| message["is"] == "node" && message["game"] == game["id"]);
        assert_eq!(std::fs::read_to_string(dir.path().join(name)).unwrap(), arguments);
    }
}

#[test]
fn restarts_an_engine_killed_during_its_search() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("died");
    let first = mock(&format!("touch {}; kill -9 $$", mark.display()));
    let text = format!("if [ -e {} ]; then exec {DOHYO} engine; fi\n{first}", mark.display());
    let path = script(dir.path(), "mortal.sh", &text);
    let server = Server::start(&["--engine", &format!("sh {}", path.display())]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-simple", [person(), engine(1, Value::Null, json!(50))]);
    tab.play(&game, &game["nodes"][0], "a1a5");
    let text = next_message(&mut tab, "warning");
    assert!(
        text.contains("killed by SIGKILL") && text.ends_with("the engine is restarted"),
        "{text}"
    );
    let head = tab.until(|message| message["is"] == "head" && message["head"] == 2);
    assert_eq!(head["state"], "playing");
}

#[test]
fn messages_show_the_last_lines_of_stderr() {
    let dir = tempfile::tempdir().unwrap();
    let raise = "printf 'Traceback:\\n  File bot.py\\nValueError: \\033[31mboom\\n' >&2";
    let words = "; its last lines on stderr:\n    Traceback:\n      File bot.py\n    ValueError: ";
    for (name, text) in [
        ("at-start", format!("{raise}; exit 1")),
        ("at-go", mock(&format!("{raise}; exit 1"))),
        ("garbled", mock(&format!("{raise}; echo bestmove"))),
        ("illegal", mock(&format!("{raise}; echo bestmove d4d3"))),
    ] {
        let path = script(dir.path(), name, &text);
        let server = Server::start(&["--engine", &format!("sh {}", path.display())]);
        let mut tab = server.tab();
        let game = tab.new_game("kamisado-simple", [person(), engine(1, Value::Null, json!(50))]);
        tab.play(&game, &game["nodes"][0], "a1a5");
        for kind in ["warning", "error"] {
            let text = next_message(&mut tab, kind);
            assert!(text.contains(words), "{name}: {text:?}");
            assert!(!text.contains('\u{1b}'), "{name}: {text:?}");
        }
        if name == "at-go" {
            tab.ask(json!({"do": "analyse", "game": game["id"], "node": 1, "engine": 1}));
            let text = next_message(&mut tab, "error");
            assert!(text.starts_with("analysis: ") && text.contains(words), "{text:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn analysis_continues_after_its_engine_is_killed() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-marathon", [person(), person()]);
    tab.ask(json!({"do": "analyse", "game": game["id"], "node": 0, "lines": 3}));
    let analysis = tab.until(|message| {
        message["is"] == "analysis" && message["lines"].as_array().unwrap().len() == 3
    });
    let first = |line: &Value| line["moves"][0].clone();
    let lines = analysis["lines"].as_array().unwrap();
    assert_ne!(first(&lines[0]), first(&lines[1]));
    assert_eq!(
        lines[0]["names"].as_array().unwrap().len(),
        lines[0]["scenes"].as_array().unwrap().len()
    );
    let [id] = server.engines()[..] else { panic!("expected one engine") };
    let killed = std::process::Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
    assert!(killed.success());
    assert!(next_message(&mut tab, "warning").contains("the engine is restarted"));
    tab.until(|message| message["is"] == "analysis");
    tab.ask(json!({"do": "rest", "game": game["id"]}));
    let eval = tab.until(|message| message["is"] == "eval");
    assert!(eval["eval"]["nodes"].as_u64() > Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn analysis_ends_with_the_tab_that_requested_it() {
    let server = Server::start(&[]);
    let mut first = server.tab();
    let game = first.new_game("kamisado-marathon", [person(), person()]);
    let mut second = server.tab();
    second.ask(json!({"do": "open", "game": game["id"]}));
    first.ask(json!({"do": "analyse", "game": game["id"], "node": 0, "lines": 1}));
    second.until(|message| message["is"] == "analysis");
    drop(first);
    let eval = second.until(|message| message["is"] == "eval");
    assert!(eval["eval"]["nodes"].as_u64() > Some(0));
}

#[test]
fn faulty_engines_pause_the_game() {
    let dir = tempfile::tempdir().unwrap();
    let good = "bestmove d8d4";
    let scripts = [
        ("exits", "exit 7".to_owned(), "exited with code 7"),
        ("crashes", mock("kill -SEGV $$"), "killed by SIGSEGV"),
        ("silent", mock(":"), "no answer; expected `bestmove` after `go`"),
        (
            "mute",
            "while read -r line; do :; done".to_owned(),
            "no answer; expected `uciok` after `uci`",
        ),
        ("illegal", mock("echo 'bestmove d4d3'"), "illegal move `d4d3`"),
        ("moveless", mock("echo 'bestmove (none)'"), "is not a move"),
        ("garbled", mock("echo 'bestmove'"), "bestmove"),
        ("binary", mock("printf 'bestmove \\377\\n'"), "not UTF-8"),
        (
            "flooding",
            mock("while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done"),
            "a line of more than",
        ),
        ("early", format!("echo '{good}'\n{}", mock("echo 'bestmove d4d3'")), "without a `go`"),
        ("gone", String::new(), "cannot run `"),
    ];
    let commands: Vec<String> = scripts
        .iter()
        .map(|(name, text, _)| match *name {
            "gone" => program(dir.path(), name, text).display().to_string(),
            _ => format!("sh {}", script(dir.path(), name, text).display()),
        })
        .collect();
    let mut words = vec!["--timeout", "6000"];
    words.extend(commands.iter().flat_map(|command| ["--engine", command]));
    let server = Server::start(&words);
    std::fs::remove_file(dir.path().join("gone")).unwrap();
    // All games at once: no engine blocks another one's game.
    let mut games: Vec<(Tab, Value)> = (1..=scripts.len())
        .map(|number| {
            let mut tab = server.tab();
            let game = tab
                .new_game("kamisado-standard", [person(), engine(number, Value::Null, json!(10))]);
            tab.play(&game, &game["nodes"][0], "a1a5");
            (tab, game)
        })
        .collect();
    for ((tab, game), (name, _, words)) in games.iter_mut().zip(&scripts) {
        let text = next_message(tab, "error");
        assert!(
            text.contains(words) && text.ends_with("the game is paused after 3 failures"),
            "{name}: {text}"
        );
        let head = tab.until(|message| message["is"] == "head" && message["state"] == "paused");
        assert_eq!(head["head"], 1);
        // A person takes over.
        tab.ask(json!({"do": "players", "game": game["id"], "players": [person(), person()]}));
        tab.ask(json!({"do": "pause", "game": game["id"], "on": false}));
        let again = tab.ask(json!({"do": "open", "game": game["id"]}));
        let node = again["nodes"][1].clone();
        let (_, head) = tab.play(game, &node, &legal(&node)[0]);
        assert_eq!((&head["head"], &head["state"]), (&json!(2), &json!("playing")), "{name}");
    }
}

#[test]
fn engine_without_levels_plays_by_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = script(
        dir.path(),
        "plain.sh",
        &mock("echo 'info depth 1 score cp 7 pv d8d4'; echo 'bestmove d8d4'"),
    );
    let server = Server::start(&["--engine", &format!("sh {}", path.display())]);
    let mut tab = server.tab();
    assert_eq!(tab.welcome["engines"][1], json!({"name": "sh"}));
    let game = tab.new_game("kamisado-simple", [person(), engine(1, json!("club"), json!(10))]);
    tab.play(&game, &game["nodes"][0], "a1a5");
    assert_eq!(next_message(&mut tab, "info"), "sh (club) has no levels: it plays by time");
    tab.until(|message| message["is"] == "head" && message["head"] == 2);
}

#[test]
fn engine_gets_the_whole_game_and_its_options() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let text = format!("tee {} | {DOHYO} engine", log.display());
    let path = script(dir.path(), "logged.sh", &text);
    let server = Server::start(&["--engine", &format!("sh {}", path.display())]);
    let mut tab = server.tab();
    let game =
        tab.new_game("kamisado-simple", [person(), engine(1, json!("beginner"), Value::Null)]);
    tab.play(&game, &game["nodes"][0], "a1a5");
    tab.until(|message| message["is"] == "head" && message["head"] == 2);
    // `tee` passes a line on before it writes it.
    let logged = || std::fs::read_to_string(&log).unwrap();
    while !logged().contains("a1a5") {
        std::thread::sleep(Duration::from_millis(1));
    }
    let logged = logged();
    let lines: Vec<&str> = logged.lines().collect();
    for line in [
        "ucinewgame",
        "setoption name UCI_Variant value kamisado-simple",
        "setoption name Threads value 1",
        "setoption name Hash value 64",
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 600",
        "position fen OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1 moves a1a5",
    ] {
        assert!(lines.contains(&line), "{line} in {logged}");
    }
}

#[test]
fn hint_is_a_legal_move_with_its_name() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-simple", [person(), person()]);
    let hint = tab.ask(json!({"do": "hint", "game": game["id"], "node": 0}));
    assert!(
        legal(&game["nodes"][0]).contains(&hint["move"].as_str().unwrap().to_owned()),
        "{hint}"
    );
    let name = hint["name"].as_str().unwrap();
    assert!(["Ahead", "Left", "Right"].iter().any(|direction| name.contains(direction)), "{name}");
}
