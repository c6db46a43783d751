//! Every kind of bad input gets one clear error line, changes nothing, and the next command works.
//!
//! Most kinds stand as a transcript in `protocol.md`, which is replayed; here are those that no transcript can show, and the
//! promise that nothing changes.

use oshi::engine::LONGEST_LINE;

use crate::dialogue::Dialogue;

/// A table in the middle of a match, so that any change would show.
fn dialogue() -> Dialogue {
    let mut dialogue = Dialogue::begin();
    assert_eq!(dialogue.answers_to("position startpos moves a1a5 d8d4"), Vec::<String>::new());
    dialogue
}

/// Sends the bytes and checks the promise. A refused `go` says `bestmove (none)` as well.
fn refused(dialogue: &mut Dialogue, bytes: &[u8]) -> String {
    let board = dialogue.board();
    dialogue.say_bytes(bytes);
    dialogue.say_bytes(b"\n");
    let mut lines = dialogue.answers();
    if bytes.starts_with(b"go") {
        assert_eq!(lines.pop().unwrap(), "bestmove (none)");
    }
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    assert_eq!(lines.len(), 1, "{shown}: {lines:#?}");
    let message = lines[0].strip_prefix("info string error: ").unwrap_or_else(|| panic!("{shown}: {lines:#?}")).to_owned();
    assert!(message.chars().count() <= 500 && !message.contains(char::is_control), "{message}");
    assert_eq!(dialogue.board(), board, "{shown} changed the state");
    message
}

#[test]
fn a_line_of_a_megabyte_is_refused_and_dropped_whole() {
    let mut dialogue = dialogue();
    for word in ["x", "isready ", "position startpos moves a1a5 "] {
        let line = word.repeat((1 << 20) / word.len());
        assert!(refused(&mut dialogue, line.as_bytes()).contains("longer than 262144 bytes"));
    }
}

#[test]
fn the_longest_line_is_obeyed() {
    let mut dialogue = dialogue();
    let command = "query gameover";
    let line = format!("{}{command}", " ".repeat(LONGEST_LINE - command.len()));
    assert_eq!(dialogue.answers_to(&line), ["response false"]);
}

#[test]
fn a_long_message_is_cut() {
    let mut dialogue = dialogue();
    let word = "x".repeat(LONGEST_LINE - 100);
    for command in
        ["", "position ", "position fen ", "moves ", "go nodes ", "setoption name ", "setoption name Hash value ", "query "]
    {
        refused(&mut dialogue, format!("{command}{word}").as_bytes());
    }
    refused(&mut dialogue, format!("position fen {word} b - 0-0 3").as_bytes());
    refused(&mut dialogue, format!("position fen OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3 {word}").as_bytes());
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let mut dialogue = dialogue();
    assert_eq!(refused(&mut dialogue, b"\xff\xfe\x00"), "byte 1 of the line is no UTF-8: expected text");
    assert_eq!(refused(&mut dialogue, b"moves \xc3"), "byte 7 of the line is no UTF-8: expected text");
    assert!(refused(&mut dialogue, b"\0\x1b[2J").contains("unknown command `\\0\\u{1b}[2J`"));
    refused(&mut dialogue, "position fen \u{7f}\u{9b}\u{202e}".as_bytes());
}

#[test]
fn every_invalid_position_is_refused_with_its_reason() {
    const START: &str = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3";
    let mut dialogue = dialogue();
    for (from, to, reason) in [
        ("b - 0-0 3", "b", "2 fields"),
        ("/8/8/8/8/8/8/", "/8/8/8/8/8/", "7 ranks"),
        ("/8/8/8/8/8/8/", "/8/8/8/8/8/7/", "rank 2 has 7 squares"),
        ("/8/8/8/8/8/8/", "/8/8/8/8/8/81/", "rank 2 has 9 squares"),
        ("bgryp", "bgryx", "rank 1 has the character `x`"),
        ("bgryp", "bgryb", "Black has two brown towers"),
        ("OLV", "1LV", "White has no orange tower"),
        ("bgryp", "++++bgryp", "Black's brown tower has 4 teeth"),
        (" b ", " x ", "side to move `x`"),
        (" - ", " q ", "called colour `q`"),
        ("0-0", "0", "points `0`"),
        ("0-0", "0-100", "points `0-100`"),
        ("0-0", "3-3", "both sides have the 3 points that win"),
        ("b - 0-0", "b - 3-0", "Black has won the match"),
        ("0-0 3", "0-0 4", "target `4`"),
        ("0-0 3", "0-0 3 sideways", "layout `sideways`"),
    ] {
        let line = START.replacen(from, to, 1);
        let message = refused(&mut dialogue, format!("position fen {line}").as_bytes());
        assert!(message.starts_with("invalid position: ") && message.contains(reason), "{line}: {message}");
    }
}

#[test]
fn an_illegal_move_in_the_middle_of_a_list_leaves_all_of_it_unplayed() {
    let mut dialogue = dialogue();
    assert!(
        refused(&mut dialogue, b"position startpos moves a1a5 a1a4 d8d4").starts_with("move 2 of the list: illegal move `a1a4`")
    );
    assert!(refused(&mut dialogue, b"moves a5a6 b8b7 a1a1 c8c7").starts_with("move "));
    assert!(refused(&mut dialogue, b"moves \xc3\xa41a5").contains("is not a move"));
}

#[test]
fn numbers_out_of_range_are_refused() {
    let mut dialogue = dialogue();
    for line in [
        "go depth 0",
        "go nodes -1",
        "go nodes 18446744073709551616",
        "go movetime 1000000000001",
        "go movetime 0x10",
        "go btime 99999999999999999999",
        "go movestogo 0",
        "go perft 1000",
        "position random 18446744073709551616",
        "position random -1",
        "setoption name Threads value 257",
        "setoption name Hash value 99999999999999999999",
        "setoption name Seed value -1",
        "setoption name MultiPV value 1.5",
    ] {
        assert!(refused(&mut dialogue, line.as_bytes()).contains("expected a whole number from "), "{line}");
    }
}

#[test]
fn half_lines_are_refused() {
    let mut dialogue = dialogue();
    for line in [
        "setoption",
        "setoption name",
        "position",
        "position fen",
        "position random",
        "moves",
        "refill",
        "debug",
        "query",
        "go searchmoves",
    ] {
        refused(&mut dialogue, line.as_bytes());
    }
}

#[test]
fn a_refused_option_keeps_its_value() {
    let mut dialogue = dialogue();
    refused(&mut dialogue, b"setoption name UCI_Variant value chess");
    refused(&mut dialogue, b"setoption name MultiPV value 0");
    dialogue.say("go nodes 100");
    assert!(!dialogue.lines_to("bestmove").iter().any(|line| line.contains("multipv 2")));
}

#[test]
fn commands_that_would_change_a_search_are_refused_while_it_goes_on() {
    let mut dialogue = dialogue();
    dialogue.say("go infinite");
    for line in [
        "go nodes 1",
        "go perft 1",
        "bench",
        "position startpos",
        "moves a5a6",
        "refill left",
        "setoption name Hash value 1",
        "ucinewgame",
        "uginewgame",
    ] {
        let lines: Vec<String> = dialogue.answers_to(line).into_iter().filter(|line| !line.starts_with("info depth")).collect();
        let word = line.split(' ').next().unwrap();
        assert_eq!(lines, [format!("info string error: `{word}` while thinking: expected `stop` first")]);
    }
    for (line, answer) in [("query p1turn", "response true"), ("joho", "info string error: unknown command `joho`")] {
        let lines = dialogue.answers_to(line);
        assert!(lines.iter().any(|line| line.starts_with(answer)), "{line}: {lines:#?}");
    }
    dialogue.say("stop");
    assert_ne!(dialogue.line("bestmove"), "bestmove (none)");
}

#[test]
fn stop_and_ponderhit_while_idle_are_refused() {
    let mut dialogue = dialogue();
    assert_eq!(refused(&mut dialogue, b"stop"), "`stop` while idle: expected a search under way");
    assert_eq!(refused(&mut dialogue, b"ponderhit"), "`ponderhit` while idle: expected a search under way");
}

#[test]
fn go_before_any_position_searches_the_start() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("go nodes 50");
    assert_ne!(dialogue.line("bestmove"), "bestmove (none)");
}

#[test]
fn a_refill_that_is_not_due_is_refused() {
    let mut dialogue = dialogue();
    for line in ["refill left", "moves right"] {
        assert!(refused(&mut dialogue, line.as_bytes()).ends_with("no refill is due"));
    }
    assert!(refused(&mut dialogue, b"position startpos moves h1h6 b8c7 e1e5 h8g7 a1a3 c7a5 e5b8 c8c5").contains("owes a refill"));
}
