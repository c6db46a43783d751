//! Playing: engine processes, the referee of a game, and the tournament.

mod backoff;
pub mod check;
pub mod client;
pub mod cpu_wait;
pub mod descendants;
pub mod failure;
pub mod interrupt;
mod nonblocking;
pub mod player;
mod prepare;
pub mod process;
pub mod program;
mod recorder;
pub mod referee;
pub mod stall_detector;
pub mod stall_log;
pub mod stderr_log;
pub mod tournament;
mod workers;
