//! Every line to an engine, parsed and printed.

mod go;
mod read;

use std::fmt::{self, Display, Formatter};

use super::error::ParseCommandError;
use super::words::{Excerpt, Words, write_words};
pub use go::Go;
use read::{any_moves, choice, moves, number, required};

/// A line to an engine. `Display` prints the line that [`parse`](Command::parse) reads back as the same command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: identify yourself; from now on a `bestmove` may carry a `ponder` move.
    Uci,
    /// `ugi`: identify yourself; from now on a `bestmove` is two words.
    Ugi,
    /// `debug on|off`: log all that is read and written, or stop doing so.
    Debug(bool),
    /// `isready`: answer `readyok` as soon as everything before is done.
    IsReady,
    /// `setoption name NAME [value VALUE]`.
    SetOption {
        /// The name; its case does not matter.
        name: String,
        /// The value, `None` for a button.
        value: Option<String>,
    },
    /// `ucinewgame`: what comes next is another game.
    UciNewGame,
    /// `uginewgame`: the same.
    UgiNewGame,
    /// `position START [moves MOVE…]`: set up a position.
    Position {
        /// Where it starts.
        start: Start,
        /// The words of the moves that lead on from there: one move may have several.
        moves: Vec<String>,
    },
    /// `moves MOVE…`: play on from the position that is set, with the words of the moves.
    Moves(Vec<String>),
    /// `refill left|right`: play the refill choice.
    Refill(Side),
    /// `undo [N]`: take back the last N plies that were played; 1 by default.
    Undo(usize),
    /// `go …`: think.
    Go(Go),
    /// `go perft N`: count the leaves of the tree of legal moves, 1 to 255 plies deep.
    Perft(u32),
    /// `stop`: end the search and print its best move.
    Stop,
    /// `ponderhit`: the ponder move was played; go on with the limits now.
    PonderHit,
    /// `query gameover|p1turn|result`.
    Query(Query),
    /// `legal`: list the legal moves.
    Legal,
    /// `d`: show the board.
    Display,
    /// `svg`: show the board as an SVG document.
    Svg,
    /// `eval`: show the static estimate of the position.
    Eval,
    /// `bench [N]`: run the fixed benchmark, with at most N nodes for each position.
    Bench(Option<u64>),
    /// `help`: list the commands and options.
    Help,
    /// `quit`: end the program at once.
    Quit,
}

/// Where a position starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// `startpos`: the start of the variant that is set.
    StartPos,
    /// `fen LINE`: a position line; its words are separated by one space.
    Fen(String),
    /// `random SEED`: a start drawn at random, the same for the same seed.
    Random(u64),
}

/// The refill choice after a round of Kamisado.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Both players set up from their left.
    Left,
    /// Both players set up from their right.
    Right,
}

impl Side {
    /// The word in the protocol, which is also the text of the move.
    pub const fn word(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// What `query` asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Whether the match is over.
    GameOver,
    /// Whether it is the first player's turn.
    P1Turn,
    /// Who won.
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
    /// The forms of all commands, each with a sentence on what it does.
    pub const USAGE: [(&str, &str); 24] = [
        ("uci", "introduces the engine: id, options, uciok"),
        ("ugi", "the same, ended by ugiok; from now on no ponder moves"),
        ("isready", "answers readyok"),
        ("setoption name NAME [value VALUE]", "sets an option"),
        ("ucinewgame", "begins another game: forgets what was learnt"),
        ("uginewgame", "the same"),
        ("position startpos|fen LINE|random SEED [moves MOVE...]", "sets up a position"),
        ("moves MOVE...", "plays on from the position that is set"),
        ("refill left|right", "plays the refill choice"),
        ("undo [N]", "takes back the last N plies that were played, 1 if N is left out"),
        (
            "go [WORD...]",
            "thinks: searchmoves ponder infinite movetime nodes depth mate btime wtime binc winc movestogo",
        ),
        ("go perft N", "counts the leaves of the tree of legal moves"),
        ("stop", "ends the search"),
        ("ponderhit", "the ponder move was played"),
        ("query gameover|p1turn|result", "asks about the match"),
        ("legal", "lists the legal moves"),
        ("d", "shows the board"),
        ("svg", "shows the board as an SVG document"),
        ("eval", "shows the static estimate"),
        ("bench [N]", "runs the benchmark, with at most N nodes a position"),
        ("debug on|off", "logs the dialogue to stderr"),
        ("help", "shows this"),
        ("# REMARK", "says nothing"),
        ("quit", "ends the program"),
    ];

    /// Reads one line, without its line end. `None` for an empty line or a comment.
    ///
    /// # Errors
    /// [`ParseCommandError`] says which word is wrong and what was expected.
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

    /// The first word of the line.
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

/// No list of moves is longer, in plies.
const MAX_PLIES: u32 = 1_000_000;

/// The line up to a `#` that begins a word.
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
    // The value is the rest of the line, including white space: it may be the path of a file.
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
        // GUIs send `moves` without any before the first move.
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
