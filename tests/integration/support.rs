//! What tests share: dialogues with the engine, second implementations, positions drawn at random, and properties of parsers.

pub mod certificate;
pub mod dialogue;
pub mod drawn;
pub mod kamon_reference;
pub mod move_lists;
pub mod program;
pub mod reference;
pub mod solved;
pub mod uct;
