//! One iteration: selection down the tree to a leaf, its evaluation or expansion, and the backup of chances and proofs.

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

/// Where the way down ends: a node, its position, and Black's chance there if that needs no evaluation.
struct Leaf<'a, G> {
    node: &'a Node,
    position: G,
    win_probability: Option<f32>,
}

/// Visits for which the opening of a round stays a leaf: who wins the round is left to the proof search.
const VISITS_BEFORE_ROUND: u32 = 64;

/// Expansions that the proof of a round gets for each visit of its opening.
const EXPANSIONS_PER_OPENING_VISIT: u64 = 512;

/// Expansions that the proof of the round gets at a leaf within it.
const EXPANSIONS_PER_LEAF: u64 = 16;

/// The most expansions that one visit gives to a prize: some tenths of a second, in which nothing is reported.
const MAX_EXPANSIONS_FOR_PAYOFF: u64 = 1 << 18;

impl<'a, G: Searchable> TreeSearch<'a, G> {
    /// One iteration.
    pub(in crate::search) fn iterate(&self, worker: &mut Worker<'_, G>) {
        let Leaf { node, position, win_probability } = self.select_leaf(worker);
        let black_win_probability =
            win_probability.unwrap_or_else(|| self.evaluate_leaf(node, &position, worker));
        self.statistics.add(worker.path.len() as u32 - 1, black_win_probability);
        self.back_up(worker, black_win_probability);
    }

    /// Selection: from the root to a node that is proven or has no children yet.
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
                // Every child is proven; the backup draws the conclusion.
                return Leaf {
                    node,
                    position,
                    win_probability: Some(node.win_probability().unwrap_or(0.5)),
                };
            };
            let mv = position.legal_moves()[choice];
            // Moves that end the game are proven from the start.
            if self.tree.node(child).proof().is_some() {
                position.play(mv);
            } else {
                position.play_non_winning(mv);
            }
            play_forced(&mut position);
            index = child;
        }
    }

    /// The child to go to and its place among the legal moves.
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

    /// Evaluation of a leaf: Black's chance there. Where that pays, it is looked through to the end, its round is worked on, and it gets
    /// its children.
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

    /// Looks a leaf through to the end where that is likely to be quickly done.
    fn solve(
        &self,
        node: &Node,
        position: &G,
        Worker { exact, evaluator, .. }: &mut Worker<'_, G>,
    ) {
        let budget = evaluator.exact_budget(position);
        // The root keeps its children, one of which is to be played.
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

    /// Expansion: gives the node a child for each legal move. What is decided at once is seen here: games that are over after the move and
    /// the replies that it forces, and those that the player to move then can win at once.
    pub(in crate::search) fn expand(
        &self,
        node: &Node,
        position: &G,
        evaluator: &mut G::Evaluator,
    ) -> f32 {
        let moves = position.legal_moves();
        let Evaluation { value, policy } = self.evaluate(position, &moves, evaluator);
        // The root keeps its children, one of which is to be played.
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

    /// The opening of a round gets some proof search with every visit; at other nodes it is only looked up now and then whether it
    /// has become known who wins the round.
    fn update_round(&self, node: &Node, position: &G, worker: &mut Worker<'_, G>) {
        if G::HAS_DRAWS || node.visits() == 0 {
            return;
        }
        // Those of other threads that are under way count, so that two threads seldom do the same work, or neither does.
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

    /// Lets the chances that come back through a node allow for what its opener may let slip. An opening of which nothing is known and
    /// nothing has been searched has a chance that allows for it.
    fn set_conversion_risk(&self, node: &Node, position: &G, worker: &mut Worker<'_, G>) {
        if (node.is_round_known() || node.is_expanded())
            && let Some(visited) = worker.path.last_mut()
        {
            visited.risk = self.conversion_risk(position, &mut worker.evaluator);
        }
    }

    /// Works on who wins the round of the node's position and, within a round, on what it is won with, and lets the node know it.
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
            self.set_round_winner(node, position, proof, &mut worker.evaluator);
            self.prove_payoff(
                node,
                position,
                worker,
                if round.is_opening() { 0 } else { expansions },
            );
        }
    }

    /// Lets a node know who wins the round. What the choice of an opening is worth say the openings.
    pub(in crate::search) fn set_round_winner(
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
        // Once only: what later visits have found since, on any thread or before the tree was recycled, is worth more than a look. Before
        // the first visit there is no chance to revise.
        if node.set_round_winner() && round.stage != RoundStage::Between && node.visits() > 0 {
            let win_probability =
                evaluator.value(position, to_round_proof(Some(TtValue::Proven(proof))));
            node.revise(
                self.conversion_risk(position, evaluator)
                    .map_or(win_probability, |risk| risk.apply_to(win_probability)),
            );
        }
    }

    /// Backup: from the leaf to the root, chances and what is proven of the children.
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

    /// Derives the node's proof from its children and says whether it has one.
    pub(in crate::search) fn prove(&self, index: u32, player: Player) -> bool {
        let node = self.tree.node(index);
        let proof = if index == self.tree.root() {
            proof_of_children(self.tree, self.candidate_children(), player)
        } else if node.proof().is_some() {
            return true;
        } else {
            let children = node.children();
            // A player who errs is certain to win only where every move does.
            let wins =
                |child| self.tree.node(child).proof().is_some_and(|proof| proof.is_win_for(player));
            let may_err = |proof: &Proof| {
                self.opponent.is_certain(*proof)
                    || !self.opponent.is_sampled(player)
                    || children.clone().all(wins)
            };
            proof_of_children(self.tree, children.clone(), player).filter(may_err)
        };
        if let Some(proof) = proof {
            node.set_proof(proof);
        }
        proof.is_some()
    }

    /// Proofs found in the tree are kept where the tree's recycling does not reach. The root's may be of a restricted choice.
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
