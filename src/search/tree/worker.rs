//! What one thread of a search works with.

use super::conversion_risk::ConversionRisk;
use crate::game::{Player, Searchable};
use crate::search::proof::dfpn::Prover;
use crate::search::proof::exact::ExactSearch;
use crate::search::proof::table::TranspositionTable;
use crate::search::proof::virtual_numbers::VirtualProofNumbers;

/// What one thread needs for its iterations.
pub(in crate::search) struct Worker<'a, G: Searchable> {
    /// Its number among the threads of the search, from 0.
    pub thread: usize,
    /// From the root to the leaf of the iteration.
    pub path: Vec<Visited>,
    pub prover: Prover<'a>,
    pub exact: ExactSearch<'a>,
    pub evaluator: G::Evaluator,
}

/// A node on the way down, the player who chooses there, and the key of its position.
pub(in crate::search) struct Visited {
    pub index: u32,
    pub player: Player,
    pub key: u64,
    /// What the chances from there on are to allow for.
    pub risk: Option<ConversionRisk>,
}

impl<'a, G: Searchable> Worker<'a, G> {
    /// The proof search asks after each of its expansions, by their number, whether the search `is_over`.
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
