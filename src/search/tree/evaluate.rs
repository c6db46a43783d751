//! Evaluation: what the game's estimate says of a position and its moves, told what is proven of rounds.

use arrayvec::ArrayVec;

use super::search::TreeSearch;
use crate::game::{Evaluation, Evaluator, MAX_MOVES, Player, RoundProof, Searchable, mix};
use crate::search::proof::static_result::{after, lookup_proof, to_round_proof};

/// How far the seed moves logits up or down, so that another seed plays another game.
const JITTER: f32 = 0.05;

impl<G: Searchable> TreeSearch<'_, G> {
    /// What the evaluator is told of the round in play.
    fn known_of_round(&self, position: &G) -> RoundProof {
        let round = position.round();
        let is_used = !round.is_whole_game() || round.is_opening();
        to_round_proof(if is_used { self.table.get(round.contest.proof_key()) } else { None })
    }

    /// Black's chance, as the game's evaluator sees it.
    pub(in crate::search) fn value(&self, position: &G, evaluator: &mut G::Evaluator) -> f32 {
        evaluator.value(position, self.known_of_round(position))
    }

    /// The evaluation of a position whose logits have become priors: the share of visits that each move deserves beforehand.
    pub(in crate::search) fn evaluate(
        &self,
        position: &G,
        moves: &[G::Move],
        evaluator: &mut G::Evaluator,
    ) -> Evaluation {
        let winners = self.winners_after(position, moves);
        let mut evaluation =
            evaluator.evaluate(position, moves, self.known_of_round(position), &winners);
        let priors = &mut evaluation.policy.logits;
        self.jitter(position, priors);
        softmax(priors);
        if *position == self.position {
            for (prior, advised) in priors.iter_mut().zip(&self.round_policy) {
                *prior = (*prior + advised) / 2.0;
            }
        }
        evaluation
    }

    /// Who is known to win the round after each move; asked only where more than the round decides the game.
    fn winners_after(
        &self,
        position: &G,
        moves: &[G::Move],
    ) -> ArrayVec<Option<Player>, MAX_MOVES> {
        let round = position.round();
        if round.is_whole_game() {
            return ArrayVec::new();
        }
        let nexts: ArrayVec<G, MAX_MOVES> =
            moves.iter().map(|&mv| after(&round.contest, mv)).collect();
        nexts.iter().for_each(|next| self.table.prefetch(next.proof_key()));
        nexts.iter().map(|next| lookup_proof(next, self.table)?.outcome.winner()).collect()
    }

    /// Moves each logit by up to [`JITTER`].
    fn jitter(&self, position: &G, logits: &mut [f32]) {
        let start = position.hash() ^ mix(self.settings.seed);
        for (number, logit) in (0..).zip(logits) {
            let share = (mix(start.wrapping_add(number)) >> 40) as f32 / (1 << 24) as f32;
            *logit += (share - 0.5) * (2.0 * JITTER);
        }
    }
}

/// Turns logits into shares that add up to 1.
fn softmax(logits: &mut [f32]) {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = libm::expf(*logit - highest));
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|share| *share /= sum);
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::game::{Game, Outcome, Text};
    use crate::games::kamisado::Match;
    use crate::search::budget::{Budget, Control, Nodes};
    use crate::search::limits::Limits;
    use crate::search::proof::proven::Proof;
    use crate::search::proof::table::TableMemory;
    use crate::search::proof::tt_value::TtValue;
    use crate::search::settings::Settings;
    use crate::search::tree::arena::TreeMemory;

    #[test]
    fn who_ends_the_round_has_won_it_whoever_wins_the_next() {
        let position: Match = "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 3".parse().unwrap();
        let (mut trees, mut tables) = (TreeMemory::new(1 << 16), TableMemory::new(1 << 16));
        let (tree, table, nodes) = (trees.tree(), tables.table(), Nodes::default());
        let (control, limits) = (Control::default(), Limits::default());
        let budget = Budget::new(&control, &nodes, &limits);
        let search = TreeSearch::new(tree, table, Settings::default(), &position, &limits, budget);
        let moves = position.legal_moves();
        let arrival = position.parse_move("e4e8").unwrap();
        let next = after(&position, arrival).round().contest;
        table.put(
            next.proof_key(),
            TtValue::Proven(Proof::over(Outcome::Win(Player::White))),
            0..0,
        );
        let winners = search.winners_after(&position, &moves);
        let of_arrival = moves.iter().position(|&mv| mv == arrival).map(|index| winners[index]);
        assert_eq!(of_arrival, Some(Some(Player::Black)));
    }
}
