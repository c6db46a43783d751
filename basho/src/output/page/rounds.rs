//! Statistics of rounds. As with serves in tennis, a round is held if its opener wins it, and
//! broken otherwise.

use std::collections::BTreeMap;

use super::replay::{PlayedRound, Replay};
use oshi::game::Player;

/// Number of rounds by winner.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RoundTally {
    /// Won by their opener.
    pub held: u64,
    /// Won by the other player.
    pub broken: u64,
    /// Drawn, or with an unknown opener.
    pub others: u64,
}

impl RoundTally {
    /// Number of rounds.
    pub const fn total(&self) -> u64 {
        self.held + self.broken + self.others
    }

    /// Share of held rounds in percent; `None` without rounds.
    pub fn held_percent(&self) -> Option<f64> {
        self.percent(self.held)
    }

    /// Share of broken rounds in percent; `None` without rounds.
    pub fn broken_percent(&self) -> Option<f64> {
        self.percent(self.broken)
    }

    /// `part` in percent of all rounds; `None` without rounds.
    pub fn percent(&self, part: u64) -> Option<f64> {
        (self.total() > 0).then(|| part as f64 / self.total() as f64 * 100.0)
    }

    fn add(&mut self, round: &PlayedRound) {
        match (round.end.winner, round.opener) {
            (Some(winner), Some(opener)) if winner == opener => self.held += 1,
            (Some(_), Some(_)) => self.broken += 1,
            _ => self.others += 1,
        }
    }
}

/// Rounds of all games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rounds {
    /// All rounds.
    pub all: RoundTally,
    /// Rounds by the way they were won.
    pub ways: BTreeMap<&'static str, RoundTally>,
    /// Rounds by number in their game, from round 1.
    pub by_number: Vec<RoundTally>,
    /// Rounds by the engine that opened them.
    pub by_opener: Vec<RoundTally>,
}

impl Rounds {
    /// No rounds yet, for this many engines.
    pub fn new(engines: usize) -> Rounds {
        Rounds {
            all: RoundTally::default(),
            ways: BTreeMap::new(),
            by_number: Vec::new(),
            by_opener: vec![RoundTally::default(); engines],
        }
    }

    /// Counts the rounds of a game.
    pub fn add(&mut self, game: &Replay) {
        for round in &game.rounds {
            self.all.add(round);
            self.ways.entry(round.end.how).or_default().add(round);
            if self.by_number.len() < round.number {
                self.by_number.resize(round.number, RoundTally::default());
            }
            let opener = round.opener.map(|opener| match opener {
                Player::Black => game.black,
                Player::White => game.white,
            });
            let of_opener = opener.and_then(|engine| self.by_opener.get_mut(engine));
            let of_number = self.by_number.get_mut(round.number - 1);
            of_opener.into_iter().chain(of_number).for_each(|tally| tally.add(round));
        }
    }
}
