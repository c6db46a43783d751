//! The stages of a search before and after the tree search of the game.

pub(super) mod opponent_model;
pub(super) mod round;
pub(super) mod swindle;
