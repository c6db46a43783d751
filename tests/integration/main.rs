//! All integration tests in one program, so that they are linked once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod any_dialogue;
mod bad_input;
#[cfg(feature = "basho")]
mod boardspace;
mod breakthrough;
mod certificates;
mod contract;
mod engine_dialogue;
mod exhaustive;
#[cfg(feature = "basho")]
mod fastchess_lines;
mod frontend;
#[cfg(feature = "basho")]
mod fuzz;
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
#[cfg(feature = "basho")]
mod runner_disturbed;
#[cfg(feature = "basho")]
mod runner_evidence;
#[cfg(feature = "basho")]
mod runner_faults;
#[cfg(feature = "basho")]
mod runner_input;
#[cfg(feature = "basho")]
mod runner_manual;
#[cfg(feature = "basho")]
mod runner_output;
#[cfg(feature = "basho")]
mod runner_page;
#[cfg(feature = "basho")]
mod runner_play;
#[cfg(feature = "basho")]
mod runner_records;
#[cfg(feature = "basho")]
mod runner_resume;
#[cfg(feature = "basho")]
mod runner_security;
#[cfg(feature = "basho")]
mod runner_shards;
#[cfg(feature = "basho")]
mod runner_statistics;
mod search;
#[cfg(feature = "basho")]
mod sheet_files;
#[cfg(feature = "basho")]
mod sheets;
mod solver;
mod solver_program;
#[cfg(feature = "basho")]
mod strength;
mod support;
#[cfg(feature = "basho")]
mod text_files;
mod uci_crate;
