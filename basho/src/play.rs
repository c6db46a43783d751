//! Playing: engine processes, the referee of a game, and the tournament.

mod backoff;
pub mod check;
pub mod client;
mod cpu_wait;
pub mod descendants;
pub mod failure;
pub mod interrupt;
mod nonblocking;
mod player;
mod prepare;
pub mod process;
pub mod program;
mod recorder;
mod referee;
mod stall_detector;
mod stall_log;
mod stderr_log;
pub mod tournament;
mod workers;
