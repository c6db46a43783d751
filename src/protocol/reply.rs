//! Replies: lines from an engine to a client.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

use super::error::ParseReplyError;
use super::options::OptionLine;
use super::words::{Excerpt, Words, write_field, write_time, write_words};

/// A line from an engine. [`parse`](Reply::parse) reads what `Display` prints.
///
/// # Example
/// ```
/// use oshi::protocol::Reply;
///
/// let line = "bestmove a1a5 ponder b8b4";
/// let reply = Reply::BestMove { best: Some("a1a5".into()), ponder: Some("b8b4".into()) };
/// assert_eq!(Reply::parse(line)?, reply);
/// assert_eq!(reply.to_string(), line);
/// # Ok::<(), oshi::protocol::ParseReplyError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// `id name …`: name of the engine.
    Name(String),
    /// `id author …`: author of the engine.
    Author(String),
    /// `option name …`: declaration of an option.
    Option(OptionLine),
    /// `uciok`: end of the answer to `uci`.
    UciOk,
    /// `ugiok`: end of the answer to `ugi`.
    UgiOk,
    /// `readyok`: answer to `isready`.
    ReadyOk,
    /// `info …`: state of the search, or a text.
    Info(Info),
    /// `bestmove MOVE [ponder MOVE]`: end of a search.
    BestMove {
        /// Move to play; `None`, printed as `(none)`, if there is no move.
        best: Option<String>,
        /// Expected reply, to ponder on.
        ponder: Option<String>,
    },
    /// `response …`: answer to a `query`.
    Response(Response),
    /// `legal [MOVE…]`: the legal moves, empty if the match is over.
    Legal(Vec<String>),
    /// Any other line, such as a board. Its first word is not that of another reply.
    Other(String),
}

/// State of a search. The line omits fields that are `None` or empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Depth of the search, in plies.
    pub depth: Option<u32>,
    /// Greatest depth reached, in plies.
    pub seldepth: Option<u32>,
    /// Rank of the line, from 1.
    pub multipv: Option<u32>,
    /// Value for the player to move.
    pub score: Option<Score>,
    /// Kind of bound, if the score is not exact.
    pub bound: Option<Bound>,
    /// Probability of each result.
    pub wdl: Option<Wdl>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Used share of the memory, in permille.
    pub hashfull: Option<u32>,
    /// Time since the search began, in whole milliseconds.
    pub time: Option<Duration>,
    /// Expected moves.
    pub pv: Vec<String>,
    /// Text, which takes the rest of the line.
    pub string: Option<String>,
}

/// Value of a position for the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// `cp N`: hundredths, positive if the player to move is better.
    Cp(i32),
    /// `mate N`: the player to move wins within N own moves; loses within -N; has lost if N is 0.
    Mate(i32),
}

impl FromStr for Score {
    type Err = ParseReplyError;

    /// Parses `cp N` or `mate N`, as records of games contain it.
    fn from_str(text: &str) -> Result<Score, ParseReplyError> {
        const FORM: ParseReplyError =
            ParseReplyError::Malformed { line: "score", expected: "`cp N` or `mate N`" };
        let mut words = Words::of(text);
        let score = match words.next() {
            Some("cp") => Score::Cp(number(&mut words, "cp")?),
            Some("mate") => Score::Mate(number(&mut words, "mate")?),
            _ => return Err(FORM),
        };
        if words.next().is_none() { Ok(score) } else { Err(FORM) }
    }
}

impl Display for Score {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Score::Cp(hundredths) => write!(f, "cp {hundredths}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// Kind of bound of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// `lowerbound`: the value is at least the score.
    Lower,
    /// `upperbound`: the value is at most the score.
    Upper,
}

/// Probabilities of the results for the player to move, in permille.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// Probability to win.
    pub win: u32,
    /// Probability to draw.
    pub draw: u32,
    /// Probability to lose.
    pub loss: u32,
}

/// Answer to a `query`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Response {
    /// Answer to `query gameover` and `query p1turn`: `true` or `false`.
    Bool(bool),
    /// Answer to `query result`.
    Result(GameResult),
}

/// Result of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::EnumString, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum GameResult {
    /// `none`: the match is not over.
    None,
    /// `p1win`: Black, the first player, has won.
    P1Win,
    /// `p2win`: White has won.
    P2Win,
    /// `draw`: the match is drawn.
    Draw,
}

impl Reply {
    /// Parses a line without its line end. An unknown line is [`Reply::Other`].
    ///
    /// # Errors
    /// [`ParseReplyError`] if the line begins with the word of a reply but does not have its form.
    pub fn parse(line: &str) -> Result<Reply, ParseReplyError> {
        let mut words = Words::of(line);
        match words.next() {
            Some("id") => match words.next() {
                Some("name") => Ok(Reply::Name(words.rest.to_owned())),
                Some("author") => Ok(Reply::Author(words.rest.to_owned())),
                _ => Err(ParseReplyError::Malformed {
                    line: "id",
                    expected: "`name NAME` or `author NAME`",
                }),
            },
            Some("option") => Ok(Reply::Option(OptionLine::parse(&mut words)?)),
            Some("uciok") => Ok(Reply::UciOk),
            Some("ugiok") => Ok(Reply::UgiOk),
            Some("readyok") => Ok(Reply::ReadyOk),
            Some("info") => Ok(Reply::Info(Info::parse(&mut words)?)),
            Some("bestmove") => best_move(&mut words),
            Some("response") => response(&mut words),
            Some("legal") => Ok(Reply::Legal(words.map(str::to_owned).collect())),
            _ => Ok(Reply::Other(line.to_owned())),
        }
    }

    /// Decodes a line from an engine, to be [parsed](Reply::parse).
    ///
    /// Replaces bytes that are not UTF-8 in free text: in names, options, `info string` and unknown
    /// lines. Drops a byte order mark.
    ///
    /// # Errors
    /// [`ParseReplyError::NotUtf8`] if moves, numbers or keywords are not UTF-8.
    pub fn decode(line: &[u8]) -> Result<Cow<'_, str>, ParseReplyError> {
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let Err(error) = std::str::from_utf8(line) else {
            return Ok(String::from_utf8_lossy(line));
        };
        let text = String::from_utf8_lossy(line);
        // Invalid bytes have become U+FFFD, which no keyword, move or number contains.
        let is_clean = |part: &str| !part.contains(char::REPLACEMENT_CHARACTER);
        let mut words = Words::of(&text);
        let is_free = match words.next() {
            Some("id" | "option") => true,
            Some("info") => is_clean(&words.join_until(|word| word == "string")),
            Some(word) => !REPLIES_WITHOUT_TEXT.iter().any(|reply| word.starts_with(reply)),
            None => true,
        };
        if is_free {
            Ok(text)
        } else {
            Err(ParseReplyError::NotUtf8 { at: error.valid_up_to() + 1 })
        }
    }

    /// Creates the line `info string …`.
    pub fn info_string(text: impl Into<String>) -> Reply {
        Reply::Info(Info { string: Some(text.into()), ..Info::default() })
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// First words of replies without free text.
const REPLIES_WITHOUT_TEXT: [&str; 6] =
    ["uciok", "ugiok", "readyok", "bestmove", "response", "legal"];

fn best_move(words: &mut Words<'_>) -> Result<Reply, ParseReplyError> {
    const FORM: ParseReplyError = ParseReplyError::Malformed {
        line: "bestmove",
        expected: "`MOVE`, `MOVE ponder MOVE` or `(none)`",
    };
    let named = |word: &str| (word != "(none)").then(|| word.to_owned());
    let best = named(words.next().ok_or(FORM)?);
    match (words.next(), words.next(), words.next()) {
        (None, ..) => Ok(Reply::BestMove { best, ponder: None }),
        (Some("ponder"), Some(word), None) => Ok(Reply::BestMove { best, ponder: named(word) }),
        _ => Err(FORM),
    }
}

fn response(words: &mut Words<'_>) -> Result<Reply, ParseReplyError> {
    const FORM: ParseReplyError = ParseReplyError::Malformed {
        line: "response",
        expected: "`true`, `false`, `none`, `p1win`, `p2win` or `draw`",
    };
    let (Some(word), None) = (words.next(), words.next()) else { return Err(FORM) };
    let response = match word {
        "true" => Response::Bool(true),
        "false" => Response::Bool(false),
        _ => Response::Result(word.parse().map_err(|_| FORM)?),
    };
    Ok(Reply::Response(response))
}

impl Info {
    fn parse(words: &mut Words<'_>) -> Result<Info, ParseReplyError> {
        let mut info = Info::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = Some(number(words, "depth")?),
                "seldepth" => info.seldepth = Some(number(words, "seldepth")?),
                "multipv" => info.multipv = Some(number(words, "multipv")?),
                "score" => {}
                "cp" => info.score = Some(Score::Cp(number(words, "cp")?)),
                "mate" => info.score = Some(Score::Mate(number(words, "mate")?)),
                "lowerbound" => info.bound = Some(Bound::Lower),
                "upperbound" => info.bound = Some(Bound::Upper),
                "wdl" => {
                    let mut chance = || number(words, "wdl");
                    info.wdl = Some(Wdl { win: chance()?, draw: chance()?, loss: chance()? });
                }
                "nodes" => info.nodes = Some(number(words, "nodes")?),
                "nps" => info.nps = Some(number(words, "nps")?),
                "hashfull" => info.hashfull = Some(number(words, "hashfull")?),
                "time" => info.time = Some(Duration::from_millis(number(words, "time")?)),
                "pv" => {
                    info.pv = words
                        .join_until(is_info_word)
                        .split(' ')
                        .filter(|mv| !mv.is_empty())
                        .map(str::to_owned)
                        .collect()
                }
                "string" => info.string = Some(std::mem::take(&mut words.rest).to_owned()),
                // Unknown words such as `currmove` and `tbhits` are ignored.
                _ => {}
            }
        }
        Ok(info)
    }
}

fn is_info_word(word: &str) -> bool {
    matches!(
        word,
        "depth"
            | "seldepth"
            | "multipv"
            | "score"
            | "wdl"
            | "nodes"
            | "nps"
            | "hashfull"
            | "time"
            | "pv"
            | "string"
    )
}

fn number<T: FromStr>(words: &mut Words<'_>, after: &'static str) -> Result<T, ParseReplyError> {
    let word = words.next().unwrap_or_default();
    word.parse().map_err(|_| ParseReplyError::Number { word: Excerpt::of(word), after })
}

impl Display for Reply {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Name(name) => write!(f, "id name {name}"),
            Reply::Author(name) => write!(f, "id author {name}"),
            Reply::Option(line) => line.fmt(f),
            Reply::UciOk => f.write_str("uciok"),
            Reply::UgiOk => f.write_str("ugiok"),
            Reply::ReadyOk => f.write_str("readyok"),
            Reply::Info(info) => info.fmt(f),
            Reply::BestMove { best, ponder } => {
                write!(f, "bestmove {}", best.as_deref().unwrap_or("(none)"))?;
                write_field(f, "ponder", ponder.as_ref())
            }
            Reply::Response(Response::Bool(answer)) => write!(f, "response {answer}"),
            Reply::Response(Response::Result(result)) => write!(f, "response {result}"),
            Reply::Legal(moves) => {
                f.write_str("legal")?;
                write_words(f, moves)
            }
            Reply::Other(line) => f.write_str(line),
        }
    }
}

impl Display for Info {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        write_field(f, "depth", self.depth)?;
        write_field(f, "seldepth", self.seldepth)?;
        write_field(f, "multipv", self.multipv)?;
        write_field(f, "score", self.score)?;
        match self.bound {
            Some(Bound::Lower) => f.write_str(" lowerbound")?,
            Some(Bound::Upper) => f.write_str(" upperbound")?,
            None => {}
        }
        if let Some(Wdl { win, draw, loss }) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        write_field(f, "nodes", self.nodes)?;
        write_field(f, "nps", self.nps)?;
        write_field(f, "hashfull", self.hashfull)?;
        write_time(f, "time", self.time)?;
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
            write_words(f, &self.pv)?;
        }
        write_field(f, "string", self.string.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{MAX_MILLISECONDS, OptionKind};

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
        let text = OptionLine {
            name: "SyzygyPath".into(),
            kind: OptionKind::Text { default: String::new() },
        };
        assert_eq!(
            Reply::parse("option name SyzygyPath type string default <empty>"),
            Ok(Reply::Option(text))
        );
        assert_eq!(
            Reply::parse(" bestmove  (none)\r"),
            Ok(Reply::BestMove { best: None, ponder: None })
        );
        assert_eq!(
            Reply::parse("Stockfish 16 by the"),
            Ok(Reply::Other("Stockfish 16 by the".into()))
        );
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
        let number =
            Reply::decode(b"option name Hash type spin default 1\xff min 1 max 9").unwrap();
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
            "|[ -;=?-~]{0,10}"
                .prop_map(|text| OptionKind::Text { default: text.trim().to_owned() }),
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
            (phrase(), any_kind())
                .prop_map(|(name, kind)| Reply::Option(OptionLine { name, kind })),
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
}
