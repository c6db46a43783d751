//! The rounds of recorded matches.

use std::path::Path;

use oshi::game::{Game, Player};
use oshi::games::kamisado::Match;
use oshi::games::kamisado::eval::match_state::MatchState;

use crate::fitting::matches::{self, RecordedMatch};

/// A round that was played, from its start.
pub struct PlayedRound {
    /// The position in which it began.
    pub start: Match,
    /// The opener's chance in the match, as the opener said.
    pub said: f64,
    pub winner: Player,
    /// The teeth that the winner's tower had before.
    pub teeth: usize,
    pub match_winner: Player,
    /// How far the match was: 0 to 1.
    pub progress: f64,
}

impl PlayedRound {
    pub fn standing(&self) -> MatchState {
        MatchState::new(&self.start)
    }

    pub fn opener(&self) -> Player {
        self.start.turn()
    }
}

/// The rounds of each match.
#[derive(Default)]
pub struct Matches(Vec<Vec<PlayedRound>>);

impl Matches {
    /// Adds the matches of a tournament.
    ///
    /// # Errors
    ///
    /// Says why the folder cannot be read, or that its games are none of several rounds.
    pub fn read(&mut self, tournament: &Path) -> anyhow::Result<()> {
        matches::read(tournament, matches::OF_SEVERAL_ROUNDS, |recorded| {
            self.0.push(rounds(recorded))
        })
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The rounds of the matches whose places are wanted.
    pub fn rounds(&self, wanted: impl Fn(usize) -> bool) -> impl Iterator<Item = &PlayedRound> {
        self.0
            .iter()
            .enumerate()
            .filter(move |(place, _)| wanted(*place))
            .flat_map(|(_, rounds)| rounds)
    }
}

/// The rounds of a match that somebody won.
fn rounds(recorded: &RecordedMatch<'_>) -> Vec<PlayedRound> {
    let plies = recorded.plies();
    let (mut rounds, mut begun) = (Vec::new(), None);
    for (number, ply) in plies.iter().enumerate() {
        let (position, said) = (ply.position, ply.said);
        if position.is_free_choice() {
            begun = Some((position, said, number as f64 / plies.len() as f64));
        }
        let mut next = position;
        next.play(ply.mv);
        let gains =
            |&player: &Player| next.points()[player.index()] > position.points()[player.index()];
        if let Some((winner, (start, said, progress))) =
            Player::ALL.into_iter().find(gains).zip(begun)
        {
            let [before, after] = [position, next].map(|position| position.ranks(winner));
            // A fourth tooth leaves the ranks as they are counted.
            let teeth = (0..4).find(|&teeth| after[teeth] < before[teeth]).unwrap_or(3);
            rounds.push(PlayedRound {
                start,
                said,
                winner,
                teeth,
                match_winner: recorded.winner,
                progress,
            });
        }
    }
    rounds
}
