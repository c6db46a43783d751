use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::protocol::{Bound, MAX_MILLISECONDS, OptionKind, Score, Wdl};

#[test]
fn reads_lines_of_other_engines() {
    let line = "info depth 20 seldepth 31 multipv 1 score cp -35 lowerbound nodes 1200 \
        nps 600 tbhits 0 time 2000 currmove a1a2 pv a1a5 b8b4";
    let expected = Info {
        depth: Some(20),
        seldepth: Some(31),
        multipv: Some(1),
        score: Some(Score::Cp(-35)),
        bound: Some(Bound::Lower),
        nodes: Some(1200),
        nps: Some(600),
        time: Some(Duration::from_secs(2)),
        pv: vec!["a1a5".into(), "b8b4".into()],
        ..Info::default()
    };
    assert_eq!(Reply::parse(line), Ok(Reply::Info(expected)));
    let text =
        OptionLine { name: "SyzygyPath".into(), kind: OptionKind::Text { default: String::new() } };
    assert_eq!(
        Reply::parse("option name SyzygyPath type string default <empty>"),
        Ok(Reply::Option(text))
    );
    assert_eq!(
        Reply::parse(" bestmove  (none)\r"),
        Ok(Reply::BestMove { best: None, ponder: None })
    );
    assert_eq!(Reply::parse("Stockfish 16 by the"), Ok(Reply::Other("Stockfish 16 by the".into())));
}

#[test]
fn rejects_malformed_replies() {
    for line in [
        "bestmove",
        "bestmove a1a5 b8b4",
        "bestmove a1a5 ponder",
        "bestmove a1a5 ponder b8b4 c8c7",
        "id",
        "option name Hash",
        "option name Hash type spin default 16",
        "option name Hash type spin default much min 1 max 2",
        "option name type button",
        "info depth",
        "info score cp high",
        "info wdl 500 500",
        "response",
        "response maybe",
    ] {
        assert!(Reply::parse(line).is_err(), "{line:?}");
    }
}

#[test]
fn decodes_any_bytes_in_free_text() {
    let cases: [(&[u8], &str); 8] = [
        (b"id author J\xfcrgen", "id author J\u{fffd}rgen"),
        (b"id name \xff\0\xfe", "id name \u{fffd}\0\u{fffd}"),
        (b"info string T\xe4u", "info string T\u{fffd}u"),
        (b"info depth 3 pv a1a5 string \xff pv", "info depth 3 pv a1a5 string \u{fffd} pv"),
        (
            b"option name B\xfccher type string default C:\\\xfc",
            "option name B\u{fffd}cher type string default C:\\\u{fffd}",
        ),
        (b"\xff\0\xfe noise", "\u{fffd}\0\u{fffd} noise"),
        (b"\xef\xbb\xbfuciok", "uciok"),
        ("info string Täu".as_bytes(), "info string Täu"),
    ];
    for (line, text) in cases {
        assert_eq!(Reply::decode(line).unwrap(), text);
        assert!(Reply::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn rejects_moves_and_numbers_that_are_not_utf8() {
    let cases: [(&[u8], usize); 7] = [
        (b"bestmove a1\xff5", 12),
        (b"bestmove a1a5 ponder \xff", 22),
        (b"bestmove\xff a1a5", 9),
        (b"info depth 3 pv a1a5 \xff", 22),
        (b"info depth \xff3 string x", 12),
        (b"legal a1a5 \xc3", 12),
        (b"uciok\xff", 6),
    ];
    for (line, at) in cases {
        assert_eq!(
            Reply::decode(line),
            Err(ParseReplyError::NotUtf8 { at }),
            "{}",
            line.escape_ascii()
        );
    }
    let number = Reply::decode(b"option name Hash type spin default 1\xff min 1 max 9").unwrap();
    assert!(Reply::parse(&number).is_err());
}

fn phrase() -> impl Strategy<Value = String> {
    "[A-Za-z][A-Za-z0-9.]{0,6}( [A-Z][a-z0-9]{0,6}){0,2}".prop_filter("no keywords", |text| {
        text.split(' ').all(|word| {
            !matches!(word, "type" | "default" | "min" | "max" | "var")
                && !matches!(
                    word,
                    "id" | "option"
                        | "uciok"
                        | "ugiok"
                        | "readyok"
                        | "info"
                        | "bestmove"
                        | "response"
                        | "legal"
                )
        })
    })
}

fn any_move() -> impl Strategy<Value = String> {
    "[a-h][1-8]([a-h][1-8])?|0000|left|right"
}

fn any_kind() -> impl Strategy<Value = OptionKind> {
    prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        any::<(i64, i64, i64)>().prop_map(|(default, min, max)| OptionKind::Spin {
            default,
            min,
            max
        }),
        (phrase(), vec(phrase(), 0..4))
            .prop_map(|(default, choices)| OptionKind::Combo { default, choices }),
        "|[ -;=?-~]{0,10}".prop_map(|text| OptionKind::Text { default: text.trim().to_owned() }),
        Just(OptionKind::Button),
    ]
}

prop_compose! {
    fn any_info()(
        (depth, seldepth) in any::<(Option<u32>, Option<u32>)>(),
        (multipv, hashfull) in any::<(Option<u32>, Option<u32>)>(),
        score in option::of(prop_oneof![
            any::<i32>().prop_map(Score::Cp),
            any::<i32>().prop_map(Score::Mate),
        ]),
        bound in option::of(prop_oneof![Just(Bound::Lower), Just(Bound::Upper)]),
        wdl in option::of(
            (0u32..1001, 0u32..1001, 0u32..1001)
                .prop_map(|(win, draw, loss)| Wdl { win, draw, loss })
        ),
        (nodes, nps) in any::<(Option<u64>, Option<u64>)>(),
        time in option::of((0..=MAX_MILLISECONDS).prop_map(Duration::from_millis)),
        pv in vec(any_move(), 0..5),
        string in option::of("[a-z]([ -~]{0,20}[a-z])?"),
    ) -> Info {
        Info {
            depth, seldepth, multipv, score, bound, wdl, nodes, nps, hashfull, time, pv, string,
        }
    }
}

fn any_reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        phrase().prop_map(Reply::Name),
        phrase().prop_map(Reply::Author),
        phrase().prop_map(Reply::Other),
        (phrase(), any_kind()).prop_map(|(name, kind)| Reply::Option(OptionLine { name, kind })),
        proptest::sample::select(vec![
            Reply::UciOk,
            Reply::UgiOk,
            Reply::ReadyOk,
            Reply::Response(Response::Bool(true)),
            Reply::Response(Response::Bool(false)),
            Reply::Response(Response::Result(GameResult::None)),
            Reply::Response(Response::Result(GameResult::P1Win)),
            Reply::Response(Response::Result(GameResult::P2Win)),
            Reply::Response(Response::Result(GameResult::Draw)),
        ]),
        any_info().prop_map(Reply::Info),
        (option::of(any_move()), option::of(any_move()))
            .prop_map(|(best, ponder)| Reply::BestMove { best, ponder }),
        vec(any_move(), 0..5).prop_map(Reply::Legal),
    ]
}

proptest! {
    #[test]
    fn parses_what_it_prints(reply in any_reply()) {
        prop_assert_eq!(Reply::parse(&reply.to_string()), Ok(reply));
    }

    #[test]
    fn never_panics(
        line in "(info|option|name|type|spin|pv|wdl|bestmove|ponder|id| |[0-9]|\\PC){0,30}",
    ) {
        let _ = Reply::parse(&line);
    }
}
