//! Kamisado (Peter Burley): the match of rounds, with Sumos, oshi pushes, points and refills.
//!
//! Rule labels such as D6 or S10 are those of the published rules.

mod board;
pub mod eval;
mod layout;
mod picture;
mod position_line;
mod refill;
mod round;
mod rules;
mod svg;
mod text;
mod words;

pub use board::{Colour, Square};
pub use layout::Layout;
pub use position_line::PositionError;
pub use refill::Side;
pub use rules::{Match, Move, Target};
