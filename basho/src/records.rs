//! The folder of a tournament: writing, reading, validating, counting, merging and converting its
//! games.

mod calibration;
pub mod convert;
pub mod difference;
pub mod folder;
pub mod journal;
pub mod live;
pub mod load;
pub mod manifest;
pub mod merge;
pub mod standings;
pub mod stop;
pub mod tail;
pub mod transcript;
pub mod validate;
