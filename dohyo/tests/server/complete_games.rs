//! Export and import of complete games and of their records and sheets.

use serde_json::{Value, json};

use crate::support::{Server, Tab, contents, legal, person};

/// A game with a clock, a variation, a takeback, a resignation, and analysis after its end.
fn rich_game(tab: &mut Tab) -> Value {
    let clock = json!({"ms": 60_000, "inc": 1_000});
    let players = [person(), person()];
    let game = tab.ask(json!({
        "do": "new", "variant": "kamisado-standard", "layout": "turned",
        "players": players, "clock": clock,
    }));
    let id = &game["id"];
    let mut node = game["nodes"][0].clone();
    for _ in 0..4 {
        let text = legal(&node)[0].clone();
        node = tab.play(&game, &node, &text).0;
    }
    let other = legal(&game["nodes"][0])[5].clone();
    tab.ask(json!({"do": "play", "game": id, "node": 0, "move": other, "branch": true}));
    tab.ask(json!({"do": "takeback", "game": id}));
    tab.ask(json!({"do": "resign", "game": id}));
    let after = legal(&node)[1].clone();
    tab.ask(json!({"do": "play", "game": id, "node": 4, "move": after}));
    contents(tab, id)
}

/// Imports a text with exactly one game and no error.
fn imported(tab: &mut Tab, text: &Value) -> Value {
    let imported = tab.ask(json!({"do": "import", "text": text}));
    assert_eq!(
        (&imported["errors"], imported["games"].as_array().unwrap().len()),
        (&json!([]), 1),
        "{imported}"
    );
    contents(tab, &imported["games"][0])
}

#[test]
fn complete_game_keeps_variations_times_and_clocks() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = rich_game(&mut tab);
    let export = tab.ask(json!({"do": "export", "game": game["id"], "node": 1, "as": "complete"}));
    assert_eq!(export["mime"], "application/json");
    assert!(export["name"].as_str().unwrap().ends_with(".json"));
    let again = imported(&mut tab, &export["text"]);
    assert_ne!(again["id"], game["id"]);
    let without_id = |game: &Value| {
        let mut game = game.clone();
        game.as_object_mut().unwrap().remove("id");
        game
    };
    assert_eq!(without_id(&again), without_id(&game));
    assert_eq!((again["nodes"].as_array().unwrap().len(), &again["head"]), (7, &json!(3)));
    // A second import adds another game.
    imported(&mut tab, &export["text"]);
    let games = tab.ask(json!({"do": "games"}));
    assert_eq!(games["games"].as_array().unwrap().len(), 3);
}

#[test]
fn imports_files_of_the_data_folder() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = rich_game(&mut tab);
    let file =
        server.data.path().join("games").join(format!("{}.json", game["id"].as_str().unwrap()));
    let other = Server::start(&[]);
    let again = imported(&mut other.tab(), &json!(std::fs::read_to_string(file).unwrap()));
    assert_eq!(again["nodes"], game["nodes"]);
    let first_version = include_str!("../../core/tests/data/first-version.json");
    let old = imported(&mut other.tab(), &json!(first_version));
    assert_eq!([&old["reason"], &old["players"][1]["name"]], ["resignation", "oshi (club)"]);
}

#[test]
fn finds_the_engine_of_an_imported_game_by_its_name() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let text = include_str!("../../core/tests/data/first-version.json")
        .replace("\"engine\":0", "\"engine\":7");
    let seat = |game: Value| game["players"][1]["engine"].clone();
    assert_eq!(seat(imported(&mut tab, &json!(text))), 0);
    let stranger = text.replace("oshi (club)", "stranger (club)");
    assert_eq!(seat(imported(&mut tab, &json!(stranger))), 1, "not an engine of the command line");
}

#[test]
fn record_omits_unknown_values() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = rich_game(&mut tab);
    let record = |tab: &mut Tab, game: &Value| -> Value {
        let export = tab.ask(json!({"do": "export", "game": game["id"], "as": "record"}));
        serde_json::from_str(export["text"].as_str().unwrap()).unwrap()
    };
    let known = record(&mut tab, &game);
    assert_eq!(known["moves"].as_array().unwrap().len(), 3, "the move after the end is analysis");
    for (played, node) in known["moves"].as_array().unwrap().iter().zip([1, 2, 3]) {
        assert_eq!(played["ms"].as_f64(), game["nodes"][node]["ms"].as_f64());
        assert_eq!(played.get("nodes").or(played.get("score")), None);
    }
    assert_eq!([&known["result"], &known["reason"]], ["1-0", "resignation"]);
    assert_eq!((&known["black"]["limit"], known["black"].get("seed")), (&json!("60+1"), None));
    assert!(known["date"].as_str().unwrap().len() == "2026-11-22".len(), "{known}");
    let listed = imported(&mut tab, &json!("position startpos moves a1a5 d8d4"));
    let unknown = record(&mut tab, &listed);
    assert_eq!(unknown["moves"], json!([{"move": "a1a5"}, {"move": "d8d4"}]));
    assert_eq!((unknown.get("date"), unknown["white"].get("seed")), (None, None));
    // Unknown values stay unknown.
    let again = imported(&mut tab, &json!(unknown.to_string()));
    assert_eq!((again["nodes"][1].get("ms"), &again["evals"]), (None, &json!({})));
    assert_eq!(
        imported(&mut tab, &json!(known.to_string()))["nodes"][1]["ms"],
        game["nodes"][1]["ms"]
    );
}

#[test]
fn sheet_contains_date_limits_and_result() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = rich_game(&mut tab);
    let sheet = tab.ask(json!({"do": "export", "game": game["id"], "as": "sheet"}))["text"]
        .as_str()
        .unwrap()
        .to_owned();
    for words in ["Date: 20", "60+1", "Result: 1-0", "resigns"] {
        assert!(sheet.contains(words), "{words}: {sheet}");
    }
}

#[test]
fn record_has_scores_only_for_best_moves() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let file: Value =
        serde_json::from_str(include_str!("../../core/tests/data/first-version.json")).unwrap();
    let game = imported(&mut tab, &json!(file.to_string()));
    let export = tab.ask(json!({"do": "export", "game": game["id"], "as": "record"}));
    let record: Value = serde_json::from_str(export["text"].as_str().unwrap()).unwrap();
    let scores: Vec<Option<&Value>> = (0..3).map(|ply| record["moves"][ply].get("score")).collect();
    assert_eq!(scores, [None, Some(&json!("cp 191")), None]);
    assert_eq!(record["moves"][1]["nodes"], 4_321);
}
