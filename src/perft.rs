//! Perft: counts the leaves of the tree of legal moves, the standard check of move generation.

use crate::game::Game;

/// Number of lines of `depth` plies from `position`. Lines that end earlier are not counted. The
/// moves of the last ply are counted without being played.
///
/// ```
/// use oshi::games::kamisado::{Match, Target};
/// use oshi::perft::perft;
///
/// let start = Match::start(Target::Simple);
/// assert_eq!([1, 2, 3].map(|depth| perft(&start, depth)), [102, 1150, 11182]);
/// ```
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => successors(position).map(|(_, next)| perft(&next, depth - 1)).sum(),
    }
}

/// Splits the perft of `depth` by the first move and returns the total.
///
/// Calls `report` with each legal move and its count, in order, as soon as it is known; not at
/// depth 0. Calls `is_stopped` every few milliseconds and returns `None` once that returns true.
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

/// Perft of `depth`; `None` once `is_stopped` returns true.
fn perft_until<G: Game>(position: &G, depth: u32, is_stopped: &impl Fn() -> bool) -> Option<u64> {
    // A count of this depth takes about a millisecond.
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
