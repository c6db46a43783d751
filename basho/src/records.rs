//! The games of a tournament in its folder: written, read, checked, counted, merged, and converted from and to score sheets.

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
