//! Objectives of a player, the statements that a proof or a certificate shows.

use std::fmt::{self, Display};

use crate::game::{Game, Outcome, Player};

/// A result that a player can force.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objective {
    /// This player wins.
    Win(Player),
    /// This player wins or draws.
    AtLeastDraw(Player),
}

impl Objective {
    /// The objectives that together prove this result: one for a win, one per player for a draw.
    pub fn of(outcome: Outcome) -> Vec<Objective> {
        match outcome {
            Outcome::Win(player) => vec![Objective::Win(player)],
            Outcome::Draw => Player::ALL.map(Objective::AtLeastDraw).to_vec(),
        }
    }

    /// The player of the strategy.
    pub(super) const fn player(self) -> Player {
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

    /// Whether the game is over and the objective reached.
    pub(super) fn is_reached_in<G: Game>(self, position: &G) -> bool {
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
