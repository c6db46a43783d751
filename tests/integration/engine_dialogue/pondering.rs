//! Pondering and ponder moves.

use super::{WON_AT_ONCE, value_of, words};
use crate::support::dialogue::Dialogue;

#[test]
fn pondering_withholds_answer_until_ponderhit() {
    let mut dialogue = Dialogue::begin();
    dialogue.say(WON_AT_ONCE);
    dialogue.say("go ponder movetime 0 nodes 100");
    dialogue.line("info string proven win");
    assert_eq!(dialogue.answers(), Vec::<String>::new());
    dialogue.say("ponderhit");
    assert_eq!(dialogue.next_line().unwrap(), "bestmove b4b8");
}

/// Returns nodes and time of the last score.
fn nodes_and_time(lines: &[String]) -> (u64, u64) {
    let last = lines.iter().rfind(|line| line.contains(" score ")).unwrap();
    (value_of(last, "nodes").unwrap(), value_of(last, "time").unwrap())
}

#[test]
fn pondering_keeps_node_limit_and_answer() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("position random 3");
    dialogue.say("go nodes 3000");
    let answer = dialogue.line("bestmove ");
    dialogue.say("ucinewgame");
    dialogue.say("go ponder nodes 3000");
    dialogue.say("ponderhit");
    let lines = dialogue.lines_to("bestmove ");
    assert_eq!(lines.last(), Some(&answer));
    assert_eq!(nodes_and_time(&lines).0, 3000);
}

#[test]
fn movetime_starts_at_ponderhit() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("position random 3");
    dialogue.say("go ponder movetime 200");
    let before = value_of(&dialogue.line("info depth "), "time").unwrap();
    dialogue.say("ponderhit");
    let (_, time) = nodes_and_time(&dialogue.lines_to("bestmove "));
    assert!(time >= before + 200, "{time} ms, {before} of them before the ponder hit");
}

#[test]
fn ugi_omits_ponder_move() {
    let mut dialogue = Dialogue::begin();
    for (handshake, words) in [("ugi", 2), ("uci", 4)] {
        dialogue.say(handshake);
        dialogue.say("go nodes 200");
        assert_eq!(dialogue.line("bestmove").split(' ').count(), words, "{handshake}");
        dialogue.say("go infinite");
        dialogue.say(if handshake == "ugi" { "uci" } else { "ugi" });
        dialogue.say("stop");
        assert_eq!(
            dialogue.line("bestmove").split(' ').count(),
            6 - words,
            "after {handshake}, and the other one during the search"
        );
    }
}

#[test]
fn omits_ponder_move_of_same_player() {
    let oshi = "position fen V3P3/4Y3/6R1/3LB1g1/2G+l4/Or3+o1b/3y4/3pv3 b l 2-0 3";
    assert_eq!(words(&[oshi, "go nodes 1000 searchmoves d4d5"]).last().unwrap(), "bestmove d4d5");
}
