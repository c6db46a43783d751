//! Plain UCT (Kocsis and Szepesvári 2006) with uniformly random rollouts.

use std::time::{Duration, Instant};

use oshi::game::{Game, Outcome, Player};
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

/// The exploration constant of UCB1 for results between 0 and 1.
const EXPLORATION: f64 = 1.0;

struct Node<M> {
    /// Move that leads here, and its player.
    mv: Option<M>,
    mover: Player,
    children: Vec<usize>,
    untried: Vec<M>,
    visits: f64,
    /// Points of the mover; a draw is half a point.
    won: f64,
}

impl<M: Copy> Node<M> {
    fn new<G: Game<Move = M>>(
        mv: Option<M>,
        mover: Player,
        position: &G,
        rng: &mut ChaCha8Rng,
    ) -> Node<M> {
        let mut untried = position.legal_moves().to_vec();
        untried.shuffle(rng);
        Node { mv, mover, children: Vec::new(), untried, visits: 0.0, won: 0.0 }
    }
}

/// Returns the most visited move after the time.
pub fn best_move<G: Game>(root: &G, time: Duration, rng: &mut ChaCha8Rng) -> G::Move {
    let began = Instant::now();
    let mut tree = vec![Node::new(None, !root.turn(), root, rng)];
    while began.elapsed() < time {
        visit(&mut tree, root, rng);
    }
    let most_visited =
        tree[0].children.iter().max_by(|&&a, &&b| tree[a].visits.total_cmp(&tree[b].visits));
    most_visited.and_then(|&child| tree[child].mv).unwrap_or_else(|| root.legal_moves()[0])
}

fn visit<G: Game>(tree: &mut Vec<Node<G::Move>>, root: &G, rng: &mut ChaCha8Rng) {
    let mut position = *root;
    let mut path = vec![0];
    let mut index = 0;
    loop {
        if let Some(mv) = tree[index].untried.pop() {
            let mover = position.turn();
            position.play(mv);
            tree.push(Node::new(Some(mv), mover, &position, rng));
            let child = tree.len() - 1;
            tree[index].children.push(child);
            path.push(child);
            break;
        }
        let node = &tree[index];
        let bound = |&child: &usize| {
            let child = &tree[child];
            child.won / child.visits + EXPLORATION * (node.visits.ln() / child.visits).sqrt()
        };
        let Some(&next) = node.children.iter().max_by(|a, b| bound(a).total_cmp(&bound(b))) else {
            break;
        };
        position.play(tree[next].mv.expect("only the root has no move"));
        path.push(next);
        index = next;
    }
    let outcome = rollout(position, rng);
    for index in path {
        let node = &mut tree[index];
        node.visits += 1.0;
        node.won += match outcome {
            Outcome::Draw => 0.5,
            Outcome::Win(winner) => f64::from(u8::from(winner == node.mover)),
        };
    }
}

fn rollout<G: Game>(mut position: G, rng: &mut ChaCha8Rng) -> Outcome {
    loop {
        match position.outcome() {
            Some(outcome) => return outcome,
            None => position
                .play(*position.legal_moves().choose(rng).expect("an unfinished game has moves")),
        }
    }
}
