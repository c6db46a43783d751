//! Lists of moves: finds where each game of a text begins and ends.
//!
//! A game is one line, or several: a line that cannot be a game of its own continues the game
//! before it. `docs/tournaments.md` holds the rules.

use std::iter::Peekable;

use super::game::{GameError, GameScore, Sheet};
use oshi::game::quote;
use oshi::games::movetext::{self, Kind, ListFault, Token};
use oshi::games::notation::Notation;
use oshi::games::spelling::{is_arrow, is_term};
use oshi::games::{PositionError, Variant, Visitor, visit_position};

/// A fault in a list of moves.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ListError {
    /// The start is invalid.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A move is invalid, or the result contradicts the moves. The moves before are kept.
    #[error("{error}{}", kept_text(*.kept))]
    Cut {
        /// Number of the ply and reason.
        error: GameError,
        /// Number of plies before it, which are kept as a game of their own.
        kept: usize,
    },
    /// A random start, which is not reproducible.
    #[error("the start `random` is not reproducible; expected `startpos` or `fen LINE`")]
    Random,
    /// A word other than `moves` follows `startpos`.
    #[error("unexpected `{0}` after `startpos`; expected `moves` or the end of the line")]
    Unexpected(String),
}

/// End of a message about a fault: the number of plies that are kept.
pub(super) fn kept_text(kept: usize) -> String {
    match kept {
        0 => String::new(),
        1 => "; the ply before it is kept".to_owned(),
        _ => format!("; the {kept} plies before it are kept"),
    }
}

/// A game of a list or a fault.
#[derive(Debug)]
pub struct Listed {
    /// First line of the game or line of the fault, from 1.
    pub line: usize,
    /// A game with a fault is read up to it and followed by the fault.
    pub game: Result<Sheet, ListError>,
}

/// Reads the games of numbered lines one by one.
///
/// A blank line ends a block. Games without a start are games of the first variant in which the
/// whole block is legal, or else of the first variant.
pub fn read_lists<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    variants: &[Variant],
) -> impl Iterator<Item = Listed> {
    let mut blocks = Blocks { lines: lines.peekable(), held: Vec::new() };
    std::iter::from_fn(move || blocks.read_next(variants)).flatten()
}

/// Start of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListStart {
    /// The start of the variant.
    Usual,
    /// A position line.
    Position(String),
}

/// Splits a line `[position] [startpos | [fen] POSITION] [moves] MOVE…` into the start, if any, and
/// the moves. An unusable start is an error.
pub fn split_start(line: &str) -> (Option<Result<ListStart, ListError>>, &str) {
    let mut words = Words(line);
    let mut before = line;
    let mut first = words.next().unwrap_or_default();
    let is_position = first == "position";
    if is_position {
        before = words.0;
        first = words.next().unwrap_or_default();
    }
    let is_rows = first.contains('/') && !first.starts_with("1/2") && !is_comment(first);
    let start = match first {
        "moves" => return (Some(Ok(ListStart::Usual)), words.0),
        "startpos" => {
            let behind = words.0;
            match words.next() {
                None => Ok(ListStart::Usual),
                Some("moves") => return (Some(Ok(ListStart::Usual)), words.0),
                Some(word) if is_comment(word) => return (Some(Ok(ListStart::Usual)), behind),
                Some(word) => Err(ListError::Unexpected(quote(word))),
            }
        }
        "random" => Err(ListError::Random),
        "fen" => return position_line(words.0),
        _ if is_rows || is_position => return position_line(before),
        _ => return (None, line),
    };
    (Some(start), "")
}

/// Reads a position line up to `moves`, to a comment or to the end.
fn position_line(text: &str) -> (Option<Result<ListStart, ListError>>, &str) {
    let mut words = Words(text);
    let mut fields = Vec::new();
    let rest = loop {
        let before = words.0;
        match words.next() {
            None => break "",
            Some("moves") => break words.0,
            Some(word) if is_comment(word) => break before,
            Some(word) => fields.push(word),
        }
    };
    (Some(Ok(ListStart::Position(fields.join(" ")))), rest)
}

/// Iterator over the words of a line. The field is the rest of the line.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let (word, rest) =
            text.split_at_checked(text.find(char::is_whitespace).unwrap_or(text.len()))?;
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

fn is_comment(word: &str) -> bool {
    word.starts_with(['#', ';', '{', '('])
}

/// Longer blocks are read in parts of this number of lines. Every game is shorter.
const LONGEST_PART: usize = 1_000;

/// Splits numbered lines into blocks.
struct Blocks<'a, I: Iterator<Item = (usize, &'a str)>> {
    lines: Peekable<I>,
    /// Lines of the last game of a part, which may continue in the next part.
    held: Vec<(usize, &'a str)>,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Blocks<'a, I> {
    /// Reads the games of the next block or part of a block; `None` at the end.
    fn read_next(&mut self, variants: &[Variant]) -> Option<Vec<Listed>> {
        while self.held.is_empty()
            && self.lines.next_if(|(_, text)| text.trim().is_empty()).is_some()
        {}
        let mut lines = std::mem::take(&mut self.held);
        if lines.is_empty() {
            lines.push(self.lines.next()?);
        }
        let &(line, first) = lines.first()?;
        let (start, text) = split_start(first);
        let mut block = Block { line, start, text: text.to_owned() };
        // An unusable start is a block of its own.
        let is_used = !matches!(block.start, Some(Err(_)));
        let mut next = line + lines.len();
        let continues = |&(number, text): &(usize, &str), next| {
            is_used && number == next && !text.trim().is_empty() && split_start(text).0.is_none()
        };
        while lines.len() < LONGEST_PART
            && let Some(line) = self.lines.next_if(|line| continues(line, next))
        {
            lines.push(line);
            next += 1;
        }
        for (_, text) in lines.iter().skip(1) {
            block.text.push('\n');
            block.text.push_str(text);
        }
        let mut games = block.read(variants);
        if self.lines.peek().is_some_and(|line| continues(line, next)) {
            let last =
                games.iter().rposition(|listed| !listed.is_fault_of_game_before()).unwrap_or(0);
            if let Some(begin) =
                games.get(last).map(|listed| listed.line).filter(|&begin| begin > line)
            {
                games.truncate(last);
                self.held = lines.split_off(begin - line);
            }
        }
        Some(games)
    }
}

impl Listed {
    fn is_fault_of_game_before(&self) -> bool {
        matches!(self.game, Err(ListError::Cut { kept: 1.., .. }))
    }
}

/// Consecutive lines that are not blank. Only the first may have a start.
struct Block {
    /// Number of the first line.
    line: usize,
    start: Option<Result<ListStart, ListError>>,
    /// Text without the start.
    text: String,
}

impl Block {
    fn read(&self, variants: &[Variant]) -> Vec<Listed> {
        if let Some(Err(error)) = &self.start {
            return vec![Listed { line: self.line, game: Err(error.clone()) }];
        }
        let tokens = movetext::tokens(&self.text);
        let lines: Vec<&[Token]> = tokens.chunk_by(|one, other| one.line == other.line).collect();
        let mut first = None;
        for &variant in variants {
            let is_usual = first.is_none();
            let games = Reader { block: self, variant, is_usual }.read(&tokens, &lines);
            // In other variants than the first, a written result must follow from the moves.
            let fits = |game: &Result<Sheet, _>| {
                game.as_ref().is_ok_and(|sheet| is_usual || sheet.ending.is_none())
            };
            if games.iter().all(|listed| fits(&listed.game)) {
                return games;
            }
            first = first.or(Some(games));
        }
        first.unwrap_or_default()
    }
}

/// Reads a block as games of one variant.
struct Reader<'a> {
    block: &'a Block,
    variant: Variant,
    /// Whether this is the first variant. Others are abandoned at their first fault.
    is_usual: bool,
}

/// A game in progress.
struct Played {
    /// First line, from 1.
    line: usize,
    sheet: Sheet,
    /// Position after the moves.
    end: String,
    fault: Option<(usize, ListError)>,
    /// Number of tokens read.
    tokens: usize,
    has_result: bool,
}

impl Reader<'_> {
    /// Reads each line as a game, or all lines as one game, or decides line by line.
    fn read(&self, tokens: &[Token], lines: &[&[Token]]) -> Vec<Listed> {
        let has_start = self.block.start.is_some();
        let start = match &self.block.start {
            Some(Ok(start)) => start,
            _ => &ListStart::Usual,
        };
        let starts_alone = has_start && lines.first().is_none_or(|line| !is_first_line(line));
        let own = |line: &&[Token]| {
            let games = if is_first_line(line) {
                self.games(start, line)
            } else {
                self.games(&ListStart::Usual, line)
            };
            ((is_first_line(line) || begins_game(line)) && is_whole(&games)).then_some(games)
        };
        let separate: Option<Vec<Vec<Played>>> = lines.iter().map(own).collect();
        // A name or a row of numbers may be legal for both players, so that each line of one game
        // looks like a game.
        let is_one_game = || {
            movetext::are_rows(tokens) || has_names(tokens) && is_played(&self.games(start, tokens))
        };
        if let Some(separate) = separate.filter(|_| lines.len() <= 1 || !is_one_game()) {
            let alone = starts_alone.then(|| self.games(start, &[]));
            return listed(alone.into_iter().chain(separate).flatten(), has_start);
        }
        let joined = self.games(start, tokens);
        if is_played(&joined) || lines.len() <= 1 || movetext::are_rows(tokens) {
            return listed(joined.into_iter(), has_start);
        }
        self.line_by_line(start, starts_alone, lines)
    }

    /// Decides for each line whether it is a game or continues one. A line that can be a game is
    /// one, unless it also continues a game of several lines.
    fn line_by_line(
        &self,
        start: &ListStart,
        starts_alone: bool,
        lines: &[&[Token]],
    ) -> Vec<Listed> {
        let mut games: Vec<Played> = Vec::new();
        // Number of lines of the last game.
        let mut length = 0usize;
        if starts_alone {
            games.extend(self.games(start, &[]));
            length = 1;
        }
        for line in lines {
            if !self.is_usual && games.last().is_some_and(|game| game.fault.is_some()) {
                break;
            }
            let is_first = is_first_line(line);
            let own = self.games(if is_first { start } else { &ListStart::Usual }, line);
            let may_begin = is_first || begins_game(line);
            let is_broken = games.last().is_some_and(|game| game.fault.is_some());
            let next =
                games.last().filter(|game| length > 0 && !game.has_result && game.fault.is_none());
            let next = next.map(|game| self.games(&ListStart::Position(game.end.clone()), line));
            let continues = next.as_ref().is_some_and(|next| is_whole(next));
            let reads_further =
                has_names(line) && next.as_ref().is_some_and(|next| plies(next) >= plies(&own));
            if may_begin
                && is_whole(&own)
                && !(continues && length > 1)
                && !(is_broken && length > 1)
            {
                games.extend(own);
                length = 1;
            } else if length > 1 && is_broken && !first_number_is_one(line) {
                // Skip the rest of a game with a fault.
            } else if let Some(next) =
                next.filter(|_| continues || length > 1 || !may_begin || reads_further)
            {
                extend(&mut games, next);
                length += 1;
            } else {
                games.extend(own);
                length = 1;
            }
        }
        listed(games.into_iter(), self.block.start.is_some())
    }

    /// Reads tokens as games. A new game begins after a result.
    fn games(&self, start: &ListStart, tokens: &[Token]) -> Vec<Played> {
        let mut games: Vec<Played> = Vec::new();
        let mut rest = tokens;
        loop {
            let start = if games.is_empty() { start } else { &ListStart::Usual };
            let game = self.game(start, rest);
            rest = rest.get(game.tokens..).unwrap_or_default();
            let is_whole = game.fault.is_none();
            games.push(game);
            if rest.is_empty() || !is_whole {
                return games;
            }
        }
    }

    fn game(&self, start: &ListStart, tokens: &[Token]) -> Played {
        let line = self.block.line + tokens.first().map_or(0, |token| token.line);
        let visitor = Play { tokens, first_line: self.block.line, line };
        let played = match start {
            ListStart::Usual => Ok(self.variant.start().visit(visitor)),
            ListStart::Position(text) => visit_position(text, visitor),
        };
        played.unwrap_or_else(|error| Played::refused(line, error))
    }
}

impl Played {
    fn refused(line: usize, error: PositionError) -> Played {
        let error = ListError::Game(error.into());
        let sheet = Sheet::new(String::new());
        Played {
            line,
            sheet,
            end: String::new(),
            fault: Some((line, error)),
            tokens: 0,
            has_result: false,
        }
    }
}

struct Play<'a> {
    tokens: &'a [Token<'a>],
    first_line: usize,
    line: usize,
}

impl Visitor for Play<'_> {
    type Output = Played;

    fn visit<G: Notation>(self, start: G) -> Played {
        let reading = movetext::read(&start, self.tokens);
        let moves: Vec<String> = reading.moves.iter().map(ToString::to_string).collect();
        let outcome = reading.position.outcome();
        let mut sheet = Sheet { moves, ..Sheet::new(start.to_string()) };
        sheet.result = outcome.map_or(GameScore::Unfinished, GameScore::from);
        let mut fault = reading.fault.map(|ListFault { line, ply, error }| {
            let error =
                ListError::Cut { error: GameError::Move { ply, error }, kept: sheet.moves.len() };
            (self.first_line + line, error)
        });
        if let Some(written) = reading.result.flatten().map(GameScore::from) {
            if outcome.is_none() {
                sheet.result = written;
                sheet.ending = Some(AS_WRITTEN.to_owned());
            } else if sheet.result != written {
                let error = GameError::Result { found: written, expected: sheet.result };
                fault = Some((self.line, ListError::Cut { error, kept: sheet.moves.len() }));
            }
        }
        Played {
            line: self.line,
            end: reading.position.to_string(),
            sheet,
            fault,
            tokens: reading.tokens,
            has_result: reading.result.is_some(),
        }
    }
}

/// Ending of a game with a written result that does not follow from the moves.
const AS_WRITTEN: &str = "the result is as written";

/// Whether the tokens are on the first line of their block, which may have a start.
fn is_first_line(line: &[Token]) -> bool {
    line.first().is_some_and(|token| token.line == 0)
}

/// Whether a line may begin a game: it has a move, and no move number above 1 before it.
fn begins_game(line: &[Token]) -> bool {
    let has_move = line.iter().any(|token| matches!(token.kind, Kind::Word(_) | Kind::Unclosed(_)));
    has_move && !matches!(line.first(), Some(Token { kind: Kind::Number(2..), .. }))
}

/// Whether moves are written as names.
fn has_names(tokens: &[Token]) -> bool {
    tokens.iter().any(
        |token| matches!(token.kind, Kind::Word(word) if is_term(word) || word.contains(is_arrow)),
    )
}

fn plies(games: &[Played]) -> usize {
    games.iter().map(|game| game.sheet.moves.len()).sum()
}

fn first_number_is_one(line: &[Token]) -> bool {
    matches!(line.first(), Some(Token { kind: Kind::Number(1), .. }))
}

fn is_whole(games: &[Played]) -> bool {
    games.iter().all(|game| game.fault.is_none())
}

/// Whether all moves of the games are legal. A written result may contradict them.
fn is_played(games: &[Played]) -> bool {
    let is_result =
        |error: &ListError| matches!(error, ListError::Cut { error: GameError::Result { .. }, .. });
    games.iter().all(|game| game.fault.as_ref().is_none_or(|(_, error)| is_result(error)))
}

/// Appends moves to the last game, and then the other games.
fn extend(games: &mut Vec<Played>, read: Vec<Played>) {
    let mut read = read.into_iter();
    if let (Some(game), Some(next)) = (games.last_mut(), read.next()) {
        let before = game.sheet.moves.len();
        game.sheet.moves.extend(next.sheet.moves);
        (game.sheet.result, game.sheet.ending) = (next.sheet.result, next.sheet.ending);
        (game.end, game.has_result) = (next.end, next.has_result);
        game.fault = next.fault.map(|(line, error)| (line, error.after(before)));
    }
    games.extend(read);
}

impl ListError {
    /// Adds a number of earlier plies to the counts of the error.
    fn after(self, before: usize) -> ListError {
        match self {
            ListError::Cut { error: GameError::Move { ply, error }, kept } => ListError::Cut {
                error: GameError::Move { ply: ply + before, error },
                kept: kept + before,
            },
            other => other,
        }
    }
}

/// Lists the games, each followed by its fault. A game without plies is dropped if it has a fault
/// or no start.
fn listed(games: impl Iterator<Item = Played>, has_start: bool) -> Vec<Listed> {
    let mut all = Vec::new();
    for Played { line, sheet, fault, .. } in games {
        let keeps = !sheet.moves.is_empty() || (has_start && fault.is_none());
        all.extend(keeps.then_some(Listed { line, game: Ok(sheet) }));
        all.extend(fault.map(|(line, error)| Listed { line, game: Err(error) }));
    }
    all
}
