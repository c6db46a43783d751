//! The Monte Carlo tree search: its nodes, selection, evaluation, backup, stopping rule and lines.

pub(super) mod arena;
mod conversion_risk;
mod deviation;
mod evaluate;
mod iterate;
mod lines;
pub(super) mod node;
pub(super) mod opponent;
mod payoffs;
pub(super) mod reuse;
pub(super) mod root;
pub(super) mod search;
mod select;
mod stopping;
pub(super) mod training_samples;
pub(super) mod worker;
