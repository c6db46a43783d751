//! Position lines: tokens, hexagons, side to move, cell played last.

use std::fmt;
use std::str::FromStr;

use super::Kamon;
use super::board::{Cell, Cells, ROWS};
use super::figure::figure_in;
use super::layout::{Layout, Token};
use crate::game::{Player, quote};

/// Reason why a position line is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionError {
    /// The line does not have four fields.
    #[error("{found} fields, expected 4: tokens, hexagons, side to move, cell played last")]
    Fields {
        /// Number of fields.
        found: usize,
    },
    /// A field does not have seven rows.
    #[error("{found} rows of {of}, expected 7 from g to a")]
    Rows {
        /// `tokens` or `hexagons`.
        of: &'static str,
        /// Number of rows.
        found: usize,
    },
    /// A row has too few or too many cells.
    #[error("row {row} has {found} cells of {of}, expected {expected}")]
    RowLength {
        /// `tokens` or `hexagons`.
        of: &'static str,
        /// `a` to `g`.
        row: char,
        /// Number of cells in the text.
        found: usize,
        /// Number of cells of the row on the board.
        expected: u8,
    },
    /// A token does not exist.
    #[error(
        "unknown token `{text}` in row {row}, \
         expected a colour p y l o r g with a symbol 1 to 6, or `--`"
    )]
    UnknownToken {
        /// `a` to `g`.
        row: char,
        /// The text found.
        text: String,
    },
    /// A token lies on two cells, so that another is missing.
    #[error("token {token} lies on both {first} and {second}, and {missing} is missing")]
    TokenTwice {
        /// The repeated token.
        token: Token,
        /// Its first cell.
        first: Cell,
        /// Its second cell.
        second: Cell,
        /// The first missing token.
        missing: Token,
    },
    /// A row of hexagons has an unknown character.
    #[error(
        "unknown hexagon `{}` in row {row}, expected `b`, `w` or a number of free cells",
        character.escape_debug()
    )]
    UnknownHexagon {
        /// `a` to `g`.
        row: char,
        /// The text found.
        character: char,
    },
    /// A hexagon lies on the neutral token.
    #[error("a hexagon lies on the neutral token on {cell}")]
    OnNeutral {
        /// The neutral token's cell.
        cell: Cell,
    },
    /// The third field is not a player.
    #[error("side to move `{text}`, expected `b` or `w`")]
    SideToMove {
        /// The text found.
        text: String,
    },
    /// The numbers of hexagons contradict the side to move.
    #[error(
        "{black} black and {white} white hexagons with {turn} to move, expected equal numbers \
         with Black to move, or one more black hexagon with White to move"
    )]
    Counts {
        /// Number of black hexagons.
        black: u32,
        /// Number of white hexagons.
        white: u32,
        /// The side to move.
        turn: Player,
    },
    /// The fourth field is not a cell.
    #[error(
        "cell played last `{text}`, expected a cell such as `d4`, or `-` before the first move"
    )]
    Last {
        /// The text found.
        text: String,
    },
    /// The cell played last is missing.
    #[error("cell played last `-` with hexagons on the board, expected a cell of {player}'s")]
    LastMissing {
        /// The player who moved last.
        player: Player,
    },
    /// The cell played last is free.
    #[error("cell played last {cell} holds no hexagon")]
    LastEmpty {
        /// The cell.
        cell: Cell,
    },
    /// The cell played last belongs to the player to move.
    #[error("cell played last {cell} holds a hexagon of {found}, expected one of {expected}")]
    LastOwner {
        /// The cell.
        cell: Cell,
        /// The owner of the hexagon there.
        found: Player,
        /// The player who moved last.
        expected: Player,
    },
    /// The only hexagon lies on a cell that the first move cannot reach.
    #[error("the first hexagon lies on {cell}, expected a side cell that is not a corner")]
    FirstMove {
        /// The cell.
        cell: Cell,
    },
    /// A player had won before the last move.
    #[error(
        "the game was over before {last} was played: {player} has a connection or loop without it"
    )]
    AlreadyOver {
        /// The cell played last.
        last: Cell,
        /// The player with the figure.
        player: Player,
    },
}

impl FromStr for Kamon {
    type Err = PositionError;

    fn from_str(line: &str) -> Result<Kamon, PositionError> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[tokens, hexagons, turn, last] = fields.as_slice() else {
            return Err(PositionError::Fields { found: fields.len() });
        };
        let mut position = Kamon::empty(read_layout(tokens)?);
        let hexagons = read_hexagons(hexagons)?;
        let turn = Player::from_letter(turn)
            .ok_or_else(|| PositionError::SideToMove { text: quote(turn) })?;
        let last = match last {
            "-" => None,
            text => Some(
                Cell::from_text(text).ok_or_else(|| PositionError::Last { text: quote(text) })?,
            ),
        };
        if let Some(cell) = ((hexagons[0] | hexagons[1]) & position.layout.neutral()).first() {
            return Err(PositionError::OnNeutral { cell });
        }
        let [black, white] = hexagons.map(Cells::len);
        if black != white + u32::from(turn == Player::White) {
            return Err(PositionError::Counts { black, white, turn });
        }
        match last {
            Some(last) => position.set(hexagons, last, !turn)?,
            None if black > 0 => return Err(PositionError::LastMissing { player: !turn }),
            None => {}
        }
        Ok(position)
    }
}

impl Kamon {
    /// Places the hexagons on the empty board. `mover` plays the one on `last` at the end.
    fn set(
        &mut self,
        hexagons: [Cells; 2],
        last: Cell,
        mover: Player,
    ) -> Result<(), PositionError> {
        let [own, others] = [mover, !mover].map(|player| hexagons[player.index()]);
        if !own.contains(last) {
            return Err(if others.contains(last) {
                PositionError::LastOwner { cell: last, found: !mover, expected: mover }
            } else {
                PositionError::LastEmpty { cell: last }
            });
        }
        let before = own - last.into();
        if before.is_empty() && others.is_empty() && !self.legal.contains(last) {
            return Err(PositionError::FirstMove { cell: last });
        }
        for (player, cells) in [(mover, before), (!mover, others)] {
            if figure_in(cells).is_some() {
                return Err(PositionError::AlreadyOver { last, player });
            }
            for cell in cells {
                self.turn = player;
                self.place(cell, None);
            }
        }
        self.turn = mover;
        let completed = self.hexagons[mover.index()].completed_by(last);
        self.place(last, completed);
        Ok(())
    }
}

/// Splits a field into its seven rows, from g (number 6) to a (number 0).
fn rows<'a>(
    field: &'a str,
    of: &'static str,
) -> Result<impl Iterator<Item = (u8, &'a str)>, PositionError> {
    let found = field.split('/').count();
    if found != usize::from(ROWS) {
        return Err(PositionError::Rows { of, found });
    }
    Ok((0..ROWS).rev().zip(field.split('/')))
}

fn row_letter(row: u8) -> char {
    char::from(b'a' + row)
}

fn check_row_length(of: &'static str, row: u8, found: usize) -> Result<(), PositionError> {
    let expected = Cell::row_length(row);
    if found != usize::from(expected) {
        return Err(PositionError::RowLength { of, row: row_letter(row), found, expected });
    }
    Ok(())
}

fn read_layout(field: &str) -> Result<Layout, PositionError> {
    let mut tokens = Vec::new();
    for (row, text) in rows(field, "tokens")? {
        let characters: Vec<char> = text.chars().collect();
        check_row_length("tokens", row, characters.len().div_ceil(2))?;
        for (number, pair) in (1..).zip(characters.chunks(2)) {
            let text: String = pair.iter().collect();
            let token = Token::from_text(&text).ok_or_else(|| PositionError::UnknownToken {
                row: row_letter(row),
                text: quote(&text),
            })?;
            tokens.extend(Cell::new(row, number).map(|cell| (cell, token)));
        }
    }
    tokens.sort_by_key(|&(cell, _)| cell);
    for (index, &(second, token)) in tokens.iter().enumerate() {
        if let Some(&(first, _)) = tokens[..index].iter().find(|&&(_, earlier)| earlier == token) {
            let lies_nowhere = |token: &Token| tokens.iter().all(|(_, other)| other != token);
            let missing = Token::all().find(lies_nowhere).unwrap_or(token);
            return Err(PositionError::TokenTwice { token, first, second, missing });
        }
    }
    Ok(Layout::new(tokens))
}

/// Reads the hexagons, by player.
fn read_hexagons(field: &str) -> Result<[Cells; 2], PositionError> {
    let mut hexagons = [Cells::NONE; 2];
    for (row, text) in rows(field, "hexagons")? {
        let mut found = 0;
        for character in text.chars() {
            match character {
                'b' | 'w' => {
                    found += 1;
                    let cell = u8::try_from(found).ok().and_then(|number| Cell::new(row, number));
                    hexagons[usize::from(character == 'w')] |=
                        cell.map_or(Cells::NONE, Cells::from);
                }
                '1'..='7' => found += usize::from(character as u8 - b'0'),
                _ => return Err(PositionError::UnknownHexagon { row: row_letter(row), character }),
            }
        }
        check_row_length("hexagons", row, found)?;
    }
    Ok(hexagons)
}

impl fmt::Display for Kamon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |text_of: fn(&Kamon, u8) -> String| -> String {
            let rows: Vec<String> = (0..ROWS).rev().map(|row| text_of(self, row)).collect();
            rows.join("/")
        };
        let last = self.last.map_or("-".to_owned(), |cell| cell.to_string());
        write!(
            f,
            "{} {} {} {last}",
            rows(Kamon::tokens_of_row),
            rows(Kamon::hexagons_of_row),
            self.turn.letter()
        )
    }
}

impl Kamon {
    fn tokens_of_row(&self, row: u8) -> String {
        Cell::of_row(row).map(|cell| self.token(cell).to_string()).collect()
    }

    fn hexagons_of_row(&self, row: u8) -> String {
        let mut text = String::new();
        let mut free = 0;
        for cell in Cell::of_row(row) {
            match self.owner(cell) {
                None => free += 1,
                Some(owner) => {
                    push_count(&mut text, free);
                    text.push(owner.letter());
                    free = 0;
                }
            }
        }
        push_count(&mut text, free);
        text
    }
}

/// Appends the number of free cells unless it is 0.
fn push_count(text: &mut String, free: u8) {
    if free > 0 {
        text.push(char::from(b'0' + free));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamon::Ending;

    /// The tokens of the start line, the neutral one on a3.
    const TOKENS: &str =
        "o3p4g6l1/y1r4y4y6l6/o1r6p5g1p3l2/r3l5g2p6p2r1r5/o2p1g3y5l3o5/l4y2r2o4g4/y3g5--o6";

    fn error(line: &str) -> String {
        line.parse::<Kamon>().unwrap_err().to_string()
    }

    /// The error of a line with the tokens of the start line and these three fields.
    fn error_with(rest: &str) -> String {
        error(&format!("{TOKENS} {rest}"))
    }

    #[test]
    fn reads_and_prints_start_line() {
        assert_eq!(Kamon::start().to_string(), Kamon::START);
        assert!(Kamon::START.starts_with(TOKENS));
    }

    #[test]
    fn prints_lines_as_they_were_read() {
        for rest in ["4/5/6/7/6/5/1b2 w a2", "4/5/6/1w5/6/5/1b2 b d2", "4/5/6/bw5/6/5/1b2 w d1"] {
            let line = format!("{TOKENS} {rest}");
            assert_eq!(line.parse::<Kamon>().map(|position| position.to_string()), Ok(line));
        }
    }

    #[test]
    fn rejects_wrong_number_of_fields() {
        assert_eq!(
            error(""),
            "0 fields, expected 4: tokens, hexagons, side to move, cell played last"
        );
        assert!(error(&format!("{} x", Kamon::START)).starts_with("5 fields"));
    }

    #[test]
    fn rejects_invalid_tokens() {
        let start = |from: &str, to: &str| error(&Kamon::START.replacen(from, to, 1));
        assert_eq!(start("o3p4", "o3o3"), "token o3 lies on both g1 and g2, and p4 is missing");
        assert_eq!(start("--", "o6"), "token o6 lies on both a3 and a4, and -- is missing");
        assert_eq!(start("o3p4g6l1", "o3p4g6"), "row g has 3 cells of tokens, expected 4");
        assert_eq!(
            start("o3p4g6l1", "o3p4g6l"),
            "unknown token `l` in row g, \
             expected a colour p y l o r g with a symbol 1 to 6, or `--`"
        );
        assert!(start("o3p4", "b3p4").starts_with("unknown token `b3` in row g"));
        assert!(start("o3p4", "é3p4").starts_with("unknown token `é3` in row g"));
        assert_eq!(start("/y3g5", "y3g5"), "6 rows of tokens, expected 7 from g to a");
    }

    #[test]
    fn rejects_invalid_rows_of_hexagons() {
        assert_eq!(error_with("4/5/6/7/6/5 b -"), "6 rows of hexagons, expected 7 from g to a");
        assert_eq!(error_with("4/5/6/6/6/5/4 b -"), "row d has 6 cells of hexagons, expected 7");
        assert_eq!(error_with("4/5/6/7b/6/5/4 b -"), "row d has 8 cells of hexagons, expected 7");
        assert_eq!(
            error_with(&format!("4/5/6/{}/6/5/4 b -", "b".repeat(1000))),
            "row d has 1000 cells of hexagons, expected 7"
        );
        assert_eq!(
            error_with("4/5/6/7/6/5/x3 b -"),
            "unknown hexagon `x` in row a, expected `b`, `w` or a number of free cells"
        );
        assert!(error_with("4/5/6/07/6/5/4 b -").starts_with("unknown hexagon `0` in row d"));
    }

    #[test]
    fn rejects_hexagon_on_neutral_token() {
        assert_eq!(error_with("4/5/6/7/6/5/2b1 w a3"), "a hexagon lies on the neutral token on a3");
    }

    #[test]
    fn rejects_hexagons_that_contradict_side_to_move() {
        let expected = "expected equal numbers with Black to move, \
                        or one more black hexagon with White to move";
        assert_eq!(
            error_with("4/5/6/7/6/5/bb2 w a2"),
            format!("2 black and 0 white hexagons with White to move, {expected}")
        );
        assert!(error_with("4/5/6/7/6/5/1b2 b a2").contains("with Black to move, expected"));
        assert!(error_with("4/5/6/7/6/5/4 w -").contains("0 black and 0 white"));
        assert_eq!(error_with("4/5/6/7/6/5/4 x -"), "side to move `x`, expected `b` or `w`");
    }

    #[test]
    fn rejects_invalid_last_cell() {
        assert_eq!(
            error_with("4/5/6/7/6/5/1b2 w -"),
            "cell played last `-` with hexagons on the board, expected a cell of Black's"
        );
        assert_eq!(error_with("4/5/6/7/6/5/1b2 w a1"), "cell played last a1 holds no hexagon");
        assert_eq!(error_with("4/5/6/7/6/5/4 b a1"), "cell played last a1 holds no hexagon");
        assert_eq!(
            error_with("4/5/6/1w5/6/5/1b2 b a2"),
            "cell played last a2 holds a hexagon of Black, expected one of White"
        );
        assert_eq!(
            error_with("4/5/6/7/6/5/1b2 w a9"),
            "cell played last `a9`, expected a cell such as `d4`, or `-` before the first move"
        );
    }

    #[test]
    fn rejects_first_hexagon_on_corner_or_inside() {
        for (hexagons, cell) in [("4/5/6/7/6/5/b3", "a1"), ("4/5/6/3b3/6/5/4", "d4")] {
            let expected = format!(
                "the first hexagon lies on {cell}, expected a side cell that is not a corner"
            );
            assert_eq!(error_with(&format!("{hexagons} w {cell}")), expected);
        }
    }

    #[test]
    fn rejects_hexagon_after_end_of_game() {
        let over = |last, player| {
            format!(
                "the game was over before {last} was played: \
                 {player} has a connection or loop without it"
            )
        };
        assert_eq!(error_with("wwww/ww3/w5/bbbbbbb/6/5/b3 w a1"), over("a1", "Black"));
        assert_eq!(error_with("wwww/ww3/w5/bbbbbbb/6/5/4 b e1"), over("e1", "Black"));
        assert_eq!(error_with("bbb1/b3b/6/wwwwwww/6/4b/bb2 w a1"), over("a1", "White"));
        let won: Kamon = format!("{TOKENS} wwww/ww3/6/bbbbbbb/6/5/4 w d4").parse().unwrap();
        assert_eq!(won.end(), Some(Ending::Connection));
    }
}
