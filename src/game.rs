//! Traits of a game: rules, text forms, rounds and evaluation.
//!
//! A type that implements [`Game`] has rules and can be counted with
//! [`perft`](crate::perft::perft). [`Text`] adds position lines and moves in text, for the
//! protocol. [`Searchable`] names an [`Evaluator`], for the search.
//! `tests/integration/breakthrough` is a small example.

mod evaluator;
mod hash;
mod player;
mod round;
mod rules;
mod text;

pub use evaluator::{
    Evaluation, Evaluator, MAX_PAYOFFS, MoveClass, Policy, RoundPayoff, RoundPayoffs, RoundProof,
    Searchable,
};
pub use hash::mix;
pub use player::{Outcome, Player};
pub use round::{Round, RoundEnd, RoundStage};
pub use rules::{Game, InitialNumbers, MAX_MOVES, MoveList};
pub use text::{MoveError, PlayError, Text, quote};
