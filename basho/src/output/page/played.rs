//! The played games, ready for the page: each one as text, and their sums.

use serde::Serialize;

use super::embed::json;
use super::openings::{GameStart, Opening, numbered};
use super::places::Places;
use super::replay::Replay;
use super::rounds::Rounds;
use super::tables::TimeUse;
use crate::config::Tournament;
use crate::record::{GameRecord, Reason};
use crate::records::validate::Course;
use crate::sheet::GameScore;
use oshi::draw::Draw;
use oshi::games::Variant;
use oshi::games::notation::Notation;

/// The played games, ready for the page.
pub struct PlayedGames {
    pub variant: Variant,
    pub games: Vec<Entry>,
    /// Games as text, in the order of `games`: a line with the record, and one with the [`Replay`].
    pub texts: Vec<String>,
    pub game_start: Vec<GameStart>,
    /// Boards of the games, without duplicates.
    pub stages: Vec<String>,
    pub rounds: Rounds,
    pub places: Places,
    pub times: Vec<TimeUse>,
}

/// An entry in the list of games.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    pub number: u64,
    pub black: usize,
    pub white: usize,
    pub result: GameScore,
    pub reason: Reason,
    pub plies: u32,
    /// Number of marked errors.
    pub errors: usize,
    /// Index of the game's opening.
    pub opening: usize,
}

impl PlayedGames {
    /// No games yet.
    pub fn new(tournament: &Tournament) -> PlayedGames {
        let engines = tournament.engines.len();
        PlayedGames {
            variant: tournament.variant.0,
            games: Vec::new(),
            texts: Vec::new(),
            game_start: Vec::new(),
            stages: Vec::new(),
            rounds: Rounds::new(engines),
            places: Places::default(),
            times: vec![TimeUse::default(); engines],
        }
    }

    /// Adds a game unless it was interrupted. `line` is its record as text.
    pub fn add<G: Draw + Notation>(&mut self, record: &GameRecord, line: &str, course: &Course<G>) {
        if record.result == GameScore::Unfinished {
            return;
        }
        let stages = &mut self.stages;
        let replay = Replay::new(record, course, self.variant, |position| {
            let stage = position.stage();
            stages.iter().position(|known| *known == stage).unwrap_or_else(|| {
                stages.push(stage);
                stages.len() - 1
            })
        });
        self.rounds.add(&replay);
        self.places.add(replay.stage, [replay.black, replay.white], &replay.events);
        for (turn, engine) in [(0, replay.black), (1, replay.white)] {
            if let Some(times) = self.times.get_mut(engine) {
                times.add(record, |index| replay.turn_before(replay.opening + index) == Some(turn));
            }
        }
        self.texts.push(format!("{}\n{}", line.trim(), json(&replay)));
        let Replay { black, white, plies, drops, game_start, .. } = replay;
        let (number, result, reason) = (record.game, record.result, record.reason);
        let (plies, errors) = (plies.len() as u32, drops.len());
        self.games.push(Entry { number, black, white, result, reason, plies, errors, opening: 0 });
        self.game_start.push(game_start);
    }

    /// Sorts the games by number, and assigns their openings.
    pub fn order(&mut self) -> Vec<Opening> {
        let texts = self.texts.drain(..).zip(self.game_start.drain(..));
        let mut all: Vec<(Entry, (String, GameStart))> = self.games.drain(..).zip(texts).collect();
        all.sort_by_key(|(entry, _)| entry.number);
        (self.games, (self.texts, self.game_start)) = all.into_iter().unzip();
        self.times.iter_mut().for_each(TimeUse::sort);
        let (openings, numbers) = numbered(&self.game_start);
        self.games.iter_mut().zip(numbers).for_each(|(game, number)| game.opening = number);
        openings
    }
}
