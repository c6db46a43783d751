//! Shared code of the tests: dialogues with the engine, reference implementations, random
//! positions, and data files.

pub mod certificate;
pub mod dialogue;
pub mod kamon_reference;
pub mod move_lists;
pub mod program;
pub mod random_lines;
pub mod random_play;
pub mod reference;
pub mod search;
pub mod solved;
pub mod start;
pub mod uct;
