//! Openings: the usual start, a random start, random moves from it, or the lines of a file.

use std::io;
use std::path::{Path, PathBuf};

use rand::seq::{IndexedRandom, SliceRandom};

use crate::config::schedule::Schedule;
use crate::config::{Openings, Order};
use crate::sheet::{ListStart, split_start};
use oshi::game::Text;
use oshi::games::movetext::{self, Kind};
use oshi::games::notation::Notation;
use oshi::protocol::{Command, Start};
use oshi::text;

/// A start position and the moves played from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening<G: Text> {
    /// Start position, unless it is the variant's own.
    other_start: Option<G>,
    moves: Vec<G::Move>,
    position: G,
}

/// An error in the openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A line of the file is not an opening.
    #[error(
        "{path}:{line}: {message}; \
         expected `[position] [startpos | [fen] POSITION] [moves MOVE...]` or just moves"
    )]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Error message.
        message: String,
    },
    /// The file holds no opening.
    #[error("{0}: no openings; expected one per line")]
    Empty(PathBuf),
    /// Every draw of random moves ended the game.
    #[error("openings: {0} random moves end the game too often; expected fewer random_plies")]
    TooLong(u32),
}

impl<G: Text> Opening<G> {
    /// An opening without moves, from `other_start` or the variant's own start.
    fn new(start: G, other_start: Option<G>) -> Opening<G> {
        Opening { other_start, moves: Vec::new(), position: other_start.unwrap_or(start) }
    }

    fn play(&mut self, mv: G::Move) {
        self.position.play(mv);
        self.moves.push(mv);
    }

    /// Position after the opening.
    pub const fn position(&self) -> G {
        self.position
    }

    /// Start position, unless it is the variant's own.
    pub const fn other_start(&self) -> Option<G> {
        self.other_start
    }

    /// Moves of the opening.
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// Position line of the start, or `startpos` for the variant's own.
    pub fn start_line(&self) -> String {
        self.other_start.map_or_else(|| "startpos".to_owned(), |start| start.to_string())
    }

    /// The `position` command that sets up the opening.
    pub fn command(&self) -> Command {
        Command::Position {
            start: self.other_start.map_or(Start::StartPos, |start| Start::Fen(start.to_string())),
            moves: self.moves.iter().map(ToString::to_string).collect(),
        }
    }
}

/// The openings of a tournament.
#[derive(Clone, Debug)]
pub struct Book<G: Text> {
    start: G,
    random_start: bool,
    random_plies: u32,
    /// Openings of the file in the order of play; empty if openings are random.
    lines: Vec<Opening<G>>,
}

impl<G: Notation> Book<G> {
    /// Reads or prepares the openings of a tournament. `start` is the start of its variant.
    ///
    /// # Errors
    /// [`OpeningError`] names the file, the line and what was expected.
    pub fn new(
        openings: &Openings,
        schedule: &Schedule,
        start: G,
    ) -> Result<Book<G>, OpeningError> {
        let mut lines = match &openings.file {
            Some(path) => read_file(path, openings.plies, start)?,
            None => Vec::new(),
        };
        if openings.order == Some(Order::Random) {
            lines.shuffle(&mut schedule.shuffle_rng());
        }
        if let Some(first) = openings.start {
            let skipped = (first.get() - 1).checked_rem(lines.len() as u64).unwrap_or_default();
            lines.rotate_left(skipped as usize);
        }
        let random_plies = openings.random_plies.unwrap_or(0);
        Ok(Book { start, random_start: openings.random_start, random_plies, lines })
    }
}

impl<G: Text> Book<G> {
    /// The opening of a round, counted from 0.
    ///
    /// # Errors
    /// [`OpeningError::TooLong`] if all 1,000 draws of random moves end the game.
    pub fn opening(&self, schedule: &Schedule, round: u64) -> Result<Opening<G>, OpeningError> {
        if let Some(index) = round.checked_rem(self.lines.len() as u64)
            && let Some(opening) = self.lines.get(index as usize)
        {
            return Ok(opening.clone());
        }
        let mut rng = schedule.opening_rng(round);
        for _ in 0..MAX_DRAWS {
            let mut opening = Opening::new(
                self.start,
                self.random_start.then(|| self.start.random_start(&mut rng)),
            );
            while opening.position.outcome().is_none()
                && opening.moves.len() < self.random_plies as usize
            {
                let Some(&mv) = opening.position.legal_moves().choose(&mut rng) else { break };
                opening.play(mv);
            }
            if opening.position.outcome().is_none() {
                return Ok(opening);
            }
        }
        Err(OpeningError::TooLong(self.random_plies))
    }
}

/// Enough for any number of random moves that more than a few games survive.
const MAX_DRAWS: usize = 1000;

fn read_file<G: Notation>(
    path: &Path,
    plies: Option<u32>,
    start: G,
) -> Result<Vec<Opening<G>>, OpeningError> {
    let refused = |source| OpeningError::File { path: path.to_owned(), source };
    let text = text::read(path).map_err(refused)?;
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let read = read_line(line, plies, start);
        let read = read.map_err(|message| OpeningError::Line {
            path: path.to_owned(),
            line: number,
            message,
        })?;
        openings.extend(read);
    }
    if openings.is_empty() { Err(OpeningError::Empty(path.to_owned())) } else { Ok(openings) }
}

/// Reads the opening on a line, at most `plies` moves of it; `None` if the line has neither start
/// nor move.
fn read_line<G: Notation>(
    line: &str,
    plies: Option<u32>,
    start: G,
) -> Result<Option<Opening<G>>, String> {
    let (named, moves) = split_start(line);
    let named = named.transpose().map_err(|error| error.to_string())?;
    let tokens = movetext::tokens(moves);
    let has_move =
        tokens.iter().any(|token| matches!(token.kind, Kind::Word(_) | Kind::Unclosed(_)));
    if named.is_none() && !has_move {
        return Ok(None);
    }
    let other_start = match named {
        None | Some(ListStart::Usual) => None,
        Some(ListStart::Position(line)) => {
            Some(line.parse().map_err(|error: G::Err| error.to_string())?)
        }
    };
    let mut opening = Opening::new(start, other_start);
    let reading = movetext::read(&opening.position, &tokens);
    let most = plies.map_or(usize::MAX, |plies| plies as usize);
    if let Some(fault) = reading.fault.filter(|fault| fault.ply <= most) {
        return Err(format!("move {}: {}", fault.ply, fault.error));
    }
    for mv in reading.moves.into_iter().take(most) {
        opening.play(mv);
    }
    if opening.position.outcome().is_some() {
        return Err("the game is over after it; expected fewer moves, as with `plies=4`".to_owned());
    }
    Ok(Some(opening))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schedule::Format;
    use oshi::game::Game;
    use oshi::games::kamisado::{Match, Target};

    fn start() -> Match {
        Match::start(Target::Standard)
    }

    fn schedule(seed: u64) -> Schedule {
        Schedule::new(Format::RoundRobin, 2, 1000, seed)
    }

    fn commands(openings: Openings, seed: u64, rounds: u64) -> Vec<String> {
        let schedule = schedule(seed);
        let book = Book::new(&openings, &schedule, start()).unwrap();
        (0..rounds)
            .map(|round| book.opening(&schedule, round).unwrap().command().to_string())
            .collect()
    }

    #[test]
    fn draws_openings_from_the_seed() {
        let openings =
            || Openings { random_plies: Some(3), random_start: true, ..Openings::default() };
        let drawn = commands(openings(), 1, 20);
        assert_eq!(drawn, commands(openings(), 1, 20));
        assert_ne!(drawn, commands(openings(), 2, 20));
        assert!(drawn.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(drawn.iter().all(
            |line| line.starts_with("position fen ") && line.split(" moves ").nth(1).is_some()
        ));
    }

    #[test]
    fn random_moves_do_not_end_the_game() {
        let openings = Openings { random_plies: Some(12), ..Openings::default() };
        let schedule = schedule(5);
        let book = Book::new(&openings, &schedule, Match::start(Target::Simple)).unwrap();
        for round in 0..200 {
            let opening = book.opening(&schedule, round).unwrap();
            assert_eq!(opening.moves().len(), 12);
            assert_eq!(opening.position().outcome(), None);
        }
        let endless = Openings { random_plies: Some(64), ..Openings::default() };
        let book = Book::new(&endless, &schedule, Match::start(Target::Simple)).unwrap();
        assert!(book.opening(&schedule, 0).unwrap_err().to_string().contains("64 random moves"));
    }

    #[test]
    fn starts_at_usual_start_by_default() {
        assert_eq!(commands(Openings::default(), 1, 1), ["position startpos"]);
    }

    fn file(text: &str) -> (tempfile::TempDir, Openings) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("openings.txt");
        std::fs::write(&path, text).unwrap();
        (dir, Openings { file: Some(path), ..Openings::default() })
    }

    #[test]
    fn reads_positions_and_moves_of_a_file() {
        let line = "OLVPYRGB/8/8/8/8/8/8/gbrypvlo b - 0-0 3";
        let text = format!(
            "# mine\n\nstartpos\na1a5\nmoves d1d5 # centre\nstartpos moves e1e5\n\
             {line}\n{line} moves a1a4\n"
        );
        let (_dir, openings) = file(&text);
        let expected = [
            "position startpos".to_owned(),
            "position startpos moves a1a5".to_owned(),
            "position startpos moves d1d5".to_owned(),
            "position startpos moves e1e5".to_owned(),
            format!("position fen {line}"),
            format!("position fen {line} moves a1a4"),
        ];
        assert_eq!(commands(openings.clone(), 1, 6), expected);
        assert_eq!(
            commands(openings.clone(), 1, 7)[6],
            expected[0],
            "they start again after the last one"
        );
        let mut shuffled = commands(Openings { order: Some(Order::Random), ..openings }, 3, 6);
        assert_ne!(shuffled, expected);
        shuffled.sort();
        let mut sorted = expected;
        sorted.sort();
        assert_eq!(shuffled, sorted);
    }

    #[test]
    fn starts_at_given_opening_of_a_file() {
        let (_dir, openings) = file("a1a2\na1a3\na1a4\n");
        let from = |start, order| {
            let start = std::num::NonZeroU64::new(start);
            commands(Openings { start, order, ..openings.clone() }, 3, 4)
        };
        let (all, shuffled) = (from(1, None), from(1, Some(Order::Random)));
        assert_eq!(from(2, None), [1, 2, 0, 1].map(|index: usize| all[index].clone()));
        assert_eq!(
            from(3, Some(Order::Random)),
            [2, 0, 1, 2].map(|index: usize| shuffled[index].clone())
        );
        assert_eq!(from(8, None), from(2, None), "past the last one");
    }

    #[test]
    fn reads_position_commands_and_cuts_whole_games() {
        let line = "OLVPYRGB/8/8/8/8/8/8/gbrypvlo b - 0-0 3";
        let text =
            format!("position startpos moves a1a5\nposition fen {line} moves a1a4\nfen {line}\n");
        let (_dir, openings) = file(&text);
        let whole = [
            "position startpos moves a1a5".to_owned(),
            format!("position fen {line} moves a1a4"),
            format!("position fen {line}"),
        ];
        assert_eq!(commands(openings, 1, 3), whole);
        let mut game = start();
        let mut moves = Vec::new();
        while let Some(&mv) = game.legal_moves().first() {
            game.play(mv);
            moves.push(mv.to_string());
        }
        let (_dir, openings) = file(&format!("position startpos moves {}", moves.join(" ")));
        let error = Book::new(&openings, &schedule(1), start()).unwrap_err().to_string();
        assert!(
            error.contains("the game is over after it; expected fewer moves, as with `plies=4`"),
            "{error}"
        );
        for (plies, expected) in [
            (0, "position startpos".to_owned()),
            (2, format!("position startpos moves {}", moves[..2].join(" "))),
        ] {
            assert_eq!(
                commands(Openings { plies: Some(plies), ..openings.clone() }, 1, 1),
                [expected]
            );
        }
    }

    #[test]
    fn ignores_byte_order_mark() {
        let (_dir, openings) = file("\u{feff}a1a5\r\nb1b5\r\n");
        assert_eq!(
            commands(openings, 1, 2),
            ["position startpos moves a1a5", "position startpos moves b1b5"]
        );
    }

    #[test]
    fn names_invalid_line() {
        for (text, number, message) in [
            ("startpos\nnonsense\n", 2, "move 1: `nonsense` is not a move"),
            ("a1a5\n\na1a5 a1a5\n", 3, "move 2"),
            ("startpos moves z9z9\n", 1, "move 1"),
        ] {
            let (_dir, openings) = file(text);
            let error = Book::new(&openings, &schedule(1), start()).unwrap_err().to_string();
            assert!(error.contains(&format!("openings.txt:{number}: ")), "{error}");
            assert!(error.contains(message), "{error}");
        }
        let (_dir, openings) = file("# nothing\n");
        assert!(
            Book::new(&openings, &schedule(1), start())
                .unwrap_err()
                .to_string()
                .contains("no openings")
        );
    }
}
