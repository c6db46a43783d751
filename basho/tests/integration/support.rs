//! Helpers that the tests of the runner share.

pub mod mock;
#[path = "../../../tests/integration/support/move_lists.rs"]
pub mod move_lists;
pub mod parsers;
#[path = "../../../tests/integration/support/program.rs"]
pub mod program;
pub mod readers;
pub mod runner;
