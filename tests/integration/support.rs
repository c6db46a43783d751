//! What tests share: dialogues with the engine, second implementations, positions drawn at random, and properties of parsers.

pub mod certificate;
pub mod dialogue;
pub mod drawn;
pub mod kamon_reference;
#[cfg(feature = "basho")]
pub mod mock;
pub mod move_lists;
#[cfg(feature = "basho")]
pub mod parsers;
#[cfg(feature = "basho")]
pub mod readers;
pub mod reference;
#[cfg(feature = "basho")]
pub mod runner;
pub mod solved;
pub mod uct;
