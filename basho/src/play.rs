//! Playing: engines as child processes, the referee of a game, and the tournament.

pub mod check;
pub mod client;
pub mod descendants;
pub mod failure;
pub mod interrupt;
mod naps;
pub mod player;
mod prepare;
pub mod process;
pub mod program;
pub mod referee;
pub mod stalls;
pub mod stderr_log;
pub mod tournament;
pub mod waits;
pub mod watch;
mod workers;
