//! What can be said of a position and shown to others.

use std::fmt::{self, Display};

use crate::game::{Game, Outcome, Player};

/// What a player is shown to reach, whatever the opponent does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// A win of this player.
    Win(Player),
    /// A draw of this player at least.
    Draw(Player),
}

impl Claim {
    /// What shows that a position has this result: a win takes one claim, a draw one of each player.
    pub fn of(outcome: Outcome) -> Vec<Claim> {
        match outcome {
            Outcome::Win(player) => vec![Claim::Win(player)],
            Outcome::Draw => Player::ALL.map(Claim::Draw).to_vec(),
        }
    }

    /// Whose strategy shows it.
    pub(in crate::search) const fn player(self) -> Player {
        match self {
            Claim::Win(player) | Claim::Draw(player) => player,
        }
    }

    fn holds_with(self, outcome: Outcome) -> bool {
        match self {
            Claim::Win(player) => outcome == Outcome::Win(player),
            Claim::Draw(player) => outcome != Outcome::Win(!player),
        }
    }

    /// Whether the game is over with it.
    pub(in crate::search) fn is_reached_in<G: Game>(self, position: &G) -> bool {
        position.outcome().is_some_and(|outcome| self.holds_with(outcome))
    }
}

impl Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Win(player) => write!(f, "win {}", player.letter()),
            Claim::Draw(player) => write!(f, "draw {}", player.letter()),
        }
    }
}
