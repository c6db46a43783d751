//! One iteration of the tree search: selection, evaluation and expansion of a leaf, and backup of
//! values and proofs.

use arrayvec::ArrayVec;

use super::node::{NewNode, Node};
use super::search::TreeSearch;
use super::select::{proof_of_children, sample, select};
use super::worker::{Visited, Worker};
use crate::game::{Evaluation, Evaluator, MAX_MOVES, Player, Round, RoundStage, Searchable};
use crate::search::proof::proven::Proof;
use crate::search::proof::static_result::{
    decides_game, play_forced, static_child, static_win, to_round_proof,
};
use crate::search::proof::tt_value::TtValue;

/// The end of a selection: a node, its position, and Black's win probability if that needs no
/// evaluation.
struct Leaf<'a, G> {
    node: &'a Node,
    position: G,
    win_probability: Option<f32>,
}

/// Visits during which the opening of a later round stays a leaf, since the proof search decides
/// the round.
const VISITS_BEFORE_ROUND: u32 = 64;

/// Expansions for the proof of a later round per visit of its opening.
const EXPANSIONS_PER_OPENING_VISIT: u64 = 512;

/// Expansions for the proof of the round in play per evaluated leaf.
const EXPANSIONS_PER_LEAF: u64 = 16;

/// Maximum expansions per visit for a round payoff. They take some tenths of a second without a
/// report.
const MAX_EXPANSIONS_FOR_PAYOFF: u64 = 1 << 18;

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
            worker.path.push(Visited { index, player, key: position.proof_key(), risk: None });
            if index != root {
                if let Some(proof) = node.proof() {
                    return Leaf { node, position, win_probability: Some(proof.win_probability()) };
                }
                self.update_round(node, &position, worker);
                self.set_conversion_risk(node, &position, worker);
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
        let child = if index == self.tree.root() {
            let safe = self.root_children().filter(|&child| !self.tree.node(child).is_excluded());
            select(
                self.tree,
                node,
                safe,
                player,
                G::Evaluator::EXPLORATION,
                self.statistics.deviation.get(),
            )
            .or_else(|| {
                select(
                    self.tree,
                    node,
                    self.root_children(),
                    player,
                    G::Evaluator::EXPLORATION,
                    self.statistics.deviation.get(),
                )
            })
        } else if self.opponent.is_sampled(player) {
            sample(self.tree, children)
        } else {
            select(
                self.tree,
                node,
                children,
                player,
                G::Evaluator::EXPLORATION,
                self.statistics.deviation.get(),
            )
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
            self.prove_round(node, &round, position, worker, EXPANSIONS_PER_OPENING_VISIT);
            self.set_conversion_risk(node, position, worker);
        } else if !opens && !round.is_whole_game() {
            self.prove_round(node, &round, position, worker, EXPANSIONS_PER_LEAF);
        }
        match node.proof() {
            Some(proof) => proof.win_probability(),
            None if opens && node.visits() < VISITS_BEFORE_ROUND => {
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
        if let Some(proof) = proof.filter(|&proof| self.opponent.is_certain(proof)) {
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
        let win = static_win(position.turn(), &policy.classes)
            .filter(|&proof| self.opponent.is_certain(proof));
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
            child.proof = child
                .proof
                .or_else(|| self.table.proof(key).filter(|&proof| self.opponent.is_certain(proof)));
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
        if node.is_round_known() {
            if node.is_payoff_open() && visits_before.is_power_of_two() {
                let expansions =
                    (u64::from(visits_before) * EXPANSIONS_PER_LEAF).min(MAX_EXPANSIONS_FOR_PAYOFF);
                self.prove_payoff(node, position, worker, expansions);
            }
            return;
        }
        let round = position.round();
        if round.is_opening() {
            self.prove_round(node, &round, position, worker, EXPANSIONS_PER_OPENING_VISIT);
            if !node.is_expanded() && !node.is_round_known() && node.proof().is_none() {
                node.revise(self.value(position, &mut worker.evaluator));
            }
        } else if visits_before.is_power_of_two() {
            self.prove_round(node, &round, position, worker, 0);
        }
    }

    /// Records the conversion risk of the last node on the path, for the backup. The evaluation of
    /// an unexpanded opening without a proven winner already includes the risk.
    fn set_conversion_risk(&self, node: &Node, position: &G, worker: &mut Worker<'_, G>) {
        if (node.is_round_known() || node.is_expanded())
            && let Some(visited) = worker.path.last_mut()
        {
            visited.risk = self.conversion_risk(position, &mut worker.evaluator);
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
        let proof = self
            .table
            .proof(contest.proof_key())
            .or_else(|| self.prove_within_budget(&mut worker.prover, contest, expansions));
        if let Some(proof) = proof {
            self.apply_round_proof(node, position, proof, &mut worker.evaluator);
            self.prove_payoff(
                node,
                position,
                worker,
                if round.is_opening() { 0 } else { expansions },
            );
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
            let win_probability =
                evaluator.value(position, to_round_proof(Some(TtValue::Proven(proof))));
            node.revise(
                self.conversion_risk(position, evaluator)
                    .map_or(win_probability, |risk| risk.apply_to(win_probability)),
            );
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
                black_win_probability = visited
                    .risk
                    .map_or(black_win_probability, |risk| risk.apply_to(black_win_probability));
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
            let children = node.children();
            // A fallible player is certain to win only if every move wins.
            let wins =
                |child| self.tree.node(child).proof().is_some_and(|proof| proof.is_win_for(player));
            let holds = |proof: &Proof| {
                self.opponent.is_certain(*proof)
                    || !self.opponent.is_sampled(player)
                    || children.clone().all(wins)
            };
            proof_of_children(self.tree, children.clone(), player).filter(holds)
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
