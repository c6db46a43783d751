//! What can be said of a position and shown to others.

use std::fmt::{self, Display};

use crate::game::{Game, Outcome, Player};

/// What a player is shown to reach, whatever the opponent does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objective {
    /// A win of this player.
    Win(Player),
    /// A draw of this player at least.
    AtLeastDraw(Player),
}

impl Objective {
    /// What shows that a position has this result: a win takes one claim, a draw one of each player.
    pub fn of(outcome: Outcome) -> Vec<Objective> {
        match outcome {
            Outcome::Win(player) => vec![Objective::Win(player)],
            Outcome::Draw => Player::ALL.map(Objective::AtLeastDraw).to_vec(),
        }
    }

    /// Whose strategy shows it.
    pub(in crate::search) const fn player(self) -> Player {
        match self {
            Objective::Win(player) | Objective::AtLeastDraw(player) => player,
        }
    }

    fn holds_with(self, outcome: Outcome) -> bool {
        match self {
            Objective::Win(player) => outcome == Outcome::Win(player),
            Objective::AtLeastDraw(player) => outcome != Outcome::Win(!player),
        }
    }

    /// Whether the game is over with it.
    pub(in crate::search) fn is_reached_in<G: Game>(self, position: &G) -> bool {
        position.outcome().is_some_and(|outcome| self.holds_with(outcome))
    }
}

impl Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objective::Win(player) => write!(f, "win {}", player.letter()),
            Objective::AtLeastDraw(player) => write!(f, "draw {}", player.letter()),
        }
    }
}
