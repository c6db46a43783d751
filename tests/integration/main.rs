//! All integration tests in one program, so that they are linked once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod any_dialogue;
mod bad_input;
mod breakthrough;
mod certificates;
mod contract;
mod documents;
mod engine_dialogue;
mod exhaustive;
mod kamisado;
mod kamisado_differential;
mod kamisado_positions;
mod kamisado_symmetry;
mod kamon;
mod kamon_differential;
mod limits;
mod lost_positions;
mod move_lists;
mod perft;
mod pictures;
mod protocol_document;
mod proven_results;
mod rules_document;
mod search;
mod solver;
mod strength;
mod support;
