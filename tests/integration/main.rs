//! All integration tests in one program, so that they are linked once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod any_dialogue;
mod bad_input;
mod contract;
mod dialogue;
mod drawn;
mod engine_dialogue;
mod exhaustive;
mod frontend;
mod fuzz;
mod kamisado;
mod kamisado_differential;
mod kamisado_positions;
mod kamisado_symmetry;
mod kamon;
mod kamon_differential;
mod kamon_reference;
mod parsers;
mod perft;
mod pictures;
mod protocol_document;
mod reference;
mod runner_faults;
mod runner_input;
mod runner_page;
mod runner_play;
mod runner_resume;
mod runner_security;
mod runner_statistics;
mod search;
mod sheet_files;
mod sheets;
mod strength;
mod uci_crate;
mod uct;
