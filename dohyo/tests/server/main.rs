//! Tests of the running server through its sockets, with real engines and without a browser.

#![allow(clippy::unwrap_used, clippy::panic)]

mod complete_games;
mod engines;
mod exchange;
#[path = "../../../basho/tests/integration/support/mock.rs"]
mod mock;
#[path = "../../../tests/integration/support/move_lists.rs"]
mod move_lists;
mod play;
mod review;
mod security;
mod shutdown;
mod storage;
mod support;
mod watch;
mod websocket;
