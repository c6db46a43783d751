//! What a game is, for everything that does not care which: search, perft, protocol loop, referee.
//!
//! [`Game`] is the rules and nothing else, [`Round`] the round in play as one value, [`Text`] what is written and read, [`Evaluator`]
//! what the search is told of a position that nothing is proven of. A game that implements them can be searched, proven, played over
//! the protocol and refereed; `tests/integration/breakthrough` shows how little that is.

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
