//! All integration tests in one program, so that they are linked once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod bad_input;
mod contract;
mod dialogue;
mod engine_dialogue;
mod perft;
mod protocol_document;
mod search;
