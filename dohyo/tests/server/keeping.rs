//! Games outlive tabs, browsers and the server itself.

use serde_json::{Value, json};

use crate::support::{Server, Tab, person};

/// A game without what may differ after a restart: nothing but the moment of the last change.
fn whole(tab: &mut Tab, id: &Value) -> Value {
    let mut game = tab.ask(json!({"do": "open", "game": id}));
    game.as_object_mut().unwrap().remove("tag");
    game
}

#[test]
fn a_game_is_there_after_a_reload_in_a_second_tab_and_after_the_server_was_killed() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-long", [person(), person()]);
    let (node, _) = tab.play(&game, &game["nodes"][0], "a1a5");
    tab.play(&game, &node, "d8d4");
    tab.ask(json!({"do": "play", "game": game["id"], "node": 0, "move": "b1b6"}));
    let before = whole(&mut tab, &game["id"]);
    assert_eq!(before["nodes"].as_array().unwrap().len(), 4);
    drop(tab);

    let mut second = server.tab();
    assert_eq!(second.games["games"][0]["id"], game["id"]);
    assert_eq!(whole(&mut second, &game["id"]), before, "a reload");

    let token = server.token.clone();
    let server = Server::start_in(server.kill(), &[]);
    assert_eq!(server.token, token, "an open page goes on");
    assert_eq!(whole(&mut server.tab(), &game["id"]), before, "killed and started again");
}

#[test]
fn what_one_tab_plays_the_other_sees() {
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
    assert!(other.refusal(json!({"do": "open", "game": game["id"]})).starts_with("no game"));
}

#[test]
fn a_damaged_file_is_told_of_and_stays_and_the_other_games_are_there() {
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
    let told = [(); 2].map(|()| {
        tab.until(|message| message["is"] == "message")["text"].as_str().unwrap().to_owned()
    });
    assert!(
        told.iter().any(|text| text.contains("0123456789abcdef.json: EOF while parsing")),
        "{told:?}"
    );
    assert!(
        told.iter().any(|text| text.ends_with("unknown format 2; expected format 1")),
        "{told:?}"
    );
    assert_eq!(tab.games["games"].as_array().unwrap().len(), 1);
    whole(&mut tab, &kept["id"]);
    assert!(damaged.exists());
}

#[test]
fn a_file_that_leaves_no_number_for_the_next_position_is_damaged() {
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
    let told = server.tab().until(|message| message["is"] == "message")["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(told.contains("a position cannot be number 4294967295"), "{told}");
}

#[test]
fn a_data_folder_belongs_to_one_server_until_it_ends_however_it_ends() {
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
fn the_command_of_an_engine_that_is_blank_is_an_error() {
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
fn a_port_that_is_named_and_taken_and_a_folder_without_a_tournament_are_errors() {
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
fn an_address_or_a_help_that_cannot_be_written_is_an_error() {
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
