//! Replies: lines from an engine to a client.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use super::error::ParseReplyError;
use super::info::Info;
use super::options::OptionLine;
use super::words::{Words, write_field, write_words};

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

#[cfg(test)]
mod tests;
