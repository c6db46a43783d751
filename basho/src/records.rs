//! The folder of a tournament: writing, reading, validating, counting, merging and converting its
//! games.

pub mod convert;
pub mod transcript;

// Folders need file locks and file types of Unix.
#[cfg(unix)]
mod calibration;
#[cfg(unix)]
pub mod difference;
#[cfg(unix)]
pub mod folder;
#[cfg(unix)]
pub mod journal;
#[cfg(unix)]
pub mod live;
#[cfg(unix)]
pub mod load;
#[cfg(unix)]
pub mod manifest;
#[cfg(unix)]
pub mod merge;
#[cfg(unix)]
pub mod standings;
#[cfg(unix)]
pub mod stop;
#[cfg(unix)]
pub mod tail;
#[cfg(unix)]
pub mod validate;
