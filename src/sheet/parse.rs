//! Reading sheets, and finding the first thing in each that does not fit.
//!
//! A ply is read by its name: among the legal moves the one that is called so. The lines between the plies follow from these;
//! they may be left out, but what stands there must fit.

use super::frame::{Frame, Line};
use super::print::player_name;
use super::{GameError, GameScore, Sheet};
use crate::game::{Player, quote};
use crate::games::language::{Language, Terms};
use crate::games::notation::{Form, Notation};
use crate::games::{self, Variant, Visitor, visit_position};

/// A sheet that cannot be read, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}: {problem}")]
pub struct SheetError {
    /// The line of the text, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line of a sheet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// Bytes that are no text.
    #[error("not UTF-8 from byte {0} of the line on; expected a text in UTF-8")]
    Encoding(usize),
    /// A line that is too long to be kept.
    #[error("the line is longer than {0} bytes; expected a shorter one")]
    TooLong(usize),
    /// Something stands before the first sheet.
    #[error("`{found}` is no title; expected {expected}")]
    Title {
        /// What stands there.
        found: String,
        /// The titles in all languages.
        expected: String,
    },
    /// The title names no variant.
    #[error("unknown variant `{0}`; expected one of {names}", names = games::variant_names())]
    Variant(String),
    /// A line among the headers that is none.
    #[error("`{found}` is no header; expected one of {expected}, or a blank line before the plies")]
    Header {
        /// What stands there.
        found: String,
        /// All headers.
        expected: String,
    },
    /// A header that is there twice.
    #[error("`{0}` stands there twice")]
    Twice(&'static str),
    /// The value of a header has not the right form.
    #[error("{key}: `{found}`; expected {expected}")]
    Value {
        /// The header.
        key: &'static str,
        /// What stands there.
        found: String,
        /// Its forms.
        expected: &'static str,
    },
    /// The start is no position, or the result is not that of the plies.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The start is one of another variant than the title's.
    #[error("the start is one of {found}, but the title says {expected}")]
    OtherVariant {
        /// The variant of the start.
        found: &'static str,
        /// The variant of the title.
        expected: &'static str,
    },
    /// A row that is not parted into a number and two cells.
    #[error("`{0}` is no row of plies; expected {row}", row = ROW)]
    Row(String),
    /// A ply of the wrong player.
    #[error("ply {ply}, `{found}`, stands in {player}'s column; expected a ply of {}", !*player)]
    Column {
        /// The number of the ply in the game, from 1.
        ply: usize,
        /// What stands there.
        found: String,
        /// In whose column.
        player: Player,
    },
    /// The name of no legal move: the first ply that does not fit.
    #[error("ply {ply} of {player}, `{found}`, does not fit; expected {expected}")]
    Ply {
        /// The number of the ply in the game, from 1.
        ply: usize,
        /// Whose ply it is.
        player: Player,
        /// What stands there.
        found: String,
        /// The legal plies that come nearest.
        expected: String,
    },
    /// A ply after the end.
    #[error("ply {ply}, `{found}`, comes after the end of the game")]
    AfterEnd {
        /// The number of the ply in the game, from 1.
        ply: usize,
        /// What stands there.
        found: String,
    },
    /// A line that does not follow from the plies before it.
    #[error("`{found}` does not fit; expected {expected}")]
    Words {
        /// What stands there.
        found: String,
        /// What would fit.
        expected: String,
    },
}

/// Whether the text begins, after blank lines, with the title of a sheet.
pub fn starts_as_sheet(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| read_title(line).is_some())
}

/// Reads all sheets of a text, each with the line that it begins on. One that does not fit leaves the others as they are.
pub fn parse(text: &[u8]) -> Vec<(usize, Result<Sheet, SheetError>)> {
    parse_lines(text.split(|&byte| byte == b'\n').map(as_text))
}

/// A line without the white space around it.
///
/// # Errors
/// [`Problem::Encoding`] where it is no text.
pub fn as_text(line: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(line).map(str::trim).map_err(|error| Problem::Encoding(error.valid_up_to() + 1))
}

/// Reads all sheets of a text that is given line by line, as [`parse`] does.
pub fn parse_lines<'a>(lines: impl Iterator<Item = Result<&'a str, Problem>>) -> Vec<(usize, Result<Sheet, SheetError>)> {
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
    let first_line = |lines: &[(usize, Result<&str, Problem>)]| lines.first().map_or(1, |&(number, _)| number);
    sheets.into_iter().map(|lines| (first_line(&lines), parse_one(lines))).collect()
}

/// The language and the variant's text, if the line is the title of a sheet.
fn read_title(line: &str) -> Option<(Language, &str)> {
    let (key, value) = line.split_once(':')?;
    let language = Language::ALL.iter().copied().find(|language| is_same(language.terms().sheet, key))?;
    Some((language, value.trim()))
}

/// White space and case do not matter, nor whether an arrow was made an emoji on its way.
fn is_same(one: &str, other: &str) -> bool {
    normalized(one) == normalized(other)
}

fn normalized(text: &str) -> String {
    let is_selector = |character| matches!(character, '\u{fe0e}' | '\u{fe0f}');
    text.replace(is_selector, "").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
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
        let titles = Language::ALL.iter().map(|language| format!("`{}: VARIANT`", language.terms().sheet)).collect::<Vec<_>>();
        return Err(at_title(Problem::Title { found: quote(title), expected: titles.join(" or ") }));
    };
    let variant: Variant = variant.parse().map_err(|_| at_title(Problem::Variant(quote(variant))))?;
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
            visit_position(&start, read).unwrap_or_else(|error| Err(SheetError { line, problem: GameError::from(error).into() }))
        }
    }
}

/// What stands above the plies.
struct Headers {
    sheet: Sheet,
    seen: Vec<&'static str>,
    terms: &'static Terms,
    start_line: usize,
    result_line: usize,
}

impl Headers {
    fn new(terms: &'static Terms, title_line: usize) -> Headers {
        let sheet = Sheet::new(String::new());
        Headers { sheet, seen: Vec::new(), terms, start_line: title_line, result_line: title_line }
    }

    fn read(&mut self, text: &str, line: usize) -> Result<(), Problem> {
        let terms = self.terms;
        let [black, white] = terms.players;
        let [black_limit, white_limit] = terms.limits;
        let keys = [terms.game, terms.date, black, white, black_limit, white_limit, terms.start, terms.result, terms.ending];
        let parted = text.split_once(':');
        let found = parted.and_then(|(key, value)| Some((keys.into_iter().find(|known| is_same(known, key))?, value)));
        let Some((key, value)) = found else {
            return Err(Problem::Header { found: quote(text), expected: keys.join(", ") });
        };
        if self.seen.contains(&key) {
            return Err(Problem::Twice(key));
        }
        self.seen.push(key);
        let wrong = |expected| Problem::Value { key, found: quote(value.trim()), expected };
        let value = read_value(value.trim()).ok_or_else(|| wrong("a text, in quotes as in JSON if it begins with a quote"))?;
        let sheet = &mut self.sheet;
        let [black_seat, white_seat] = &mut sheet.seats;
        if key == terms.game {
            sheet.game = Some(value.parse().map_err(|_| wrong("a number"))?);
        } else if key == terms.result {
            sheet.result = value.parse().map_err(|_| wrong("1-0, 0-1, 1/2-1/2 or *"))?;
            self.result_line = line;
        } else if key == terms.start {
            sheet.start = value;
            self.start_line = line;
        } else if key == terms.date {
            sheet.date = Some(value);
        } else if key == terms.ending {
            sheet.ending = Some(value);
        } else if key == black {
            black_seat.name = value;
        } else if key == white {
            white_seat.name = value;
        } else if key == black_limit {
            black_seat.limit = value;
        } else {
            white_seat.limit = value;
        }
        Ok(())
    }
}

fn read_value(value: &str) -> Option<String> {
    if value.starts_with('"') { serde_json::from_str(value).ok() } else { Some(value.to_owned()) }
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
        let Read { headers: Headers { mut sheet, result_line, start_line, terms, .. }, rows, language, variant } = self;
        if start.variant_name() != variant.name() {
            let problem = Problem::OtherVariant { found: start.variant_name(), expected: variant.name() };
            return Err(SheetError { line: start_line, problem });
        }
        let (frame, pending) = Frame::new(start, language);
        let mut reader = Reader { frame, pending, language, closing: sheet.closing(terms), moves: Vec::new() };
        for (line, text) in rows {
            reader.line(text).map_err(|problem| SheetError { line, problem })?;
        }
        let outcome = reader.frame.position.outcome();
        if sheet.result == GameScore::Unfinished {
            // The sheet may have been begun before the game ended.
            sheet.result = outcome.map_or(sheet.result, GameScore::from);
        }
        sheet.moves = reader.moves;
        sheet.check_result(outcome).map_err(|error| SheetError { line: result_line, problem: error.into() })?;
        sheet.start = start.to_string();
        Ok(sheet)
    }
}

const ROW: &str = "a row `NUMBER | BLACK'S PLY | WHITE'S PLY`";

struct Reader<G> {
    frame: Frame<G>,
    /// The lines that follow from the plies so far and may come next.
    pending: Vec<Line>,
    /// The last line, if the game is not over.
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
        let is_pending = |line: &Line| matches!(line, Line::Words(words) if is_same(words, text));
        if let Some(at) = self.pending.iter().position(is_pending) {
            self.pending.drain(..=at);
            return Ok(());
        }
        let closing = self.closing.as_ref().filter(|_| self.frame.position.outcome().is_none());
        if closing.is_some_and(|closing| is_same(closing, text)) {
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
        if number.is_empty() && players.iter().zip(plies).all(|((_, name), cell)| is_same(name, cell)) {
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
        let form = if text.contains(char::is_whitespace) { Form::Words } else { Form::Symbols };
        let given = normalized(text);
        let name = |mv| position.name_move(mv, form, self.language);
        let moves = position.legal_moves();
        let Some(mv) = moves.iter().copied().find(|&mv| normalized(&name(mv)) == given) else {
            let expected = nearest(&given, moves.iter().map(|&mv| name(mv)));
            return Err(Problem::Ply { ply, player, found: found(), expected });
        };
        self.moves.push(mv.to_string());
        self.pending = self.frame.play(mv);
        Ok(())
    }
}

/// How many names a message lists at most.
const LISTED: usize = 8;

/// The names that agree with the given text for longest: where the colour that a tower lands on is wrong, the one with the right
/// colour.
fn nearest(given: &str, names: impl Iterator<Item = String>) -> String {
    let agreement = |name: &str| name.to_lowercase().chars().zip(given.chars()).take_while(|(one, other)| one == other).count();
    let names: Vec<(usize, String)> = names.map(|name| (agreement(&name), name)).collect();
    let longest = names.iter().map(|&(agreement, _)| agreement).max().unwrap_or(0);
    let nearest: Vec<String> =
        names.into_iter().filter(|&(agreement, _)| agreement == longest).map(|(_, name)| format!("`{name}`")).collect();
    match nearest.get(..LISTED) {
        Some(listed) if nearest.len() > LISTED => format!("{} or one of {} others", listed.join(", "), nearest.len() - LISTED),
        _ => nearest.join(" or "),
    }
}
