//! Bounds on the result of a position.

use oshi::game::{Outcome, Player};
use oshi::solver::Objective;

/// Worst and best possible result for Black: 1 for a win, 0 for a draw, -1 for a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    worst: i8,
    best: i8,
}

fn for_black(outcome: Outcome) -> i8 {
    match outcome {
        Outcome::Win(Player::Black) => 1,
        Outcome::Draw => 0,
        Outcome::Win(Player::White) => -1,
    }
}

impl Bounds {
    /// Nothing is known.
    pub const NONE: Bounds = Bounds { worst: -1, best: 1 };

    pub fn exactly(outcome: Outcome) -> Bounds {
        let result = for_black(outcome);
        Bounds { worst: result, best: result }
    }

    /// The bounds that follow from a proven objective.
    pub fn of(objective: Objective) -> Bounds {
        match objective {
            Objective::Win(player) => Bounds::exactly(Outcome::Win(player)),
            Objective::AtLeastDraw(Player::Black) => Bounds { worst: 0, ..Bounds::NONE },
            Objective::AtLeastDraw(Player::White) => Bounds { best: 0, ..Bounds::NONE },
        }
    }

    /// Objectives with these bounds; the inverse of [`of`](Self::of).
    pub fn objectives(self) -> Vec<Objective> {
        match self.outcome() {
            Some(outcome) => Objective::of(outcome),
            None if self.worst == 0 => vec![Objective::AtLeastDraw(Player::Black)],
            None if self.best == 0 => vec![Objective::AtLeastDraw(Player::White)],
            None => Vec::new(),
        }
    }

    /// The intersection of two bounds, or `None` if they contradict each other.
    pub fn and(self, other: Bounds) -> Option<Bounds> {
        let both = Bounds { worst: self.worst.max(other.worst), best: self.best.min(other.best) };
        (both.worst <= both.best).then_some(both)
    }

    /// Bounds of a position from those after each of its moves. `player` chooses among the moves.
    pub fn of_moves(player: Player, moves: impl Iterator<Item = Bounds>) -> Bounds {
        let better = |one: Bounds, other: Bounds| match player {
            Player::Black => {
                Bounds { worst: one.worst.max(other.worst), best: one.best.max(other.best) }
            }
            Player::White => {
                Bounds { worst: one.worst.min(other.worst), best: one.best.min(other.best) }
            }
        };
        moves.reduce(better).unwrap_or(Bounds::NONE)
    }

    /// The result, if the bounds are equal.
    pub fn outcome(self) -> Option<Outcome> {
        [Outcome::Win(Player::Black), Outcome::Draw, Outcome::Win(Player::White)]
            .into_iter()
            .find(|&outcome| self == Bounds::exactly(outcome))
    }

    /// Whether this player wins, if known.
    pub fn wins(self, player: Player) -> Option<bool> {
        let win = for_black(Outcome::Win(player));
        if self.outcome() == Some(Outcome::Win(player)) {
            Some(true)
        } else if win < self.worst || self.best < win {
            Some(false)
        } else {
            None
        }
    }
}
