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

/// The perft of `depth` split by the first move: calls `report` with each legal move and its count, in order, as soon as it is counted.
/// Reports nothing at depth 0. Returns the whole perft, or `None` once `is_stopped`, which is asked every few milliseconds, says so.
pub fn divide<G: Game>(
    position: &G,
    depth: u32,
    is_stopped: impl Fn() -> bool,
    mut report: impl FnMut(G::Move, u64),
) -> Option<u64> {
    let Some(below) = depth.checked_sub(1) else { return Some(1) };
    let count = |(mv, next)| {
        let leaves = perft_until(&next, below, &is_stopped)?;
        report(mv, leaves);
        Some(leaves)
    };
    successors(position).map(count).sum()
}

/// The perft of `depth`; `None` once `is_stopped` says so.
fn perft_until<G: Game>(position: &G, depth: u32, is_stopped: &impl Fn() -> bool) -> Option<u64> {
    // Counts this deep take a millisecond or so: no need to ask in between.
    const QUICK: u32 = 3;
    if is_stopped() {
        None
    } else if depth <= QUICK {
        Some(perft(position, depth))
    } else {
        successors(position).map(|(_, next)| perft_until(&next, depth - 1, is_stopped)).sum()
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
