//! Reviews find planted blunders and mark nothing in a perfect game.

use serde_json::{Value, json};

use crate::support::{Server, Tab, person};

/// Enough time for any proof in these games. A proof ends a search early.
const SEARCH_MS: u64 = 20_000;

fn reviewed(tab: &mut Tab, line: &str) -> (Value, Value) {
    let start = json!({"line": line});
    let game = tab.new_game_from("kamisado-simple", start, [person(), person()]);
    tab.ask(json!({"do": "review", "game": game["id"], "ms": SEARCH_MS}));
    let review = tab.until(|message| {
        message["is"] == "review" && message["finished"] == true && !message["summary"].is_null()
    });
    (game, review)
}

/// Both players play a proven win, or any move without one. The blunders are Black's first move,
/// White's reply, and Black's reply to that.
const THREE_BLUNDERS: &str = "position fen OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1 \
    moves b1b4 f8f4 g1c5 b8b5 f1f3 a8a4 d1d3 c8h3 b4a5 d8d4 \
    a1b2 h8h5 d3g6 e8e4 h1h2 f4g3 e1c3 h5h4 c3c4 g8d5 0000 g3g1";

#[test]
fn review_finds_blunders_and_proven_better_moves() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let (game, review) = reviewed(&mut tab, THREE_BLUNDERS);
    let marks = review["marks"].as_object().unwrap();
    let marked: Vec<&str> = marks.keys().map(String::as_str).collect();
    assert_eq!(marked, ["1", "2", "3"], "{review}");
    for mark in marks.values() {
        assert_eq!(
            (&mark["kind"], &mark["why"], &mark["proven"]),
            (&json!("thrown"), &json!("win"), &json!(true)),
            "{mark}"
        );
        assert!(mark["betterName"].as_str().is_some_and(|name| !name.is_empty()), "{mark}");
    }
    let of = |player: usize, what: &str| review["summary"][player][what].clone();
    assert_eq!([of(0, "thrown"), of(1, "thrown")], [json!(2), json!(1)]);
    assert!(of(0, "accuracy").as_f64() < of(1, "accuracy").as_f64());
    // The marks are stored with the game.
    let again = tab.ask(json!({"do": "open", "game": game["id"]}));
    assert_eq!(again["marks"], review["marks"]);
    assert_eq!(again["summary"], review["summary"]);
    // A reload, a second tab and a restarted server show the whole review.
    let server = Server::start_in(server.kill(), &[]);
    let mut second = server.tab();
    second.send(json!({"do": "open", "game": game["id"]}));
    let message = second.until(|message| message["is"] == "review");
    assert_eq!(
        [&message["finished"], &message["summary"], &message["marks"]],
        [&json!(true), &review["summary"], &review["marks"]]
    );
}

/// Black wins by force from the first move. All moves of White lose.
const PERFECT: &str =
    "position fen OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1 moves b1b7 a8a3 g1g2 a3a2 f1f7 e8b5 f7e8";

#[test]
fn perfect_game_has_no_mark() {
    let server = Server::start(&[]);
    let (_, review) = reviewed(&mut server.tab(), PERFECT);
    assert_eq!(review["marks"], json!({}));
    assert_eq!(
        [&review["summary"][0]["accuracy"], &review["summary"][1]["accuracy"]],
        [&json!(100.0), &json!(100.0)]
    );
}

#[test]
fn cancelled_review_keeps_the_previous_one() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let start = json!({"line": "position startpos moves a1a5"});
    let game = tab.new_game_from("kamisado-marathon", start, [person(), person()]);
    let finished = |message: &Value| message["is"] == "review" && message["finished"] == true;
    let cancelled = |tab: &mut Tab| {
        tab.ask(json!({"do": "review", "game": game["id"], "ms": 60_000}));
        tab.send(json!({"do": "unreview", "game": game["id"]}));
        tab.until(finished)
    };
    let review = cancelled(&mut tab);
    assert_eq!((&review["marks"], &review["summary"]), (&json!({}), &Value::Null));
    tab.ask(json!({"do": "review", "game": game["id"], "ms": 10}));
    let complete = tab.until(|message| finished(message) && !message["summary"].is_null());
    let review = cancelled(&mut tab);
    assert_eq!([&review["marks"], &review["summary"]], [&complete["marks"], &complete["summary"]]);
}

#[test]
fn pruning_the_line_cancels_its_review() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let start = json!({"line": "position startpos moves g1b6 d8h4 e1e6 c8c6 h1g2"});
    let game = tab.new_game_from("kamisado-marathon", start, [person(), person()]);
    tab.ask(json!({"do": "review", "game": game["id"], "ms": 60_000}));
    tab.send(json!({"do": "prune", "game": game["id"], "node": 3}));
    let review = tab.until(|message| message["is"] == "review" && message["finished"] == true);
    assert!(review["summary"].is_null(), "{review}");
    let message = tab.until(|message| message["is"] == "message" && message["kind"] == "warning");
    assert_eq!(message["text"], "review cancelled: moves of its line were removed");
}
