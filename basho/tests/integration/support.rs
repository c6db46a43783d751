//! What the tests of the runner share.

#[path = "../../../tests/integration/support/dialogue.rs"]
pub mod dialogue;
pub mod mock;
#[path = "../../../tests/integration/support/move_lists.rs"]
pub mod move_lists;
pub mod parsers;
#[path = "../../../tests/integration/support/program.rs"]
pub mod program;
pub mod readers;
pub mod runner;
