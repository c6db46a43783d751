//! The lines of a sheet that follow from the plies. Printing and parsing share them.

use super::game::GameScore;
use oshi::game::Player;
use oshi::games::language::{Language, Terms, fill};
use oshi::games::notation::Notation;

/// A line that follows from the plies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A line of words.
    Words(String),
    /// Headings of the two columns above the plies of a round, in which rows are numbered from 1.
    Columns,
}

/// A game in progress on a sheet.
#[derive(Debug)]
pub struct Frame<G> {
    pub position: G,
    language: Language,
    rounds: u32,
}

impl<G: Notation> Frame<G> {
    /// Starts a sheet. Returns its first lines, too.
    pub fn new(position: G, language: Language) -> (Frame<G>, Vec<Line>) {
        let mut frame = Frame { position, language, rounds: 0 };
        let mut lines = frame.round_lines();
        if lines.is_empty() {
            lines.push(Line::Columns);
        }
        (frame, lines)
    }

    /// Plays a legal move. Returns the lines after it.
    pub fn play(&mut self, mv: G::Move) -> Vec<Line> {
        let before = self.position;
        self.position.play(mv);
        let mut lines: Vec<Line> = self
            .position
            .decided_since(&before, self.language)
            .into_iter()
            .map(Line::Words)
            .collect();
        if self.position.round().is_opening() {
            lines.extend(self.round_lines());
        }
        lines
    }

    fn round_lines(&mut self) -> Vec<Line> {
        let mut lines: Vec<Line> = self
            .position
            .round_heading(self.rounds + 1, self.language)
            .into_iter()
            .map(Line::Words)
            .collect();
        if !lines.is_empty() {
            self.rounds += 1;
            lines.push(Line::Columns);
        }
        lines
    }
}

/// Last line of a game that the rules did not end; `None` for a draw, which has no such line.
pub fn closing_line(result: GameScore, terms: &Terms) -> Option<String> {
    if result == GameScore::Unfinished {
        return Some(terms.unfinished.to_owned());
    }
    let winner = player_name(terms, result.winner()?);
    Some(fill(terms.forfeit, &[("player", winner)]))
}

/// Name of the player in the language of `terms`.
pub const fn player_name(terms: &Terms, player: Player) -> &'static str {
    let [black, white] = terms.players;
    match player {
        Player::Black => black,
        Player::White => white,
    }
}
