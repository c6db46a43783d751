//! The games of a tournament in its folder: written, read, checked, merged, and converted from and to score sheets.

pub mod audit;
pub mod convert;
pub mod difference;
pub mod folder;
pub mod follow;
pub mod journal;
pub mod judge;
pub mod live;
pub mod manifest;
pub mod merge;
pub mod record;
pub mod stop;
pub mod transcript;
