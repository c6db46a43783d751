//! The server as a page sees it: the real program, real sockets, real engines, and no browser.

#![allow(clippy::unwrap_used, clippy::panic)]

mod ending;
mod engines;
mod exchange;
mod keeping;
#[path = "../../../basho/tests/integration/support/mock.rs"]
mod mock;
#[path = "../../../tests/integration/support/move_lists.rs"]
mod move_lists;
mod playing;
mod review;
mod security;
mod support;
mod watch;
mod wire;
