//! The neural network that evaluates positions and moves; `oshi-train kamon` makes its weights.
//!
//! Inputs are the state of each cell, the shape around it and a few counts. The one hidden layer is
//! the sum of a row for each state and count, clipped to 0…1 (as in NNUE, Nasu 2018). The logit of
//! a move depends on its cell and on the replies that it allows. The value depends on the hidden
//! layer, the shapes and the moves. Each shape has one weight, as in the pattern tables of
//! Logistello (Buro 1995).

use std::ops::Range;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

pub use super::shapes::SHAPES;
use crate::games::kamon::MAX_LEGAL_MOVES;
use crate::games::kamon::board::{Cell, Cells};
pub use crate::games::kamon::symmetry::symmetries;
use crate::games::weights::{self, dot, row};

/// Width of the hidden layer.
pub const HIDDEN: usize = 32;

/// Number of states of a cell, see [`Features::states`].
pub const STATES: usize = 75;

/// Number of values that the network distinguishes for each of [`Features::counts`]. A greater
/// count is treated as the last value.
pub const COUNT_SIZES: [usize; 9] = [37, 9, 9, 13, 13, 4, 4, 5, 13];

/// The network's input, from the view of the player to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    /// The state of each cell, by [`Cell::ordinal`].
    ///
    /// 0 is an own hexagon, 1 an enemy hexagon, 2 the neutral token. The state of a free cell is
    /// the sum of:
    /// - 3;
    /// - 1 if the player to move may play there;
    /// - 2 if it is on a shortest path of the player to move, or 4 if it is that player's threat;
    /// - 6 if it is on a shortest path of the opponent, or 12 if it is the opponent's threat;
    /// - 18 if it is a mate of an enemy threat, so that the opponent could complete a figure next;
    /// - 36 if it is a mate of an own threat.
    pub states: [u8; Cell::COUNT],
    /// The number of the shape around each cell, by [`Cell::ordinal`].
    pub shapes: [u16; Cell::COUNT],
    /// Nine counts:
    /// - hexagons on the board;
    /// - cells missing for a connection: own, enemy;
    /// - cells on the shortest paths: own, enemy;
    /// - threats: own, enemy;
    /// - legal moves after which the opponent cannot complete a figure at once;
    /// - legal moves.
    pub counts: [u8; 9],
    /// The legal moves, each with the replies that it allows.
    pub moves: ArrayVec<(Cell, Cells), MAX_LEGAL_MOVES>,
}

/// Ranges and indices of the weights within [`Net::weights`].
pub mod parts {
    use super::{COUNT_SIZES, HIDDEN, Range, SHAPES, STATES};
    use crate::games::kamon::Cell;
    use crate::games::weights::{after, rows_of};

    /// Rows of the hidden layer for each cell and state.
    pub const STATE_ROWS: Range<usize> = 0..Cell::COUNT * STATES * HIDDEN;
    /// Rows of the hidden layer for each count and value.
    pub const COUNT_ROWS: Range<usize> = after(&STATE_ROWS, rows_of(COUNT_SIZES) * HIDDEN);
    /// Biases of the hidden layer.
    pub const BIAS: Range<usize> = after(&COUNT_ROWS, HIDDEN);
    /// Weights from the hidden layer to the value.
    pub const VALUE: Range<usize> = after(&BIAS, HIDDEN);
    /// Weights from the hidden layer to a move on each cell.
    pub const MOVE_ROWS: Range<usize> = after(&VALUE, Cell::COUNT * HIDDEN);
    /// Weights from the hidden layer to a reply on each cell.
    pub const REPLY_ROWS: Range<usize> = after(&MOVE_ROWS, Cell::COUNT * HIDDEN);
    /// Weights of a move by the state of its cell.
    pub const MOVE_STATES: Range<usize> = after(&REPLY_ROWS, STATES);
    /// Weights of a reply by the state of its cell.
    pub const REPLY_STATES: Range<usize> = after(&MOVE_STATES, STATES);
    /// Weights of the value, by the shape around each cell.
    pub const VALUE_SHAPES: Range<usize> = after(&REPLY_STATES, SHAPES);
    /// Weights of a move by the shape around its cell.
    pub const MOVE_SHAPES: Range<usize> = after(&VALUE_SHAPES, SHAPES);
    /// Weights of a reply by the shape around its cell.
    pub const REPLY_SHAPES: Range<usize> = after(&MOVE_SHAPES, SHAPES);
    /// Bias of the value.
    pub const VALUE_BIAS: usize = REPLY_SHAPES.end;
    /// Factor of the replies in the logit of a move.
    pub const REPLY_SCALE: usize = VALUE_BIAS + 1;
    /// Factor of the moves in the value.
    pub const MOVE_SCALE: usize = REPLY_SCALE + 1;
    /// Total number of weights.
    pub const LEN: usize = MOVE_SCALE + 1;
}

/// Keeps the logarithm finite if a move allows no reply.
const NO_REPLY: f32 = 1e-4;

/// Keeps the logarithm finite if there is no legal move.
const NO_MOVE: f32 = 1e-20;

/// Values of the network's layers for one position.
#[derive(Clone, Debug)]
pub struct Activations {
    /// The hidden layer, 0 to 1.
    pub hidden: [f32; HIDDEN],
    /// By [`Cell::ordinal`], the exponential of a reply's logit; 0 if the cell is not free.
    pub replies: [f32; Cell::COUNT],
    /// For each move, the sum of `replies` over the replies that it allows.
    pub reply_sums: ArrayVec<f32, MAX_LEGAL_MOVES>,
    /// Policy logit of each move.
    pub logits: ArrayVec<f32, MAX_LEGAL_MOVES>,
    /// Logarithm of the sum of the exponentials of `logits`.
    pub log_sum: f32,
    /// Win probability of the player to move, as a logit.
    pub value: f32,
}

/// The network.
pub struct Net {
    /// All weights, in the order of [`parts`].
    pub weights: Vec<f32>,
}

static FITTED: LazyLock<Net> =
    LazyLock::new(|| Net { weights: weights::from_bytes(include_bytes!("net.bin"), parts::LEN) });

impl Net {
    /// The network with the weights that the program contains.
    pub fn fitted() -> &'static Net {
        &FITTED
    }

    /// Runs the network on `features`.
    pub fn forward(&self, features: &Features) -> Activations {
        let hidden = self.hidden(features);
        let mut replies = [0.0; Cell::COUNT];
        for (cell, reply) in
            replies.iter_mut().enumerate().filter(|(cell, _)| features.states[*cell] > NEUTRAL)
        {
            let logit = self.weights
                [parts::REPLY_STATES.start + usize::from(features.states[cell])]
                + self.weights[parts::REPLY_SHAPES.start + usize::from(features.shapes[cell])]
                + dot(&hidden, row(&self.weights, parts::REPLY_ROWS.start + cell * HIDDEN));
            *reply = exp(logit);
        }
        let mut activations = Activations {
            hidden,
            replies,
            reply_sums: ArrayVec::new(),
            logits: ArrayVec::new(),
            log_sum: 0.0,
            value: 0.0,
        };
        let mut sum = 0.0;
        for &(cell, answers) in &features.moves {
            let answered =
                NO_REPLY + answers.iter().map(|reply| replies[reply.ordinal()]).sum::<f32>();
            let cell = cell.ordinal();
            let logit = self.weights[parts::MOVE_STATES.start + usize::from(features.states[cell])]
                + self.weights[parts::MOVE_SHAPES.start + usize::from(features.shapes[cell])]
                + dot(&hidden, row(&self.weights, parts::MOVE_ROWS.start + cell * HIDDEN))
                - self.weights[parts::REPLY_SCALE] * libm::logf(answered);
            sum += exp(logit);
            activations.reply_sums.push(answered);
            activations.logits.push(logit);
        }
        let shapes = &self.weights[parts::VALUE_SHAPES];
        activations.log_sum = libm::logf(NO_MOVE + sum);
        activations.value = self.weights[parts::VALUE_BIAS]
            + dot(&hidden, row(&self.weights, parts::VALUE.start))
            + features.shapes.iter().map(|&shape| shapes[usize::from(shape)]).sum::<f32>()
            + self.weights[parts::MOVE_SCALE] * activations.log_sum;
        activations
    }

    fn hidden(&self, features: &Features) -> [f32; HIDDEN] {
        let mut hidden = *row(&self.weights, parts::BIAS.start);
        for start in hidden_rows(features) {
            for (sum, weight) in hidden.iter_mut().zip(row::<HIDDEN>(&self.weights, start)) {
                *sum += weight;
            }
        }
        hidden.map(|sum| sum.clamp(0.0, 1.0))
    }
}

/// State of the neutral token; greater states are those of free cells.
const NEUTRAL: u8 = 2;

/// Start indices of the active rows. Their sum with the biases is the hidden layer before clipping.
pub fn hidden_rows(features: &Features) -> impl Iterator<Item = usize> {
    let states = features.states.iter().enumerate().map(|(cell, &state)| {
        parts::STATE_ROWS.start + (cell * STATES + usize::from(state)) * HIDDEN
    });
    let firsts = COUNT_SIZES.iter().scan(parts::COUNT_ROWS.start, |next, size| {
        let first = *next;
        *next += size * HIDDEN;
        Some((first, size))
    });
    let counts = firsts
        .zip(&features.counts)
        .map(|((first, size), &count)| first + usize::from(count).min(size - 1) * HIDDEN);
    states.chain(counts)
}

/// e^x with a relative error below 0.1 %, with `x` clamped to ±40: a cubic between powers of two,
/// where Schraudolph (1999) uses a line.
fn exp(x: f32) -> f32 {
    const OFFSET: i32 = 64;
    let x = x.clamp(-40.0, 40.0) * std::f32::consts::LOG2_E + OFFSET as f32;
    let whole = x as i32;
    let rest = x - whole as f32;
    let power = f32::from_bits(((whole - OFFSET + 127) as u32) << 23);
    power * (1.0 + rest * (0.695_976 + rest * (0.224_94 + rest * 0.079_02)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_match_their_file() {
        assert_eq!(include_bytes!("net.bin").len(), 2 * parts::LEN);
        assert_eq!(weights::to_bytes(&Net::fitted().weights), include_bytes!("net.bin"));
    }

    #[test]
    fn exponential_is_exact_to_a_thousandth() {
        for step in -4_000..=4_000 {
            let x = step as f32 / 100.0;
            let ratio = f64::from(exp(x)) / f64::from(x).exp();
            assert!((ratio - 1.0).abs() < 1e-3, "{x}: {ratio}");
        }
    }
}
