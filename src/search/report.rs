//! What a search says of itself, for whoever prints it.

use std::time::Duration;

/// The value of a position or move, for the player whose turn it is at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// Proven: the player wins within this many own moves, an upper bound from the proof.
    Win(u32),
    /// Proven: the player loses within this many own moves against best play.
    Loss(u32),
    /// Proven: nobody wins against best play.
    Draw,
    /// Not proven: the chance to win, draws counted half, 0 to 1.
    WinProbability(f32),
}

impl Value {
    /// Whether the value is proven.
    pub const fn is_proven(self) -> bool {
        !matches!(self, Value::WinProbability(_))
    }

    /// The chance to win, draws counted half, 0 to 1.
    pub const fn win_probability(self) -> f32 {
        match self {
            Value::Win(_) => 1.0,
            Value::Loss(_) => 0.0,
            Value::Draw => 0.5,
            Value::WinProbability(win_probability) => win_probability,
        }
    }
}

impl Value {
    /// Higher for the better: wins before chances and draws, the shorter the better, losses behind them, the longer the better.
    pub(super) fn rank(self) -> f64 {
        match self {
            Value::Win(moves) => 2.0 + 1.0 / (1.0 + f64::from(moves)),
            Value::Loss(moves) => -1.0 - 1.0 / (1.0 + f64::from(moves)),
            value => value.win_probability().into(),
        }
    }
}

/// One root move and the line that follows from it.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<M> {
    /// The value for the player whose turn it is at the root.
    pub value: Value,
    /// The expected moves, passes among them, from the root move on; never empty.
    pub moves: Vec<M>,
}

/// The state of a search at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Report<M> {
    /// The mean depth of the visits, in plies of choice; of a proven answer the length of the
    /// proof, in plies.
    pub depth: u32,
    /// The greatest depth reached, at least `depth`.
    pub seldepth: u32,
    /// Visits of the search tree, and expansions of the proof search.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How much of the memory is used, in permille.
    pub hashfull: u32,
    /// The best root moves, best first; empty only where the game is over.
    pub lines: Vec<Line<M>>,
}

impl<M: Copy> Report<M> {
    /// The move to play; `None` only where the game is over.
    pub fn best_move(&self) -> Option<M> {
        self.lines.first().and_then(|line| line.moves.first().copied())
    }

    /// The reply to ponder on, if one is expected.
    pub fn ponder_move(&self) -> Option<M> {
        self.lines.first().and_then(|line| line.moves.get(1).copied())
    }
}
