//! The small neural network that judges positions and moves, whose weights `cargo run --release --example fit_kamon` makes.
//!
//! It sees the state of each cell, the shape around it and a few counts. One hidden layer is the sum of a row for each state and
//! count, kept between 0 and 1 (as in NNUE, Nasu 2018). A move is worth what its cell is, less what the replies that it calls are
//! worth to the opponent; the position is worth what the hidden layer, the shapes and the moves say. Shapes have one weight
//! each, as in the pattern tables of Logistello (Buro 1995).

use std::ops::Range;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::MOST_MOVES;
use super::board::{Cell, Cells};
pub use super::shapes::SHAPES;
pub use super::symmetry::symmetries;
use crate::games::weights::{self, dot, row};

/// The width of the hidden layer.
pub const HIDDEN: usize = 32;

/// The states of a cell: see [`View::states`].
pub const STATES: usize = 75;

/// So many different numbers each of the [`View::counts`] is told apart by; greater ones count as the last.
pub const COUNT_SIZES: [usize; 9] = [37, 9, 9, 13, 13, 4, 4, 5, 13];

/// What the net is told of a position, from the view of the player to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// By cell, as [`Cell::ordinal`] counts them: 0 for an own hexagon, 1 for the enemy's, 2 for the neutral token. A free cell is 3,
    /// plus 1 if the player to move may play there, plus 2 · 0, 1 or 2 if nothing is known of it for that player, it is on a shortest
    /// way, or it is a threat, plus 6 · the same for the opponent, plus 18 if a hexagon there would let the opponent complete a
    /// figure, plus 36 if one of the opponent's would let the player to move.
    pub states: [u8; Cell::COUNT],
    /// By cell, the number of the shape around it.
    pub shapes: [u16; Cell::COUNT],
    /// Hexagons on the board; cells missing to connect, own and the enemy's; cells on the shortest ways, own and the enemy's; threats,
    /// own and the enemy's; moves that let the opponent complete nothing; moves.
    pub counts: [u8; 9],
    /// The legal moves, each with the replies that it leaves.
    pub moves: ArrayVec<(Cell, Cells), MOST_MOVES>,
}

/// Where which weights lie in [`Net::weights`].
pub mod parts {
    use super::{COUNT_SIZES, HIDDEN, Range, SHAPES, STATES};
    use crate::games::kamon::Cell;
    use crate::games::weights::{after, rows_of};

    /// A row of the hidden layer for each cell and state.
    pub const STATE_ROWS: Range<usize> = 0..Cell::COUNT * STATES * HIDDEN;
    /// A row for each count and number.
    pub const COUNT_ROWS: Range<usize> = after(&STATE_ROWS, rows_of(COUNT_SIZES) * HIDDEN);
    /// What the hidden layer starts from.
    pub const BIAS: Range<usize> = after(&COUNT_ROWS, HIDDEN);
    /// From the hidden layer to the chance.
    pub const CHANCE: Range<usize> = after(&BIAS, HIDDEN);
    /// From the hidden layer to a move to each cell.
    pub const MOVE_ROWS: Range<usize> = after(&CHANCE, Cell::COUNT * HIDDEN);
    /// The same for replies.
    pub const REPLY_ROWS: Range<usize> = after(&MOVE_ROWS, Cell::COUNT * HIDDEN);
    /// For a move to a cell in each state.
    pub const MOVE_STATES: Range<usize> = after(&REPLY_ROWS, STATES);
    /// The same for replies.
    pub const REPLY_STATES: Range<usize> = after(&MOVE_STATES, STATES);
    /// For the chance, by each shape on the board.
    pub const CHANCE_SHAPES: Range<usize> = after(&REPLY_STATES, SHAPES);
    /// For a move into each shape.
    pub const MOVE_SHAPES: Range<usize> = after(&CHANCE_SHAPES, SHAPES);
    /// The same for replies.
    pub const REPLY_SHAPES: Range<usize> = after(&MOVE_SHAPES, SHAPES);
    /// The constant of the chance.
    pub const CONSTANT: usize = REPLY_SHAPES.end;
    /// How much the replies take from a move.
    pub const REPLIES: usize = CONSTANT + 1;
    /// How much the moves give to the chance.
    pub const MOVES: usize = REPLIES + 1;
    /// How many weights there are.
    pub const LEN: usize = MOVES + 1;
}

/// Keeps the logarithm finite where a move leaves no reply.
const NO_REPLY: f32 = 1e-4;

/// The same where the game is over.
const NO_MOVE: f32 = 1e-20;

/// All that the net makes of a view.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The hidden layer.
    pub hidden: [f32; HIDDEN],
    /// By cell, e to the worth of a reply there; 0 where a cell is not free.
    pub replies: [f32; Cell::COUNT],
    /// For each move, the sum of those of its replies.
    pub reply_sums: ArrayVec<f32, MOST_MOVES>,
    /// For each move, how likely it is the best one, as a logit.
    pub logits: ArrayVec<f32, MOST_MOVES>,
    /// The logarithm of the sum of the moves' exponentials.
    pub moves: f32,
    /// The chance of the player to move, as a logit.
    pub chance: f32,
}

/// The net.
pub struct Net {
    /// All weights, as [`parts`] orders them.
    pub weights: Vec<f32>,
}

static FITTED: LazyLock<Net> =
    LazyLock::new(|| Net { weights: weights::from_bytes(include_bytes!("net.bin"), parts::LEN) });

impl Net {
    /// The net that the program was built with.
    pub fn fitted() -> &'static Net {
        &FITTED
    }

    /// What the net makes of the view.
    pub fn read(&self, view: &View) -> Reading {
        let hidden = self.hidden(view);
        let mut replies = [0.0; Cell::COUNT];
        for (cell, reply) in
            replies.iter_mut().enumerate().filter(|(cell, _)| view.states[*cell] > NEUTRAL)
        {
            let worth = self.weights[parts::REPLY_STATES.start + usize::from(view.states[cell])]
                + self.weights[parts::REPLY_SHAPES.start + usize::from(view.shapes[cell])]
                + dot(&hidden, row(&self.weights, parts::REPLY_ROWS.start + cell * HIDDEN));
            *reply = exp(worth);
        }
        let mut reading = Reading {
            hidden,
            replies,
            reply_sums: ArrayVec::new(),
            logits: ArrayVec::new(),
            moves: 0.0,
            chance: 0.0,
        };
        let mut sum = 0.0;
        for &(cell, answers) in &view.moves {
            let answered =
                NO_REPLY + answers.iter().map(|reply| replies[reply.ordinal()]).sum::<f32>();
            let cell = cell.ordinal();
            let logit = self.weights[parts::MOVE_STATES.start + usize::from(view.states[cell])]
                + self.weights[parts::MOVE_SHAPES.start + usize::from(view.shapes[cell])]
                + dot(&hidden, row(&self.weights, parts::MOVE_ROWS.start + cell * HIDDEN))
                - self.weights[parts::REPLIES] * libm::logf(answered);
            sum += exp(logit);
            reading.reply_sums.push(answered);
            reading.logits.push(logit);
        }
        let shapes = &self.weights[parts::CHANCE_SHAPES];
        reading.moves = libm::logf(NO_MOVE + sum);
        reading.chance = self.weights[parts::CONSTANT]
            + dot(&hidden, row(&self.weights, parts::CHANCE.start))
            + view.shapes.iter().map(|&shape| shapes[usize::from(shape)]).sum::<f32>()
            + self.weights[parts::MOVES] * reading.moves;
        reading
    }

    fn hidden(&self, view: &View) -> [f32; HIDDEN] {
        let mut hidden = *row(&self.weights, parts::BIAS.start);
        for start in rows(view) {
            for (sum, weight) in hidden.iter_mut().zip(row::<HIDDEN>(&self.weights, start)) {
                *sum += weight;
            }
        }
        hidden.map(|sum| sum.clamp(0.0, 1.0))
    }
}

const NEUTRAL: u8 = 2;

/// Where the rows start whose sum is the hidden layer.
pub fn rows(view: &View) -> impl Iterator<Item = usize> {
    let states = view.states.iter().enumerate().map(|(cell, &state)| {
        parts::STATE_ROWS.start + (cell * STATES + usize::from(state)) * HIDDEN
    });
    let firsts = COUNT_SIZES.iter().scan(parts::COUNT_ROWS.start, |next, size| {
        let first = *next;
        *next += size * HIDDEN;
        Some((first, size))
    });
    let counts = firsts
        .zip(&view.counts)
        .map(|((first, size), &count)| first + usize::from(count).min(size - 1) * HIDDEN);
    states.chain(counts)
}

/// e^x to one part in a thousand, for `x` within ±40: a cubic between the powers of two (as Schraudolph 1999 does with a line).
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
    fn the_file_holds_every_weight() {
        assert_eq!(include_bytes!("net.bin").len(), 2 * parts::LEN);
        assert_eq!(weights::to_bytes(&Net::fitted().weights), include_bytes!("net.bin"));
    }

    #[test]
    fn the_quick_exponential_is_right_to_a_thousandth() {
        for step in -4_000..=4_000 {
            let x = step as f32 / 100.0;
            let ratio = f64::from(exp(x)) / f64::from(x).exp();
            assert!((ratio - 1.0).abs() < 1e-3, "{x}: {ratio}");
        }
    }
}
