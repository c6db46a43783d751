//! The principal variations, read off the tree.

use super::facts::{after, known_proof};
use super::mate::Within;
use super::node::Node;
use super::proof::Proof;
use super::report::{Line, Value};
use super::root::best_first;
use super::tree_search::TreeSearch;
use crate::game::{Game, Outcome, Player, Searchable};

impl<G: Searchable> TreeSearch<'_, G> {
    /// The best root moves and what follows them, at most as many as the limits ask for. The first is the one to play, the others stand
    /// in the order of their values: none claims to be worth more than the one before it, for the search has looked at it less.
    /// Which are best and what follows them, `guide` says: this search, or that of the round in play.
    pub(super) fn lines_by(&self, guide: &Self) -> Vec<Line<G::Move>> {
        let best = guide.best_choices().into_iter().filter(|choice| self.root_candidates.contains(choice));
        let line = |choice| Line { value: self.value_of_move(choice), moves: guide.variation_seen(choice) };
        let mut lines: Vec<_> = best.take(self.limits.lines.max(1)).map(line).collect();
        if let Some((played, others)) = lines.split_first_mut() {
            // A stable sort: among equals the one that the search prefers stays first.
            others.sort_by(|a, b| b.value.rank().total_cmp(&a.value.rank()));
            for line in others {
                if line.value.rank() > played.value.rank() {
                    line.value = played.value;
                }
            }
        }
        lines
    }

    /// What a move at the root is worth.
    fn value_of_move(&self, choice: usize) -> Value {
        let player = self.position.turn();
        let node = self.root().children().nth(choice).map(|child| self.tree.node(child));
        match node.and_then(Node::proof_from_parent) {
            Some(proof) => value_of(proof, player),
            None => Value::Chance(player.chance_of(node.and_then(Node::chance).unwrap_or_else(|| self.chance_after(choice)))),
        }
    }

    /// A move at the root and what follows it: where few nodes are left for the match, the tree of the round has seen further.
    fn variation_seen(&self, choice: usize) -> Vec<G::Move> {
        let moves = self.variation(choice);
        if self.round_line.starts_with(&moves) { self.round_line.clone() } else { moves }
    }

    /// Black's chance after a move that the tree knows nothing of yet.
    fn chance_after(&self, choice: usize) -> f32 {
        let next = after(&self.position, self.position.legal_moves()[choice]);
        self.value(&next, &mut G::Evaluator::default())
    }

    /// The moves from the root, beginning with this one among the legal ones, and on along the best children, those without a choice
    /// among them.
    pub(super) fn variation(&self, choice: usize) -> Vec<G::Move> {
        let mut moves = Vec::new();
        let mut position = self.position;
        let mut step = self.root().children().nth(choice).map(|child| (child, choice));
        while let Some((index, choice)) = step {
            let mut next = Some(position.legal_moves()[choice]);
            while let Some(mv) = next {
                moves.push(mv);
                position.play(mv);
                let legal = position.legal_moves();
                next = if legal.len() == 1 { legal.first().copied() } else { None };
            }
            let node = self.tree.node(index);
            let children = node.children();
            let best = best_first(self.tree, children.clone(), position.turn()).first().copied();
            let known = best.is_some_and(|best| self.tree.node(best).proof().is_some());
            if let Some(proof) = node.proof().filter(|_| !known) {
                // The proof came from the table; what the tree has seen of the position before does not show it.
                let of_mate = |contest: Within<G>| Some((contest, self.table.proof(contest.proof_key())?));
                match self.mate_after(&moves).and_then(of_mate) {
                    Some((contest, proof)) => self.follow_proof(contest, proof.outcome, &mut moves),
                    None => self.follow_proof(position, proof.outcome, &mut moves),
                }
                break;
            }
            let seen = best.filter(|&best| known || self.tree.node(best).visits() > 0);
            step = children.clone().next().zip(seen).map(|(first, best)| (best, (best - first) as usize));
        }
        moves
    }
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// The contest of a win within some moves, where that is asked for, after these moves.
    fn mate_after(&self, moves: &[G::Move]) -> Option<Within<G>> {
        let mut contest = Within::new(&self.position, self.limits.mate?);
        moves.iter().for_each(|&mv| contest.play(mv));
        Some(contest)
    }

    /// Adds the moves of a proof of this outcome that stands in the table, as far as it is still there: a move that is known to lead elsewhere
    /// is none of them.
    fn follow_proof<C: Game<Move = G::Move>>(&self, mut position: C, outcome: Outcome, moves: &mut Vec<G::Move>) {
        while position.outcome().is_none() {
            if let Some(winning) = position.winning_move() {
                return moves.push(winning);
            }
            let turn = position.turn();
            let mut best: Option<(C::Move, Proof)> = None;
            for mv in position.legal_moves() {
                let next = after(&position, mv);
                let Some(proof) = known_proof(&next, self.table).filter(|proof| proof.outcome == outcome) else { continue };
                if best.is_none_or(|(_, best)| proof.is_better_for(turn, best)) {
                    best = Some((mv, proof));
                }
            }
            let Some((mv, _)) = best else { return };
            position.play(mv);
            moves.push(mv);
        }
    }
}

fn value_of(proof: Proof, player: Player) -> Value {
    let moves = u32::from(proof.length.of(player));
    match proof.outcome {
        Outcome::Win(winner) if winner == player => Value::Win(moves),
        Outcome::Win(_) => Value::Loss(moves),
        Outcome::Draw => Value::Draw,
    }
}
