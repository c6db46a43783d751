//! One visit: down the tree to a leaf, its expansion, and the way back up with chances and proofs.

use std::sync::atomic::Ordering::Relaxed;

use super::Run;
use super::proof::{Length, Proof};
use super::select::{proof_of_children, select};
use super::tree::{NewNode, Node, Tree};
use crate::game::{Estimate, Game, MAX_MOVES, Outcome, Player};

/// A node on the way down and the player who chooses there.
pub(super) struct Visited {
    index: u32,
    player: Player,
}

impl<G: Estimate> Run<'_, G> {
    /// Expands the root, whose moves may be restricted.
    pub(super) fn prepare_root(&self) {
        if self.position.outcome().is_none() {
            let root = self.tree.node(Tree::ROOT);
            self.expand(root, &self.position);
            self.prove(Tree::ROOT, self.position.turn());
        }
    }

    pub(super) fn visit(&self, path: &mut Vec<Visited>) {
        path.clear();
        let mut position = self.position;
        let mut index = Tree::ROOT;
        let black_chance = loop {
            let node = self.tree.node(index);
            node.begin_visit();
            let player = position.turn();
            path.push(Visited { index, player });
            if let Some(proof) = node.proof().filter(|_| index != Tree::ROOT) {
                break proof.chance();
            }
            if !node.is_expanded() {
                break self.open(node, &position);
            }
            let Some((choice, child)) = self.choose(index, node, player) else {
                // Another thread has proven every child since; the way back up draws the conclusion.
                break node.chance().unwrap_or(0.5);
            };
            position.play(position.legal_moves()[choice]);
            play_forced(&mut position);
            index = child;
        };
        let depth = path.len() as u32 - 1;
        self.depths.fetch_add(u64::from(depth), Relaxed);
        self.seldepth.fetch_max(depth, Relaxed);
        let mut child_proven = true;
        let mut black_chance = black_chance;
        for visited in path.iter().rev() {
            let node = self.tree.node(visited.index);
            if child_proven {
                child_proven = self.prove(visited.index, visited.player);
                if let Some(proof) = node.proof() {
                    black_chance = proof.chance();
                }
            }
            node.end_visit(black_chance);
        }
    }

    /// The child to go to and its place among the legal moves.
    fn choose(&self, index: u32, node: &Node, player: Player) -> Option<(usize, u32)> {
        let children = self.tree.children(node);
        let first = children.clone().next()?;
        let child = if index == Tree::ROOT {
            select(self.tree, node, self.root_children(), player)
        } else {
            select(self.tree, node, children, player)
        }?;
        Some(((child - first) as usize, child))
    }

    /// A leaf: gets its children, and Black's chance there.
    fn open(&self, node: &Node, position: &G) -> f32 {
        self.expand(node, position);
        position.chance()
    }

    /// Gives the node a child for each legal move. What is decided at once is seen here: games that are over after the move and
    /// the replies that it forces, and those that the player to move then can win at once.
    fn expand(&self, node: &Node, position: &G) {
        let moves = position.legal_moves();
        let mut priors = [0.0; MAX_MOVES];
        let priors = &mut priors[..moves.len()];
        position.prior_logits(&moves, priors);
        self.jitter(position, priors);
        softmax(priors);
        let children = moves.iter().zip(&*priors).map(|(&mv, &prior)| {
            let mut next = *position;
            next.play(mv);
            let way = play_forced(&mut next).with_move(position.turn());
            NewNode { prior, way, proof: decided(&next) }
        });
        self.tree.expand(node, children);
    }

    /// Derives the node's proof from its children and says whether it has one.
    fn prove(&self, index: u32, player: Player) -> bool {
        let node = self.tree.node(index);
        let proof = if index == Tree::ROOT {
            proof_of_children(self.tree, self.root_children(), player)
        } else if node.proof().is_some() {
            return true;
        } else {
            proof_of_children(self.tree, self.tree.children(node), player)
        };
        if let Some(proof) = proof {
            node.set_proof(proof);
        }
        proof.is_some()
    }

    /// Moves priors by up to ±0.05, so that another seed plays another game.
    fn jitter(&self, position: &G, logits: &mut [f32]) {
        let mut state = position.hash() ^ self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for logit in logits {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            *logit += ((state >> 40) as f32 / (1 << 24) as f32 - 0.5) * 0.1;
        }
    }
}

/// Plays on while there is just one legal move, and counts the moves.
pub(super) fn play_forced<G: Game>(position: &mut G) -> Length {
    let mut played = Length::default();
    while position.count_legal_moves() == 1 {
        played = played.with_move(position.turn());
        position.play(position.legal_moves()[0]);
    }
    played
}

/// What can be seen of a position without search: that it is over, or that the player to move wins at once.
fn decided<G: Game>(position: &G) -> Option<Proof> {
    if let Some(outcome) = position.outcome() {
        return Some(Proof::over(outcome));
    }
    let turn = position.turn();
    position.winning_move().map(|_| {
        let over = Proof::over(Outcome::Win(turn));
        Proof { length: over.length.with_move(turn), ..over }
    })
}

/// Turns logits into shares that add up to 1.
fn softmax(logits: &mut [f32]) {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = (*logit - highest).exp());
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|share| *share /= sum);
}
