//! Round payoffs: how much winning the round in play is worth.
//!
//! The value of a won round depends on the tower that wins it. Each payoff but the least is a
//! contest of its own for the proof search: the round's winner either wins with this payoff or a
//! better one, or not. The proofs bound the value of a position. At the root, no move is played
//! that gives up a proven payoff while others keep it.

use super::TreeSearch;
use super::node::{Bounds, Node};
use super::visit::Worker;
use crate::game::{
    Evaluator, Game, Player, Round, RoundPayoff, RoundPayoffs, RoundStage, Searchable,
};
use crate::search::params;
use crate::search::proof::static_result::{after, lookup_proof};
use crate::search::proof::table::TranspositionTable;
use crate::search::proof::tt_value::TtValue;

/// Bounds of the value of a position in a decided round.
pub(in crate::search) struct PayoffBounds<G> {
    /// Black's lower and upper bound.
    range: [f32; 2],
    /// The contest that would narrow the bounds.
    pub open: Option<G>,
}

impl<G: Game> PayoffBounds<G> {
    /// The bounds in a round that `winner` wins with one of these payoffs, best first; `None`
    /// without payoffs.
    fn of(
        payoffs: &[RoundPayoff<G>],
        winner: Player,
        table: TranspositionTable<'_>,
    ) -> Option<PayoffBounds<G>> {
        let (any, better) = payoffs.split_last()?;
        let (mut proven, mut open) = (any, None);
        for payoff in better {
            match lookup_proof(&payoff.contest, table) {
                Some(proof) if proof.is_win_for(winner) => {
                    proven = payoff;
                    break;
                }
                Some(_) => {}
                None => open = open.or(Some(payoff)),
            }
        }
        let possible = open.unwrap_or(proven);
        Some(PayoffBounds {
            range: [proven.value.min(possible.value), proven.value.max(possible.value)],
            open: open.map(|payoff| payoff.contest),
        })
    }

    /// Lower bound of this player's win probability.
    pub fn least(&self, player: Player) -> f32 {
        player.relative(self.range[player.index()])
    }

    /// Stores the bounds in a node.
    pub fn apply_to(&self, node: &Node) {
        let [least, most] = self.range;
        node.set_bounds(Bounds { least, most }, self.open.is_some());
    }
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// Whether the payoffs of the round are searched. Not between rounds, since the choice of the
    /// opening matters more there.
    fn uses_payoffs(&self, round: &Round<G>) -> bool {
        params::payoffs() && self.is_in_match() && round.stage != RoundStage::Between
    }

    /// The bounds at a position, if its round has a proven winner.
    fn payoff_bounds(&self, position: &G, evaluator: &G::Evaluator) -> Option<PayoffBounds<G>> {
        let round = position.round();
        if !self.uses_payoffs(&round) {
            return None;
        }
        let winner = lookup_proof(&round.contest, self.table)?.outcome.winner()?;
        PayoffBounds::of(&evaluator.round_payoffs(position, winner), winner, self.table)
    }

    /// Works on the payoff of a node in a decided round, and stores the bounds in the node.
    pub(in crate::search) fn prove_payoff(
        &self,
        node: &Node,
        position: &G,
        worker: &mut Worker<'_, G>,
        expansions: u64,
    ) {
        let mut payoff_bounds = self.payoff_bounds(position, &worker.evaluator);
        if let Some(PayoffBounds { open: Some(contest), .. }) = payoff_bounds
            && self.prove_within_budget(&mut worker.prover, &contest, expansions).is_some()
        {
            payoff_bounds = self.payoff_bounds(position, &worker.evaluator);
        }
        if let Some(payoff_bounds) = payoff_bounds {
            payoff_bounds.apply_to(node);
        }
    }

    /// The payoff to prove next: in every second batch that of the root, which shows the moves to
    /// work on, and otherwise that of the best root move with an open payoff. `ahead` is the number
    /// of better moves left to other threads.
    pub(in crate::search) fn open_payoff(
        &self,
        batch: u64,
        ahead: usize,
        evaluator: &G::Evaluator,
    ) -> Option<G> {
        let of = |position: &G| self.payoff_bounds(position, evaluator)?.open;
        let of_root = || of(&self.position);
        let of_move = || of(&self.root_move_with(ahead, Node::is_payoff_open)?);
        if batch.is_multiple_of(2) {
            of_root().or_else(of_move)
        } else {
            of_move().or_else(of_root)
        }
    }

    /// The bounds after each root move, if the same player still wins the round. They use the
    /// payoffs of the root, since a move may end the round.
    pub(in crate::search) fn payoff_bounds_after(
        &self,
        moves: &[G::Move],
        evaluator: &G::Evaluator,
    ) -> Vec<Option<PayoffBounds<G>>> {
        let contest = &self.round.contest;
        let winner = lookup_proof(contest, self.table)
            .and_then(|proof| proof.outcome.winner())
            .filter(|_| self.uses_payoffs(&self.round));
        let payoffs = winner
            .map(|winner| evaluator.round_payoffs(&self.position, winner))
            .unwrap_or_default();
        let payoff_bounds_after = |&mv| {
            let (winner, round) = (winner?, after(contest, mv));
            let payoffs: RoundPayoffs<G> = payoffs
                .iter()
                .map(|payoff| RoundPayoff { contest: after(&payoff.contest, mv), ..*payoff })
                .collect();
            let is_won = |contest| {
                lookup_proof(contest, self.table).filter(|proof| proof.is_win_for(winner))
            };
            if is_won(&round).is_none() {
                // The winner of a payoff also wins the round.
                let proof = payoffs.iter().find_map(|payoff| is_won(&payoff.contest))?;
                self.table.put(round.proof_key(), TtValue::Proven(proof), 0..0);
            }
            PayoffBounds::of(&payoffs, winner, self.table)
        };
        moves.iter().map(payoff_bounds_after).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::toy::{Contest, Node as ToyNode, Toy};
    use crate::search::fixture::{BLACK_WINS, open, with_toy};
    use crate::search::limits::Limits;
    use crate::search::proof::static_result::win_in;

    const ROOT: ToyNode = open(Player::Black, &[(1, 0.0), (2, 0.0), (3, 0.0), (4, 0.0), (5, 0.0)]);
    const REPLIES: ToyNode = open(Player::White, &[(6, 0.0), (6, 0.0)]);
    const NEXT_ROUND: ToyNode = open(Player::Black, &[(1, 0.0), (2, 0.0)]);

    /// Every line wins the round for Black as far as the table proves it.
    static ROUND: [ToyNode; 7] = [ROOT, REPLIES, REPLIES, REPLIES, REPLIES, REPLIES, BLACK_WINS];
    static MATCH: [ToyNode; 7] = [ROOT, REPLIES, REPLIES, REPLIES, REPLIES, REPLIES, NEXT_ROUND];
    static CONTESTS: [Contest; 2] =
        [Contest { tree: &ROUND, value: 0.9 }, Contest { tree: &ROUND, value: 0.6 }];

    /// The bounds within the precision of a node.
    fn rounded(range: [f32; 2]) -> [i32; 2] {
        range.map(|bound| (bound * 1000.0).round() as i32)
    }

    #[test]
    fn bounds_follow_the_proofs_of_the_better_payoffs() {
        let (won, lost) = (Some(true), Some(false));
        // Whether the two better payoffs are proven, and the payoffs at the bounds: the one that
        // is certain and the best possible one, which is open unless they are equal.
        let cases = [
            ([None, None], 2, 0),
            ([lost, None], 2, 1),
            ([won, None], 0, 0),
            ([None, won], 1, 0),
            ([lost, won], 1, 1),
            ([lost, lost], 2, 2),
        ];
        for (winner, values) in [(Player::Black, [0.9, 0.7, 0.4]), (Player::White, [0.1, 0.3, 0.6])]
        {
            for (proofs, certain, possible) in cases {
                with_toy(Toy::root(&ROUND), &Limits::default(), |search| {
                    let contests = [1, 2, 3].map(|mv| after(&search.position, mv));
                    for (contest, is_won) in contests.into_iter().zip(proofs) {
                        let winner = is_won.map(|is_won| if is_won { winner } else { !winner });
                        winner.iter().for_each(|&winner| search.store(contest, win_in(winner, 2)));
                    }
                    let payoffs: RoundPayoffs<Toy> = contests
                        .into_iter()
                        .zip(values)
                        .map(|(contest, value)| RoundPayoff { contest, value })
                        .collect();
                    let bounds = PayoffBounds::of(&payoffs, winner, search.table).unwrap();
                    let open = (certain != possible).then(|| contests[possible]);
                    assert_eq!(bounds.open, open, "{winner:?} {proofs:?}");
                    let least = bounds.least(winner);
                    let most = 1.0 - bounds.least(!winner);
                    let expected = [certain, possible].map(|index| winner.relative(values[index]));
                    assert_eq!(rounded([least, most]), rounded(expected), "{winner:?} {proofs:?}");
                    assert!(PayoffBounds::<Toy>::of(&[], winner, search.table).is_none());
                });
            }
        }
    }

    #[test]
    fn root_moves_that_give_up_a_proven_payoff_are_excluded() {
        with_toy(Toy::of_match(&MATCH, &CONTESTS), &Limits::default(), |search| {
            let (won, lost) = (win_in(Player::Black, 2), win_in(Player::White, 2));
            let [better, round] = [0, 1].map(|index| search.position.contest(index));
            search.store(round, won);
            let of_moves = |index: usize| after(&round, index);
            [1, 3, 4].iter().for_each(|&mv| search.store(of_moves(mv), won));
            // The second move wins the better payoff, and so the round too.
            for (mv, proof) in [(1, won), (2, won), (3, lost)] {
                search.store(after(&better, mv), proof);
            }
            search.adopt_round_proofs(&mut Default::default());
            let expected = [
                (false, [900, 900], false),
                (false, [900, 900], false),
                (true, [600, 600], false),
                (true, [600, 900], true),
                (true, [0, 1000], false),
            ];
            for (choice, expected) in (0..).zip(expected) {
                let child = search.root_child(choice);
                let range = rounded([0.0, 1.0].map(|value| child.bounded(value)));
                let found = (child.is_excluded(), range, child.is_payoff_open());
                assert_eq!(found, expected, "{choice}");
            }
            assert_eq!(search.table.proof(crate::game::Game::proof_key(&of_moves(2))), Some(won));
            let evaluator = Default::default();
            let open = [0, 1].map(|batch| search.open_payoff(batch, 0, &evaluator));
            assert_eq!(open, [Some(better), Some(after(&better, 4))]);
            // Between rounds the payoffs do not count.
            let next_round = after(&after(&search.position, 1), 6);
            assert!(search.payoff_bounds(&next_round, &evaluator).is_none());
        });
    }
}
