use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::protocol::MAX_MILLISECONDS;

fn parsed(line: &str) -> Command {
    Command::parse(line).unwrap().unwrap()
}

fn error(line: &str) -> String {
    Command::parse(line).unwrap_err().to_string()
}

#[test]
fn ignores_empty_lines_and_comments() {
    for line in ["", "   ", "\t\r\n", "# a comment", "  #isready"] {
        assert_eq!(Command::parse(line), Ok(None), "{line:?}");
    }
}

#[test]
fn comment_begins_at_word_with_hash() {
    assert_eq!(parsed("isready # are you?"), Command::IsReady);
    let with_hash = Command::SetOption { name: "LogFile".into(), value: Some("a#b".into()) };
    assert_eq!(parsed("setoption name LogFile value a#b #c"), with_hash);
}

#[test]
fn splits_at_any_white_space() {
    let expected =
        Command::Position { start: Start::StartPos, moves: vec!["a1a5".into(), "b8b4".into()] };
    assert_eq!(parsed("\t position  startpos\tmoves a1a5   b8b4 \r\n"), expected);
}

#[test]
fn position_line_ends_before_moves() {
    let line = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3";
    let start = Start::Fen(line.into());
    assert_eq!(
        parsed(&format!("position fen {line}")),
        Command::Position { start: start.clone(), moves: vec![] }
    );
    let with_moves =
        Command::Position { start: start.clone(), moves: vec!["left".into(), "0000".into()] };
    assert_eq!(parsed(&format!("position fen {line} moves left 0000")), with_moves);
    assert_eq!(
        parsed(&format!("position fen {line} moves")),
        Command::Position { start, moves: vec![] }
    );
}

#[test]
fn option_value_keeps_inner_spaces() {
    let expected =
        Command::SetOption { name: "Clear Hash".into(), value: Some("a  b value c".into()) };
    assert_eq!(parsed("setoption name Clear   Hash value  a  b value c "), expected);
    assert_eq!(
        parsed("setoption name X value"),
        Command::SetOption { name: "X".into(), value: Some(String::new()) }
    );
    assert_eq!(parsed("setoption name X"), Command::SetOption { name: "X".into(), value: None });
}

#[test]
fn go_accepts_clock_names_of_uci_and_ugi() {
    let ugi = parsed("go p1time 1000 p2time 2000 p1inc 10 p2inc 20 movestogo 5");
    assert_eq!(parsed("go wtime 2000 btime 1000 winc 20 binc 10 movestogo 5"), ugi);
    let Command::Go(go) = ugi else { panic!("no go") };
    assert_eq!(go.time, [1000, 2000].map(Duration::from_millis).map(Some));
}

#[test]
fn missing_clock_equals_the_other() {
    let clocks = |line: &str| {
        let Command::Go(go) = parsed(line) else { panic!("no go") };
        go.clocks()
            .map(|clock| clock.map(|(time, increment)| (time.as_millis(), increment.as_millis())))
    };
    assert_eq!(clocks("go wtime 100 winc 7"), [Some((100, 7)); 2]);
    assert_eq!(clocks("go btime 100 winc 7"), [Some((100, 0)); 2]);
    assert_eq!(clocks("go btime 100 binc 5 wtime 200"), [Some((100, 5)), Some((200, 0))]);
    assert_eq!(clocks("go winc 7"), [None; 2]);
}

#[test]
fn negative_clock_is_zero() {
    for time in ["-35", "-0", "-99999999999999999999"] {
        let Command::Go(go) = parsed(&format!("go btime {time} wtime 10")) else { panic!("no go") };
        assert_eq!(go.time, [Some(Duration::ZERO), Some(Duration::from_millis(10))]);
    }
    for time in ["-", "--1", "-1e3"] {
        assert!(Command::parse(&format!("go btime {time}")).is_err(), "{time}");
    }
}

#[test]
fn searchmoves_end_at_next_keyword() {
    let expected =
        Go { search_moves: vec!["a1a5".into(), "left".into()], infinite: true, ..Go::default() };
    assert_eq!(parsed("go searchmoves a1a5 left infinite"), Command::Go(expected));
}

#[test]
fn errors_name_word_place_and_expectation() {
    let expected = [
        ("joho", "unknown command `joho`: expected one listed by `help`"),
        ("UCI", "unknown command `UCI`: expected one listed by `help`"),
        ("isready now", "unexpected `now` in `isready`: expected the end of the line"),
        ("debug", "the line ends after `debug`: expected `on` or `off`"),
        ("debug maybe", "unexpected `maybe` in `debug`: expected `on` or `off`"),
        ("setoption", "the line ends after `setoption`: expected `name NAME [value VALUE]`"),
        ("setoption Hash", "unexpected `Hash` in `setoption`: expected `name NAME [value VALUE]`"),
        ("setoption name", "the line ends after `name`: expected the name of an option"),
        ("setoption name value 3", "the line ends after `name`: expected the name of an option"),
        (
            "position",
            "the line ends after `position`: expected `startpos`, `fen LINE` or `random SEED`",
        ),
        (
            "position here",
            "unexpected `here` in `position`: expected `startpos`, `fen LINE` or `random SEED`",
        ),
        ("position fen moves a1a5", "the line ends after `fen`: expected a position line"),
        (
            "position startpos a1a5",
            "unexpected `a1a5` in `position`: expected `moves` or the end of the line",
        ),
        (
            "position random -1",
            "invalid number `-1` after `random`: \
            expected a whole number from 0 to 18446744073709551615",
        ),
        ("moves", "the line ends after `moves`: expected at least one move"),
        (
            "undo all",
            "invalid number `all` after `undo`: expected a whole number from 1 to 1000000",
        ),
        ("undo 1 2", "unexpected `2` in `undo`: expected the end of the line"),
        (
            "bench 0",
            "invalid number `0` after `bench`: \
            expected a whole number from 1 to 18446744073709551615",
        ),
        ("legal moves", "unexpected `moves` in `legal`: expected the end of the line"),
        ("refill up", "unexpected `up` in `refill`: expected `left` or `right`"),
        ("go depth", "the line ends after `depth`: expected a number"),
        (
            "go depth 0",
            "invalid number `0` after `depth`: expected a whole number from 1 to 4294967295",
        ),
        (
            "go depth 4294967296",
            "invalid number `4294967296` after `depth`: \
            expected a whole number from 1 to 4294967295",
        ),
        (
            "go movetime 1e3",
            "invalid number `1e3` after `movetime`: \
            expected a whole number from 0 to 1000000000000",
        ),
        (
            "go p1time soon",
            "invalid number `soon` after `p1time`: expected a whole number from 0 to 1000000000000",
        ),
        (
            "go perft 256",
            "invalid number `256` after `perft`: expected a whole number from 1 to 255",
        ),
        ("go nodes 5 nodes 6", "`nodes` is repeated in `go`: expected it once"),
        (
            "go searchmoves infinite",
            "the line ends after `searchmoves`: expected at least one move",
        ),
        (
            "go infinite perft 3",
            "unexpected `perft` in `go`: expected searchmoves, ponder, infinite, movetime, \
            nodes, depth, mate, btime, wtime, binc, winc, movestogo, p1time, p2time, p1inc, p2inc",
        ),
        ("query", "the line ends after `query`: expected `gameover`, `p1turn` or `result`"),
        ("query mood", "unexpected `mood` in `query`: expected `gameover`, `p1turn` or `result`"),
    ];
    for (line, message) in expected {
        assert_eq!(error(line), message, "{line:?}");
    }
}

#[test]
fn error_for_huge_word_is_short() {
    assert!(error(&"x".repeat(1 << 20)).len() < 200);
    assert!(error(&format!("go nodes {}", "9".repeat(1 << 20))).len() < 200);
}

#[test]
fn usage_lists_only_known_commands() {
    for (form, _) in Command::USAGE {
        let word = form.split(' ').next().unwrap();
        assert!(!matches!(Command::parse(word), Err(ParseCommandError::Unknown { .. })), "{form}");
    }
}

fn word() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_/+.-]{1,12}".prop_filter("no keyword", |word| word != "value" && word != "moves")
}

fn phrase() -> impl Strategy<Value = String> {
    vec(word(), 1..4).prop_map(|words| words.join(" "))
}

fn move_list(min: usize) -> impl Strategy<Value = Vec<String>> {
    vec("[a-h][1-8]([a-h][1-8])?|0000|left|right", min..6)
}

fn time() -> impl Strategy<Value = Option<Duration>> {
    option::of((0..=MAX_MILLISECONDS).prop_map(Duration::from_millis))
}

prop_compose! {
    fn any_go()(
        search_moves in move_list(0), ponder: bool, infinite: bool,
        move_time in time(), nodes in option::of(1u64..),
        depth in option::of(1u32..), mate in option::of(1u32..),
        time in [time(), time()], increment in [time(), time()],
        moves_to_go in option::of(1u32..),
    ) -> Go {
        Go {
            search_moves, ponder, infinite, move_time, nodes, depth, mate, time, increment,
            moves_to_go,
        }
    }
}

fn any_command() -> impl Strategy<Value = Command> {
    let start = prop_oneof![
        Just(Start::StartPos),
        phrase().prop_map(Start::Fen),
        any::<u64>().prop_map(Start::Random)
    ];
    prop_oneof![
        proptest::sample::select(vec![
            Command::Uci,
            Command::Ugi,
            Command::IsReady,
            Command::UciNewGame,
            Command::UgiNewGame,
            Command::Refill(Side::Left),
            Command::Refill(Side::Right),
            Command::Query(Query::GameOver),
            Command::Query(Query::P1Turn),
            Command::Query(Query::Result),
            Command::Stop,
            Command::PonderHit,
            Command::Display,
            Command::Svg,
            Command::Eval,
            Command::Bench(None),
            Command::Bench(Some(1000)),
            Command::Undo(1),
            Command::Undo(12),
            Command::Legal,
            Command::Help,
            Command::Quit,
        ]),
        any::<bool>().prop_map(Command::Debug),
        (phrase(), option::of(prop_oneof![phrase(), Just(String::new())]))
            .prop_map(|(name, value)| Command::SetOption { name, value }),
        (start, move_list(0)).prop_map(|(start, moves)| Command::Position { start, moves }),
        move_list(1).prop_map(Command::Moves),
        any_go().prop_map(Command::Go),
        (1u32..=255).prop_map(Command::Perft),
    ]
}

proptest! {
    #[test]
    fn parses_what_it_prints(command in any_command()) {
        prop_assert_eq!(Command::parse(&command.to_string()), Ok(Some(command)));
    }

    #[test]
    fn never_panics(
        words in vec(
            "uci|go|position|fen|moves|setoption|name|value|nodes|random|#| |-|[0-9]|\\PC",
            0..30,
        ),
    ) {
        let _ = Command::parse(&words.concat());
    }
}
