//! The rounds of recorded matches.

use std::path::Path;

use oshi::game::{Game, Player};
use oshi::games::kamisado::Match;
use oshi::games::kamisado::eval::match_state::MatchState;

use crate::fitting::matches::{self, RecordedMatch};

/// A round of a recorded match.
pub struct PlayedRound {
    /// The position at its start.
    pub start: Match,
    /// The win probability in the match that the opener reported.
    pub reported: f64,
    pub winner: Player,
    /// Teeth of the winning tower before the round.
    pub teeth: usize,
    pub match_winner: Player,
    /// Share of the match's plies before the round, 0 to 1.
    pub progress: f64,
}

impl PlayedRound {
    pub fn state(&self) -> MatchState {
        MatchState::new(&self.start)
    }

    pub fn opener(&self) -> Player {
        self.start.turn()
    }
}

/// Rounds by match.
#[derive(Default)]
pub struct Matches(Vec<Vec<PlayedRound>>);

impl Matches {
    /// Adds the matches of a tournament.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read, or its games are not matches of several rounds.
    pub fn read(&mut self, tournament: &Path) -> anyhow::Result<()> {
        matches::read(tournament, |recorded| self.0.push(rounds(recorded)))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Rounds of the matches with an index that passes the filter.
    pub fn rounds(&self, filter: impl Fn(usize) -> bool) -> impl Iterator<Item = &PlayedRound> {
        self.0
            .iter()
            .enumerate()
            .filter(move |(index, _)| filter(*index))
            .flat_map(|(_, rounds)| rounds)
    }
}

/// Splits a match into its rounds.
fn rounds(recorded: &RecordedMatch<'_>) -> Vec<PlayedRound> {
    let plies = recorded.plies();
    let (mut rounds, mut started) = (Vec::new(), None);
    for (number, ply) in plies.iter().enumerate() {
        let (position, reported) = (ply.position, ply.reported);
        if position.is_free_choice() {
            started = Some((position, reported, number as f64 / plies.len() as f64));
        }
        let mut next = position;
        next.play(ply.mv);
        let gains =
            |&player: &Player| next.points()[player.index()] > position.points()[player.index()];
        if let Some((winner, (start, reported, progress))) =
            Player::ALL.into_iter().find(gains).zip(started)
        {
            let [before, after] = [position, next].map(|position| position.ranks(winner));
            // `ranks` does not count a tower with four teeth.
            let teeth = (0..4).find(|&teeth| after[teeth] < before[teeth]).unwrap_or(3);
            rounds.push(PlayedRound {
                start,
                reported,
                winner,
                teeth,
                match_winner: recorded.winner,
                progress,
            });
        }
    }
    rounds
}
