//! What to play in a lost round that is the whole game: the move after which an opponent who errs is likeliest to miss the win.
//!
//! Against best play all moves of a lost round are alike. Players who err miss a win the more often the fewer moves keep it, the less likely these
//! look, and the longer it takes; a win of a few moves they find. The longest loss often lets many moves win.

use super::dfpn::Prover;
use super::facts::{after, seen_after};
use super::proof::Proof;
use super::tree_search::TreeSearch;
use crate::game::Searchable;

/// Nodes for the choice: a round that is proven is to be answered soon.
const MOST_NODES: u64 = 1 << 15;

/// Expansions for who wins after one reply; one that takes more is taken for one that the opponent does not find.
const EXPANSIONS_PER_REPLY: u64 = 1 << 10;

/// Expansions between two looks at the clock.
const EXPANSIONS_PER_LOOK: u64 = 256;

/// How likely a player who errs misses the win, as a logit: one weight for each of a [`Task`]'s features. What db5a4e9 with `UCI_Elo` 1560 and 2060
/// misses (`cargo run --release --example fit_kamisado -- misses`).
const MISSED: [f32; Task::FEATURES] = [-7.7, -0.83, -0.23, 2.15];

/// How likely that player errs on the way to a win of so many further moves, for small numbers: this times the square of them.
const LATER: f32 = 0.0034;

/// What a position that is won asks of the player to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Task {
    /// Moves that keep the win, at least 1.
    pub winning: usize,
    /// All other moves, at least 1.
    pub others: usize,
    /// How likely the policy takes it to be that one of the winning moves is played: 0 to 1.
    pub prior: f32,
    /// Further moves of this player until the end, forced ones among them, after the quickest of the winning moves.
    pub length: u16,
}

impl Task {
    /// The number of [`features`](Task::features).
    pub const FEATURES: usize = 4;

    /// What a logistic model is told of it: one, for the constant; how many moves win; how likely they are; how long it takes.
    pub fn features(&self) -> [f32; Task::FEATURES] {
        const LEAST_PRIOR: f32 = 1e-4;
        let logit = |share: f32| libm::logf(share / (1.0 - share));
        let share = self.winning as f32 / (self.winning + self.others) as f32;
        [1.0, logit(share), logit(self.prior.clamp(LEAST_PRIOR, 1.0 - LEAST_PRIOR)), libm::logf(1.0 + f32::from(self.length))]
    }

    /// How likely a player who errs misses the win: 0 to 1.
    fn missed(&self) -> f32 {
        let logit: f32 = self.features().iter().zip(MISSED).map(|(feature, weight)| feature * weight).sum();
        1.0 / (1.0 + libm::expf(-logit))
    }
}

/// How likely the winner errs on the way to an end after so many further moves.
fn later(moves: u16) -> f32 {
    1.0 - libm::expf(-LATER * f32::from(moves).powi(2))
}

/// Whether the game is lost with the round in play, and there are limits and moves to choose among.
pub(super) fn is_lost_round<G: Searchable>(search: &TreeSearch<'_, G>) -> bool {
    let one_answer = search.is_free_to_choose() && search.deadline.is_limited();
    search.is_proven_lost() && one_answer && !search.is_in_match() && !G::HAS_DRAWS
}

/// A look for the best chance in a lost round, with what is left of the limits of the search that has proven the loss.
pub(super) struct Swindle<'s, 'a, G: Searchable> {
    of: &'s TreeSearch<'a, G>,
    /// The nodes of all phases with which it ends.
    most_nodes: u64,
}

impl<'s, 'a, G: Searchable> Swindle<'s, 'a, G> {
    pub fn new(of: &'s TreeSearch<'a, G>) -> Self {
        Swindle { of, most_nodes: of.deadline.nodes() + MOST_NODES }
    }

    /// The move with the best chance as an index among the legal ones, the longest loss among equals, as far as the limits allow to look; `None`
    /// where they end before the first is judged.
    pub fn run(self) -> Option<usize> {
        let is_over = |expansions: u64| expansions.is_multiple_of(EXPANSIONS_PER_LOOK) && self.of.is_stopped();
        let mut prover = Prover::new(self.of.table).until(&is_over);
        let mut evaluator = G::Evaluator::default();
        let mut best = None;
        let mut best_chance = f32::NEG_INFINITY;
        let moves = self.of.position.legal_moves();
        for choice in self.of.best_choices() {
            let next = after(&self.of.position, moves[choice]);
            let Some(chance) = self.chance_in(&next, &mut prover, &mut evaluator) else { break };
            if chance > best_chance {
                (best, best_chance) = (Some(choice), chance);
            }
        }
        best
    }

    /// How likely the winner is to err in a position that the loser has moved to; `None` once the limits are used up.
    fn chance_in(&self, position: &G, prover: &mut Prover<'_>, evaluator: &mut G::Evaluator) -> Option<f32> {
        let winner = !self.of.position.turn();
        if position.outcome().is_some() {
            return Some(0.0);
        }
        if position.turn() != winner {
            let proof = self.prove(position, prover)?.filter(|proof| proof.is_win_for(winner));
            return Some(proof.map_or(0.0, |proof| later(proof.length.of(winner))));
        }
        let replies = position.legal_moves();
        let priors = self.of.evaluate(position, &replies, evaluator).policy.logits;
        // The winner's further moves after each reply that wins.
        let mut wins = Vec::new();
        let mut prior = 0.0;
        for (&reply, &likelihood) in replies.iter().zip(&priors) {
            let (next, way, _) = seen_after(position, reply, None);
            if let Some(proof) = self.prove(&next, prover)?.filter(|proof| proof.is_win_for(winner)) {
                wins.push(way.then(proof.length).of(winner) - 1);
                prior += likelihood;
            }
        }
        let Some(length) = wins.iter().copied().min() else { return Some(1.0) };
        let (winning, others) = (wins.len(), replies.len() - wins.len());
        let missed = if others == 0 { 0.0 } else { Task { winning, others, prior, length }.missed() };
        let goes_on = wins.iter().map(|&moves| later(moves)).sum::<f32>() / winning as f32;
        Some(missed + (1.0 - missed) * goes_on)
    }

    /// Who wins, if that is found out soon; `None` once the limits are used up.
    fn prove(&self, position: &G, prover: &mut Prover<'_>) -> Option<Option<Proof>> {
        let left = self.most_nodes.saturating_sub(self.of.deadline.nodes());
        let proof = self.of.work_on_proof(prover, position, left.min(EXPANSIONS_PER_REPLY));
        let is_over = self.of.deadline.nodes() >= self.most_nodes || self.of.is_spent();
        (proof.is_some() || !is_over).then_some(proof)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::game::Text;
    use crate::games::kamisado::Match;
    use crate::search::deadline::{Control, Deadline, Nodes};
    use crate::search::limits::Limits;
    use crate::search::settings::Settings;
    use crate::search::transposition::TranspositionTable;
    use crate::search::tree::Tree;

    #[test]
    fn a_win_is_missed_the_more_often_the_fewer_and_the_less_likely_moves_keep_it_and_the_longer_it_takes() {
        let task = Task { winning: 2, others: 4, prior: 0.5, length: 6 };
        let easier = [
            Task { winning: 3, others: 3, ..task },
            Task { others: 3, ..task },
            Task { prior: 0.6, ..task },
            Task { length: 5, ..task },
        ];
        for other in easier {
            assert!(other.missed() < task.missed(), "{other:?}");
        }
        for prior in [0.0, 1.0] {
            assert!((0.0..=1.0).contains(&Task { prior, ..task }.missed()));
        }
    }

    /// What `prove` says of a lost round with so many nodes to go.
    fn proven_with(most_nodes: u64) -> Option<Option<Proof>> {
        let position: Match = "LRVBOGPY/8/8/8/8/8/8/obylprvg b - 0-0 1".parse().unwrap();
        let first_move = position.parse_move("f1f7").unwrap();
        let (tree, table, nodes) = (Tree::new(1 << 16), TranspositionTable::new(1 << 16), Nodes::default());
        let (control, limits) = (Control::default(), Limits { nodes: Some(1 << 20), ..Limits::default() });
        let deadline = Deadline::new(&control, &nodes, &limits);
        let search = TreeSearch::new(&tree, &table, Settings::default(), &position, &limits, deadline);
        let swindle = Swindle { of: &search, most_nodes };
        swindle.prove(&after(&position, first_move), &mut Prover::new(&table))
    }

    #[test]
    fn a_proof_for_which_too_few_nodes_are_left_is_no_win_that_the_opponent_overlooks() {
        assert_eq!(proven_with(EXPANSIONS_PER_REPLY / 2), None);
        assert_eq!(proven_with(MOST_NODES), Some(None));
    }
}
