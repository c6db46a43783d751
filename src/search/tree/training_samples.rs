//! What a search has found out about the positions below its root, for those who learn from it.

use super::reuse::KeptTree;
use super::root::best_first;
use crate::game::Game;
use crate::search::proof::proven::Proof;
use crate::search::proof::static_result::after;

/// A position that a search has looked at, and what it knows of it.
#[derive(Clone, Copy, Debug)]
pub struct Finding<G: Game> {
    /// It has more than one move.
    pub position: G,
    /// How often it was visited.
    pub visits: u32,
    /// Black's chance from 0 to 1: the result if that is proven, a draw being ½, and else the mean over the visits.
    pub black_chance: f32,
    /// Whether the result is proven: that of the position searched among the moves that were to be searched, that of any below among all.
    pub is_proven: bool,
    /// The move that the search would play there; `None` where it has looked at none, or proven the result without them.
    pub best: Option<G::Move>,
}

impl<G: Game> KeptTree<G> {
    /// Calls `observe` with all positions of the tree that are proven or have had so many visits.
    pub fn observe_findings(&self, least_visits: u32, observe: &mut dyn FnMut(Finding<G>)) {
        if let Some(position) = self.root {
            self.observe_below(self.tree.root(), position, least_visits, observe);
        }
    }

    fn observe_below(
        &self,
        index: u32,
        position: G,
        least_visits: u32,
        observe: &mut dyn FnMut(Finding<G>),
    ) {
        let node = self.tree.node(index);
        let proof = node.proof();
        let Some(black_chance) = proof.map(Proof::chance).or_else(|| node.chance()) else { return };
        if position.outcome().is_some() {
            return;
        }
        let children = node.children();
        let moves = position.legal_moves();
        if proof.is_some() || node.visits() >= least_visits {
            // A proof that came from the table says nothing of the moves.
            let says_why = |&best: &u32| {
                proof.is_none()
                    || self.tree.node(best).proof().map(Proof::chance) == Some(black_chance)
            };
            let best = best_first(&self.tree, children.clone(), position.turn())
                .first()
                .copied()
                .filter(says_why);
            let best = best.map(|best| moves[(best - children.start) as usize]);
            observe(Finding {
                position,
                visits: node.visits(),
                black_chance,
                is_proven: proof.is_some(),
                best,
            });
        }
        for (child, mv) in children.zip(moves) {
            if self.tree.node(child).visits() > 0 {
                self.observe_below(child, after(&position, mv), least_visits, observe);
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

    const LEAST_VISITS: u32 = 50;

    fn findings(position: &Kamon) -> Vec<Finding<Kamon>> {
        let mut searcher = Searcher::new(Settings { hash_mib: 16, ..Settings::default() });
        let limits = Limits { nodes: Some(3_000), ..Limits::default() };
        searcher.run(position, &limits, &Control::default(), &mut |_| ());
        let mut findings = Vec::new();
        searcher.observe_findings(LEAST_VISITS, &mut |finding| findings.push(finding));
        findings
    }

    /// Black's chance by a search that has seen nothing else.
    fn result(position: &Kamon) -> f32 {
        let proof = Searcher::new(Settings { hash_mib: 16, ..Settings::default() })
            .solve(position, u64::MAX);
        proof.expect("nothing ends it before").chance()
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
            for finding in findings(&position) {
                assert!(finding.position.count_legal_moves() > 1, "{}", finding.position);
                if finding.is_proven {
                    assert_eq!(
                        result(&finding.position),
                        finding.black_chance,
                        "{}",
                        finding.position
                    );
                    let kept = |best| result(&after(&finding.position, best));
                    assert!(
                        finding.best.is_none_or(|best| kept(best) == finding.black_chance),
                        "{}",
                        finding.position
                    );
                    proven += 1;
                } else {
                    assert!(finding.visits >= LEAST_VISITS && finding.best.is_some());
                    open += 1;
                }
            }
        }
        assert!(proven > 100 && open > 20, "{proven} {open}");
    }
}
