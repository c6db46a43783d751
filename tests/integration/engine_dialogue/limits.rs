//! Limits of searches, and the command `stop`.

use super::{WON_AT_ONCE, best_moves, value_of, words};
use crate::support::dialogue::Dialogue;

#[test]
fn infinite_search_withholds_answer_until_stop() {
    let mut dialogue = Dialogue::begin();
    dialogue.say(WON_AT_ONCE);
    dialogue.say("go infinite");
    dialogue.line("info string proven win");
    assert_eq!(dialogue.answers(), Vec::<String>::new());
    dialogue.say("stop");
    assert_eq!(dialogue.next_line().unwrap(), "bestmove b4b8");
}

#[test]
fn is_idle_after_stop() {
    let mut dialogue = Dialogue::begin();
    for _ in 0..20 {
        dialogue.say_bytes(b"go infinite\nstop\nposition startpos moves a1a5\ngo nodes 10\n");
        assert!(best_moves(&dialogue.lines_to("bestmove")).len() == 1);
        let lines = dialogue.lines_to("bestmove");
        assert!(!lines.iter().any(|line| line.contains("error")), "{lines:#?}");
    }
}

/// At the start of a round, one visit may cost thousands of nodes of proof. Time ends it anyway.
#[test]
fn search_without_time_ends_early() {
    for position in
        ["fen O+o+RPG1L+B/8/8/8/8/3+g1Y2/2r4V/p3yvbl b refill 2-2 3", "random 2", "random 5"]
    {
        let lines = words(&[&format!("position {position}"), "go movetime 0"]);
        let searched = lines.iter().filter_map(|line| value_of(line, "nodes")).max().unwrap();
        assert!(searched < 1500, "{position}: {searched}");
    }
}

/// Black wins with the second move at the earliest.
const WON_IN_TWO: &str = "position fen V3P3/4Y3/6R1/3LB1g1/2G+l4/Or3+o1b/3y4/3pv3 b l 2-0 3";

#[test]
fn mate_search_ends_with_win_or_refutation() {
    for (position, moves, expected) in [
        (WON_AT_ONCE, 1, Some("score mate 1 ")),
        (WON_IN_TWO, 2, Some("score mate 2 ")),
        (WON_IN_TWO, 9, Some("score mate ")),
        (WON_IN_TWO, 1, None),
        ("position startpos", 2, None),
        ("position random 3", 1, None),
    ] {
        let lines = words(&[position, &format!("go mate {moves}")]);
        let last = lines.iter().rfind(|line| line.contains(" score ")).unwrap();
        match expected {
            Some(score) => assert!(last.contains(score), "{position} within {moves}: {last}"),
            // The search may have found a longer win.
            None => (1..=moves).for_each(|moves| {
                assert!(!last.contains(&format!("score mate {moves} ")), "{position}: {last}")
            }),
        }
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:#?}");
    }
}

#[test]
fn undecided_mate_search_runs_until_stop() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("setoption name UCI_Variant value kamisado-marathon");
    dialogue.say("go mate 60");
    assert_eq!(dialogue.answers().iter().filter(|line| line.starts_with("bestmove")).count(), 0);
    dialogue.say("stop");
    dialogue.line("bestmove");
}

#[test]
fn clock_of_other_player_limits_search() {
    for position in ["position startpos", "position startpos moves a1a5"] {
        for clock in ["wtime", "btime", "p1time", "p2time"] {
            let mut dialogue = Dialogue::begin();
            dialogue.say(position);
            dialogue.say(&format!("go {clock} 50"));
            dialogue.line("bestmove");
        }
    }
}

#[test]
fn perft_can_be_stopped() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("go perft 200");
    assert_eq!(dialogue.answers(), Vec::<String>::new());
    dialogue.say("stop");
    assert_eq!(dialogue.line("info"), "info string perft stopped");
    dialogue.say("go perft 1");
    assert_eq!(dialogue.line("Nodes searched"), "Nodes searched: 102");
}
