//! All integration tests in one program, so that they are linked once.

mod contract;
mod kamon;
mod perft;
