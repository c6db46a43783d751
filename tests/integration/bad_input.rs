//! Bad input gets one error line and changes nothing, and the next command works.
//!
//! The transcripts of `protocol.md` show most errors. These tests cover the others, and check that
//! nothing changes.

#[cfg(unix)]
use std::process::Command;

use oshi::engine::MAX_LINE_BYTES;
use oshi::games::kamon::Kamon;

use crate::support::dialogue::Dialogue;

/// Starts a dialogue in the middle of a match, so that any change shows.
fn dialogue() -> Dialogue {
    let mut dialogue = Dialogue::begin();
    assert_eq!(dialogue.answers_to("position startpos moves a1a5 d8d4"), Vec::<String>::new());
    dialogue
}

/// Sends a bad line and returns its error message. Checks that nothing changes, and that a bad `go`
/// is answered by `bestmove (none)`.
fn rejected(dialogue: &mut Dialogue, bytes: &[u8]) -> String {
    let board = dialogue.board();
    dialogue.say_bytes(bytes);
    dialogue.say_bytes(b"\n");
    let mut lines = dialogue.answers();
    if bytes.starts_with(b"go") {
        assert_eq!(lines.pop().unwrap(), "bestmove (none)");
    }
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    assert_eq!(lines.len(), 1, "{shown}: {lines:#?}");
    let message = lines[0]
        .strip_prefix("info string error: ")
        .unwrap_or_else(|| panic!("{shown}: {lines:#?}"))
        .to_owned();
    assert!(message.chars().count() <= 500 && !message.contains(char::is_control), "{message}");
    assert_eq!(dialogue.board(), board, "{shown} changed the state");
    message
}

#[test]
fn rejects_line_of_one_megabyte() {
    let mut dialogue = dialogue();
    for word in ["x", "isready ", "position startpos moves a1a5 ", "go nodes 1 "] {
        let line = word.repeat((1 << 20) / word.len());
        let message = rejected(&mut dialogue, line.as_bytes());
        assert_eq!(message, "line too long: expected at most 262144 bytes");
    }
}

#[test]
fn executes_longest_line() {
    let mut dialogue = dialogue();
    let command = "query gameover";
    let line = format!("{}{command}", " ".repeat(MAX_LINE_BYTES - command.len()));
    assert_eq!(dialogue.answers_to(&line), ["response false"]);
}

#[test]
fn truncates_long_message() {
    let mut dialogue = dialogue();
    let word = "x".repeat(MAX_LINE_BYTES - 100);
    for command in [
        "",
        "position ",
        "position fen ",
        "moves ",
        "go nodes ",
        "setoption name ",
        "setoption name Hash value ",
        "query ",
    ] {
        rejected(&mut dialogue, format!("{command}{word}").as_bytes());
    }
    rejected(&mut dialogue, format!("position fen {word} b - 0-0 3").as_bytes());
    rejected(
        &mut dialogue,
        format!("position fen OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3 {word}").as_bytes(),
    );
}

#[test]
fn rejects_bytes_that_are_not_utf8() {
    let mut dialogue = dialogue();
    assert_eq!(
        rejected(&mut dialogue, b"\xff\xfe\x00"),
        "byte 1 of the line is not UTF-8: expected text"
    );
    assert_eq!(
        rejected(&mut dialogue, b"moves \xc3"),
        "byte 7 of the line is not UTF-8: expected text"
    );
    assert_eq!(
        rejected(&mut dialogue, b"go \xc3 nodes 1"),
        "byte 4 of the line is not UTF-8: expected text"
    );
    assert!(rejected(&mut dialogue, b"\0\x1b[2J").contains("unknown command `\\0\\u{1b}[2J`"));
    rejected(&mut dialogue, "position fen \u{7f}\u{9b}\u{202e}".as_bytes());
}

#[test]
fn rejects_invalid_kamisado_positions() {
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
        ("0-0 3", "0-0 3 MIRRORED", "layout `MIRRORED`"),
    ] {
        let line = START.replacen(from, to, 1);
        let message = rejected(&mut dialogue, format!("position fen {line}").as_bytes());
        assert!(
            message.starts_with("invalid position: ") && message.contains(reason),
            "{line}: {message}"
        );
    }
}

#[test]
fn rejects_invalid_kamon_positions() {
    let mut dialogue = dialogue();
    for (from, to, reason) in [
        (" b -", " b", "3 fields, expected 4"),
        ("o3p4", "o3o3", "token o3 lies on both g1 and g2, and p4 is missing"),
        ("--", "o6", "token o6 lies on both a3 and a4, and -- is missing"),
        ("o3p4", "o3", "row g has 3 cells of tokens, expected 4"),
        ("o3p4", "o3x4", "unknown token `x4` in row g"),
        ("/7/", "/6/", "row d has 6 cells of hexagons, expected 7"),
        ("/7/", "/7b/", "row d has 8 cells of hexagons, expected 7"),
        ("/7/", "/x6/", "unknown hexagon `x` in row d"),
        (
            "4/5/6/7/6/5/4 b -",
            "4/5/6/7/6/5/bb2 w a2",
            "2 black and 0 white hexagons with White to move",
        ),
        (
            "4/5/6/7/6/5/4 b -",
            "4/5/6/7/6/5/1b2 b a2",
            "1 black and 0 white hexagons with Black to move",
        ),
        ("4/5/6/7/6/5/4 b -", "4/5/6/7/6/5/2b1 w a3", "a hexagon lies on the neutral token on a3"),
        ("4/5/6/7/6/5/4 b -", "4/5/6/7/6/5/1b2 w a1", "cell played last a1 holds no hexagon"),
        (
            "4/5/6/7/6/5/4 b -",
            "4/5/6/1w5/6/5/1b2 b a2",
            "cell played last a2 holds a hexagon of Black, expected one of White",
        ),
        (
            "4/5/6/7/6/5/4 b -",
            "4/5/6/7/6/5/1b2 w -",
            "cell played last `-` with hexagons on the board",
        ),
        (
            "4/5/6/7/6/5/4 b -",
            "4/5/6/3b3/6/5/4 w d4",
            "the first hexagon lies on d4, expected a side cell that is not a corner",
        ),
        (
            "4/5/6/7/6/5/4 b -",
            "wwww/ww3/w5/bbbbbbb/6/5/4 b e1",
            "the game was over before e1 was played: Black has",
        ),
        (" b -", " x -", "side to move `x`"),
        (" b -", " b d9", "cell played last `d9`"),
    ] {
        let line = Kamon::START.replacen(from, to, 1);
        let message = rejected(&mut dialogue, format!("position fen {line}").as_bytes());
        assert!(
            message.starts_with("invalid position: ") && message.contains(reason),
            "{line}: {message}"
        );
    }
}

#[test]
fn rejects_illegal_kamon_moves() {
    let mut dialogue = Dialogue::begin();
    for command in ["setoption name UCI_Variant value kamon", "position startpos"] {
        assert_eq!(dialogue.answers_to(command), Vec::<String>::new());
    }
    let mut illegal = |played: &str, mv: &str, reason: &str| {
        let moves = [played, mv].join(" ");
        let message =
            rejected(&mut dialogue, format!("position startpos moves {}", moves.trim()).as_bytes());
        assert!(message.contains(reason), "{moves}: {message}");
    };
    illegal("", "d4", "expected a side cell that is not a corner for the first hexagon, not d4");
    illegal("", "a1", "expected a side cell that is not a corner for the first hexagon, not a1");
    illegal("", "a3", "the neutral token lies on a3, and no hexagon may cover it");
    illegal("b1", "b1", "a hexagon of Black lies on b1");
    illegal("b1", "b2", "y2 on b2 has neither the colour nor the symbol of l4, played last on b1");
    illegal("b1", "h1", "`h1` is not a move: expected a cell such as `d4`");
    illegal("b1", "left", "`left` is not a move");
}

#[test]
fn illegal_move_leaves_whole_list_unplayed() {
    let mut dialogue = dialogue();
    assert!(
        rejected(&mut dialogue, b"position startpos moves a1a5 a1a4 d8d4")
            .starts_with("move 2 of the list: illegal move `a1a4`")
    );
    assert!(rejected(&mut dialogue, b"moves a5a6 b8b7 a1a1 c8c7").starts_with("move "));
    assert!(rejected(&mut dialogue, b"moves \xc3\xa41a5").contains("is not a move"));
}

#[test]
fn rejects_numbers_out_of_range() {
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
        assert!(
            rejected(&mut dialogue, line.as_bytes()).contains("expected a whole number from "),
            "{line}"
        );
    }
}

#[test]
fn rejects_incomplete_lines() {
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
        rejected(&mut dialogue, line.as_bytes());
    }
}

#[test]
fn rejected_option_keeps_its_value() {
    let mut dialogue = dialogue();
    rejected(&mut dialogue, b"setoption name UCI_Variant value chess");
    rejected(&mut dialogue, b"setoption name MultiPV value 0");
    dialogue.say("go nodes 100");
    assert!(!dialogue.lines_to("bestmove").iter().any(|line| line.contains("multipv 2")));
}

#[test]
#[cfg(unix)]
fn rejects_log_file_that_is_no_regular_file() {
    // Opening a named pipe would block; the standard output is for answers.
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut dialogue = dialogue();
    for path in [pipe.to_str().unwrap(), "/dev/stdout", "/"] {
        let message =
            rejected(&mut dialogue, format!("setoption name LogFile value {path}").as_bytes());
        assert_eq!(message, "cannot open the log file: expected a regular file");
    }
}

#[test]
fn rejects_changes_during_search() {
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
        let lines: Vec<String> = dialogue
            .answers_to(line)
            .into_iter()
            .filter(|line| !line.starts_with("info depth"))
            .collect();
        let word = line.split(' ').next().unwrap();
        assert_eq!(
            lines,
            [format!("info string error: `{word}` during a search: expected `stop` first")]
        );
    }
    for (line, answer) in
        [("query p1turn", "response true"), ("joho", "info string error: unknown command `joho`")]
    {
        let lines = dialogue.answers_to(line);
        assert!(lines.iter().any(|line| line.starts_with(answer)), "{line}: {lines:#?}");
    }
    dialogue.say("stop");
    assert_ne!(dialogue.line("bestmove"), "bestmove (none)");
}

#[test]
fn rejects_stop_and_ponderhit_while_idle() {
    let mut dialogue = dialogue();
    assert_eq!(rejected(&mut dialogue, b"stop"), "`stop` while idle: expected a running search");
    assert_eq!(
        rejected(&mut dialogue, b"ponderhit"),
        "`ponderhit` while idle: expected a running search"
    );
}

#[test]
fn go_without_position_searches_start() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("go nodes 50");
    assert_ne!(dialogue.line("bestmove"), "bestmove (none)");
}

#[test]
fn rejects_refill_that_is_not_due() {
    let mut dialogue = dialogue();
    for line in ["refill left", "moves right"] {
        assert!(rejected(&mut dialogue, line.as_bytes()).ends_with("no refill is due"));
    }
    assert!(
        rejected(&mut dialogue, b"position startpos moves h1h6 b8c7 e1e5 h8g7 a1a3 c7a5 e5b8 c8c5")
            .contains("owes a refill")
    );
}

#[test]
#[cfg(unix)]
fn rejects_argument_that_is_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let arguments = [b"isready \xff".as_slice(), b"isready\nd \xff", b""].map(OsStr::from_bytes);
    let output = Command::new(crate::support::program::oshi()).args(arguments).output().unwrap();
    let output_text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = output_text.lines().collect();
    let error =
        |byte| format!("info string error: byte {byte} of the line is not UTF-8: expected text");
    assert_eq!(lines, [&*error(9), "readyok", &error(3)]);
    assert!(output.status.success());
}
