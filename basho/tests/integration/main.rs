//! Integration tests of basho, in one program so that they are linked once.

#![allow(clippy::unwrap_used, clippy::panic)]

mod ablation;
mod boardspace;
mod check;
mod disturbed;
mod evidence;
mod fastchess_lines;
mod faults;
mod fuzz;
mod input;
mod manual;
mod move_lists;
mod output;
mod page;
mod play;
mod ratings;
mod records;
mod resume;
mod security;
mod shards;
mod sheet_files;
mod sheets;
mod statistics;
mod support;
mod text_files;
mod variants;
