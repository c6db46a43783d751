//! Prints sheets.

use std::fmt::Write;

use super::frame::{Frame, Line, closing_line};
use super::game::{GameError, Sheet};
use super::header::headers;
use oshi::game::Player;
use oshi::games::language::Language;
use oshi::games::notation::{Form, Notation};
use oshi::games::{Visitor, visit_position};

impl Sheet {
    /// Prints the sheet. [`parse`](super::parse()) reads the text back.
    ///
    /// # Errors
    /// [`GameError`] if the start, a move or the result is invalid.
    pub fn print(&self, form: Form, language: Language) -> Result<String, GameError> {
        visit_position(&self.start, Print { sheet: self, form, language })?
    }
}

/// A line below the headers.
enum Row {
    Words(String),
    Columns,
    Plies { number: usize, cells: [String; 2] },
}

struct Print<'a> {
    sheet: &'a Sheet,
    form: Form,
    language: Language,
}

impl Visitor for Print<'_> {
    type Output = Result<String, GameError>;

    fn visit<G: Notation>(self, start: G) -> Self::Output {
        let Print { sheet, form, language } = self;
        let (moves, end) = sheet.replay(start)?;
        let terms = language.terms();
        let mut text = headers(sheet, start.variant_name(), terms);
        let mut rows = Vec::new();
        let (mut frame, lines) = Frame::new(start, language);
        extend(&mut rows, lines);
        for mv in moves {
            let player = frame.position.turn();
            push_ply(&mut rows, player, frame.position.name_move(mv, form, language));
            extend(&mut rows, frame.play(mv));
        }
        if end.outcome().is_none() {
            rows.extend(closing_line(sheet.result, terms).map(Row::Words));
        }
        print_rows(&mut text, &rows, terms.players);
        Ok(text)
    }
}

fn extend(rows: &mut Vec<Row>, lines: Vec<Line>) {
    rows.extend(lines.into_iter().map(|line| match line {
        Line::Words(words) => Row::Words(words),
        Line::Columns => Row::Columns,
    }));
}

/// Adds a ply to its player's column, beside the opponent's previous ply or in a new row.
fn push_ply(rows: &mut Vec<Row>, player: Player, name: String) {
    if let (Player::White, Some(Row::Plies { cells: [_, white], .. })) = (player, rows.last_mut())
        && white.is_empty()
    {
        *white = name;
        return;
    }
    let before = rows.iter().rev().take_while(|row| !matches!(row, Row::Columns));
    let number = before.filter(|row| matches!(row, Row::Plies { .. })).count() + 1;
    let cells = match player {
        Player::Black => [name, String::new()],
        Player::White => [String::new(), name],
    };
    rows.push(Row::Plies { number, cells });
}

fn print_rows(text: &mut String, rows: &[Row], players: [&str; 2]) {
    let [left, right] = players;
    let (mut width, mut in_words) = (0, true);
    text.push('\n');
    for (index, row) in rows.iter().enumerate() {
        // A blank line before each paragraph of words makes rounds easy to find.
        let is_words = matches!(row, Row::Words(_));
        if is_words && !in_words {
            text.push('\n');
        }
        in_words = is_words;
        if matches!(row, Row::Columns) {
            width = left.chars().count().max(left_width(rows.iter().skip(index + 1)));
        }
        let line = match row {
            Row::Words(words) => words.clone(),
            Row::Columns => format!("{:>3} | {left:<width$} | {right}", ""),
            Row::Plies { number, cells: [black, white] } => {
                format!("{number:>3} | {black:<width$} | {white}")
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// Width of the left column in this round, in characters.
fn left_width<'a>(rows: impl Iterator<Item = &'a Row>) -> usize {
    let widths = rows.take_while(|row| !matches!(row, Row::Columns)).map(|row| match row {
        Row::Plies { cells: [black, _], .. } => black.chars().count(),
        Row::Words(_) | Row::Columns => 0,
    });
    widths.max().unwrap_or(0)
}
