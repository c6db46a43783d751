//! Evaluation: win probability and policy from a small neural network, and static results of moves.
//!
//! Late in a game, exact search has no time for the network. It orders moves by a softmax
//! regression that was fitted to the moves that keep a won position.

mod features;
pub mod net;
mod parity;
mod reach;
mod shapes;

use arrayvec::ArrayVec;

use super::board::{Cell, Cells, ORBITS};
use super::{Kamon, MAX_LEGAL_MOVES};
use crate::game::{
    Evaluation, Evaluator, MAX_MOVES, MoveClass, Player, Policy, RoundProof, Searchable,
};
use crate::games::weights::logistic;
use features::Analysis;
use net::Net;

/// Weights of the move order in exact search, in logits.
struct PriorWeights {
    /// By the cell's place in [`ORBITS`].
    orbit: [f32; 6],
    /// For each reply after which the mover cannot complete a figure at once.
    safe_reply: f32,
    /// For each new threat, up to 2.
    new_threat: f32,
    /// For occupying a cell that the opponent threatens.
    threat_blocked: f32,
    /// For a cell on one of the mover's shortest paths.
    own_path: f32,
    /// For a cell on one of the opponent's shortest paths.
    enemy_path: f32,
    /// For leaving the opponent a won blocking game.
    block_lost: f32,
}

const PRIOR: PriorWeights = PriorWeights {
    orbit: [0.6, 0.6, 0.0, 0.1, -0.6, -0.5],
    safe_reply: -0.25,
    new_threat: 0.7,
    threat_blocked: 1.4,
    own_path: 1.6,
    enemy_path: 1.5,
    block_lost: -3.5,
};

/// Factor on the network's logits, so that the search also visits moves below the top one.
///
/// A factor of 1 scores 51.3 ± 4 % of 300 games at 50 ms. With an earlier network, 0.5 and 0.85
/// were no better.
const POLICY_SCALE: f32 = 0.7;

/// Logit of a move that wins by static analysis.
const WIN: f32 = 10.0;

impl Searchable for Kamon {
    type Evaluator = NetEvaluator;
}

/// Evaluates positions with the network. Keeps no state, because each move changes most features.
#[derive(Default)]
pub struct NetEvaluator;

impl Evaluator<Kamon> for NetEvaluator {
    // 2.0, 4.0 and 4.5 score 48.7, 49.2 and 52.2 ± 4 % of 300 games at 50 ms.
    const EXPLORATION: f32 = 3.0;

    fn evaluate(
        &mut self,
        position: &Kamon,
        moves: &[Cell],
        _round: RoundProof,
        _winners: &[Option<Player>],
    ) -> Evaluation {
        let analysis = position.analysis();
        let results = position.move_results(&analysis, moves);
        let classes: ArrayVec<_, MAX_MOVES> =
            results.iter().map(|result| result.class(&analysis)).collect();
        let wins = |class: &MoveClass| matches!(class, MoveClass::Wins { .. });
        let (win_probability, logits) = if classes.iter().any(wins) {
            (1.0, classes.iter().map(|class| if wins(class) { WIN } else { 0.0 }).collect())
        } else {
            let activations = Net::fitted().forward(&position.features_from(&analysis, &results));
            (
                logistic(activations.value),
                activations.logits.iter().map(|logit| POLICY_SCALE * logit).collect(),
            )
        };
        Evaluation {
            value: position.turn.relative(win_probability),
            policy: Policy { logits, classes },
        }
    }

    fn classify_moves(&mut self, position: &Kamon, moves: &[Cell]) -> Policy {
        if position.ply() < PRIOR_PLY {
            return self.evaluate(position, moves, RoundProof::Unknown, &[]).policy;
        }
        let analysis = position.analysis();
        let mut policy = Policy::default();
        for &cell in moves {
            let result = MoveResult::new(position, &analysis, cell);
            let class = result.class(&analysis);
            policy.classes.push(class);
            policy.logits.push(if class == MoveClass::Open {
                PRIOR.logit(position, &analysis, &result)
            } else {
                0.0
            });
            if let MoveClass::Wins { .. } = class {
                break;
            }
        }
        policy
    }

    const POLICY_PROOF_WEIGHT: f32 = 4.0;

    fn is_near_end(position: &Kamon) -> bool {
        position.ply() >= NEAR_END_PLY
    }

    fn exact_budget(&self, position: &Kamon) -> u64 {
        if position.ply() >= EXACT_PLY { EXACT_BUDGET } else { 0 }
    }

    /// Half of the plies until `SOON_PROVEN_PLY`, plus a reserve.
    fn expected_moves(&self, position: &Kamon) -> u32 {
        SOON_PROVEN_PLY.saturating_sub(position.ply()).div_ceil(2) + MOVES_TO_SPARE
    }
}

/// Ply from which half of the positions in games are proven within 20 ms.
const SOON_PROVEN_PLY: u32 = 14;

/// Minimum number of own moves that time is reserved for.
const MOVES_TO_SPARE: u32 = 2;

/// Ply from which proofs that take hours search the rest exactly. 8 to 12 take about the same time.
const NEAR_END_PLY: u32 = 10;

/// Ply from which [`PRIOR`] orders moves in exact search; before it, the network does.
///
/// From ply 9 the network saves more than a quarter of the expansions.
const PRIOR_PLY: u32 = 18;

/// Ply from which leaves are searched exactly.
///
/// | ply | score against 21, 300 games at 50 ms |
/// |---|---|
/// | 19 | 47 % |
/// | 23 | 55 % |
/// | 25 | 52 % |
/// | never | 51 % |
///
/// Exact search from ply 19 proves a position of ply 10 in four fifths of the time that ply 21
/// takes, but loses games: the tree needs those visits in the opening.
const EXACT_PLY: u32 = 23;

/// Expansions per leaf. Values from 100 to 1000 play about equally well.
const EXACT_BUDGET: u64 = 300;

/// Results of the legal moves, in their order.
type MoveResults = ArrayVec<MoveResult, MAX_LEGAL_MOVES>;

/// Static analysis of the position after a move.
struct MoveResult {
    cell: Cell,
    /// The free cells after the move.
    free: Cells,
    /// The opponent's legal moves.
    replies: Cells,
    /// The threats that the move adds for the mover.
    new_threats: Cells,
    /// The replies after which the mover cannot complete a figure at once.
    safe_replies: Cells,
}

impl MoveResult {
    fn new(position: &Kamon, analysis: &Analysis, cell: Cell) -> MoveResult {
        let Analysis { own, own_threat_mates, .. } = analysis;
        let free = analysis.free - cell.into();
        let replies = position.layout.matching(cell) & free;
        let hexagons = &position.hexagons[position.turn.index()];
        let new_threats = own.new_threats(hexagons, free, cell);
        let removed = own.removed_threats(hexagons, cell);
        let threat_mates = if removed.is_empty() {
            *own_threat_mates
        } else {
            position.mates_of(own.threats - removed)
        };
        let safe_replies = replies - threat_mates - position.mates_of(new_threats);
        MoveResult { cell, free, replies, new_threats, safe_replies }
    }

    /// Classifies the move by its static result.
    fn class(&self, analysis: &Analysis) -> MoveClass {
        if analysis.own.threats.contains(self.cell)
            || self.replies.is_empty() && !self.free.is_empty()
        {
            MoveClass::Wins { own_moves: 1 }
        } else if self.replies.meets(analysis.enemy.threats) || self.is_blocked_next(analysis) {
            MoveClass::Loses
        } else if self.safe_replies.is_empty() && !self.replies.is_empty() {
            MoveClass::Wins { own_moves: 2 }
        } else {
            MoveClass::Open
        }
    }

    /// Whether some reply leaves the mover no cell to play on while other cells are free.
    ///
    /// Every reply is a mate of `cell`. If `cell` was its only free mate, the mover is blocked.
    fn is_blocked_next(&self, analysis: &Analysis) -> bool {
        self.free.len() > 1 && self.replies.meets(analysis.single_mates)
    }
}

impl PriorWeights {
    fn logit(
        &self,
        position: &Kamon,
        Analysis { own, enemy, .. }: &Analysis,
        result: &MoveResult,
    ) -> f32 {
        let &MoveResult { cell, free, replies, new_threats, safe_replies } = result;
        let weight_if = |holds: bool, weight: f32| if holds { weight } else { 0.0 };
        let orbits = self.orbit.into_iter().zip(ORBITS);
        self.safe_reply * safe_replies.len() as f32
            + self.new_threat * new_threats.len().min(2) as f32
            + weight_if(enemy.threats.contains(cell), self.threat_blocked)
            + weight_if(own.paths.contains(cell), self.own_path)
            + weight_if(enemy.paths.contains(cell), self.enemy_path)
            + weight_if(position.wins_blocking_game(replies, free), self.block_lost)
            + orbits.map(|(weight, orbit)| weight_if(orbit.contains(cell), weight)).sum::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use rand::SeedableRng;
    use rand::seq::IteratorRandom;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn evaluation_is_finite_at_every_ply() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..500 {
            let mut position = Kamon::start().random_start(&mut rng);
            while let Some(cell) = position.legal_moves().into_iter().choose(&mut rng) {
                let moves = position.legal_moves();
                let Evaluation { value, policy } =
                    NetEvaluator.evaluate(&position, &moves, RoundProof::Unknown, &[]);
                assert!(
                    policy.logits.len() == moves.len()
                        && policy.logits.iter().all(|logit| logit.is_finite()),
                    "{position}"
                );
                assert!((0.0..=1.0).contains(&value), "{position}");
                position.play(cell);
            }
        }
    }

    #[test]
    fn value_agrees_with_most_solved_positions() {
        let mut right = 0;
        let mut decided = 0;
        for line in include_str!("../../../tests/data/kamon-solved.txt").lines() {
            let (line, rest) = line.split_once(" ;").unwrap();
            let position: Kamon = line.parse().unwrap();
            let value = NetEvaluator.value(&position, RoundProof::Unknown);
            let value = if position.turn() == Player::Black { value } else { 1.0 - value };
            match rest.split(" ;").next() {
                Some("win") => right += u32::from(value > 0.5),
                Some("loss") => right += u32::from(value < 0.5),
                _ => continue,
            }
            decided += 1;
        }
        assert!(f64::from(right) > 0.7 * f64::from(decided), "{right} of {decided}");
    }
}
