//! Commands: lines from a client to an engine.

mod go;
mod read;

use std::fmt::{self, Display, Formatter};

use super::error::ParseCommandError;
use super::words::{Excerpt, Words, write_words};
pub use go::Go;
use read::{any_moves, choice, moves, number, required};

/// A line to an engine. [`parse`](Command::parse) reads what `Display` prints.
///
/// Numbers and keywords are checked; moves, positions and options are not.
///
/// # Example
/// ```
/// use oshi::protocol::{Command, Start};
///
/// let line = "position startpos moves a1a5 0000";
/// let moves = vec!["a1a5".to_owned(), "0000".to_owned()];
/// let command = Command::Position { start: Start::StartPos, moves };
/// assert_eq!(Command::parse(line)?, Some(command.clone()));
/// assert_eq!(command.to_string(), line);
///
/// assert_eq!(
///     Command::parse("go perft 0").unwrap_err().to_string(),
///     "invalid number `0` after `perft`: expected a whole number from 1 to 255"
/// );
/// # Ok::<(), oshi::protocol::ParseCommandError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: identify the engine. From now on `bestmove` may name a ponder move.
    Uci,
    /// `ugi`: identify the engine. From now on `bestmove` names no ponder move.
    Ugi,
    /// `debug on|off`: switch the log of the whole dialogue on or off.
    Debug(bool),
    /// `isready`: answer `readyok` once all earlier commands are done.
    IsReady,
    /// `setoption name NAME [value VALUE]`: set an option.
    SetOption {
        /// Name in any case.
        name: String,
        /// Value; `None` for a button.
        value: Option<String>,
    },
    /// `ucinewgame`: another game begins.
    UciNewGame,
    /// `uginewgame`: another game begins, in UGI.
    UgiNewGame,
    /// `position START [moves MOVE…]`: set up a position.
    Position {
        /// Position before the moves.
        start: Start,
        /// Words of the moves; a move may have several words.
        moves: Vec<String>,
    },
    /// `moves MOVE…`: play moves, given by their words, from the current position.
    Moves(Vec<String>),
    /// `refill left|right`: play the refill choice.
    Refill(Side),
    /// `undo [N]`: take back the last N plies, 1 by default.
    Undo(usize),
    /// `go …`: search.
    Go(Go),
    /// `go perft N`: count the leaves of the tree of legal moves, at a depth of 1 to 255 plies.
    Perft(u32),
    /// `stop`: end the search and print its best move.
    Stop,
    /// `ponderhit`: the opponent played the ponder move; the limits of the search apply now.
    PonderHit,
    /// `query gameover|p1turn|result`: ask about the match.
    Query(Query),
    /// `legal`: list the legal moves.
    Legal,
    /// `d`: show the board.
    Display,
    /// `svg`: show the board as an SVG document.
    Svg,
    /// `eval`: evaluate the position without search.
    Eval,
    /// `bench [N]`: run the benchmark with at most N nodes per position.
    Bench(Option<u64>),
    /// `help`: list the commands and options.
    Help,
    /// `quit`: end the program at once.
    Quit,
}

/// Start of a `position`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// `startpos`: the start of the current variant.
    StartPos,
    /// `fen LINE`: a position line with single spaces between its words.
    Fen(String),
    /// `random SEED`: a random start, which depends only on the seed.
    Random(u64),
}

/// Refill choice after a round of Kamisado.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Both players refill from their left.
    Left,
    /// Both players refill from their right.
    Right,
}

impl Side {
    /// Word of the protocol, which is also the text of the move.
    pub const fn word(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// Question of a `query`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// `gameover`: whether the match is over.
    GameOver,
    /// `p1turn`: whether Black, the first player, is to move.
    P1Turn,
    /// `result`: the winner, if any.
    Result,
}

impl Query {
    const fn word(self) -> &'static str {
        match self {
            Query::GameOver => "gameover",
            Query::P1Turn => "p1turn",
            Query::Result => "result",
        }
    }
}

impl Command {
    /// Forms of all commands, each with its help text.
    pub const USAGE: [(&str, &str); 24] = [
        ("uci", "identifies the engine: id, options, uciok"),
        ("ugi", "as uci, ended by ugiok; bestmove names no ponder moves"),
        ("isready", "answers readyok once all earlier commands are done"),
        ("setoption name NAME [value VALUE]", "sets an option"),
        ("ucinewgame", "begins another game: clears the memory"),
        ("uginewgame", "as ucinewgame"),
        ("position startpos|fen LINE|random SEED [moves MOVE...]", "sets up a position"),
        ("moves MOVE...", "plays moves from the current position"),
        ("refill left|right", "plays the refill choice"),
        ("undo [N]", "takes back the last N plies, 1 by default"),
        (
            "go [WORD...]",
            concat!(
                "searches: searchmoves ponder infinite movetime nodes depth mate ",
                "btime wtime binc winc movestogo"
            ),
        ),
        ("go perft N", "counts the leaves of the tree of legal moves"),
        ("stop", "stops the search"),
        ("ponderhit", "the opponent played the ponder move"),
        ("query gameover|p1turn|result", "asks about the match"),
        ("legal", "lists the legal moves"),
        ("d", "shows the board"),
        ("svg", "shows the board as an SVG document"),
        ("eval", "evaluates the position without search"),
        ("bench [N]", "runs the benchmark, at most N nodes per position"),
        ("debug on|off", "switches the log of the dialogue to stderr"),
        ("help", "lists commands and options"),
        ("# COMMENT", "is ignored"),
        ("quit", "ends the program"),
    ];

    /// Parses a line without its line end. Returns `None` for an empty line or a comment.
    ///
    /// # Errors
    /// [`ParseCommandError`] names the wrong word and the expected ones.
    pub fn parse(line: &str) -> Result<Option<Command>, ParseCommandError> {
        let mut words = Words::of(without_comment(line));
        let Some(word) = words.next() else { return Ok(None) };
        let command = match word {
            "uci" => Command::Uci,
            "ugi" => Command::Ugi,
            "debug" => Command::Debug(choice(
                &mut words,
                "debug",
                "`on` or `off`",
                &[("on", true), ("off", false)],
            )?),
            "isready" => Command::IsReady,
            "setoption" => set_option(&mut words)?,
            "ucinewgame" => Command::UciNewGame,
            "uginewgame" => Command::UgiNewGame,
            "position" => position(&mut words)?,
            "moves" => Command::Moves(moves(&mut words, "moves")?),
            "refill" => Command::Refill(choice(
                &mut words,
                "refill",
                "`left` or `right`",
                &[Side::Left, Side::Right].map(|side| (side.word(), side)),
            )?),
            "undo" if words.peek().is_some() => {
                Command::Undo(number(&mut words, "undo", 1..=MAX_PLIES)? as usize)
            }
            "undo" => Command::Undo(1),
            "go" if words.peek() == Some("perft") => {
                words.next();
                Command::Perft(number(&mut words, "perft", 1..=255)?)
            }
            "go" => Command::Go(go::read(&mut words)?),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "query" => Command::Query(choice(
                &mut words,
                "query",
                "`gameover`, `p1turn` or `result`",
                &[Query::GameOver, Query::P1Turn, Query::Result].map(|query| (query.word(), query)),
            )?),
            "legal" => Command::Legal,
            "d" => Command::Display,
            "svg" => Command::Svg,
            "eval" => Command::Eval,
            "bench" if words.peek().is_some() => {
                Command::Bench(Some(number(&mut words, "bench", 1..=u64::MAX)?))
            }
            "bench" => Command::Bench(None),
            "help" => Command::Help,
            "quit" => Command::Quit,
            _ => return Err(ParseCommandError::Unknown { word: Excerpt::of(word) }),
        };
        match words.next() {
            Some(word) => {
                Err(ParseCommandError::unexpected(word, command.word(), "the end of the line"))
            }
            None => Ok(Some(command)),
        }
    }

    /// First word of the line.
    pub const fn word(&self) -> &'static str {
        match self {
            Command::Uci => "uci",
            Command::Ugi => "ugi",
            Command::Debug(_) => "debug",
            Command::IsReady => "isready",
            Command::SetOption { .. } => "setoption",
            Command::UciNewGame => "ucinewgame",
            Command::UgiNewGame => "uginewgame",
            Command::Position { .. } => "position",
            Command::Moves(_) => "moves",
            Command::Refill(_) => "refill",
            Command::Undo(_) => "undo",
            Command::Go(_) | Command::Perft(_) => "go",
            Command::Stop => "stop",
            Command::PonderHit => "ponderhit",
            Command::Query(_) => "query",
            Command::Legal => "legal",
            Command::Display => "d",
            Command::Svg => "svg",
            Command::Eval => "eval",
            Command::Bench(_) => "bench",
            Command::Help => "help",
            Command::Quit => "quit",
        }
    }
}

/// Maximum number of plies in an `undo`.
const MAX_PLIES: u32 = 1_000_000;

/// Cuts the line at the first `#` that begins a word.
fn without_comment(line: &str) -> &str {
    let comment = line.char_indices().find(|&(at, c)| {
        c == '#'
            && line
                .get(..at)
                .is_none_or(|before| before.chars().next_back().is_none_or(char::is_whitespace))
    });
    comment.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}

fn set_option(words: &mut Words<'_>) -> Result<Command, ParseCommandError> {
    const FORM: &str = "`name NAME [value VALUE]`";
    let word = required(words, "setoption", FORM)?;
    if word != "name" {
        return Err(ParseCommandError::unexpected(word, "setoption", FORM));
    }
    let name = words.join_until(|word| word == "value");
    if name.is_empty() {
        return Err(ParseCommandError::Missing {
            after: "name",
            expected: "the name of an option",
        });
    }
    // The value is the rest of the line with its white space, because it may be a path.
    let value = words.next().map(|_| std::mem::take(&mut words.rest).to_owned());
    Ok(Command::SetOption { name, value })
}

fn position(words: &mut Words<'_>) -> Result<Command, ParseCommandError> {
    const FORMS: &str = "`startpos`, `fen LINE` or `random SEED`";
    let start = match required(words, "position", FORMS)? {
        "startpos" => Start::StartPos,
        "fen" => match words.join_until(|word| word == "moves") {
            line if line.is_empty() => {
                return Err(ParseCommandError::Missing {
                    after: "fen",
                    expected: "a position line",
                });
            }
            line => Start::Fen(line),
        },
        "random" => Start::Random(number(words, "random", 0..=u64::MAX)?),
        word => return Err(ParseCommandError::unexpected(word, "position", FORMS)),
    };
    let moves = match words.next() {
        None => Vec::new(),
        // GUIs send `moves` without a move at the start.
        Some("moves") => any_moves(words),
        Some(word) => {
            return Err(ParseCommandError::unexpected(
                word,
                "position",
                "`moves` or the end of the line",
            ));
        }
    };
    Ok(Command::Position { start, moves })
}

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Command::Debug(on) => f.write_str(if *on { " on" } else { " off" }),
            Command::SetOption { name, value } => {
                write!(f, " name {name}")?;
                match value.as_deref() {
                    None => Ok(()),
                    Some("") => f.write_str(" value"),
                    Some(value) => write!(f, " value {value}"),
                }
            }
            Command::Position { start, moves } => {
                write!(f, " {start}")?;
                if moves.is_empty() {
                    return Ok(());
                }
                f.write_str(" moves")?;
                write_words(f, moves)
            }
            Command::Moves(moves) => write_words(f, moves),
            Command::Refill(side) => write!(f, " {}", side.word()),
            Command::Bench(Some(nodes)) => write!(f, " {nodes}"),
            Command::Undo(1) => Ok(()),
            Command::Undo(plies) => write!(f, " {plies}"),
            Command::Go(go) => go.fmt(f),
            Command::Perft(depth) => write!(f, " perft {depth}"),
            Command::Query(query) => write!(f, " {}", query.word()),
            _ => Ok(()),
        }
    }
}

impl Display for Start {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Start::StartPos => f.write_str("startpos"),
            Start::Fen(line) => write!(f, "fen {line}"),
            Start::Random(seed) => write!(f, "random {seed}"),
        }
    }
}

#[cfg(test)]
mod tests;
