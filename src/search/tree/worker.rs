//! The state of one search thread.

use super::conversion_risk::ConversionRisk;
use crate::game::{Player, Searchable};
use crate::search::proof::dfpn::Prover;
use crate::search::proof::exact::ExactSearch;
use crate::search::proof::table::TranspositionTable;
use crate::search::proof::virtual_numbers::VirtualProofNumbers;

/// State of one thread for its iterations.
pub(in crate::search) struct Worker<'a, G: Searchable> {
    /// Number of the thread, from 0.
    pub thread: usize,
    /// Path of the current iteration, from the root to the leaf.
    pub path: Vec<Visited>,
    pub prover: Prover<'a>,
    pub exact: ExactSearch<'a>,
    pub evaluator: G::Evaluator,
}

/// A node on the path, the player to move there, and the key of its position.
pub(in crate::search) struct Visited {
    pub index: u32,
    pub player: Player,
    pub key: u64,
    /// Conversion risk to apply to values backed up through the node.
    pub risk: Option<ConversionRisk>,
}

impl<'a, G: Searchable> Worker<'a, G> {
    /// A worker. Its proof search calls `is_over` with its number of expansions after each one.
    pub fn new(
        thread: usize,
        table: TranspositionTable<'a>,
        virtual_numbers: Option<&'a VirtualProofNumbers>,
        is_over: &'a dyn Fn(u64) -> bool,
    ) -> Self {
        Worker {
            thread,
            path: Vec::new(),
            prover: Prover::new(table).with_virtual_numbers(virtual_numbers).until(is_over),
            exact: ExactSearch::new(table),
            evaluator: G::Evaluator::default(),
        }
    }
}
