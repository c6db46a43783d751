//! The defence, the choice of a move in a lost game: the move after which the opponent is likeliest
//! to err.
//!
//! Against best play all moves of a lost game are equal. The model of an opponent (speculative
//! play, Uiterwijk and van den Herik 1994) finds every immediate win, never allows one, and plays
//! any other reply with the probability of its prior. A reply that is not proven to keep the win is
//! an error. If the win takes longer, later errors are likelier too.

use crate::game::Searchable;
use crate::search::params;
use crate::search::proof::Proof;
use crate::search::proof::dfpn::{Prover, at_clock_checks};
use crate::search::proof::exact::ExactSearch;
use crate::search::proof::static_result::{after, allows_immediate_win, decides_game, known_proof};
use crate::search::stages::{Decision, Stage};
use crate::search::tree::TreeSearch;

/// Whether the game is proven lost, and there are limits and moves to choose among.
pub(in crate::search) fn is_lost<G: Searchable>(game: &TreeSearch<'_, G>) -> bool {
    params::defence()
        && game.is_proven_lost()
        && game.is_free_to_choose()
        && game.budget.is_limited()
}

/// Chooses a move in a lost game: the one after which an error is most probable. Of equal moves the
/// first in `best_choices` is taken. `None` if the limits end before the first move is valued.
pub(in crate::search) fn defend<G: Searchable>(
    game: &TreeSearch<'_, G>,
) -> Option<Decision<G::Move>> {
    let is_over = at_clock_checks(|| game.is_out_of_time());
    let node_limit = game.budget.nodes() + params::defence_nodes();
    let choice = Defence::new(game, node_limit, &is_over).best_choice()?;
    Some(Decision { mv: game.position.legal_moves()[choice], stage: Stage::Defence })
}

/// The choice of a move in a lost game.
struct Defence<'s, 'a, G: Searchable> {
    game: &'s TreeSearch<'a, G>,
    /// Nodes of all stages at which the choice ends.
    node_limit: u64,
    evaluator: G::Evaluator,
    prover: Prover<'s>,
    exact: ExactSearch<'s>,
}

impl<'s, 'a, G: Searchable> Defence<'s, 'a, G> {
    fn new(game: &'s TreeSearch<'a, G>, node_limit: u64, is_over: &'s dyn Fn(u64) -> bool) -> Self {
        Defence {
            game,
            node_limit,
            evaluator: G::Evaluator::default(),
            prover: Prover::new(game.table).until(is_over),
            exact: ExactSearch::new(game.table),
        }
    }

    fn best_choice(mut self) -> Option<usize> {
        let mut best = None;
        let mut best_probability = f32::NEG_INFINITY;
        let moves = self.game.position.legal_moves();
        for choice in self.game.best_choices() {
            let next = after(&self.game.position, moves[choice]);
            let Some(error_probability) = self.error_probability(&next) else { break };
            if error_probability > best_probability {
                (best, best_probability) = (Some(choice), error_probability);
            }
        }
        best
    }

    /// The probability that the opponent loses the win after a move of the loser. `None` once the
    /// limits are used up.
    fn error_probability(&mut self, position: &G) -> Option<f32> {
        let winner = !self.game.position.turn();
        if position.outcome().is_some() || position.winning_move().is_some() {
            return Some(0.0);
        }
        let moves = position.legal_moves();
        if position.turn() != winner {
            // After a push the loser moves again.
            let mut probabilities =
                moves.iter().map(|&mv| self.error_probability(&after(position, mv)));
            return probabilities
                .try_fold(0.0, |best: f32, error_probability| Some(best.max(error_probability?)));
        }
        let priors = self.game.evaluate(position, &moves, &mut self.evaluator).policy.logits;
        let (mut replies, mut errors) = (0.0, 0.0);
        for (mv, prior) in moves.into_iter().zip(priors) {
            let reply = after(position, mv);
            let error = match self.prove(&reply)?.filter(|proof| proof.is_win_for(winner)) {
                Some(proof) => {
                    1.0 - libm::powf(params::keeps_win(), f32::from(proof.distance.of(winner)))
                }
                None if allows_immediate_win(position, mv) => continue,
                None => 1.0,
            };
            replies += prior;
            errors += prior * error;
        }
        Some(if replies > 0.0 { errors / replies } else { 1.0 })
    }

    /// The result, if a short search finds it; `None` once the limits are used up.
    fn prove(&mut self, position: &G) -> Option<Option<Proof>> {
        let game = self.game;
        let budget =
            self.node_limit.saturating_sub(game.budget.nodes()).min(params::reply_expansions());
        let proof = known_proof(position, game.table).or_else(|| {
            let round = position.round();
            if G::HAS_DRAWS {
                let before = self.exact.expansions;
                game.budget.spend_up_to(budget, |budget| {
                    let proof = self.exact.solve(position, &mut self.evaluator, budget);
                    (proof, self.exact.expansions - before)
                })
            } else if round.decides_for(!game.position.turn()) {
                // The proofs of rounds in a match are those of their contests.
                let proof = game.prove_within_budget(&mut self.prover, &round.contest, budget);
                proof.filter(|&proof| decides_game(&round, proof))
            } else {
                game.prove_within_budget(&mut self.prover, position, budget)
            }
        });
        let is_over = game.budget.nodes() >= self.node_limit || game.is_spent();
        (proof.is_some() || !is_over).then_some(proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Text};
    use crate::games::kamisado::Match;
    use crate::games::kamon::Kamon;
    use crate::search::fixture::with_search;
    use crate::search::limits::{Control, Limits};

    /// Calls `check` with the defence of this position, which may use `node_limit` nodes.
    fn with_defence<G: Searchable + Text, T>(
        position: &str,
        node_limit: u64,
        check: impl FnOnce(Defence<'_, '_, G>) -> T,
    ) -> T {
        let position: G = position.parse().ok().unwrap();
        let limits = Limits { nodes: Some(1 << 20), ..Limits::default() };
        with_search(&position, &limits, &Control::default(), |game| {
            check(Defence::new(game, node_limit, &|_| false))
        })
    }

    const LOST: &str = "B2L2PY/1r2R3/8/1o6/2O2Gl1/2g5/5V2/1y1v2pb b p 0-0 1";

    /// The probability of an error after a move in the lost round.
    fn error_probability_after(mv: &str) -> f32 {
        with_defence::<Match, _>(LOST, params::defence_nodes(), |mut defence| {
            let position = defence.game.position;
            let next = after(&position, position.parse_move(mv).unwrap());
            defence.error_probability(&next).unwrap()
        })
    }

    #[test]
    fn expects_no_error_when_the_opponent_can_win_at_once() {
        assert_eq!(error_probability_after("g1g2"), 0.0, "c4f1 wins");
        assert!(error_probability_after("g1g3") > 0.0);
    }

    #[test]
    fn never_allows_an_immediate_win_even_with_few_nodes() {
        for node_limit in [0, 1, 10, 100, 1_000, params::defence_nodes()] {
            with_defence::<Match, _>(LOST, node_limit, |defence| {
                let position = defence.game.position;
                let best = defence.game.best_choices()[0];
                let choice = defence.best_choice();
                assert!(choice.is_none() || node_limit > 0);
                assert!(choice.is_some() || node_limit < params::defence_nodes());
                let mv = position.legal_moves()[choice.unwrap_or(best)];
                assert!(!allows_immediate_win(&position, mv), "{node_limit} nodes");
            });
        }
    }

    #[test]
    fn values_replies_of_a_game_with_draws() {
        let lost = "p2p1l4l1/r6y6p4o2r5/r2o6p5o5o1l5/y2o4y4--g6l2y3/l3r1g1g4o3l6/y5y1p6g2r3/\
                    g3r4g5p3 wb2/1b1b1/2b3/6w/4w1/bww1b/b1w1 w f2";
        with_defence::<Kamon, _>(lost, 1 << 20, |mut defence| {
            let position = defence.game.position;
            let moves = position.legal_moves();
            let errors: Vec<f32> = moves
                .iter()
                .map(|&mv| defence.error_probability(&after(&position, mv)).unwrap())
                .collect();
            let choice = defence.best_choice().unwrap();
            let highest = errors.iter().copied().fold(0.0, f32::max);
            assert_eq!(errors[choice], highest, "{errors:?}");
            assert!(highest > 0.0 && errors.iter().any(|&error| error < highest), "{errors:?}");
        });
    }

    /// The result of `prove` in a lost round with `node_limit` nodes left.
    fn proven_with(node_limit: u64) -> Option<Option<Proof>> {
        let start = "LRVBOGPY/8/8/8/8/8/8/obylprvg b - 0-0 1";
        with_defence::<Match, _>(start, node_limit, |mut defence| {
            let position = defence.game.position;
            defence.prove(&after(&position, position.parse_move("f1f7").unwrap()))
        })
    }

    #[test]
    fn does_not_count_unfinished_proofs_as_errors() {
        assert_eq!(proven_with(params::reply_expansions() / 2), None);
        assert_eq!(proven_with(params::defence_nodes()), Some(None));
    }

    #[test]
    fn finds_the_proofs_of_a_round_that_decides_the_match() {
        let lost_match = LOST.replace("0-0 1", "0-2 3");
        let winners = |position: &str| {
            with_defence::<Match, _>(position, params::defence_nodes(), |mut defence| {
                let position = defence.game.position;
                let next = after(&position, position.parse_move("g1g3").unwrap());
                let replies = next.legal_moves();
                let winner = |&mv| defence.prove(&after(&next, mv))?.map(|proof| proof.outcome);
                replies.iter().map(winner).collect::<Vec<_>>()
            })
        };
        let [alone, in_match] = [LOST, &lost_match].map(winners);
        let won = |outcomes: &[Option<_>]| outcomes.iter().flatten().count();
        assert!(won(&alone) > 3);
        // Only the winner's replies decide the match.
        let white = Some(crate::game::Outcome::Win(crate::game::Player::White));
        for (alone, in_match) in alone.iter().zip(&in_match) {
            assert_eq!(*alone == white, *in_match == white);
        }
    }
}
