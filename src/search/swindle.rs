//! What to play in a lost round that is the whole game: the move after which an opponent who errs is likeliest to miss the win.
//!
//! Against best play all moves of a lost round are alike. Players who err miss a win the more often the fewer moves keep it and the longer it
//! takes; a win of a few moves they find. The longest loss often lets many moves win.

use super::dfpn::Prover;
use super::facts::after;
use super::proof::Proof;
use super::tree_search::TreeSearch;
use crate::game::{Outcome, Player, Searchable};

/// Expansions for who wins after one reply; one that takes more is taken for one that the opponent does not find.
const EXPANSIONS_PER_REPLY: u64 = 1 << 14;

/// Expansions between two looks at the clock.
const EXPANSIONS_PER_LOOK: u64 = 256;

/// How likely the one move that wins is missed, or one of two, three, more, where the win is long: about as often as db5a4e9 with `UCI_Elo` 1560
/// misses them at any length (`tournaments/results.md`, "Lost rounds").
const MISSED: [f32; 4] = [0.4, 0.2, 0.12, 0.06];

/// How many times as likely a win is missed that takes at most so many further moves of the winner; longer ones count in full. Chosen by hand, since
/// few short wins are missed.
const SHORTER: [(u16, f32); 2] = [(3, 0.05), (6, 0.35)];

/// How likely each of the winner's later moves, to which no look is given, is wrong. Chosen by hand.
const LATER: f32 = 0.05;

/// Whether the game is lost with the round in play, and there are moves to choose among.
pub(super) fn is_lost_round<G: Searchable>(search: &TreeSearch<'_, G>) -> bool {
    let loser = search.position.turn();
    let is_lost = search.root().proof().is_some_and(|proof| proof.is_win_for(!loser));
    let one_answer = search.limits.lines <= 1 && search.limits.mate.is_none() && search.root_candidates.len() > 1;
    is_lost && one_answer && !search.is_in_match() && !G::HAS_DRAWS
}

/// A look for the best chance in a lost round, with what is left of the limits of the search that has proven the loss.
pub(super) struct Swindle<'s, 'a, G: Searchable> {
    pub of: &'s TreeSearch<'a, G>,
}

impl<G: Searchable> Swindle<'_, '_, G> {
    /// The move with the best chance as an index among the legal ones, the longest loss among equals, as far as the limits allow to look; `None`
    /// where they end before the first is judged.
    pub fn run(self) -> Option<usize> {
        let is_over = |expansions: u64| expansions.is_multiple_of(EXPANSIONS_PER_LOOK) && self.of.is_stopped();
        let mut prover = Prover::new(self.of.table).until(&is_over);
        let mut best = None;
        let mut best_chance = f32::NEG_INFINITY;
        let moves = self.of.position.legal_moves();
        for choice in self.of.best_choices() {
            let Some(chance) = self.chance_after(&after(&self.of.position, moves[choice]), &mut prover) else { break };
            if chance > best_chance {
                (best, best_chance) = (Some(choice), chance);
            }
        }
        best
    }

    /// How likely the winner is to err in a position that the loser has moved to; `None` once the limits are used up.
    fn chance_after(&self, position: &G, prover: &mut Prover<'_>) -> Option<f32> {
        let winner = !self.of.position.turn();
        if position.outcome().is_some() {
            return Some(0.0);
        }
        if position.turn() != winner {
            return Some(later(self.prove(position, prover)?, winner));
        }
        let replies = position.legal_moves();
        let mut wins = Vec::new();
        for &reply in &replies {
            let next = after(position, reply);
            wins.extend(self.prove(&next, prover)?.filter(|proof| proof.is_win_for(winner)));
        }
        let goes_on = wins.iter().map(|&proof| later(Some(proof), winner)).sum::<f32>() / wins.len().max(1) as f32;
        let quickest = wins.iter().map(|proof| proof.length.of(winner)).min().unwrap_or(0);
        let missed = if wins.len() == replies.len() { 0.0 } else { missed(wins.len(), quickest) };
        Some(missed + (1.0 - missed) * goes_on)
    }

    /// Who wins, if that is found out soon; `None` once the limits are used up.
    fn prove(&self, position: &G, prover: &mut Prover<'_>) -> Option<Option<Proof>> {
        let proof = self.of.work_on_proof(prover, position, EXPANSIONS_PER_REPLY);
        (proof.is_some() || !self.of.is_spent()).then_some(proof)
    }
}

/// How likely a win by so many moves, of which the quickest takes the winner so many more, is missed.
fn missed(winning: usize, quickest: u16) -> f32 {
    let times = SHORTER.into_iter().find(|&(most, _)| quickest <= most).map_or(1.0, |(_, times)| times);
    MISSED[winning.clamp(1, MISSED.len()) - 1] * times
}

/// How likely one of the winner's later moves is wrong.
fn later(proof: Option<Proof>, winner: Player) -> f32 {
    let moves = proof.filter(|proof| proof.outcome == Outcome::Win(winner)).map_or(0, |proof| proof.length.of(winner));
    1.0 - (-LATER * f32::from(moves)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_missed_the_more_often_the_fewer_moves_keep_it_and_the_longer_it_takes() {
        for (few, many) in [(1, 2), (2, 3), (3, 4)] {
            assert!(missed(few, 9) > missed(many, 9));
        }
        for (short, long) in [(0, 4), (3, 4), (6, 7)] {
            assert!(missed(1, short) < missed(1, long));
        }
        assert_eq!(missed(4, 9), missed(9, 9));
    }
}
