//! Moves as rows and columns in the style of programs: `fromRow fromCol toRow toCol`.
//!
//! Rows are counted from 0 or 1 and from either side, columns from file a. The numbers are read by
//! the convention under which the moves stay legal longest; a tie is an error. Columns counted from
//! file h would give the same game with renamed colours, so they need no convention of their own.

use super::{ListFault, ReadGame};
use crate::game::{MoveError, Text, quote};
use crate::games::movetext::token::{Kind, Token};

/// Expected form, for messages.
const EXPECTED: &str = "squares such as `a1a5`, or rows and columns (`fromRow fromCol toRow \
    toCol`) that are legal in exactly one way of counting";

/// Numbers per move.
const NUMBERS: usize = 4;

/// A way to count rows and columns.
#[derive(Clone, Copy)]
struct Convention {
    /// Number of the first row and column.
    base: u8,
    /// Whether the first row is White's home row.
    from_top: bool,
}

const CONVENTIONS: [Convention; 4] = [
    Convention { base: 0, from_top: false },
    Convention { base: 0, from_top: true },
    Convention { base: 1, from_top: false },
    Convention { base: 1, from_top: true },
];

/// The numbers with their lines, if all words are single digits.
pub fn numbers(tokens: &[Token]) -> Option<Vec<(usize, u8)>> {
    let mut numbers = Vec::new();
    for token in tokens {
        match token.kind {
            Kind::Word(word) => match *word.as_bytes() {
                [digit @ b'0'..=b'8'] => numbers.push((token.line, digit - b'0')),
                _ => return None,
            },
            Kind::Number(_) => {}
            Kind::Result(_) | Kind::Unclosed(_) => break,
        }
    }
    (numbers.len() >= NUMBERS).then_some(numbers)
}

impl Convention {
    /// Text form of the move that four numbers describe.
    fn text(self, numbers: &[(usize, u8)]) -> Option<String> {
        let squares = numbers.chunks(2).map(|pair| {
            let &[(_, row), (_, column)] = pair else { return None };
            let row = row.checked_sub(self.base).filter(|row| *row < 8)?;
            let column = column.checked_sub(self.base).filter(|column| *column < 8)?;
            let rank = if self.from_top { 7 - row } else { row };
            Some(format!("{}{}", char::from(b'a' + column), rank + 1))
        });
        squares.collect()
    }

    fn read<G: Text>(self, start: &G, numbers: &[(usize, u8)]) -> ReadGame<G> {
        let mut reading = ReadGame::new(*start);
        for group in numbers.chunks(NUMBERS) {
            let text = self.text(group).unwrap_or_default();
            let given =
                || group.iter().map(|(_, number)| number.to_string()).collect::<Vec<_>>().join(" ");
            let read = reading.position.parse_move(&text).map_err(|error| match error {
                MoveError::Illegal { reason, .. } => {
                    MoveError::Illegal { text: format!("{text} ({})", given()), reason }
                }
                _ => MoveError::Malformed {
                    text: quote(&given()),
                    expected: "fromRow fromCol toRow toCol on the board",
                },
            });
            match read {
                Ok(mv) => reading.play(mv),
                Err(error) => {
                    let line = group.first().map_or(0, |&(line, _)| line);
                    reading.fault = Some(ListFault { line, ply: reading.moves.len() + 1, error });
                    break;
                }
            }
        }
        reading
    }
}

/// Reads the numbers by the convention under which the moves stay legal longest.
pub fn read<G: Text>(start: &G, numbers: &[(usize, u8)]) -> ReadGame<G> {
    let mut readings: Vec<ReadGame<G>> =
        CONVENTIONS.iter().map(|convention| convention.read(start, numbers)).collect();
    readings.sort_by_key(|reading| std::cmp::Reverse(reading.moves.len()));
    let mut best = readings.into_iter();
    match (best.next(), best.next()) {
        (Some(first), Some(second)) if first.moves.len() > second.moves.len() => first,
        _ => {
            let text = numbers
                .iter()
                .take(NUMBERS)
                .map(|(_, number)| number.to_string())
                .collect::<Vec<_>>()
                .join(" ");
            let line = numbers.first().map_or(0, |&(line, _)| line);
            let error = MoveError::Malformed { text, expected: EXPECTED };
            ReadGame { fault: Some(ListFault { line, ply: 1, error }), ..ReadGame::new(*start) }
        }
    }
}
