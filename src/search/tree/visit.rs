//! One visit of the tree search: selection, evaluation and expansion of a leaf, and backup of
//! values and proofs.

use arrayvec::ArrayVec;

use super::TreeSearch;
use super::node::{NewNode, Node};
use super::select::{proof_of_children, select};
use crate::game::{
    Evaluation, Evaluator, MAX_MOVES, Player, Round, RoundProof, RoundStage, Searchable, mix,
};
use crate::search::params;
use crate::search::proof::Proof;
use crate::search::proof::child_selection::VirtualProofNumbers;
use crate::search::proof::dfpn::Prover;
use crate::search::proof::exact::ExactSearch;
use crate::search::proof::static_result::{
    after, decides_game, lookup_proof, play_forced, static_child, static_win, to_round_proof,
};
use crate::search::proof::table::TranspositionTable;
use crate::search::proof::tt_value::TtValue;

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

/// The end of a selection: a node, its position, and Black's win probability if that needs no
/// evaluation.
struct Leaf<'a, G> {
    node: &'a Node,
    position: G,
    win_probability: Option<f32>,
}

/// Maximum expansions per visit for a round payoff. They take some tenths of a second without a
/// report.
const MAX_FOR_PAYOFF: u64 = 1 << 18;

impl<'a, G: Searchable> TreeSearch<'a, G> {
    /// Runs one iteration.
    pub(in crate::search) fn iterate(&self, worker: &mut Worker<'_, G>) {
        let Leaf { node, position, win_probability } = self.select_leaf(worker);
        let black_win_probability =
            win_probability.unwrap_or_else(|| self.evaluate_leaf(node, &position, worker));
        self.statistics.add(worker.path.len() as u32 - 1, black_win_probability);
        self.back_up(worker, black_win_probability);
    }

    /// Selects from the root to a node that is proven or has no children.
    fn select_leaf(&self, worker: &mut Worker<'_, G>) -> Leaf<'a, G> {
        worker.path.clear();
        let mut position = self.position;
        let root = self.tree.root();
        let mut index = root;
        loop {
            let node = self.tree.node(index);
            node.begin_visit();
            let player = position.turn();
            worker.path.push(Visited { index, player, key: position.proof_key() });
            if index != root {
                if let Some(proof) = node.proof() {
                    return Leaf { node, position, win_probability: Some(proof.win_probability()) };
                }
                self.update_round(node, &position, worker);
            }
            if !node.is_expanded() {
                return Leaf { node, position, win_probability: None };
            }
            let Some((choice, child)) = self.choose(index, node, player) else {
                // All children are proven; the backup derives the node's proof.
                return Leaf {
                    node,
                    position,
                    win_probability: Some(node.win_probability().unwrap_or(0.5)),
                };
            };
            let mv = position.legal_moves()[choice];
            // Moves that end the game were proven when their node was made.
            if self.tree.node(child).proof().is_some() {
                position.play(mv);
            } else {
                position.play_non_winning(mv);
            }
            play_forced(&mut position);
            index = child;
        }
    }

    /// The selected child, with its index among the legal moves.
    fn choose(&self, index: u32, node: &Node, player: Player) -> Option<(usize, u32)> {
        let children = node.children();
        let first = children.clone().next()?;
        let selected = |children: &mut dyn Iterator<Item = u32>| {
            let deviation = self.statistics.deviation.get();
            select(self.tree, node, children, player, G::Evaluator::EXPLORATION, deviation)
        };
        let child = if index == self.tree.root() {
            let is_safe = |&child: &u32| !self.tree.node(child).is_excluded();
            selected(&mut self.searched_children().filter(is_safe))
                .or_else(|| selected(&mut self.searched_children()))
        } else {
            selected(&mut { children })
        }?;
        Some(((child - first) as usize, child))
    }

    /// Evaluates a leaf and returns Black's win probability. Solves it exactly near the end of the
    /// game, works on the proof of its round, and expands it.
    fn evaluate_leaf(&self, node: &Node, position: &G, worker: &mut Worker<'_, G>) -> f32 {
        self.solve(node, position, worker);
        let round = position.round();
        let opens = round.is_opening();
        if opens && node.visits() == 0 {
            self.prove_round(node, &round, position, worker, params::opening_expansions());
        } else if !opens && !round.is_whole_game() {
            self.prove_round(node, &round, position, worker, params::leaf_expansions());
        }
        match node.proof() {
            Some(proof) => proof.win_probability(),
            None if opens && node.visits() < params::opening_visits() => {
                self.value(position, &mut worker.evaluator)
            }
            None => self.expand(node, position, &mut worker.evaluator),
        }
    }

    /// Solves a leaf exactly if the evaluator expects that to be cheap.
    fn solve(
        &self,
        node: &Node,
        position: &G,
        Worker { exact, evaluator, .. }: &mut Worker<'_, G>,
    ) {
        let budget = evaluator.exact_budget(position);
        // The root keeps its children, since one of them is the move.
        if budget == 0 || *position == self.position {
            return;
        }
        let before = exact.expansions;
        let proof = self.budget.spend_up_to(budget, |budget| {
            (exact.solve(position, evaluator, budget), exact.expansions - before)
        });
        if let Some(proof) = proof {
            node.set_proof(proof);
        }
    }

    /// Gives the node a child for each legal move. Children that static analysis or the table
    /// decides are proven from the start.
    pub(in crate::search) fn expand(
        &self,
        node: &Node,
        position: &G,
        evaluator: &mut G::Evaluator,
    ) -> f32 {
        let moves = position.legal_moves();
        let Evaluation { value, policy } = self.evaluate(position, &moves, evaluator);
        // The root keeps its children, since one of them is the move.
        let win = static_win(position.turn(), &policy.classes);
        if let Some(proof) = win.filter(|_| *position != self.position) {
            node.set_proof(proof);
            return proof.win_probability();
        }
        let mut children = ArrayVec::<NewNode, MAX_MOVES>::new();
        let mut keys = ArrayVec::<u64, MAX_MOVES>::new();
        for (choice, (&mv, &prior)) in moves.iter().zip(&policy.logits).enumerate() {
            let (next, from_parent, proof) =
                static_child(position, mv, policy.classes.get(choice).copied());
            keys.push(next.proof_key());
            children.push(NewNode { prior, from_parent, proof });
        }
        keys.iter().for_each(|&key| self.table.prefetch(key));
        for (child, &key) in children.iter_mut().zip(&keys) {
            child.proof = child.proof.or_else(|| self.table.proof(key));
        }
        self.tree.expand(node, children.into_iter());
        value
    }

    /// Updates the status of the round at a node on the path. The opening of a round gets proof
    /// search with every visit. Other nodes look the winner up after powers of two of their visits.
    fn update_round(&self, node: &Node, position: &G, worker: &mut Worker<'_, G>) {
        if G::HAS_DRAWS || node.visits() == 0 {
            return;
        }
        // Visits in progress count, so that two threads rarely do the same work, and no work is
        // left out.
        let visits_before = node.visits_begun().saturating_sub(1);
        let is_due = visits_before.is_power_of_two();
        if node.is_round_known() {
            if node.is_payoff_open() && is_due {
                let expansions = u64::from(visits_before) * params::leaf_expansions();
                self.prove_payoff(node, position, worker, expansions.min(MAX_FOR_PAYOFF));
            }
            return;
        }
        let round = position.round();
        if round.is_opening() {
            self.prove_round(node, &round, position, worker, params::opening_expansions());
            if !node.is_expanded() && !node.is_round_known() && node.proof().is_none() {
                node.revise(self.value(position, &mut worker.evaluator));
            }
        } else if is_due {
            self.prove_round(node, &round, position, worker, 0);
        }
    }

    /// Works on the winner of the node's round and, within a round, on its payoff. Stores both in
    /// the node.
    fn prove_round(
        &self,
        node: &Node,
        round: &Round<G>,
        position: &G,
        worker: &mut Worker<'_, G>,
        expansions: u64,
    ) {
        let contest = &round.contest;
        let proof = lookup_proof(contest, self.table)
            .or_else(|| self.prove_within_budget(&mut worker.prover, contest, expansions));
        if let Some(proof) = proof {
            self.apply_round_proof(node, position, proof, &mut worker.evaluator);
            let expansions = if round.is_opening() { 0 } else { expansions };
            self.prove_payoff(node, position, worker, expansions);
        }
    }

    /// Applies the proof of a round to a node. Between rounds the value is not revised; it comes
    /// from the children.
    pub(in crate::search) fn apply_round_proof(
        &self,
        node: &Node,
        position: &G,
        proof: Proof,
        evaluator: &mut G::Evaluator,
    ) {
        let round = position.round();
        if decides_game(&round, proof) {
            node.set_proof(proof);
            return;
        }
        // Only once: later visits are worth more than this evaluation. Before the first visit there
        // is no value to revise.
        if node.mark_round_known() && round.stage != RoundStage::Between && node.visits() > 0 {
            node.revise(evaluator.value(position, to_round_proof(Some(TtValue::Proven(proof)))));
        }
    }

    /// Backs values and proofs up from the leaf to the root.
    fn back_up(&self, worker: &Worker<'_, G>, mut black_win_probability: f32) {
        let mut child_proven = true;
        for visited in worker.path.iter().rev() {
            let node = self.tree.node(visited.index);
            if child_proven {
                child_proven = self.prove(visited.index, visited.player);
                if let Some(proof) = node.proof() {
                    black_win_probability = proof.win_probability();
                    self.remember(visited, proof);
                }
            }
            if !child_proven {
                black_win_probability = node.bounded(black_win_probability);
            }
            node.end_visit(black_win_probability);
        }
    }

    /// Derives the node's proof from its children. Returns whether the node is proven.
    pub(in crate::search) fn prove(&self, index: u32, player: Player) -> bool {
        let node = self.tree.node(index);
        let proof = if index == self.tree.root() {
            proof_of_children(self.tree, self.candidate_children(), player)
        } else if node.proof().is_some() {
            return true;
        } else {
            proof_of_children(self.tree, node.children(), player)
        };
        if let Some(proof) = proof {
            node.set_proof(proof);
        }
        proof.is_some()
    }

    /// Stores a proof in the table, which outlives recycled nodes. The root's proof may cover only
    /// some moves, so it is not stored.
    fn remember(&self, visited: &Visited, proof: Proof) {
        if visited.index != self.tree.root() {
            self.table.put(
                visited.key,
                TtValue::Proven(proof),
                0..u64::from(self.tree.node(visited.index).visits()),
            );
        }
    }
}

/// Evaluation by the game's evaluator, with the proofs of rounds as input.
impl<G: Searchable> TreeSearch<'_, G> {
    /// Status of the round in play, as input of the evaluator.
    fn round_status(&self, position: &G) -> RoundProof {
        let round = position.round();
        let is_used = !round.is_whole_game() || round.is_opening();
        to_round_proof(if is_used { self.table.get(round.contest.proof_key()) } else { None })
    }

    /// Black's win probability by the game's evaluator.
    pub(in crate::search) fn value(&self, position: &G, evaluator: &mut G::Evaluator) -> f32 {
        evaluator.value(position, self.round_status(position))
    }

    /// The evaluation of a position, with the logits turned into priors: expected shares of the
    /// visits.
    pub(in crate::search) fn evaluate(
        &self,
        position: &G,
        moves: &[G::Move],
        evaluator: &mut G::Evaluator,
    ) -> Evaluation {
        let winners = self.winners_after(position, moves);
        let mut evaluation =
            evaluator.evaluate(position, moves, self.round_status(position), &winners);
        let priors = &mut evaluation.policy.logits;
        self.jitter(position, priors);
        softmax(priors);
        if *position == self.position && params::round_prior() {
            for (prior, share) in priors.iter_mut().zip(&self.root.round_policy) {
                *prior = (*prior + share) / 2.0;
            }
        }
        evaluation
    }

    /// The proven winner of the round after each move; empty if the round decides the game.
    fn winners_after(
        &self,
        position: &G,
        moves: &[G::Move],
    ) -> ArrayVec<Option<Player>, MAX_MOVES> {
        let round = position.round();
        if round.is_whole_game() {
            return ArrayVec::new();
        }
        let nexts: ArrayVec<G, MAX_MOVES> =
            moves.iter().map(|&mv| after(&round.contest, mv)).collect();
        nexts.iter().for_each(|next| self.table.prefetch(next.proof_key()));
        nexts.iter().map(|next| lookup_proof(next, self.table)?.outcome.winner()).collect()
    }

    /// Changes each logit by up to the jitter.
    fn jitter(&self, position: &G, logits: &mut [f32]) {
        let start = position.hash() ^ mix(self.settings.seed);
        for (number, logit) in (0..).zip(logits) {
            let share = (mix(start.wrapping_add(number)) >> 40) as f32 / (1 << 24) as f32;
            *logit += (share - 0.5) * (2.0 * params::jitter());
        }
    }
}

/// Turns logits into probabilities.
fn softmax(logits: &mut [f32]) {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = libm::expf(*logit - highest));
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|share| *share /= sum);
}

#[cfg(test)]
mod tests;
