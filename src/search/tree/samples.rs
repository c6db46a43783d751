//! Training samples: the values that a search found for positions below its root.
//!
//! A search of one position visits and proves many others. Training on these as well follows
//! TreeStrap (Veness, Silver, Uther and Blair 2009).

use super::arena::Tree;
use super::root::best_first;
use crate::game::Game;
use crate::search::proof::Proof;
use crate::search::proof::static_result::after;

/// A position that a search has visited, with its value and best move.
#[derive(Clone, Copy, Debug)]
pub struct TrainingSample<G: Game> {
    /// A position with more than one legal move.
    pub position: G,
    /// Number of visits.
    pub visits: u32,
    /// Black's win probability from 0 to 1, a draw counting ½: the result if that is proven, and
    /// otherwise the mean over the visits.
    pub black_win_probability: f32,
    /// Whether the result is proven. For the root, the proof considers only the moves that were
    /// searched.
    pub is_proven: bool,
    /// The move that the search prefers; `None` if it has visited no move, or if the proof came
    /// from the table.
    pub best: Option<G::Move>,
}

/// Calls `observe` with each position below `position`, the position of node `index`, that is
/// proven or has at least `min_visits` visits.
pub(in crate::search) fn observe_samples<G: Game>(
    tree: Tree<'_>,
    index: u32,
    position: G,
    min_visits: u32,
    observe: &mut dyn FnMut(TrainingSample<G>),
) {
    let node = tree.node(index);
    let proof = node.proof();
    let Some(black_win_probability) =
        proof.map(Proof::win_probability).or_else(|| node.win_probability())
    else {
        return;
    };
    if position.outcome().is_some() {
        return;
    }
    let children = node.children();
    let moves = position.legal_moves();
    if proof.is_some() || node.visits() >= min_visits {
        // A proof from the table does not name the move that leads to it.
        let shows_result = |&best: &u32| {
            proof.is_none()
                || tree.node(best).proof().map(Proof::win_probability)
                    == Some(black_win_probability)
        };
        let best = best_first(tree, children.clone(), position.turn())
            .first()
            .copied()
            .filter(shows_result);
        let best = best.map(|best| moves[(best - children.start) as usize]);
        observe(TrainingSample {
            position,
            visits: node.visits(),
            black_win_probability,
            is_proven: proof.is_some(),
            best,
        });
    }
    for (child, mv) in children.zip(moves) {
        if tree.node(child).visits() > 0 {
            observe_samples(tree, child, after(&position, mv), min_visits, observe);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamon::Kamon;
    use crate::search::{Control, Limits, Searcher, Settings};
    use rand::SeedableRng;
    use rand::seq::IteratorRandom;
    use rand_chacha::ChaCha8Rng;

    const MIN_VISITS: u32 = 50;

    fn samples(position: &Kamon) -> Vec<TrainingSample<Kamon>> {
        let mut searcher = Searcher::new(Settings { hash_mib: 16, ..Settings::default() });
        let limits = Limits { nodes: Some(3_000), ..Limits::default() };
        searcher.run(position, &limits, &Control::default(), &mut |_| ());
        let mut samples = Vec::new();
        searcher.observe_samples(MIN_VISITS, &mut |sample| samples.push(sample));
        samples
    }

    /// Black's result by a search with an empty table.
    fn result(position: &Kamon) -> f32 {
        let proof = Searcher::new(Settings { hash_mib: 16, ..Settings::default() })
            .solve(position, u64::MAX);
        proof.expect("the expansions are unlimited").win_probability()
    }

    #[test]
    fn samples_of_proven_positions_are_correct() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut proven, mut open) = (0, 0);
        for _ in 0..6 {
            let mut position = Kamon::start().random_start(&mut rng);
            while position.ply() < 14
                && let Some(cell) = position.legal_moves().into_iter().choose(&mut rng)
            {
                position.play(cell);
            }
            for sample in samples(&position) {
                assert!(sample.position.count_legal_moves() > 1, "{}", sample.position);
                if sample.is_proven {
                    assert_eq!(
                        result(&sample.position),
                        sample.black_win_probability,
                        "{}",
                        sample.position
                    );
                    let result_after = |best| result(&after(&sample.position, best));
                    assert!(
                        sample
                            .best
                            .is_none_or(|best| result_after(best) == sample.black_win_probability),
                        "{}",
                        sample.position
                    );
                    proven += 1;
                } else {
                    assert!(sample.visits >= MIN_VISITS && sample.best.is_some());
                    open += 1;
                }
            }
        }
        assert!(proven > 100 && open > 20, "{proven} {open}");
    }
}
