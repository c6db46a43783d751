//! Move text: lists of moves in the spellings of people and programs.
//!
//! Move numbers, comments, marks such as `!?` and separators are skipped. Each move is matched with
//! the legal moves. Ambiguous text is an error.
//!
//! ```
//! use oshi::games::kamisado::{Match, Target};
//! use oshi::games::movetext::read_all;
//!
//! let start = Match::start(Target::Simple);
//! let text = "1. D1-D5! {Orange is called} Orange Ahead 3 Pink 2. P↑4B *";
//! let (moves, _) = read_all(&start, text)?;
//! let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
//! assert_eq!(moves, ["d1d5", "a8a5", "e1e5"]);
//! # Ok::<(), oshi::game::PlayError>(())
//! ```

mod name;
mod rows;
mod token;

use super::notation::Notation;
use crate::game::{Game, MoveError, Outcome, PlayError, quote};

pub use name::{agreement, nearest};
pub use token::{Kind, Token, tokens};

/// A move found in a text.
pub struct Found<G: Game> {
    mv: G::Move,
    /// Number of words that it takes.
    words: usize,
}

/// The first invalid move of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListFault {
    /// Line of the text, from 0.
    pub line: usize,
    /// Number of the ply in the list, from 1.
    pub ply: usize,
    /// Reason.
    pub error: MoveError,
}

/// A game up to its end or its first fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadGame<G: Game> {
    /// The moves before the end or the fault.
    pub moves: Vec<G::Move>,
    /// The position after them.
    pub position: G,
    /// Result at the end of the list; `Some(None)` for `*`.
    pub result: Option<Option<Outcome>>,
    /// The first fault, if any.
    pub fault: Option<ListFault>,
    /// Number of tokens read, including the result.
    pub tokens: usize,
}

impl<G: Game> ReadGame<G> {
    const fn new(position: G) -> ReadGame<G> {
        ReadGame { moves: Vec::new(), position, result: None, fault: None, tokens: 0 }
    }

    fn play(&mut self, mv: G::Move) {
        self.position.play(mv);
        self.moves.push(mv);
    }
}

/// Reads one game, up to its result, to the first fault or to the end.
pub fn read<G: Notation>(start: &G, tokens: &[Token]) -> ReadGame<G> {
    if let Some(numbers) = rows::numbers(tokens) {
        let mut reading = rows::read(start, &numbers);
        let end = tokens
            .iter()
            .position(|token| matches!(token.kind, Kind::Result(_) | Kind::Unclosed(_)));
        reading.tokens = end.unwrap_or(tokens.len());
        if reading.fault.is_none() {
            finish(&mut reading, tokens);
        }
        return reading;
    }
    let mut reading = ReadGame::new(*start);
    while let Some(rest) = tokens.get(reading.tokens..)
        && !rest.is_empty()
    {
        let words = leading_words(rest);
        if is_bare_number(&words)
            || matches!(rest.first(), Some(Token { kind: Kind::Number(_), .. }))
        {
            reading.tokens += 1;
        } else if words.is_empty() {
            finish(&mut reading, tokens);
            break;
        } else {
            match name::find(&reading.position, &words) {
                Ok(found) => {
                    reading.play(found.mv);
                    reading.tokens += found.words;
                }
                Err(error) => {
                    fail(&mut reading, rest, error);
                    break;
                }
            }
        }
    }
    reading
}

/// Whether the moves are given as rows and columns. A single such move is ambiguous.
pub fn are_rows(tokens: &[Token]) -> bool {
    rows::numbers(tokens).is_some()
}

/// Reads the result after the moves, or an unclosed comment there.
fn finish<G: Game>(reading: &mut ReadGame<G>, tokens: &[Token]) {
    let rest = tokens.get(reading.tokens..).unwrap_or_default();
    match rest.first().map(|token| token.kind) {
        Some(Kind::Result(result)) => {
            reading.result = Some(result);
            reading.tokens += 1;
        }
        Some(Kind::Unclosed(text)) => {
            let error = MoveError::Malformed { text: quote(text), expected: "a closing bracket" };
            fail(reading, rest, error);
        }
        _ => {}
    }
}

fn fail<G: Game>(reading: &mut ReadGame<G>, rest: &[Token], error: MoveError) {
    let line = rest.first().map_or(0, |token| token.line);
    reading.fault = Some(ListFault { line, ply: reading.moves.len() + 1, error });
}

/// The leading tokens that are words, at most [`name::LONGEST_NAME`].
fn leading_words<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let words = tokens.iter().map_while(|token| match token.kind {
        Kind::Word(word) => Some(word),
        _ => None,
    });
    words.take(name::LONGEST_NAME).collect()
}

/// Whether the words begin with a move number without a dot.
fn is_bare_number(words: &[&str]) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let Some((first, next)) = words.split_first() else { return false };
    is_number(first) && !first.starts_with('0') && next.first().is_some_and(|next| !is_number(next))
}

/// Reads a text of one game. Returns its moves and the position after them.
///
/// # Errors
/// [`PlayError`] for the first invalid move.
pub fn read_all<G: Notation>(start: &G, text: &str) -> Result<(Vec<G::Move>, G), PlayError> {
    let tokens = tokens(text);
    let ReadGame { moves, position, fault, tokens: count, .. } = read(start, &tokens);
    if let Some(ListFault { ply, error, .. }) = fault {
        return Err(PlayError { number: ply, error });
    }
    match tokens.get(count).map(|token| token.kind) {
        None => Ok((moves, position)),
        Some(Kind::Word(text) | Kind::Unclosed(text)) => Err(after_result(moves.len() + 1, text)),
        Some(Kind::Number(number)) => Err(after_result(moves.len() + 1, &format!("{number}."))),
        Some(Kind::Result(_)) => Err(after_result(moves.len() + 1, "another result")),
    }
}

fn after_result(number: usize, text: &str) -> PlayError {
    let reason = "the list has ended with a result".to_owned();
    PlayError { number, error: MoveError::Illegal { text: quote(text), reason } }
}

/// Reads a list of moves that are all legal in `position`.
///
/// # Errors
/// [`MoveError`] for the first text that is not a legal move.
pub fn read_choices<G: Notation>(position: &G, text: &str) -> Result<Vec<G::Move>, MoveError> {
    let tokens = tokens(text);
    let mut moves = Vec::new();
    let mut rest = tokens.as_slice();
    while !rest.is_empty() {
        let words = leading_words(rest);
        let taken = match rest.first().map(|token| token.kind) {
            Some(Kind::Word(_)) => {
                let found = name::find(position, &words)?;
                moves.push(found.mv);
                found.words
            }
            Some(Kind::Unclosed(text)) => {
                return Err(MoveError::Malformed {
                    text: quote(text),
                    expected: "a closing bracket",
                });
            }
            _ => 1,
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    Ok(moves)
}

/// Reads a text that is exactly one legal move; `None` otherwise.
pub fn read_one<G: Notation>(position: &G, text: &str) -> Option<G::Move> {
    let tokens = tokens(text);
    let words = leading_words(&tokens);
    let found = name::find(position, &words).ok()?;
    (found.words == tokens.len()).then_some(found.mv)
}
