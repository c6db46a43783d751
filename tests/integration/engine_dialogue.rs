//! Searches through the protocol: limits, stopping, pondering, ends of input and output.

use std::io::{BufRead, Read, Write};
#[cfg(target_os = "linux")]
use std::process::Command;
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
fn pondering_withholds_answer_until_ponderhit() {
    let mut dialogue = Dialogue::begin();
    dialogue.say(WON_AT_ONCE);
    dialogue.say("go ponder movetime 0 nodes 100");
    dialogue.line("info string proven win");
    assert_eq!(dialogue.answers(), Vec::<String>::new());
    dialogue.say("ponderhit");
    assert_eq!(dialogue.next_line().unwrap(), "bestmove b4b8");
}

/// Returns the number after a word of an `info` line.
fn value_of(line: &str, name: &str) -> Option<u64> {
    line.split(' ').skip_while(|&word| word != name).nth(1)?.parse().ok()
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
fn quit_does_not_wait_for_reader() {
    let (mut child, output) = spawn(&[], Stdio::piped());
    // More output than a pipe and the engine's queue hold.
    let text = "svg\n".repeat(3000) + "go infinite\nquit\n";
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(wait(&mut child).success());
    drop(output);
}

#[test]
fn quit_writes_earlier_output() {
    let (mut child, output) = spawn(&[], Stdio::piped());
    child.stdin.take().unwrap().write_all("svg\n".repeat(20).as_bytes()).unwrap();
    let lines: Vec<String> = output.lines().map(Result::unwrap).collect();
    assert_eq!(lines.iter().filter(|line| line.as_str() == "</svg>").count(), 20);
    assert!(wait(&mut child).success());
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

#[test]
#[cfg(target_os = "linux")]
fn allocates_hash_lazily() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("uci");
    let max = dialogue.lines_to("uciok").into_iter().find_map(|line| {
        line.strip_prefix("option name Hash type spin default 64 min 1 max ")
            .map(|max| max.parse::<u64>().unwrap())
    });
    let max = max.unwrap();
    assert_eq!(
        dialogue.answers_to(&format!("setoption name Hash value {max}")),
        Vec::<String>::new()
    );
    let error = format!(
        "info string error: invalid value `{}` for option `Hash`: \
         expected a whole number from 1 to {max}",
        max + 1
    );
    assert_eq!(dialogue.answers_to(&format!("setoption name Hash value {}", max + 1)), [error]);
    dialogue.say("go nodes 1000");
    dialogue.line("bestmove");
    let resident = dialogue.status("VmRSS");
    assert!(resident < 50_000, "{resident} KiB of {max} MiB");
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
fn depth_search_restarts_with_full_memory() {
    let mut dialogue = Dialogue::begin();
    for line in [
        "setoption name UCI_Variant value kamon",
        "setoption name Hash value 1",
        "position startpos",
    ] {
        dialogue.say(line);
    }
    let mut nodes = || {
        dialogue.say("go depth 1000");
        number_after(
            dialogue.lines_to("bestmove").iter().rfind(|line| line.contains(" nodes ")).unwrap(),
            "nodes",
        )
    };
    let first = nodes();
    let second = nodes();
    assert!(first > 1000 && second > 1000, "{first} nodes, then {second}");
}

#[test]
#[cfg(target_os = "linux")]
fn searches_when_allocation_fails() {
    // Too little for the default, then 64 MiB and 128 MiB more: glibc may reserve 64 MiB for each
    // of two other threads.
    for kib in [90_000, 160_000, 230_000] {
        // The shell limits its own memory and then becomes the engine.
        let limited = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
        let lines = ["setoption name Hash value 65536", "go nodes 1000"];
        let output = Command::new("sh")
            .args(["-c", &limited, crate::support::program::oshi()])
            .args(lines)
            .output()
            .unwrap();
        assert!(output.status.success(), "{kib} KiB: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().last().unwrap().starts_with("bestmove "), "{kib} KiB: {text}");
    }
}

#[test]
fn end_of_input_lets_limited_search_finish() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("go nodes 20000");
    let (lines, status) = dialogue.end();
    assert!(lines.iter().any(|line| line.contains(" nodes 20000 ")), "{lines:#?}");
    assert_eq!(best_moves(&lines).len(), 1);
    assert!(status.success());
}

#[test]
fn end_of_input_stops_unlimited_search() {
    for go in ["go", "go infinite", "go ponder movetime 0", "go winc 1000"] {
        let mut dialogue = Dialogue::begin();
        dialogue.say(go);
        let (lines, status) = dialogue.end();
        assert_eq!(best_moves(&lines).len(), 1, "{go}");
        assert!(status.success());
    }
}

#[test]
fn last_line_needs_no_line_end() {
    let mut dialogue = Dialogue::begin();
    dialogue.say_bytes(b"query gameover");
    let (lines, status) = dialogue.end();
    assert_eq!(lines, ["response false"]);
    assert!(status.success());
}

#[test]
fn quit_ends_program_during_search() {
    for before in ["", "go infinite", "go perft 200", "bench"] {
        let mut dialogue = Dialogue::begin();
        dialogue.say(before);
        dialogue.say("quit");
        let (lines, status) = dialogue.end();
        assert!(best_moves(&lines).is_empty(), "{before}");
        assert!(status.success(), "{before}");
    }
}

#[test]
fn closed_output_ends_program_silently() {
    // The input stays open, so only the closed output can end the program.
    let (mut child, output) = spawn(
        &["setoption name MultiPV value 100", "position random 1", "go depth 1000000"],
        Stdio::piped(),
    );
    drop(output);
    assert!(wait(&mut child).success());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
}

#[test]
#[cfg(target_os = "linux")]
fn full_output_is_an_error() {
    for word in ["d", "--help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output =
            Command::new(crate::support::program::oshi()).arg(word).stdout(full).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(1) && text.contains("No space left on device"),
            "{word}: {text}"
        );
    }
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
fn round_horizon_ignores_points() {
    let finish = "position fen +G1V2R2/8/2+r+LBvb1/4P3/8/2yY4/O7/1o1lgp2 b v 1-2 3";
    let lines = words(&["setoption name Horizon value round", finish, "go nodes 1000"]);
    assert!(lines.iter().any(|line| line.contains(" score mate 1 ")), "{lines:#?}");
}

#[test]
fn log_file_receives_dialogue() {
    let path = std::env::temp_dir().join(format!("oshi-log-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let lines = words(&[
        &format!("setoption name LogFile value {}", path.display()),
        "query result",
        "setoption name LogFile value",
        "d",
    ]);
    let log = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(lines[0], "response none");
    assert!(log.contains("> query result") && log.contains("< response none"), "{log}");
    assert!(!log.contains("Fen:"), "the log was closed before `d`: {log}");
}

#[test]
fn debug_logs_dialogue_to_stderr() {
    let (mut child, _output) = spawn(
        &["query result", "debug on", "query gameover", "debug off", "query p1turn"],
        Stdio::null(),
    );
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(wait(&mut child).success());
    assert!(
        errors.contains("< response false")
            && !errors.contains("response none")
            && !errors.contains("response true"),
        "{errors}"
    );
}

#[test]
fn unread_log_does_not_block() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("debug on");
    // The log exceeds the capacity of any pipe.
    for _ in 0..100 {
        dialogue.say_bytes(&b"isready\n".repeat(100));
        for _ in 0..100 {
            assert_eq!(dialogue.next_line().as_deref(), Some("readyok"));
        }
    }
    dialogue.say("quit");
    assert!(dialogue.end().1.success());
}

#[test]
fn closed_stderr_does_not_end_program() {
    let (mut child, output) = spawn(&[], Stdio::piped());
    drop(child.stderr.take());
    child.stdin.take().unwrap().write_all(b"debug on\nisready\ngo nodes 10\n").unwrap();
    let lines: Vec<String> = output.lines().map(Result::unwrap).collect();
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:#?}");
    assert!(wait(&mut child).success());
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
