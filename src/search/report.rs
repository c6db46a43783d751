//! Reports of a search: its best lines and their values.

use std::time::Duration;

/// Value of a position or move for the player to move at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// Proven: the player wins within this number of own moves, an upper bound.
    Win(u32),
    /// Proven: the player loses within this number of own moves against best play.
    Loss(u32),
    /// Proven: a draw against best play.
    Draw,
    /// Not proven: win probability from 0 to 1, a draw counting half.
    WinProbability(f32),
}

impl Value {
    /// Whether the value is proven.
    pub const fn is_proven(self) -> bool {
        !matches!(self, Value::WinProbability(_))
    }

    /// Win probability from 0 to 1, a draw counting half.
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
    /// Sort key, higher for better values: wins first, shorter ones before longer ones; then
    /// unproven values and draws; then losses, longer ones first.
    pub(super) fn rank(self) -> f64 {
        match self {
            Value::Win(moves) => 2.0 + 1.0 / (1.0 + f64::from(moves)),
            Value::Loss(moves) => -1.0 - 1.0 / (1.0 + f64::from(moves)),
            value => value.win_probability().into(),
        }
    }
}

/// A root move and its principal variation.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<M> {
    /// Value for the player to move at the root.
    pub value: Value,
    /// Expected moves from the root move on, passes included; never empty.
    pub moves: Vec<M>,
}

/// State of a search at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Report<M> {
    /// Mean depth of the visits, in plies with a choice. If the answer is proven, the distance to
    /// the end in plies.
    pub depth: u32,
    /// Maximum depth reached, at least `depth`.
    pub seldepth: u32,
    /// Visits of the search trees plus expansions of the proof searches.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// Used share of the tree's memory, in permille.
    pub hashfull: u32,
    /// The best root moves, best first; empty only if the game is over.
    pub lines: Vec<Line<M>>,
}

impl<M: Copy> Report<M> {
    /// The move to play; `None` only if the game is over.
    pub fn best_move(&self) -> Option<M> {
        self.lines.first().and_then(|line| line.moves.first().copied())
    }

    /// The expected reply, to ponder on; `None` if the line ends before it.
    pub fn ponder_move(&self) -> Option<M> {
        self.lines.first().and_then(|line| line.moves.get(1).copied())
    }
}
