//! The games of a tournament in its folder: written, read, checked, counted, merged, and converted from and to score sheets.

pub mod audit;
pub mod convert;
pub mod difference;
pub mod folder;
pub mod follow;
mod forecasts;
pub mod journal;
pub mod judge;
pub mod live;
pub mod manifest;
pub mod merge;
pub mod standings;
pub mod stop;
pub mod transcript;
