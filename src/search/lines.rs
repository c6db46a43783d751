//! The principal variations, read off the tree.

use super::proof::Proof;
use super::report::{Line, Value};
use super::select::chance_of;
use super::tree::Tree;
use super::{Run, best_first};
use crate::game::{Estimate, Outcome, Player};

impl<G: Estimate> Run<'_, G> {
    /// The best root moves and what follows them, at most as many as the limits ask for.
    pub(super) fn lines(&self) -> Vec<Line<G::Move>> {
        let player = self.position.turn();
        let first = self.tree.children(self.tree.node(Tree::ROOT)).next().unwrap_or(0);
        let children = best_first(self.tree, self.root_children(), player);
        children
            .into_iter()
            .take(self.limits.lines.max(1))
            .map(|child| self.line(child, (child - first) as usize, player))
            .collect()
    }

    fn line(&self, child: u32, choice: usize, player: Player) -> Line<G::Move> {
        let node = self.tree.node(child);
        let value = match node.proof_from_parent() {
            Some(proof) => value_of(proof, player),
            None => Value::Chance(chance_of(player, node.chance().unwrap_or_else(|| self.position.chance()))),
        };
        Line { value, moves: self.variation(child, choice) }
    }

    /// The moves from the root through this child and on along the best children, those without a choice among them.
    fn variation(&self, child: u32, choice: usize) -> Vec<G::Move> {
        let mut moves = Vec::new();
        let mut position = self.position;
        let mut step = Some((child, choice));
        while let Some((index, choice)) = step {
            let mut next = Some(position.legal_moves()[choice]);
            while let Some(mv) = next {
                moves.push(mv);
                position.play(mv);
                let legal = position.legal_moves();
                next = if legal.len() == 1 { legal.first().copied() } else { None };
            }
            let node = self.tree.node(index);
            let children = self.tree.children(node);
            let Some(first) = children.clone().next() else {
                // A node that was seen to be won at once has no children, but the winning move is known.
                if node.proof().is_some() {
                    moves.extend(position.winning_move());
                }
                break;
            };
            let best = best_first(self.tree, children, position.turn()).first().copied();
            let seen = best.filter(|&best| self.tree.node(best).visits() > 0 || self.tree.node(best).proof().is_some());
            step = seen.map(|best| (best, (best - first) as usize));
        }
        moves
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
