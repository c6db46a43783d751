//! All integration tests in one program, so that they are linked once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod contract;
mod drawn;
mod kamisado;
mod kamisado_differential;
mod kamisado_positions;
mod kamisado_symmetry;
mod kamon;
mod perft;
mod reference;
mod search;
mod uct;
