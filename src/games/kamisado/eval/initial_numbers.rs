//! Initial proof numbers of rounds, from a lookahead of two calls and features of both sides.
//!
//! After a move, most towers still have the moves that they had before. The proof numbers of
//! calling each tower of the mover are therefore estimated once, on the board before the move, and
//! serve all positions after it. Features of both sides then scale them, because the side with more
//! threats to reach the far row is more likely to win (evaluation-based proof numbers, Winands and
//! Schadd 2011).

use std::hint::select_unpredictable;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::game::{InitialNumbers, Player};
use crate::games::kamisado::board::Board;
use crate::games::kamisado::square::{Colour, FAR_ROW, Square, squares_of};

/// Proof numbers per position to be decided. A finer unit lets them differ by less than one
/// position.
pub(in crate::games::kamisado) const UNIT: u32 = 16;

/// Maximum number of a call. A result on the board before a move may no longer hold after it.
const MAX_CALL: u32 = 24 * UNIT;

/// Upper bound of an initial proof number.
const MAX_INITIAL: f32 = (4096 * UNIT) as f32;

/// Number of features per side.
const FEATURES: usize = 4;

/// Weights of the model, fitted by `cargo run --release -p oshi-train -- initial-numbers`. The
/// first index of an array of two is 0 for the proof number and 1 for the disproof number.
#[derive(Clone, Copy, PartialEq, Debug, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Weights {
    /// Number of the second call, in positions: a constant, and a term per safe move.
    pub replies: [[f32; 2]; 2],
    /// Number of calling a blocked tower, in positions.
    pub blocked: [f32; 2],
    /// Exponents of two that scale a number, for each unit of the features of the mover and of the
    /// opponent: towers that threaten to end the match on the far row, moves of all towers divided
    /// by 8, ranks of all towers divided by 8, and blocked towers.
    pub sides: [[[f32; FEATURES]; 2]; 2],
    /// Further exponents: a constant, one if the tower that has moved threatens to reach the far
    /// row, and one for each rank of that tower, counted from 0.
    pub moved: [[f32; 3]; 2],
}

/// Total number of weights.
pub const WEIGHTS: usize = size_of::<Weights>() / size_of::<f32>();

impl Weights {
    /// Weights before training: one position per safe move, and no scaling.
    pub const NEUTRAL: Weights = Weights {
        replies: [[1.0, 0.0], [0.0, 1.0]],
        blocked: [1.0; 2],
        sides: [[[0.0; FEATURES]; 2]; 2],
        moved: [[0.0; 3]; 2],
    };
}

impl From<[f32; WEIGHTS]> for Weights {
    fn from(numbers: [f32; WEIGHTS]) -> Weights {
        zerocopy::transmute!(numbers)
    }
}

impl From<Weights> for [f32; WEIGHTS] {
    fn from(weights: Weights) -> [f32; WEIGHTS] {
        zerocopy::transmute!(weights)
    }
}

/// Estimated proof numbers after calling each tower of a player, by colour.
struct Calls {
    /// Of a win of this player.
    win: [u32; 8],
    /// Of a loss of this player.
    loss: [u32; 8],
}

/// The towers of a player and their targets.
struct Side {
    occupied: u64,
    targets: [u64; 8],
    /// Colours of the towers that can end the match on the far row, as bits.
    winners: u8,
}

impl Side {
    /// `deciding` holds the colours of the towers that end the match with one more tooth, as bits.
    fn new(board: &Board, player: Player, deciding: u8) -> Side {
        let targets = board.all_targets(player);
        let arrivals = targets
            .iter()
            .rev()
            .fold(0, |colours, targets| colours << 1 | u8::from(targets & FAR_ROW != 0));
        Side { occupied: board.occupied(player), targets, winners: arrivals & deciding }
    }

    fn features(&self, board: &Board, player: Player) -> [f32; FEATURES] {
        let moves: u32 = self.targets.iter().map(|targets| targets.count_ones()).sum();
        let ranks: u32 =
            Colour::ALL.iter().map(|&colour| u32::from(board.tower(player, colour).rank())).sum();
        let blocked: u32 = self.targets.iter().map(|&targets| u32::from(targets == 0)).sum();
        [self.winners.count_ones() as f32, moves as f32 / 8.0, ranks as f32 / 8.0, blocked as f32]
    }
}

impl Calls {
    /// Estimates the numbers of calling each tower. `open` estimates those of a tower with safe
    /// moves. It runs for all towers, because an unpredictable branch costs more.
    fn estimate(
        own: &Side,
        enemy: &Side,
        blocked: [u32; 2],
        open: impl Fn(u64) -> [u32; 2],
    ) -> Calls {
        // The effects of an oshi are not analysed.
        let calls_winner = squares_of(enemy.winners) & !own.occupied;
        let numbers: [[u32; 2]; 8] = std::array::from_fn(|colour| {
            let targets = own.targets[colour];
            let safe = targets & !calls_winner;
            let [win, loss] = open(safe);
            let is_won = own.winners >> colour & 1 == 1;
            // The call after a pass is not analysed.
            let (is_blocked, is_lost) = (targets == 0, safe == 0);
            let select = |won: u32, lost: u32, blocked: u32, open: u32| {
                let open = select_unpredictable(is_lost, lost, open);
                select_unpredictable(is_won, won, select_unpredictable(is_blocked, blocked, open))
            };
            [select(UNIT, MAX_CALL, blocked[0], win), select(MAX_CALL, UNIT, blocked[1], loss)]
        });
        Calls { win: numbers.map(|[win, _]| win), loss: numbers.map(|[_, loss]| loss) }
    }

    /// Numbers of calling an enemy tower with these targets. It pushes at those in `occupied`.
    fn reply_numbers(&self, targets: u64, occupied: u64) -> [u32; 2] {
        let slides = targets & !occupied;
        let pushes = slides != targets;
        let mut win = select_unpredictable(pushes, UNIT, MAX_CALL);
        let mut loss = UNIT * u32::from(pushes);
        for square in Square::in_bitboard(slides) {
            let called = square.colour().index();
            win = win.min(self.loss[called]);
            loss += self.win[called];
        }
        [win, loss.min(MAX_CALL)]
    }
}

/// Estimates on the board before a move, shared by all moves.
pub(in crate::games::kamisado) struct Baseline<'w> {
    weights: &'w Weights,
    player: Player,
    calls: Calls,
    /// Exponents of two that scale the proof and the disproof number.
    exponents: [f32; 2],
}

impl<'w> Baseline<'w> {
    /// Analyses the board before a move of this player. `deciding` holds the colours of both
    /// players' towers that end the match with one more tooth, as bits.
    pub fn new(board: &Board, player: Player, deciding: [u8; 2], weights: &'w Weights) -> Self {
        let [own, enemy] =
            [player, !player].map(|player| Side::new(board, player, deciding[player.index()]));
        let Weights { replies: [win, loss], blocked, sides, moved } = weights;
        let blocked = blocked.map(to_units);
        let of_moves =
            |[none, each]: [f32; 2], safe: u64| to_units(none + each * safe.count_ones() as f32);
        let replies = Calls::estimate(&enemy, &own, blocked, |safe| {
            [of_moves(*win, safe), of_moves(*loss, safe)]
        });
        let calls = Calls::estimate(&own, &enemy, blocked, |safe| {
            replies.reply_numbers(safe, own.occupied)
        });
        let features = [own.features(board, player), enemy.features(board, !player)];
        let dot = |weights: &[[f32; FEATURES]; 2]| -> f32 {
            weights
                .as_flattened()
                .iter()
                .zip(features.as_flattened())
                .map(|(weight, feature)| weight * feature)
                .sum()
        };
        let exponents = [0, 1].map(|result| dot(&sides[result]) + moved[result][0]);
        Baseline { weights, player, calls, exponents }
    }

    /// Initial numbers of the board after a move that has called an enemy tower. `targets` are that
    /// tower's safe targets, and `mover` is the tower that moved, if it was called.
    pub fn initial_numbers(
        &self,
        board: &Board,
        mover: Option<Colour>,
        targets: u64,
    ) -> InitialNumbers {
        if targets == 0 {
            return InitialNumbers { proof: UNIT, disproof: 0 };
        }
        let numbers = self.calls.reply_numbers(targets, board.occupied(!self.player));
        let (threat, rank) = mover.map_or((0.0, 0.0), |mover| {
            let threatens = board.reaches_far_row(self.player, mover, board.occupied(self.player));
            (f32::from(u8::from(threatens)), f32::from(board.tower(self.player, mover).rank()))
        });
        let [proof, disproof] = [0, 1].map(|result| {
            let [_, by_threat, by_rank] = self.weights.moved[result];
            let times = power_of_two(self.exponents[result] + by_threat * threat + by_rank * rank);
            (numbers[result] as f32 * times).clamp(1.0, MAX_INITIAL) as u32
        });
        InitialNumbers { proof, disproof }
    }
}

/// Converts positions to proof numbers.
fn to_units(positions: f32) -> u32 {
    (positions * UNIT as f32) as u32
}

/// Approximates a power of two, linearly between integers, with one addition and one multiplication
/// (Schraudolph 1999).
fn power_of_two(exponent: f32) -> f32 {
    const MANTISSA: f32 = (1 << 23) as f32;
    f32::from_bits(((exponent.clamp(-60.0, 60.0) + 127.0) * MANTISSA) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_exact_at_integers_and_increase() {
        for whole in -60_i16..=60 {
            assert_eq!(power_of_two(f32::from(whole)), 2_f32.powi(whole.into()));
        }
        let powers: Vec<f32> =
            (-40..=40).map(|eighths| power_of_two(eighths as f32 / 8.0)).collect();
        assert!(powers.is_sorted_by(|less, more| less < more), "{powers:?}");
    }

    #[test]
    fn converts_weights_to_numbers_and_back() {
        let numbers: [f32; WEIGHTS] = Weights::NEUTRAL.into();
        assert_eq!(numbers[..6], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(Weights::from(numbers), Weights::NEUTRAL);
    }
}
