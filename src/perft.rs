//! Counts the leaves of the tree of legal moves, the standard check of a rules core.

use crate::game::Game;

/// The number of lines of `depth` plies from `position`. A game that is over has no moves, so lines end there uncounted.
/// The last ply is counted, not played.
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => successors(position).map(|(_, next)| perft(&next, depth - 1)).sum(),
    }
}

/// The perft of `depth` split by the first move, in the order of the legal moves; empty at depth 0.
pub fn divide<G: Game>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    match depth {
        0 => Vec::new(),
        _ => successors(position).map(|(mv, next)| (mv, perft(&next, depth - 1))).collect(),
    }
}

fn successors<G: Game>(position: &G) -> impl Iterator<Item = (G::Move, G)> + use<G> {
    let position = *position;
    position.legal_moves().into_iter().map(move |mv| {
        let mut next = position;
        next.play(mv);
        (mv, next)
    })
}
