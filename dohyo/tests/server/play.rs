//! Games between persons and engines.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{DOHYO, Rng, Server, Tab, engine, legal, person};

const VARIANTS: [&str; 5] =
    ["kamisado-simple", "kamisado-standard", "kamisado-long", "kamisado-marathon", "kamon"];

/// Returns the engine's answer to `query result` as a page has it.
fn query_result(line: &str) -> &'static str {
    let mut child = Command::new(DOHYO)
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "position fen {line}\nquery result").unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    match output.lines().find_map(|line| line.strip_prefix("response ")).unwrap() {
        "p1win" => "1-0",
        "p2win" => "0-1",
        "draw" => "1/2-1/2",
        other => panic!("{other}"),
    }
}

/// Plays random moves for all persons until the game is over. Returns the kinds of the moves and
/// the last position.
fn play_out(tab: &mut Tab, game: &Value, rng: &mut Rng) -> (BTreeSet<String>, Value, Value) {
    let persons = [0, 1].map(|side: usize| game["players"][side]["kind"] == "person");
    let (mut kinds, mut node) = (BTreeSet::new(), game["nodes"][0].clone());
    loop {
        let mut head = Value::Null;
        if persons[node["turn"].as_u64().unwrap() as usize] {
            let moves = legal(&node);
            (node, head) = tab.play(game, &node, &moves[rng.below(moves.len())]);
        }
        while node["turn"] != 2 && !persons[node["turn"].as_u64().unwrap() as usize]
            || head.is_null()
        {
            let message = tab
                .until(|message| matches!(message["is"].as_str(), Some("node" | "head" | "error")));
            match message["is"].as_str() {
                Some("node") => {
                    node = message["node"].clone();
                    kinds.insert(node["kind"].as_str().unwrap().to_owned());
                }
                Some("head") => head = message,
                _ => panic!("{message}"),
            }
        }
        kinds.insert(node["kind"].as_str().unwrap().to_owned());
        if node["turn"] == 2 {
            if head["state"] != "over" {
                head = tab.until(|message| message["is"] == "head" && message["state"] == "over");
            }
            return (kinds, node, head);
        }
    }
}

#[test]
fn result_of_every_variant_matches_the_engine() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let (mut rng, mut kinds) = (Rng(7), BTreeSet::new());
    for variant in VARIANTS {
        let start = json!({"seed": 7});
        let game = tab.new_game_from(variant, start, [person(), person()]);
        let (seen, node, head) = play_out(&mut tab, &game, &mut rng);
        kinds.extend(seen);
        assert_eq!(head["reason"], "rules");
        assert_eq!(head["result"], query_result(node["line"].as_str().unwrap()), "{variant}");
        assert_eq!(node["end"]["result"], head["result"]);
    }
    for kind in ["drop", "move", "pass", "refill"] {
        assert!(kinds.contains(kind), "the seed covers every kind: {kinds:?}");
    }
}

#[test]
fn lowest_level_finishes_games_of_every_variant() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let mut rng = Rng(11);
    for variant in VARIANTS {
        let game = tab.new_game(variant, [person(), engine(0, json!("beginner"), Value::Null)]);
        let (_, node, head) = play_out(&mut tab, &game, &mut rng);
        assert_eq!(head["result"], query_result(node["line"].as_str().unwrap()), "{variant}");
    }
}

#[test]
fn engines_play_each_other_while_a_tab_watches() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let beginner = || engine(0, json!("beginner"), json!(1));
    tab.new_game("kamisado-simple", [beginner(), beginner()]);
    let head = tab.until(|message| message["is"] == "head" && message["state"] == "over");
    assert_eq!(head["reason"], "rules");
}

#[test]
fn same_player_moves_again_after_an_oshi() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let line = "V3P3/4Y3/6R1/3LB1g1/2G+l4/Or3+o1b/3y4/3pv3 b l 2-0 3";
    let start = json!({"position": line});
    let game = tab.new_game_from("kamisado-standard", start, [person(), person()]);
    let (node, _) = tab.play(&game, &game["nodes"][0], "d4d5");
    assert_eq!((&node["kind"], &node["turn"]), (&json!("oshi"), &json!(0)));
    let (node, head) = tab.play(&game, &node, "b3b8");
    assert_eq!([&node["kind"], &head["state"], &head["result"]], ["move", "over", "1-0"]);
    assert_eq!(node["notes"].as_array().unwrap().len(), 2, "the round and the match are won");
}

/// Returns a game in which Black must choose the refill after the first round.
fn game_at_refill(tab: &mut Tab, players: [Value; 2]) -> (Value, Value) {
    let line = "O+o+RPG1L+B/8/8/8/8/3+g1Y2/2r4V/p3yvbl b refill 2-2 3";
    let start = json!({"position": line});
    let game = tab.new_game_from("kamisado-standard", start, players);
    let node = game["nodes"][0].clone();
    (game, node)
}

#[test]
fn winner_of_a_round_sees_both_refills() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let (game, node) = game_at_refill(&mut tab, [person(), person()]);
    for side in ["left", "right"] {
        let shown = node["refills"][side]["pieces"].clone();
        let (reached, _) = tab.play(&game, &node, side);
        assert_eq!((&reached["scene"]["pieces"], &reached["kind"]), (&shown, &json!("refill")));
        assert_eq!(reached["round"], 2);
        tab.ask(json!({"do": "takeback", "game": game["id"]}));
    }
}

#[test]
fn takeback_returns_to_a_choice_across_rounds() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let (game, node) =
        game_at_refill(&mut tab, [person(), engine(0, json!("beginner"), Value::Null)]);
    // White opens the next round and replies.
    tab.play(&game, &node, "left");
    tab.until(|message| message["is"] == "head" && message["head"] == 2);
    tab.send(json!({"do": "takeback", "game": game["id"]}));
    let head = tab.until(|message| message["is"] == "head");
    assert_eq!((&head["head"], &head["state"]), (&json!(0), &json!("playing")));
    assert!(
        tab.error(json!({"do": "takeback", "game": game["id"]}))
            .starts_with("no move to take back")
    );
    // The moves taken back stay as a variation. Another choice is the main line.
    tab.play(&game, &node, "right");
    let again = tab.ask(json!({"do": "open", "game": game["id"]}));
    assert_eq!(again["nodes"][1]["move"], "right");
}

#[test]
fn resigns_swaps_sides_and_resumes() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game =
        tab.new_game("kamisado-simple", [person(), engine(0, json!("beginner"), Value::Null)]);
    let id = game["id"].clone();
    tab.send(json!({"do": "resign", "game": id}));
    let head = tab.until(|message| message["is"] == "head");
    assert_eq!([&head["state"], &head["result"], &head["reason"]], ["over", "0-1", "resignation"]);
    tab.ask(json!({"do": "goon", "game": id, "node": 0}));
    // The engine now plays Black and moves first.
    tab.send(json!({"do": "swap", "game": id}));
    let head = tab.until(|message| message["is"] == "head" && message["head"] == 1);
    assert_eq!(head["result"], "*");
    assert!(tab.error(json!({"do": "goon", "game": id, "node": 99})).starts_with("no position 99"));
}

#[test]
fn player_without_time_loses() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let clock = json!({"ms": 1, "inc": 0});
    tab.ask(
        json!({"do": "new", "variant": "kamon", "players": [person(), person()], "clock": clock}),
    );
    let head = tab.until(|message| message["is"] == "head");
    assert_eq!([&head["state"], &head["result"], &head["reason"]], ["over", "0-1", "time"]);
    assert_eq!(head["clock"]["ms"][0], 0);
}

#[test]
fn clock_of_a_new_game_runs() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let clock = json!({"ms": 3_600_000, "inc": 1_000});
    let game = tab.ask(
        json!({"do": "new", "variant": "kamon", "players": [person(), person()], "clock": clock}),
    );
    let clock = &game["clock"];
    assert_eq!(
        [&clock["running"], &clock["full"], &clock["inc"]],
        [0, 3_600_000, 1_000],
        "{clock}"
    );
}

#[test]
fn keeps_promotes_and_removes_variations() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-simple", [person(), person()]);
    let id = game["id"].clone();
    tab.play(&game, &game["nodes"][0], "a1a5");
    let variation = tab.ask(json!({"do": "play", "game": id, "node": 0, "move": "b1b6"}));
    assert_eq!((&variation["is"], &variation["node"]), (&json!("done"), &json!(2)));
    let branch =
        tab.ask(json!({"do": "play", "game": id, "node": 1, "move": "d8d4", "branch": true}));
    assert_eq!(branch["node"], 3);
    let moves = |tab: &mut Tab| {
        let game = tab.ask(json!({"do": "open", "game": id}));
        let nodes = game["nodes"].as_array().unwrap().clone();
        (
            game["head"].clone(),
            nodes.iter().map(|node| node["move"].as_str().unwrap().to_owned()).collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        moves(&mut tab),
        (json!(1), vec!["".into(), "a1a5".into(), "d8d4".into(), "b1b6".into()])
    );
    tab.ask(json!({"do": "promote", "game": id, "node": 2}));
    assert_eq!(moves(&mut tab).1, ["", "b1b6", "a1a5", "d8d4"]);
    tab.ask(json!({"do": "prune", "game": id, "node": 1}));
    assert_eq!(moves(&mut tab), (json!(0), vec!["".into(), "b1b6".into()]));
    assert!(
        tab.error(json!({"do": "prune", "game": id, "node": 0}))
            .starts_with("the start cannot be removed")
    );
}

#[test]
fn names_and_states_use_the_language_of_the_tab() {
    let server = Server::start(&[]);
    for (language, name, status) in [
        ("en", "Brown Ahead 4 Pink", "White: Pink on d8 is called"),
        ("fr", "Marron Devant 4 Rose", "Blanc : Rose en d8 est la tour active"),
        ("de", "Braun Geradeaus 4 Rosa", "Weiß: Rosa auf d8 muss ziehen"),
        ("ro", "Maro Înainte 4 Roz", "Alb: Roz pe d8 este turnul activ"),
    ] {
        let mut tab = server.tab_in(language);
        let game = tab.new_game("kamisado-standard", [person(), person()]);
        let (node, _) = tab.play(&game, &game["nodes"][0], "a1a5");
        assert_eq!((node["name"].as_str(), node["status"].as_str()), (Some(name), Some(status)));
    }
}

#[test]
fn check_returns_the_error_of_the_parser() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let text =
        tab.error(json!({"do": "check", "position": "OLVPYRGB/8/8/8/8/8/bgrypvlo b - 0-0 3"}));
    assert_eq!(text, "invalid position: 7 ranks, expected 8 with `/` between them");
    let checked = tab.ask(
        json!({"do": "check", "position": "BGRYPVLO/8/8/8/8/8/8/olvpyrgb b - 0-0 1 mirrored"}),
    );
    assert_eq!([&checked["variant"], &checked["layout"]], ["kamisado-simple", "mirrored"]);
    assert_eq!(legal(&checked).len(), 102);
    assert!(checked["stage"].as_str().unwrap().starts_with("<svg"));
}
