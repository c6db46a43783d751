//! How much it seems to take to prove who wins a round: by what calls lead to, two calls ahead, and
//! by how both sides stand.
//!
//! A position that a move leads to differs from the one before it by that move alone, so that most
//! towers still have the moves that they had. What calling each tower of the mover would come to is
//! therefore asked once, on the board before the move, and the proof numbers of every position
//! after it begin with that. How the sides stand makes them larger or smaller: a proof number is an
//! evaluation too, and who has more towers that threaten to arrive is likelier to win
//! (evaluation-based proof numbers, Winands and Schadd 2011).

use std::hint::select_unpredictable;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::game::{InitialNumbers, Player};
use crate::games::kamisado::board::{Board, Colour, FAR_ROW, Square, squares_of};

/// Efforts count in parts of a position to be decided, so that they may differ by less than one.
pub(in crate::games::kamisado) const UNIT: u32 = 16;

/// What is seen on the board before the move may be gone after it: no call comes to more than so
/// many positions.
const MOST: u32 = 24 * UNIT;

/// A proof number never begins with more.
const MOST_AT_FIRST: f32 = (4096 * UNIT) as f32;

/// So many numbers say how a side stands.
const FEATURES: usize = 4;

/// How efforts follow from what is seen, written by the example `fit_efforts`. Where there are two
/// of a kind, the first is for a win of the player who is to move then, the other for a loss.
#[derive(Clone, Copy, PartialEq, Debug, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct Weights {
    /// What calling a tower comes to after which no further call is looked into: in positions, and
    /// so many more for each of its safe moves.
    pub replies: [[f32; 2]; 2],
    /// What calling a blocked tower comes to, in positions.
    pub blocked: [f32; 2],
    /// How many times as much an effort is, as a power of two, for each unit of what is seen of the
    /// mover's side and of the other one: towers that threaten to arrive, moves of all towers,
    /// ranks that they have gone ahead, blocked towers, the middle two divided by 8.
    pub sides: [[[f32; FEATURES]; 2]; 2],
    /// The same in any case, if the tower that has moved threatens to arrive, and for each rank on
    /// which it stands, from 0.
    pub moved: [[f32; 3]; 2],
}

/// So many weights there are.
pub const WEIGHTS: usize = size_of::<Weights>() / size_of::<f32>();

impl Weights {
    /// Efforts by calls alone: a position for each safe move.
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

/// How much a proof seems to take once a tower of the player is called, by colour, in parts of a
/// position: for a win of the player, and for a loss.
struct Calls {
    win: [u32; 8],
    loss: [u32; 8],
}

/// The towers of a player, and where they can go.
struct Side {
    occupied: u64,
    targets: [u64; 8],
    /// The colours of those that end the match on the far row, as bits.
    winners: u8,
}

impl Side {
    /// `deciding` are the colours of the towers that end the match with one more tooth, as bits.
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
    /// What calling each tower comes to. `open` says it of one with some safe moves; it is asked of
    /// all towers: a branch that cannot be foretold costs more.
    fn judge(own: &Side, enemy: &Side, blocked: [u32; 2], open: impl Fn(u64) -> [u32; 2]) -> Calls {
        // What an oshi leads to is not looked into.
        let calls_winner = squares_of(enemy.winners) & !own.occupied;
        let judged: [[u32; 2]; 8] = std::array::from_fn(|colour| {
            let targets = own.targets[colour];
            let safe = targets & !calls_winner;
            let [win, loss] = open(safe);
            let is_won = own.winners >> colour & 1 == 1;
            // A blocked tower passes, and what that calls is not looked into.
            let (is_blocked, is_lost) = (targets == 0, safe == 0);
            let select = |won: u32, lost: u32, blocked: u32, open: u32| {
                let open = select_unpredictable(is_lost, lost, open);
                select_unpredictable(is_won, won, select_unpredictable(is_blocked, blocked, open))
            };
            [select(UNIT, MOST, blocked[0], win), select(MOST, UNIT, blocked[1], loss)]
        });
        Calls { win: judged.map(|[win, _]| win), loss: judged.map(|[_, loss]| loss) }
    }

    /// What calling a tower of the enemy comes to that can go to these squares, of which `occupied`
    /// are those that it pushes.
    fn before(&self, targets: u64, occupied: u64) -> [u32; 2] {
        let slides = targets & !occupied;
        let pushes = slides != targets;
        let mut win = select_unpredictable(pushes, UNIT, MOST);
        let mut loss = UNIT * u32::from(pushes);
        for square in Square::in_bitboard(slides) {
            let called = square.colour().index();
            win = win.min(self.loss[called]);
            loss += self.win[called];
        }
        [win, loss.min(MOST)]
    }
}

/// What is seen on a board before a move, from which follows what each move leads to.
pub(in crate::games::kamisado) struct Baseline<'w> {
    weights: &'w Weights,
    player: Player,
    calls: Calls,
    /// How many times as much the efforts for a win and for a loss of the enemy are, as powers of
    /// two.
    exponents: [f32; 2],
}

impl<'w> Baseline<'w> {
    /// Of the board before a move of this player, where `deciding` are the colours of the towers of
    /// both that end the match with one more tooth.
    pub fn new(board: &Board, player: Player, deciding: [u8; 2], weights: &'w Weights) -> Self {
        let [own, enemy] =
            [player, !player].map(|player| Side::new(board, player, deciding[player.index()]));
        let Weights { replies: [win, loss], blocked, sides, moved } = weights;
        let blocked = blocked.map(parts);
        let of_moves =
            |[none, each]: [f32; 2], safe: u64| parts(none + each * safe.count_ones() as f32);
        let replies = Calls::judge(&enemy, &own, blocked, |safe| {
            [of_moves(*win, safe), of_moves(*loss, safe)]
        });
        let calls = Calls::judge(&own, &enemy, blocked, |safe| replies.before(safe, own.occupied));
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

    /// The efforts of the board after a move by which this tower of the player, if it is a called
    /// one, has called a tower of the enemy, which can go to `targets` without being seen to lose.
    pub fn initial_numbers(
        &self,
        board: &Board,
        mover: Option<Colour>,
        targets: u64,
    ) -> InitialNumbers {
        if targets == 0 {
            return InitialNumbers { proof: UNIT, disproof: 0 };
        }
        let numbers = self.calls.before(targets, board.occupied(!self.player));
        let (threat, rank) = mover.map_or((0.0, 0.0), |mover| {
            let threatens = board.reaches_far_row(self.player, mover, board.occupied(self.player));
            (f32::from(u8::from(threatens)), f32::from(board.tower(self.player, mover).rank()))
        });
        let [proof, disproof] = [0, 1].map(|result| {
            let [_, by_threat, by_rank] = self.weights.moved[result];
            let times = power_of_two(self.exponents[result] + by_threat * threat + by_rank * rank);
            (numbers[result] as f32 * times).clamp(1.0, MOST_AT_FIRST) as u32
        });
        InitialNumbers { proof, disproof }
    }
}

/// So many positions in parts.
fn parts(positions: f32) -> u32 {
    (positions * UNIT as f32) as u32
}

/// Two to this power, linear between whole ones, which takes no more than an addition and a
/// multiplication (Schraudolph 1999).
fn power_of_two(exponent: f32) -> f32 {
    const MANTISSA: f32 = (1 << 23) as f32;
    f32::from_bits(((exponent.clamp(-60.0, 60.0) + 127.0) * MANTISSA) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_exact_at_whole_ones_and_grow_between() {
        for whole in -60_i16..=60 {
            assert_eq!(power_of_two(f32::from(whole)), 2_f32.powi(whole.into()));
        }
        let powers: Vec<f32> =
            (-40..=40).map(|eighths| power_of_two(eighths as f32 / 8.0)).collect();
        assert!(powers.is_sorted_by(|less, more| less < more), "{powers:?}");
    }

    #[test]
    fn weights_are_the_same_as_plain_numbers_and_back() {
        let numbers: [f32; WEIGHTS] = Weights::NEUTRAL.into();
        assert_eq!(numbers[..6], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(Weights::from(numbers), Weights::NEUTRAL);
    }
}
