//! The swindle, the choice of a move in a lost single-round game: the move after which the opponent
//! is likeliest to err.
//!
//! Against best play all moves of a lost round are equal. The model of the opponent takes an
//! immediate win, never allows the loser one, and plays any other reply with equal probability. So
//! a move is better if fewer of these replies keep the win, and if the win then takes longer.

use crate::game::Searchable;
use crate::search::proof::dfpn::{Prover, at_clock_checks};
use crate::search::proof::proven::Proof;
use crate::search::proof::static_result::{after, allows_immediate_win};
use crate::search::tree::search::TreeSearch;

/// Node limit of the choice: a proven round should be answered soon.
const MAX_NODES: u64 = 1 << 15;

/// Expansions for the proof of one reply. The opponent is taken not to find a win that takes more.
const EXPANSIONS_PER_REPLY: u64 = 1 << 10;

/// Probability that the opponent keeps the win with each later move. Values of 0.6 and 0.7 play
/// equally well.
const KEEPS_WIN: f32 = 0.5;

/// Whether the game is lost with the round in play, and there are limits and moves to choose among.
pub(in crate::search) fn is_lost_round<G: Searchable>(search: &TreeSearch<'_, G>) -> bool {
    let may_choose = search.is_free_to_choose() && search.budget.is_limited();
    search.is_proven_lost() && may_choose && !search.is_in_match() && !G::HAS_DRAWS
}

/// The choice of a move in a lost round, with the limits that the search left.
pub(in crate::search) struct Swindle<'s, 'a, G: Searchable> {
    game: &'s TreeSearch<'a, G>,
    /// Nodes of all stages at which the choice ends.
    node_limit: u64,
}

impl<'s, 'a, G: Searchable> Swindle<'s, 'a, G> {
    pub fn new(game: &'s TreeSearch<'a, G>) -> Self {
        Swindle { game, node_limit: game.budget.nodes() + MAX_NODES }
    }

    /// Returns the move after which an error is most probable, as an index among the legal ones. Of
    /// equal moves the first in `best_choices` is taken. `None` if the limits end before the first
    /// move is valued.
    pub fn run(self) -> Option<usize> {
        let is_over = at_clock_checks(|| self.game.is_out_of_time());
        let mut prover = Prover::new(self.game.table).until(&is_over);
        let mut best = None;
        let mut best_probability = f32::NEG_INFINITY;
        let moves = self.game.position.legal_moves();
        for choice in self.game.best_choices() {
            let next = after(&self.game.position, moves[choice]);
            let Some(error_probability) = self.error_probability(&next, &mut prover) else { break };
            if error_probability > best_probability {
                (best, best_probability) = (Some(choice), error_probability);
            }
        }
        best
    }

    /// The probability that the opponent loses the win after a move of the loser. `None` once the
    /// limits are used up.
    fn error_probability(&self, position: &G, prover: &mut Prover<'_>) -> Option<f32> {
        let winner = !self.game.position.turn();
        if position.outcome().is_some() || position.winning_move().is_some() {
            return Some(0.0);
        }
        let moves = position.legal_moves();
        if position.turn() != winner {
            // After an oshi the loser moves again.
            let mut probabilities =
                moves.iter().map(|&mv| self.error_probability(&after(position, mv), prover));
            return probabilities
                .try_fold(0.0, |best: f32, error_probability| Some(best.max(error_probability?)));
        }
        let (mut replies, mut errors) = (0.0, 0.0);
        for mv in moves {
            let reply = after(position, mv);
            errors += match self.prove(&reply, prover)?.filter(|proof| proof.is_win_for(winner)) {
                Some(proof) => 1.0 - libm::powf(KEEPS_WIN, f32::from(proof.distance.of(winner))),
                None if allows_immediate_win(position, mv) => continue,
                None => 1.0,
            };
            replies += 1.0;
        }
        Some(if replies > 0.0 { errors / replies } else { 1.0 })
    }

    /// The winner, if a short proof search finds it; `None` once the limits are used up.
    fn prove(&self, position: &G, prover: &mut Prover<'_>) -> Option<Option<Proof>> {
        let left = self.node_limit.saturating_sub(self.game.budget.nodes());
        let proof = self.game.prove_within_budget(prover, position, left.min(EXPANSIONS_PER_REPLY));
        let is_over = self.game.budget.nodes() >= self.node_limit || self.game.is_spent();
        (proof.is_some() || !is_over).then_some(proof)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::game::{Game, Text};
    use crate::games::kamisado::Match;
    use crate::search::budget::{Budget, Nodes};
    use crate::search::control::Control;
    use crate::search::limits::Limits;
    use crate::search::proof::table::TableMemory;
    use crate::search::settings::Settings;
    use crate::search::tree::arena::TreeMemory;

    /// Calls `check` with a swindle in this position that may use `node_limit` nodes.
    fn with_swindle<T>(
        position: &str,
        node_limit: u64,
        check: impl FnOnce(Swindle<'_, '_, Match>) -> T,
    ) -> T {
        let position: Match = position.parse().unwrap();
        let (mut trees, mut tables) = (TreeMemory::new(1 << 16), TableMemory::new(1 << 16));
        let (tree, table, nodes) = (trees.tree(), tables.table(), Nodes::default());
        let (control, limits) =
            (Control::default(), Limits { nodes: Some(1 << 20), ..Limits::default() });
        let budget = Budget::new(&control, &nodes, &limits);
        let search = TreeSearch::new(tree, table, Settings::default(), &position, &limits, budget);
        search.prepare_root();
        check(Swindle { game: &search, node_limit })
    }

    const LOST: &str = "B2L2PY/1r2R3/8/1o6/2O2Gl1/2g5/5V2/1y1v2pb b p 0-0 1";

    /// The probability of an error after a move in the lost round.
    fn error_probability_after(mv: &str) -> f32 {
        with_swindle(LOST, MAX_NODES, |swindle| {
            let position = swindle.game.position;
            let next = after(&position, position.parse_move(mv).unwrap());
            swindle.error_probability(&next, &mut Prover::new(swindle.game.table)).unwrap()
        })
    }

    #[test]
    fn expects_no_error_when_the_opponent_can_win_at_once() {
        assert_eq!(error_probability_after("g1g2"), 0.0, "c4f1 wins");
        assert!(error_probability_after("g1g3") > 0.0);
    }

    #[test]
    fn never_allows_an_immediate_win_even_with_few_nodes() {
        for node_limit in [0, 1, 10, 100, 1_000, MAX_NODES] {
            let allows_win = with_swindle(LOST, node_limit, |swindle| {
                let position = swindle.game.position;
                let best = swindle.game.best_choices()[0];
                allows_immediate_win(
                    &position,
                    position.legal_moves()[swindle.run().unwrap_or(best)],
                )
            });
            assert!(!allows_win, "{node_limit} nodes");
        }
    }

    /// The result of `prove` in a lost round with `node_limit` nodes left.
    fn proven_with(node_limit: u64) -> Option<Option<Proof>> {
        with_swindle("LRVBOGPY/8/8/8/8/8/8/obylprvg b - 0-0 1", node_limit, |swindle| {
            let position = swindle.game.position;
            let first_move = position.parse_move("f1f7").unwrap();
            swindle.prove(&after(&position, first_move), &mut Prover::new(swindle.game.table))
        })
    }

    #[test]
    fn does_not_count_unfinished_proofs_as_errors() {
        assert_eq!(proven_with(EXPANSIONS_PER_REPLY / 2), None);
        assert_eq!(proven_with(MAX_NODES), Some(None));
    }
}
