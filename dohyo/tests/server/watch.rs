//! Tournaments that are watched while they are played.

use std::path::Path;

use oshi::runner::config::Tournament;
use oshi::runner::play::schedule::Shard;
use oshi::runner::records::journal::Journal;
use oshi::runner::records::live::LiveGame;
use oshi::runner::records::manifest::{self, Manifest};
use oshi::runner::records::record::{GameRecord, OpeningRecord, PlayedMove, PlayerRecord, Reason, RecordFormat};
use oshi::sheet::GameScore;
use serde_json::json;

use crate::support::Server;

/// A tournament of two built-in players in simple matches.
fn tournament(dir: &Path) {
    let text =
        "rounds = 2\nvariant = 'kamisado-simple'\n[[engine]]\ncmd = 'builtin:random'\n[[engine]]\ncmd = 'builtin:greedy'\n";
    let mut tournament: Tournament = toml::from_str(text).unwrap();
    tournament.resolve().unwrap();
    let manifest = Manifest::new(Shard::WHOLE, tournament);
    manifest::create(dir, &manifest).unwrap();
}

fn played(text: &str, score: &str) -> PlayedMove {
    let score = Some(score.to_owned());
    PlayedMove { text: text.to_owned(), ms: 5.0, nodes: Some(9), score, overrun_ms: None, cpu_ms: None }
}

/// A game without moves that is not over.
fn record(number: u64, names: [&str; 2], opening: &OpeningRecord) -> GameRecord {
    let player = |name: &str| PlayerRecord { name: name.to_owned(), limit: String::new(), seed: 0, options: Default::default() };
    let [black, white] = names.map(player);
    GameRecord {
        format: RecordFormat,
        game: number,
        pair: number.div_ceil(2),
        round: number.div_ceil(2),
        black,
        white,
        opening: opening.clone(),
        moves: vec![],
        result: GameScore::Unfinished,
        reason: Reason::Interrupted,
        detail: "Game interrupted".to_owned(),
        replayed: vec![],
    }
}

fn live(dir: &Path, game: &LiveGame) {
    let folder = dir.join("live");
    std::fs::create_dir_all(&folder).unwrap();
    let draft = dir.join("draft");
    std::fs::write(&draft, serde_json::to_vec(game).unwrap()).unwrap();
    std::fs::rename(draft, folder.join("1.json")).unwrap();
}

#[test]
fn a_tournament_is_shown_while_it_is_played() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("spring");
    tournament(&dir);
    let opening = OpeningRecord { start: "startpos".to_owned(), moves: vec!["a1a5".to_owned()] };
    let mut game = LiveGame {
        format: RecordFormat,
        game: 3,
        players: ["random".to_owned(), "greedy".to_owned()],
        opening: opening.clone(),
        moves: vec![played("d8d4", "cp 0")],
        clock_ms: [Some(900), Some(800)],
        depths: [None, Some(4)],
        variations: [vec![], vec!["d8d4".to_owned(), "a5a6".to_owned()]],
        since_ms: 17,
    };
    live(&dir, &game);
    let server = Server::start(&["--watch", dir.to_str().unwrap()]);
    let mut tab = server.tab();
    assert_eq!(tab.welcome["watching"], true);
    tab.send(json!({"do": "watch"}));
    let shown = tab.until(|message| message["is"] == "tournament" && message["live"] != json!([]));
    assert_eq!([&shown["title"], &shown["variant"]], ["spring", "kamisado-simple"]);
    assert_eq!((&shown["played"], &shown["planned"]), (&json!(0), &json!(4)));
    let board = &shown["live"][0];
    assert_eq!(
        [&board["number"], &board["turn"], &board["opening"], &board["since"]],
        [&json!(3), &json!(0), &json!(1), &json!(17)]
    );
    assert!(board["stage"].as_str().unwrap().starts_with("<svg"));
    assert_eq!((&board["chances"], &board["clock"]), (&json!([null, 0.5]), &json!([900, 800])));
    assert_eq!(board["lines"][1].as_array().unwrap().len(), 2);
    assert_eq!(board["moves"].as_array().unwrap().len(), 2);

    // The next move comes without the board, which is there.
    let mover = board["legal"][0][0].as_str().unwrap().to_owned();
    game.moves.push(played(&mover, "cp 400"));
    live(&dir, &game);
    let shown = tab.until(|message| message["is"] == "tournament" && message["live"][0]["turn"] == 1);
    assert!(shown["live"][0]["stage"].is_null());
    assert!(shown["live"][0]["chances"][0].as_f64() > Some(0.9), "Black says that Black wins");

    // It is over once its record is there. A tab that comes later is told all at once.
    let mut journal = Journal::open(&dir).unwrap();
    let mut finished = record(3, ["random", "greedy"], &OpeningRecord { start: "startpos".to_owned(), moves: vec![] });
    finished.moves = ["a1a5", "d8d4"].map(|text| played(text, "cp 0")).to_vec();
    (finished.result, finished.reason) = (GameScore::WhiteWins, Reason::Stall);
    finished.detail = "Black does not answer".to_owned();
    journal.append(&finished).unwrap();
    journal.sync().unwrap();
    let shown = tab.until(|message| message["is"] == "tournament" && message["games"] != json!([]));
    assert_eq!((&shown["played"], &shown["live"]), (&json!(1), &json!([])), "{shown}");
    let row = &shown["games"][0];
    assert_eq!(
        [&row["number"], &row["result"], &row["reason"], &row["plies"]],
        [&json!(3), &json!("0-1"), &json!("stall"), &json!(2)]
    );
    assert_eq!([&shown["standings"][0]["name"], &shown["standings"][0]["points"]], [&json!("greedy"), &json!(1.0)]);
    let mut second = server.tab();
    second.send(json!({"do": "watch"}));
    second.until(|message| message["is"] == "tournament" && message["games"][0]["number"] == 3);

    let replay = tab.ask(json!({"do": "watched", "game": 3}));
    assert_eq!([&replay["title"], &replay["result"], &replay["state"]], ["spring 3", "0-1", "over"]);
    assert_eq!(replay["nodes"].as_array().unwrap().len(), 3);
    assert!(tab.refusal(json!({"do": "watched", "game": 4})).starts_with("no game 4 in the tournament"));
}

#[test]
fn without_a_tournament_there_is_nothing_to_watch() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    assert_eq!(tab.welcome["watching"], false);
    assert!(tab.refusal(json!({"do": "watch"})).starts_with("no tournament is watched; expected `--watch DIR`"));
}
