//! What a search has found out about the positions below its root, for those who learn from it.

use super::reuse::ReusedTree;
use super::root::best_first;
use crate::game::Game;
use crate::search::proof::proven::Proof;
use crate::search::proof::static_result::after;

/// A position that a search has looked at, and what it knows of it.
#[derive(Clone, Copy, Debug)]
pub struct TrainingSample<G: Game> {
    /// It has more than one move.
    pub position: G,
    /// How often it was visited.
    pub visits: u32,
    /// Black's chance from 0 to 1: the result if that is proven, a draw being ½, and else the mean over the visits.
    pub black_win_probability: f32,
    /// Whether the result is proven: that of the position searched among the moves that were to be searched, that of any below among all.
    pub is_proven: bool,
    /// The move that the search would play there; `None` where it has looked at none, or proven the result without them.
    pub best: Option<G::Move>,
}

impl<G: Game> ReusedTree<G> {
    /// Calls `observe` with all positions of the tree that are proven or have had so many visits.
    pub fn observe_samples(&self, min_visits: u32, observe: &mut dyn FnMut(TrainingSample<G>)) {
        if let Some(position) = self.root {
            self.observe_below(self.tree.root(), position, min_visits, observe);
        }
    }

    fn observe_below(
        &self,
        index: u32,
        position: G,
        min_visits: u32,
        observe: &mut dyn FnMut(TrainingSample<G>),
    ) {
        let node = self.tree.node(index);
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
            // A proof that came from the table says nothing of the moves.
            let says_why = |&best: &u32| {
                proof.is_none()
                    || self.tree.node(best).proof().map(Proof::win_probability)
                        == Some(black_win_probability)
            };
            let best = best_first(&self.tree, children.clone(), position.turn())
                .first()
                .copied()
                .filter(says_why);
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
            if self.tree.node(child).visits() > 0 {
                self.observe_below(child, after(&position, mv), min_visits, observe);
            }
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

    /// Black's chance by a search that has seen nothing else.
    fn result(position: &Kamon) -> f32 {
        let proof = Searcher::new(Settings { hash_mib: 16, ..Settings::default() })
            .solve(position, u64::MAX);
        proof.expect("nothing ends it before").win_probability()
    }

    #[test]
    fn what_is_found_is_true_and_the_best_move_keeps_it() {
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
                    let reused = |best| result(&after(&sample.position, best));
                    assert!(
                        sample.best.is_none_or(|best| reused(best) == sample.black_win_probability),
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
