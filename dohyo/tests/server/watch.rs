//! Tournaments that are watched while they are played.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use basho::config::Tournament;
use basho::play::interrupt::Interrupt;
use basho::play::tournament;
use basho::record::{GameRecord, RecordFormat};
use basho::records::live::LiveGame;
use basho::records::manifest::Manifest;
use basho::shard::Shard;
use serde_json::json;

use crate::support::Server;

/// Plays a tournament of two built-in players in simple matches. Returns its records, one per line.
fn tournament(dir: &Path) -> Vec<String> {
    let text = "rounds = 2\nconcurrency = 1\nvariant = 'kamisado-simple'\n\
        [[engine]]\ncmd = 'builtin:random'\n[[engine]]\ncmd = 'builtin:greedy'\n";
    let mut tournament: Tournament = toml::from_str(text).unwrap();
    tournament.resolve().unwrap();
    tournament::run(
        Manifest::new(Shard::WHOLE, tournament),
        [dir.to_owned()],
        &Interrupt::default(),
    )
    .unwrap();
    fs::read_to_string(dir.join("games.jsonl")).unwrap().lines().map(str::to_owned).collect()
}

/// Writes the file of a game in progress, as basho does after this number of moves.
fn live(dir: &Path, slot: usize, record: &GameRecord, moves: usize) {
    let mut game = LiveGame {
        format: RecordFormat,
        game: record.game,
        players: [record.black.name.clone(), record.white.name.clone()],
        opening: record.opening.clone(),
        moves: record.moves[..moves].to_vec(),
        clock_ms: [Some(900), None],
        depths: [None, Some(4)],
        variations: [vec![], vec![]],
        since_ms: 17,
    };
    for played in &mut game.moves {
        played.score = Some("cp 400".to_owned());
    }
    fs::create_dir_all(dir.join("live")).unwrap();
    fs::write(dir.join("draft"), serde_json::to_vec(&game).unwrap()).unwrap();
    fs::rename(dir.join("draft"), dir.join("live").join(format!("{slot}.json"))).unwrap();
}

#[test]
fn shows_a_tournament_in_progress() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("spring");
    let lines = tournament(&dir);
    let records: Vec<GameRecord> =
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    // One game is over, another one is in progress.
    fs::write(dir.join("games.jsonl"), format!("{}\n", lines[0])).unwrap();
    live(&dir, 1, &records[1], 2);
    let server = Server::start(&["--watch", dir.to_str().unwrap()]);
    let mut tab = server.tab();
    assert_eq!(tab.welcome["watching"], true);
    tab.send(json!({"do": "watch"}));
    let shown = tab.until(|message| message["is"] == "tournament" && message["live"] != json!([]));
    assert_eq!([&shown["title"], &shown["variant"]], ["spring", "kamisado-simple"]);
    assert_eq!([&shown["played"], &shown["planned"]], [&json!(1), &json!(4)]);
    assert_eq!(shown["standings"].as_array().unwrap().len(), 2);
    let board = &shown["live"][0];
    assert_eq!(
        [&board["number"], &board["since"], &board["clock"]],
        [&json!(records[1].game), &json!(17), &json!([900, null])]
    );
    assert!(board["stage"].as_str().unwrap().starts_with("<svg"));
    assert_eq!(board["moves"].as_array().unwrap().len(), records[1].opening.moves.len() + 2);
    let chance = |of: usize| board["chances"][of].as_f64().unwrap();
    assert!(chance(0) > 0.9 && chance(1) < 0.1, "each says that it wins: {}", board["chances"]);

    // The next move comes without the board.
    live(&dir, 1, &records[1], 3);
    let moves = records[1].opening.moves.len() + 3;
    let is_next =
        |live: &serde_json::Value| live["moves"].as_array().is_some_and(|list| list.len() == moves);
    let shown = tab.until(|message| message["is"] == "tournament" && is_next(&message["live"][0]));
    assert!(shown["live"][0]["stage"].is_null());

    // A game is over once its record exists. The others are not sent again.
    writeln!(
        OpenOptions::new().append(true).open(dir.join("games.jsonl")).unwrap(),
        "{}",
        lines[1]
    )
    .unwrap();
    let shown = tab.until(|message| message["is"] == "tournament" && message["live"] == json!([]));
    assert_eq!(
        [&shown["played"], &shown["games"][0]["number"]],
        [&json!(2), &json!(records[1].game)],
        "{shown}"
    );
    assert_eq!(shown["games"].as_array().unwrap().len(), 1);
    assert_eq!(shown["games"][0]["result"], records[1].result.to_string());

    // A later tab gets everything.
    let mut second = server.tab();
    second.send(json!({"do": "watch"}));
    second.until(|message| {
        message["is"] == "tournament" && message["games"].as_array().unwrap().len() == 2
    });

    let replay = tab.ask(json!({"do": "watched", "game": records[0].game}));
    let plies = records[0].opening.moves.len() + records[0].moves.len();
    assert_eq!(replay["nodes"].as_array().unwrap().len(), plies + 1);
    assert_eq!(
        [&replay["state"], &replay["result"]],
        [&json!("over"), &json!(records[0].result.to_string())]
    );
    assert!(
        tab.error(json!({"do": "watched", "game": 99})).starts_with("no game 99 in the tournament")
    );
}

#[test]
fn reports_a_removed_tournament_folder() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("spring");
    tournament(&dir);
    let server = Server::start(&["--watch", dir.to_str().unwrap()]);
    let mut tab = server.tab();
    tab.send(json!({"do": "watch"}));
    tab.until(|message| message["is"] == "tournament" && message["played"] == 4);
    fs::remove_dir_all(&dir).unwrap();
    let message = tab.until(|message| message["is"] == "message");
    let text = message["text"].as_str().unwrap();
    assert!(text.starts_with("cannot read the tournament: ") && text.contains("spring"), "{text}");
    let mut second = server.tab();
    second.send(json!({"do": "watch"}));
    let shown = second.until(|message| message["is"] == "tournament");
    assert!(shown["error"].as_str().is_some_and(|text| text.contains("spring")), "{shown}");
    assert_eq!(shown["played"], 4, "the last readable state stays");
}

#[test]
fn rejects_watching_without_a_tournament() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    assert_eq!(tab.welcome["watching"], false);
    assert!(
        tab.error(json!({"do": "watch"}))
            .starts_with("no tournament is watched; expected `--watch DIR`")
    );
}

#[test]
fn board_keeps_its_slot_when_other_games_end() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("spring");
    let lines = tournament(&dir);
    let records: Vec<GameRecord> =
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    fs::write(dir.join("games.jsonl"), "").unwrap();
    live(&dir, 1, &records[0], 2);
    live(&dir, 2, &records[1], 2);
    let server = Server::start(&["--watch", dir.to_str().unwrap()]);
    let mut tab = server.tab();
    tab.send(json!({"do": "watch"}));
    let mut boards = |games: &[(u64, u64)]| {
        let of = |live: &serde_json::Value| {
            (live["slot"].as_u64().unwrap(), live["number"].as_u64().unwrap())
        };
        let are_there = |live: &serde_json::Value| {
            live.as_array().unwrap().iter().map(of).eq(games.iter().copied())
        };
        let shown =
            tab.until(|message| message["is"] == "tournament" && are_there(&message["live"]));
        shown["live"]
            .as_array()
            .unwrap()
            .iter()
            .map(|live| live["stage"].is_string())
            .collect::<Vec<bool>>()
    };
    assert_eq!(boards(&[(1, records[0].game), (2, records[1].game)]), [true, true]);
    fs::remove_file(dir.join("live").join("1.json")).unwrap();
    assert_eq!(boards(&[(2, records[1].game)]), [false]);
    live(&dir, 1, &records[2], 2);
    assert_eq!(
        boards(&[(1, records[2].game), (2, records[1].game)]),
        [true, false],
        "the other board has stayed"
    );
}
