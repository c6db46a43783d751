//! Reads sheets and finds the first error of each.
//!
//! A ply is the legal move with the name that is written. The lines between the plies are optional,
//! but must agree with the plies.

use super::error::{Problem, ROW, SheetError};
use super::frame::{Frame, Line, closing_line, player_name};
use super::game::{GameError, GameScore, Sheet};
use super::header::Headers;
use oshi::game::{Player, quote};
use oshi::games::language::Language;
use oshi::games::movetext::{agreement, nearest, read_one};
use oshi::games::notation::{Form, Notation};
use oshi::games::spelling::{is_same, normalized};
use oshi::games::{Variant, Visitor, visit_position};

/// Whether the first line that is not blank is the title of a sheet.
pub fn starts_as_sheet(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| read_title(line).is_some())
}

/// Reads all sheets of a text, each with its first line, from 1. An error in one does not affect
/// the others.
pub fn parse(text: &[u8]) -> Vec<(usize, Result<Sheet, SheetError>)> {
    parse_lines(text.split(|&byte| byte == b'\n').map(as_text))
}

/// Decodes and trims a line.
///
/// # Errors
/// [`Problem::Encoding`] if the line is not UTF-8.
pub fn as_text(line: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(line)
        .map(str::trim)
        .map_err(|error| Problem::Encoding(error.valid_up_to() + 1))
}

/// Reads all sheets like [`parse`], from decoded lines.
pub fn parse_lines<'a>(
    lines: impl Iterator<Item = Result<&'a str, Problem>>,
) -> Vec<(usize, Result<Sheet, SheetError>)> {
    let mut sheets: Vec<Vec<(usize, Result<&str, Problem>)>> = Vec::new();
    for (index, line) in lines.enumerate() {
        let begins = line.as_ref().is_ok_and(|line| read_title(line).is_some());
        let is_blank = line.as_ref().is_ok_and(|line| line.is_empty());
        match sheets.last_mut() {
            Some(sheet) if !begins => sheet.push((index + 1, line)),
            None if is_blank => {}
            _ => sheets.push(vec![(index + 1, line)]),
        }
    }
    let first_line =
        |lines: &[(usize, Result<&str, Problem>)]| lines.first().map_or(1, |&(number, _)| number);
    sheets.into_iter().map(|lines| (first_line(&lines), parse_one(lines))).collect()
}

/// Reads the title of a sheet: the language and the text of the variant.
fn read_title(line: &str) -> Option<(Language, &str)> {
    let (key, value) = line.split_once(':')?;
    let language = Language::ALL
        .iter()
        .copied()
        .find(|language| is_same(language.terms(), language.terms().sheet, key))?;
    Some((language, value.trim()))
}

fn parse_one(lines: Vec<(usize, Result<&str, Problem>)>) -> Result<Sheet, SheetError> {
    let mut texts = Vec::with_capacity(lines.len());
    for (line, text) in lines {
        texts.push((line, text.map_err(|problem| SheetError { line, problem })?));
    }
    let mut texts = texts.into_iter();
    let (line, title) = texts.next().unwrap_or((1, ""));
    let at_title = |problem| SheetError { line, problem };
    let Some((language, variant)) = read_title(title) else {
        let titles = Language::ALL
            .iter()
            .map(|language| format!("`{}: VARIANT`", language.terms().sheet))
            .collect::<Vec<_>>();
        return Err(at_title(Problem::Title {
            found: quote(title),
            expected: titles.join(" or "),
        }));
    };
    let variant: Variant =
        variant.parse().map_err(|_| at_title(Problem::Variant(quote(variant))))?;
    let terms = language.terms();
    let mut headers = Headers::new(terms, line);
    for (line, text) in texts.by_ref().take_while(|(_, text)| !text.is_empty()) {
        headers.read(text, line).map_err(|problem| SheetError { line, problem })?;
    }
    let rows = texts.collect();
    let read = Read { headers, rows, language, variant };
    match read.headers.sheet.start.clone() {
        start if start.is_empty() => variant.start().visit(read),
        start => {
            let line = read.headers.start_line;
            visit_position(&start, read).unwrap_or_else(|error| {
                Err(SheetError { line, problem: GameError::from(error).into() })
            })
        }
    }
}

/// Reads the plies of a sheet.
struct Read<'a> {
    headers: Headers,
    rows: Vec<(usize, &'a str)>,
    language: Language,
    variant: Variant,
}

impl Visitor for Read<'_> {
    type Output = Result<Sheet, SheetError>;

    fn visit<G: Notation>(self, start: G) -> Self::Output {
        let Read {
            headers: Headers { mut sheet, result_line, start_line, terms, .. },
            rows,
            language,
            variant,
        } = self;
        if start.variant_name() != variant.name() {
            let problem =
                Problem::OtherVariant { found: start.variant_name(), expected: variant.name() };
            return Err(SheetError { line: start_line, problem });
        }
        let (frame, pending) = Frame::new(start, language);
        let mut reader = Reader {
            frame,
            pending,
            language,
            closing: closing_line(sheet.result, terms),
            moves: Vec::new(),
        };
        for (line, text) in rows {
            reader.line(text).map_err(|problem| SheetError { line, problem })?;
        }
        let outcome = reader.frame.position.outcome();
        if sheet.result == GameScore::Unfinished {
            // The headers may have been written before the end of the game.
            sheet.result = outcome.map_or(sheet.result, GameScore::from);
        }
        sheet.moves = reader.moves;
        sheet
            .check_result(outcome)
            .map_err(|error| SheetError { line: result_line, problem: error.into() })?;
        sheet.start = start.to_string();
        Ok(sheet)
    }
}

struct Reader<G> {
    frame: Frame<G>,
    /// The lines that follow from the plies and have not been read.
    pending: Vec<Line>,
    /// The closing line of a game that the rules do not end.
    closing: Option<String>,
    language: Language,
    moves: Vec<String>,
}

impl<G: Notation> Reader<G> {
    fn line(&mut self, text: &str) -> Result<(), Problem> {
        if text.is_empty() {
            Ok(())
        } else if text.contains('|') {
            self.row(text)
        } else {
            self.words(text)
        }
    }

    fn words(&mut self, text: &str) -> Result<(), Problem> {
        let terms = self.language.terms();
        let is_pending =
            |line: &Line| matches!(line, Line::Words(words) if is_same(terms, words, text));
        if let Some(at) = self.pending.iter().position(is_pending) {
            self.pending.drain(..=at);
            return Ok(());
        }
        let closing = self.closing.as_ref().filter(|_| self.frame.position.outcome().is_none());
        if closing.is_some_and(|closing| is_same(terms, closing, text)) {
            return Ok(());
        }
        let next = self.pending.iter().find_map(|line| match line {
            Line::Words(words) => Some(words),
            Line::Columns => None,
        });
        let expected = match next.or(closing) {
            Some(words) => format!("`{words}` or {ROW}"),
            None => ROW.to_owned(),
        };
        Err(Problem::Words { found: quote(text), expected })
    }

    fn row(&mut self, text: &str) -> Result<(), Problem> {
        let cells: Vec<&str> = text.split('|').map(str::trim).collect();
        let (number, plies) = match *cells.as_slice() {
            [number, black] => (number, [black, ""]),
            [number, black, white] => (number, [black, white]),
            _ => return Err(Problem::Row(quote(text))),
        };
        let terms = self.language.terms();
        let players = Player::ALL.map(|player| (player, player_name(terms, player)));
        if number.is_empty()
            && players.iter().zip(plies).all(|((_, name), cell)| is_same(terms, name, cell))
        {
            return Ok(());
        }
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Problem::Row(quote(text)));
        }
        for ((player, _), ply) in players.into_iter().zip(plies) {
            if !ply.is_empty() {
                self.ply(player, ply)?;
            }
        }
        Ok(())
    }

    fn ply(&mut self, player: Player, text: &str) -> Result<(), Problem> {
        let (ply, found) = (self.moves.len() + 1, || quote(text));
        let position = &self.frame.position;
        if position.outcome().is_some() {
            return Err(Problem::AfterEnd { ply, found: found() });
        }
        if position.turn() != player {
            return Err(Problem::Column { ply, found: found(), player });
        }
        let Some(mv) = read_one(position, text) else {
            let form = if text.contains(char::is_whitespace) { Form::Words } else { Form::Symbols };
            let given = normalized(self.language.terms(), text);
            let names = position
                .legal_moves()
                .into_iter()
                .map(|mv| position.name_move(mv, form, self.language));
            let expected = nearest(names.map(|name| (agreement(&name, &given), name)));
            return Err(Problem::Ply { ply, player, found: found(), expected });
        };
        self.moves.push(mv.to_string());
        self.pending = self.frame.play(mv);
        Ok(())
    }
}
