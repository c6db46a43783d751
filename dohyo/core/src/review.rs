//! Review of a game: finds the moves that lost win probability and marks them.
//!
//! The caller searches every position with a choice and passes the evaluations in. A move with a
//! drop in value is a [`Suspect`]. The caller searches it again for longer and updates it, because
//! the noise of two searches must not mark a good move. [`ReviewPlan::verdicts`] makes the marks.

use std::collections::BTreeMap;

use oshi::game::{Outcome, Player};

use crate::board::Board;
use crate::game::{Eval, Game, GameId, Mark, MarkKind, NodeId, Summary};
use crate::search_output::{SearchOutput, for_black, win_probability};

/// Minimum loss of win probability of a dubious move.
const DUBIOUS: f64 = 0.15;

/// Minimum loss of win probability of a mistake.
const MISTAKE: f64 = 0.25;

/// Value of a draw.
const DRAW: f64 = 0.5;

/// The main line of a game, prepared for a review.
pub struct ReviewPlan {
    /// Id of the game.
    pub game: GameId,
    /// Positions of the main line.
    pub plies: Vec<ReviewPly>,
}

/// A position of the main line.
pub struct ReviewPly {
    /// Id of the position.
    pub node: NodeId,
    /// The position by the rules.
    pub board: Board,
    /// `position` command of the position.
    pub command: String,
    /// Whether there is more than one legal move.
    pub is_choice: bool,
    /// The played move. `None` for the last position.
    pub played: Option<String>,
}

/// Value of a position for Black.
#[derive(Clone, Debug)]
struct Value {
    black: f64,
    is_proven: bool,
    line: Vec<String>,
}

impl Value {
    fn of(eval: &Eval) -> Value {
        Value { black: eval.black, is_proven: eval.proven, line: eval.line.clone() }
    }
}

/// Values of the positions of a plan, by ply.
pub struct Values(BTreeMap<usize, Value>);

/// A move that seems to have lost win probability.
#[derive(Clone)]
pub struct Suspect {
    /// Index of the position before the move.
    pub ply: usize,
    /// Whether the best line is proven.
    pub best_is_proven: bool,
    /// Whether the value of the played move is proven.
    pub played_is_proven: bool,
    mover: Player,
    /// The best line and its win probability for the mover.
    line: Vec<String>,
    best: f64,
    /// Win probability of the mover after the played move.
    played: f64,
}

/// The result of a review.
pub struct Verdicts {
    /// Marks by the position after the move.
    pub marks: BTreeMap<NodeId, Mark>,
    /// Summaries of Black and White.
    pub summary: [Summary; 2],
}

impl Suspect {
    fn loss(&self) -> f64 {
        (self.best - self.played).max(0.0)
    }

    /// Takes over the best line of a longer search.
    pub fn update_best(&mut self, output: &SearchOutput) {
        let best = output.best().and_then(|info| Some((info, win_probability(info)?)));
        if let Some((info, value)) = best {
            (self.line, self.best, self.best_is_proven) =
                (info.pv.clone(), value, output.is_line_proven(info));
        }
    }

    /// Takes over the value of the played move from a longer search. Returns false if the search
    /// has no line with this move.
    pub fn update_played(&mut self, output: &SearchOutput, played: &String) -> bool {
        let line = output.lines.values().find(|info| info.pv.first() == Some(played));
        let found = line.and_then(|info| Some((info, win_probability(info)?)));
        if let Some((info, value)) = found.filter(|_| !self.played_is_proven) {
            (self.played, self.played_is_proven) = (value, output.is_line_proven(info));
        }
        found.is_some()
    }
}

impl ReviewPly {
    fn of(game: &Game, node: NodeId, next: Option<&NodeId>) -> Option<ReviewPly> {
        let board = game.board(node).ok()?.clone();
        let is_choice = board.legal().len() > 1;
        let played = next.and_then(|&next| game.node(next).ok()).map(|next| next.text.clone());
        Some(ReviewPly { node, board, command: game.command_to(node), is_choice, played })
    }
}

impl ReviewPlan {
    /// Prepares the main line of a game.
    pub fn of(game: &Game) -> ReviewPlan {
        let line = game.main_line();
        let ply = |(ply, &node): (usize, &NodeId)| ReviewPly::of(game, node, line.get(ply + 1));
        let plies = line.iter().enumerate().filter_map(ply).collect();
        ReviewPlan { game: game.id.clone(), plies }
    }

    /// Returns the indexes of the positions with a choice.
    pub fn choices(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.plies.len()).filter(|&ply| self.plies.get(ply).is_some_and(|at| at.is_choice))
    }

    /// Returns the value of every position. A position without a search has the value of the next
    /// one. The last position has the value of its result.
    pub fn values(&self, evals: &BTreeMap<usize, Eval>) -> Values {
        let mut values: BTreeMap<usize, Value> = BTreeMap::new();
        for (ply, at) in self.plies.iter().enumerate().rev() {
            let value = match (at.board.outcome(), evals.get(&ply)) {
                (Some(outcome), _) => {
                    let black = match outcome {
                        Outcome::Win(winner) => f64::from(u8::from(winner == Player::Black)),
                        Outcome::Draw => DRAW,
                    };
                    Some(Value { black, is_proven: true, line: Vec::new() })
                }
                (None, Some(eval)) => Some(Value::of(eval)),
                (None, None) => {
                    values.get(&(ply + 1)).map(|next| Value { line: Vec::new(), ..next.clone() })
                }
            };
            values.extend(value.map(|value| (ply, value)));
        }
        Values(values)
    }

    /// Returns the mover of a played choice, and the values before and after the move.
    fn choice<'a>(&self, values: &'a Values, ply: usize) -> Option<(Player, &'a Value, &'a Value)> {
        let at = self.plies.get(ply).filter(|at| at.is_choice && at.played.is_some())?;
        Some((at.board.turn()?, values.0.get(&ply)?, values.0.get(&(ply + 1))?))
    }

    /// Returns the moves that seem to have lost win probability.
    pub fn suspects(&self, values: &Values) -> Vec<Suspect> {
        let suspect = |ply: usize| {
            let (mover, before, after) = self.choice(values, ply)?;
            let suspect = Suspect {
                ply,
                mover,
                line: before.line.clone(),
                best: for_black(before.black, mover),
                best_is_proven: before.is_proven,
                played: for_black(after.black, mover),
                played_is_proven: after.is_proven,
            };
            (suspect.loss() >= DUBIOUS).then_some(suspect)
        };
        self.choices().filter_map(suspect).collect()
    }

    /// Returns the marks of the confirmed suspects and the summaries of both players.
    pub fn verdicts(&self, values: &Values, suspects: &[Suspect]) -> Verdicts {
        let (mut marks, mut summary) = (BTreeMap::new(), [Summary::default(), Summary::default()]);
        let mut losses = [(0.0, 0u32); 2];
        for ply in self.choices() {
            let Some((mover, ..)) = self.choice(values, ply) else { continue };
            let found = suspects.iter().find(|suspect| suspect.ply == ply);
            let mark = found.and_then(|suspect| self.mark(suspect));
            let loss = mark.as_ref().map_or(0.0, |mark| mark.loss);
            let (Some(losses), Some(summary)) =
                (losses.get_mut(mover.index()), summary.get_mut(mover.index()))
            else {
                continue;
            };
            *losses = (losses.0 + loss, losses.1 + 1);
            let Some(mark) = mark else { continue };
            *match mark.kind {
                MarkKind::Thrown => &mut summary.thrown,
                MarkKind::Missed => &mut summary.missed,
                MarkKind::Mistake => &mut summary.mistakes,
                MarkKind::Dubious => &mut summary.dubious,
            } += 1;
            marks.extend(self.plies.get(ply + 1).map(|next| (next.node, mark)));
        }
        for (summary, (loss, moves)) in summary.iter_mut().zip(losses) {
            summary.accuracy = 100.0 * (1.0 - loss / f64::from(moves.max(1)));
        }
        Verdicts { marks, summary }
    }

    fn mark(&self, suspect: &Suspect) -> Option<Mark> {
        let (at, loss) = (self.plies.get(suspect.ply)?, suspect.loss());
        // An engine may report an illegal move.
        let better = suspect.line.first().filter(|better| at.board.play(better).is_ok())?;
        if loss < DUBIOUS || at.played.as_ref() == Some(better) {
            return None;
        }
        let (kind, why) = if suspect.best_is_proven && suspect.best > DRAW && suspect.played < DRAW
        {
            (MarkKind::Thrown, "win")
        } else if suspect.best_is_proven && suspect.best == DRAW && suspect.played_is_proven {
            (MarkKind::Thrown, "draw")
        } else if let Some(why) = missed_chance(at, suspect) {
            (MarkKind::Missed, why)
        } else if loss >= MISTAKE {
            (MarkKind::Mistake, "chance")
        } else {
            (MarkKind::Dubious, "chance")
        };
        Some(Mark {
            kind,
            better: better.clone(),
            why: why.to_owned(),
            loss,
            proven: suspect.best_is_proven,
        })
    }
}

/// Returns `refill` if the best line starts with another refill, and `break` if it wins the round
/// that the opponent opened.
fn missed_chance(at: &ReviewPly, suspect: &Suspect) -> Option<&'static str> {
    let mut board = at.board.clone();
    for (number, text) in suspect.line.iter().enumerate() {
        let mover = board.turn()?;
        board = board.play(text).ok()?;
        let effect = board.effect();
        if effect.is_refill {
            return (number == 0).then_some("refill");
        }
        if effect.is_break {
            return (mover == suspect.mover).then_some("break");
        }
    }
    None
}
