//! The proof search: df-pn with its table, exact search, and the contests that they decide.

pub mod certificate;
mod child_selection;
pub(super) mod dfpn;
mod draw_as_loss;
pub(super) mod exact;
mod heuristics;
mod mate;
pub(super) mod objective;
pub(super) mod proven;
pub(super) mod scheduler;
mod shorten;
pub(super) mod solver;
pub(super) mod static_result;
pub(super) mod table;
pub(super) mod tt_value;
pub(super) mod virtual_numbers;
pub(super) mod win_within;
