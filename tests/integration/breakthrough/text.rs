//! Text forms. A position lists the ranks from the highest down, then the player to move:
//! `wwwww/wwwww/5/5/bbbbb/bbbbb b`. A move is `a2a3`.

use std::fmt::{self, Display};
use std::str::FromStr;

use oshi::game::{Game, Player, Text, quote};

use super::rules::{Breakthrough, Square, Step};

/// Error of an invalid position line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("invalid position `{text}`: expected {ranks} rows of {files} squares, then `b` or `w`")]
pub struct PositionError {
    text: String,
    files: usize,
    ranks: usize,
}

impl Square {
    /// Parses a letter and a digit, for a board of any size.
    fn read(text: &str) -> Option<Square> {
        let &[file @ b'a'..=b'h', rank @ b'1'..=b'8'] = text.as_bytes() else { return None };
        Some(Square { file: file - b'a', rank: rank - b'1' })
    }
}

impl Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file), self.rank + 1)
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

impl<const FILES: usize, const RANKS: usize> Display for Breakthrough<FILES, RANKS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..RANKS as u8).rev() {
            let mut free = 0;
            for file in 0..FILES as u8 {
                match self.owner(Square { file, rank }) {
                    None => free += 1,
                    Some(owner) => {
                        if free > 0 {
                            write!(f, "{}", std::mem::take(&mut free))?;
                        }
                        write!(f, "{}", owner.letter())?;
                    }
                }
            }
            if free > 0 {
                write!(f, "{free}")?;
            }
            f.write_str(if rank > 0 { "/" } else { " " })?;
        }
        write!(f, "{}", self.turn.letter())
    }
}

impl<const FILES: usize, const RANKS: usize> FromStr for Breakthrough<FILES, RANKS> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        Self::read(text).ok_or_else(|| PositionError {
            text: quote(text),
            files: FILES,
            ranks: RANKS,
        })
    }
}

impl<const FILES: usize, const RANKS: usize> Breakthrough<FILES, RANKS> {
    fn read(text: &str) -> Option<Self> {
        let (rows, turn) = text.split_once(' ')?;
        let mut position = Breakthrough { pawns: [0; 2], turn: Player::from_letter(turn)? };
        for (rank, row) in (0..RANKS as u8).rev().zip(rows.split('/')) {
            let mut file = 0;
            for sign in row.chars() {
                match sign {
                    'b' | 'w' if usize::from(file) < FILES => {
                        position.pawns[usize::from(sign == 'w')] |=
                            Self::bit(Square { file, rank });
                        file += 1;
                    }
                    _ => file = file.saturating_add(sign.to_digit(10)? as u8),
                }
            }
        }
        let [mover, waiting] =
            [position.turn, !position.turn].map(|player| position.pawns[player.index()]);
        let too_many = mover.count_ones().max(waiting.count_ones()) as usize > 2 * FILES;
        let is_reachable = !too_many && waiting != 0 && !position.has_broken_through(position.turn);
        // The comparison rejects short rows and split numbers such as `23`.
        (is_reachable && position.to_string() == text).then_some(position)
    }
}

impl<const FILES: usize, const RANKS: usize> Text for Breakthrough<FILES, RANKS> {
    const MOVE_FORMS: &'static str = "two squares such as `a2a3`";

    fn ending(&self) -> &'static str {
        if self.has_broken_through(!self.turn) { "breakthrough" } else { "capture" }
    }

    fn picture(&self) -> String {
        let mut picture = String::new();
        for square in Self::squares() {
            picture.push(self.owner(square).map_or('.', Player::letter));
            picture.push(if usize::from(square.file) + 1 == FILES { '\n' } else { ' ' });
        }
        picture.lines().rev().map(|row| format!("{row}\n")).collect()
    }

    fn read_move(text: &str) -> Option<Step> {
        let (from, to) = text.split_at_checked(2)?;
        Some(Step { from: Square::read(from)?, to: Square::read(to)? })
    }

    fn why_illegal(&self, step: Step) -> String {
        match self.outcome() {
            Some(_) => "the game is over".to_owned(),
            None if self.legal_moves().iter().any(|legal| legal.from == step.from) => {
                format!(
                    "the pawn on {} moves straight onto a free square, \
                     or diagonally onto a free square or an enemy pawn",
                    step.from
                )
            }
            None => format!("{} has no pawn on {} that can step ahead", self.turn, step.from),
        }
    }
}
