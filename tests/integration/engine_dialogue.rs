//! Searches through the protocol, and their answers.

mod ends;
mod limits;
mod log;
mod memory;
mod pondering;

use std::io::BufRead;
use std::process::Stdio;

use crate::support::dialogue::{Dialogue, spawn, wait};

const WON_AT_ONCE: &str = "position fen 5G2/5R2/4rLy1/Y1Pl2B1/O+p6/8/1bo3V1/3g2v1 b p 1-0 3";
const OVER: &str = "position fen 1++p3G2/5R2/4rLy1/Y1Pl2B1/O7/8/1bo3V1/3g2v1 w - 3-0 3";

/// Returns the line with its times replaced.
fn timeless(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for index in 1..words.len() {
        if matches!(words[index - 1], "time" | "nps") {
            words[index] = "*";
        }
    }
    words.join(" ")
}

fn words(arguments: &[&str]) -> Vec<String> {
    let (mut child, output) = spawn(arguments, Stdio::null());
    let lines = output.lines().map(Result::unwrap).collect();
    assert!(wait(&mut child).success());
    lines
}

fn best_moves(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("bestmove")).collect()
}

#[test]
fn same_seed_and_nodes_repeat_output() {
    let run = || -> Vec<String> {
        let lines = words(&[
            "setoption name Seed value 5",
            "position random 3",
            "go nodes 5000",
            "moves a1a2",
            "go nodes 5000",
        ]);
        lines.iter().map(|line| timeless(line)).collect()
    };
    let first = run();
    assert_eq!(best_moves(&first).len(), 2);
    assert_eq!(first, run());
}

#[test]
fn prints_score_before_bestmove() {
    for position in ["position startpos", WON_AT_ONCE, OVER] {
        for go in [
            "go nodes 1",
            "go movetime 0",
            "go depth 1",
            "go btime 0 wtime 0",
            "go mate 1 nodes 9",
            "go p1time -5 p2time -5",
        ] {
            let lines = words(&[position, go]);
            assert!(
                lines.iter().any(|line| line.contains(" score ")),
                "{position}, {go}: {lines:#?}"
            );
            assert!(lines.last().unwrap().starts_with("bestmove "), "{position}, {go}: {lines:#?}");
        }
    }
}

#[test]
fn finished_match_has_no_bestmove() {
    assert_eq!(
        words(&[OVER, "go nodes 100"]),
        ["info depth 0 score mate 0 wdl 0 0 1000", "bestmove (none)"]
    );
}

#[test]
fn searchmoves_restrict_answer() {
    let lines = words(&["go nodes 300 searchmoves h1h2 c1c2"]);
    let best = lines.last().unwrap();
    assert!(best.starts_with("bestmove h1h2 ") || best.starts_with("bestmove c1c2 "), "{best}");
}

#[test]
fn reports_multipv_lines() {
    let lines = words(&["setoption name MultiPV value 3", "go nodes 1000"]);
    for number in 1..=4 {
        let reported = lines.iter().any(|line| line.contains(&format!(" multipv {number} ")));
        assert_eq!(reported, number <= 3, "line {number}");
    }
}

#[test]
fn searches_on_several_threads() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("setoption name Threads value 8");
    for seed in 0..100 {
        dialogue.say(&format!("position random {seed}"));
        dialogue.say("go nodes 5000");
        assert_ne!(dialogue.line("bestmove"), "bestmove (none)");
    }
}

/// Returns the number after a word of an `info` line.
fn value_of(line: &str, name: &str) -> Option<u64> {
    line.split(' ').skip_while(|&word| word != name).nth(1)?.parse().ok()
}

#[test]
fn accepts_command_right_after_answer() {
    let mut dialogue = Dialogue::begin();
    let positions = [
        "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1",
        "V3P3/4Y3/6R1/3LB1g1/2G+l4/Or3+o1b/3y4/3pv3 b l 2-0 3",
    ];
    for (position, leaves) in positions.into_iter().zip([102, 4]).cycle().take(400) {
        dialogue.say(&format!("position fen {position}"));
        dialogue.say("go perft 1");
        let lines = dialogue.lines_to("Nodes searched");
        assert!(!lines.iter().any(|line| line.contains("error")), "{lines:#?}");
        assert_eq!(lines.last().unwrap(), &format!("Nodes searched: {leaves}"));
    }
    for _ in 0..10 {
        dialogue.say("bench 100");
        dialogue.line("Nodes/second");
        assert_eq!(dialogue.answers_to("position startpos"), Vec::<String>::new());
    }
}

#[test]
fn undo_reaches_start_of_position() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("position startpos moves h1h6 b8c7 e1e5 h8g7 a1a3 c7a5");
    let before = dialogue.board();
    for line in ["moves e5b8", "refill right", "moves c8c5"] {
        assert_eq!(dialogue.answers_to(line), Vec::<String>::new());
    }
    assert_eq!(dialogue.answers_to("undo 3"), Vec::<String>::new());
    assert_eq!(dialogue.board(), before);
    assert_eq!(dialogue.answers_to("undo 7").len(), 1);
    assert_eq!(dialogue.board(), before);
    assert_eq!(dialogue.answers_to("undo 6"), Vec::<String>::new());
    assert_eq!(dialogue.answers_to("undo").len(), 1);
    dialogue.say("go infinite");
    assert_eq!(
        dialogue
            .answers_to("undo")
            .iter()
            .filter(|line| line.contains("`undo` during a search"))
            .count(),
        1
    );
}

/// Returns the number after a word of a line.
fn number_after(line: &str, word: &str) -> u64 {
    line.split(&format!(" {word} "))
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .unwrap()
}

#[test]
fn reports_depth_during_round_search() {
    let lines = words(&[
        "setoption name UCI_Variant value kamisado-long",
        "position startpos",
        "go nodes 100000",
    ]);
    let depths: Vec<u64> = lines
        .iter()
        .filter(|line| line.contains(" score "))
        .map(|line| number_after(line, "depth"))
        .collect();
    assert!(depths.len() > 8 && !depths.contains(&0), "{lines:#?}");
}

#[test]
fn reports_lost_round_before_choosing_move() {
    let lines = words(&[
        "position fen B1+L2RG1/3P4/5O1V/gY1l3b/8/8/5v2/1oy1pr2 w p 0-0 1",
        "go nodes 100000",
    ]);
    let nodes: Vec<u64> = lines
        .iter()
        .filter(|line| line.contains(" score mate -"))
        .map(|line| number_after(line, "nodes"))
        .collect();
    assert!(nodes.len() > 1 && nodes[0] < nodes[nodes.len() - 1], "{lines:#?}");
}

#[test]
fn executes_arguments_in_order() {
    let lines = words(&[
        "position startpos moves a1a5",
        "go nodes 100",
        "query p1turn",
        "go infinite",
        "isready",
        "quit",
        "d",
    ]);
    assert_eq!(best_moves(&lines).len(), 2);
    let answers: Vec<&String> = lines
        .iter()
        .filter(|line| !line.starts_with("info") && !line.starts_with("bestmove"))
        .collect();
    assert_eq!(answers, ["response false", "readyok"]);
}

#[test]
fn variant_and_layout_set_up_start() {
    let mut dialogue = Dialogue::begin();
    for (option, fen) in [
        ("UCI_Variant value kamisado-long", "Fen: OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 7"),
        ("Layout value turned", "Fen: BVLYPGRO/8/8/8/8/8/8/orgpylvb b - 0-0 7 turned"),
    ] {
        assert_eq!(dialogue.answers_to(&format!("setoption name {option}")), Vec::<String>::new());
        assert_eq!(dialogue.board().last().unwrap(), fen);
    }
}

#[test]
fn random_position_depends_only_on_seed() {
    let mut dialogue = Dialogue::begin();
    let mut board = |seed: u64| {
        dialogue.say(&format!("position random {seed}"));
        dialogue.board()
    };
    let first = board(1);
    assert_ne!(first, board(2));
    assert_eq!(first, board(1));
}

#[test]
fn debug_names_the_stage_that_chose_the_move() {
    let lost = "position fen B2L2PY/1r2R3/8/1o6/2O2Gl1/2g5/5V2/1y1v2pb b p 0-0 1";
    for (position, nodes, expected) in [
        ("position startpos", "go nodes 300", "round"),
        ("position startpos", "go nodes 50000", "game"),
        (lost, "go nodes 5000", "defence"),
    ] {
        let stages = |debug| {
            let lines = words(&[debug, position, nodes]);
            let stage = |line: &String| Some(line.strip_prefix("info string stage ")?.to_owned());
            lines.iter().filter_map(stage).collect::<Vec<_>>()
        };
        assert_eq!(stages("debug on"), [expected], "{position} {nodes}");
        assert!(stages("debug off").is_empty(), "{position} {nodes}");
    }
}

/// The total is the signature of the build's behaviour, equal on all machines.
#[test]
fn bench_total_is_the_recorded_one() {
    let expected = include_str!("../data/bench.txt").trim();
    let total = words(&["bench"])
        .into_iter()
        .find_map(|line| Some(line.strip_prefix("Nodes searched  : ")?.to_owned()));
    assert_eq!(
        total.as_deref(),
        Some(expected),
        "play has changed: update tests/data/bench.txt and explain why in the commit"
    );
}

#[test]
fn query_names_winner_of_marathon_match() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("setoption name UCI_Variant value kamisado-marathon");
    let mut moves = String::new();
    loop {
        dialogue.say(&format!("position startpos moves{moves}"));
        dialogue.say("go nodes 100");
        let lines = dialogue.lines_to("bestmove");
        assert!(!lines.iter().any(|line| line.contains("error")), "{lines:#?}");
        match lines.last().unwrap().split(' ').nth(1).unwrap() {
            "(none)" => break,
            best => moves.extend([" ", best]),
        }
    }
    let fen = dialogue.board().pop().unwrap();
    let points: Vec<u32> =
        fen.split(' ').nth(4).unwrap().split('-').map(|points| points.parse().unwrap()).collect();
    let winner = if points[0] > points[1] { "response p1win" } else { "response p2win" };
    assert!(points.iter().any(|&points| points >= 15), "{fen}");
    assert_eq!(dialogue.answers_to("query result"), [winner]);
}
