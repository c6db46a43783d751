//! Games survive closed tabs, crashes and restarts.

use serde_json::{Value, json};

use crate::support::{Server, contents, person};

#[test]
fn game_survives_reload_and_killed_server() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-long", [person(), person()]);
    let (node, _) = tab.play(&game, &game["nodes"][0], "a1a5");
    tab.play(&game, &node, "d8d4");
    tab.ask(json!({"do": "play", "game": game["id"], "node": 0, "move": "b1b6"}));
    let before = contents(&mut tab, &game["id"]);
    assert_eq!(before["nodes"].as_array().unwrap().len(), 4);
    drop(tab);

    let mut second = server.tab();
    assert_eq!(second.games["games"][0]["id"], game["id"]);
    assert_eq!(contents(&mut second, &game["id"]), before, "after a reload");

    let token = server.token.clone();
    let server = Server::start_in(server.kill(), &[]);
    assert_eq!(server.token, token, "an open page can reconnect");
    assert_eq!(contents(&mut server.tab(), &game["id"]), before, "after a restart");
}

#[test]
fn second_tab_sees_moves_of_the_first() {
    let server = Server::start(&[]);
    let (mut one, mut other) = (server.tab(), server.tab_in("fr"));
    let game = one.new_game("kamon", [person(), person()]);
    other.ask(json!({"do": "open", "game": game["id"]}));
    let (node, _) = one.play(&game, &game["nodes"][0], "g2");
    let seen = other.until(|message| message["is"] == "node");
    assert_eq!(seen["node"]["scene"], node["scene"]);
    assert_eq!(seen["node"]["name"], "g2 Rose Éventail");
    one.ask(json!({"do": "delete", "game": game["id"]}));
    other.until(|message| message["is"] == "games" && message["games"] == json!([]));
    assert!(other.error(json!({"do": "open", "game": game["id"]})).starts_with("no game"));
}

#[test]
fn reports_and_keeps_damaged_files() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let kept = tab.new_game("kamon", [person(), person()]);
    let data = server.kill();
    let folder = data.path().join("games");
    let damaged = folder.join("0123456789abcdef.json");
    std::fs::write(&damaged, "{\"format\":1,").unwrap();
    std::fs::write(folder.join("fedcba9876543210.json"), "{\"format\":2}").unwrap();
    let server = Server::start_in(data, &[]);
    let mut tab = server.tab();
    let texts = [(); 2].map(|()| {
        tab.until(|message| message["is"] == "message")["text"].as_str().unwrap().to_owned()
    });
    assert!(
        texts.iter().any(|text| text.contains("0123456789abcdef.json: EOF while parsing")),
        "{texts:?}"
    );
    assert!(
        texts.iter().any(|text| text.ends_with("unknown format 2; expected format 1")),
        "{texts:?}"
    );
    assert_eq!(tab.games["games"].as_array().unwrap().len(), 1);
    contents(&mut tab, &kept["id"]);
    assert!(damaged.exists());
}

#[test]
fn file_without_free_node_ids_is_damaged() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamon", [person(), person()]);
    tab.play(&game, &game["nodes"][0], "g2");
    let data = server.kill();
    let path = data.path().join("games").join(format!("{}.json", game["id"].as_str().unwrap()));
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    file["nodes"][0]["id"] = json!(u32::MAX);
    file["head"] = json!(u32::MAX);
    std::fs::write(&path, file.to_string()).unwrap();
    let server = Server::start_in(data, &[]);
    let text = server.tab().until(|message| message["is"] == "message")["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(text.contains("invalid node id 4294967295"), "{text}");
}

#[test]
fn data_folder_belongs_to_one_server() {
    let server = Server::start(&[]);
    let mut command = std::process::Command::new(crate::support::DOHYO);
    let second = command
        .args(["--no-open", "--port", "0", "--data"])
        .arg(server.data.path())
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    let text = String::from_utf8(second.stderr).unwrap();
    let words =
        format!("another dohyo uses the data folder `{}`; expected", server.data.path().display());
    assert!(text.contains(&words), "{text}");
    let server = Server::start_in(server.kill(), &[]);
    server.tab().new_game("kamon", [person(), person()]);
}

#[test]
fn rejects_blank_engine_command() {
    for blank in ["", "  "] {
        let data = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(crate::support::DOHYO);
        let output = command
            .args(["--no-open", "--engine", blank, "--data"])
            .arg(data.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("no program; expected one and its arguments"), "{text}");
    }
}

#[test]
fn rejects_used_port_and_folder_without_tournament() {
    let server = Server::start(&[]);
    let run = |words: &[&str]| {
        let data = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(crate::support::DOHYO);
        let output =
            command.args(["--no-open", "--data"]).arg(data.path()).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let text = run(&["--port", &server.port.to_string()]);
    assert!(
        text.contains(&format!("port {} is in use; expected a free one", server.port)),
        "{text}"
    );
    let text = run(&["--port", "0", "--watch", server.data.path().to_str().unwrap()]);
    assert!(
        text.contains(
            "no tournament there; expected a folder with tournament.toml and games.jsonl"
        ),
        "{text}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn fails_if_stdout_cannot_be_written() {
    for words in [["--no-open", "--port=0"].as_slice(), &["--help"], &["--version"]] {
        let data = tempfile::tempdir().unwrap();
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(crate::support::DOHYO);
        let output =
            command.args(words).arg("--data").arg(data.path()).stdout(full).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(1) && text.contains("No space left on device"),
            "{words:?}: {text}"
        );
    }
}
