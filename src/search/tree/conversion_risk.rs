//! How likely the opener of a later round lets it slip, though it is theirs to win.
//!
//! Nearly every round is its opener's to win. For some openings that is proven by a thousand expansions, for others by a million, and
//! players who have no time for the latter lose them (`docs/results.md`, "TtValue weak spots"). So the chance of a match that
//! leads through the opening of a later round is mixed with the chance after the opener has lost it, the more the harder its proof was: a
//! player who chooses what the opponent opens with chooses what is hard to win. Where the
//! next round decides the match that is not so: there the opener's win is a proof of the whole game.

use std::sync::atomic::Ordering::Relaxed;

use super::opponent::Opponent;
use super::search::TreeSearch;
use crate::game::{Evaluator, Round, RoundProof, Searchable};

/// How likely the hardest rounds are to slip.
const MAX_PROBABILITY: f32 = 0.85;

/// Half as likely are those whose proof takes so many times the nodes of a whole search: when the opponent opens, of whom no more is known, about
/// what db5a4e9 lets slip with the same time.
const HALFWAY_OF_OPPONENT: f32 = 1.0;

/// When the player opens for whom is searched: what the search itself lets slip.
const HALFWAY_OF_PLAYER: f32 = 8.0;

/// That the opener of a later round loses it all the same.
#[derive(Clone, Copy)]
pub(in crate::search) struct ConversionRisk {
    /// Black's chance in the match then.
    black_win_probability: f32,
    probability: f32,
}

impl ConversionRisk {
    /// Black's chance, where this is the one without it.
    pub fn apply_to(self, black_win_probability: f32) -> f32 {
        black_win_probability
            + self.probability * (self.black_win_probability - black_win_probability)
    }
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// What may slip at this position, if it is the opening of a later round that its opener is not known to lose.
    pub(in crate::search) fn conversion_risk(
        &self,
        position: &G,
        evaluator: &mut G::Evaluator,
    ) -> Option<ConversionRisk> {
        let opener = position.turn();
        if !self.is_in_match() || self.opponent != Opponent::Perfect || *position == self.position {
            return None;
        }
        let round = Some(position.round()).filter(Round::is_opening)?;
        let key = round.contest.proof_key();
        let halfway =
            if opener == self.position.turn() { HALFWAY_OF_PLAYER } else { HALFWAY_OF_OPPONENT };
        self.table.proof(key).is_none_or(|proof| proof.is_win_for(opener)).then(|| ConversionRisk {
            black_win_probability: evaluator.value(position, RoundProof::Won(!opener)),
            probability: probability(
                self.table.work(key),
                self.nodes_in_all.load(Relaxed),
                halfway,
            ),
        })
    }
}

/// How likely an opener whose search has so many `nodes` lets a round slip on whose proof so many `expansions` were spent: half of the most where
/// that is `halfway` times the nodes.
fn probability(expansions: u64, nodes: u64, halfway: f32) -> f32 {
    let times_halfway = expansions as f32 / nodes as f32 / halfway;
    MAX_PROBABILITY * (1.0 - 1.0 / (1.0 + times_halfway.powi(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harder_rounds_slip_more_often_and_quick_searches_let_more_slip() {
        let of_work = [0, 1_000, 10_000, 200_000, 500_000, u64::MAX]
            .map(|expansions| probability(expansions, 100_000, 2.0));
        assert!(
            of_work.is_sorted() && of_work[0] == 0.0 && of_work[5] == MAX_PROBABILITY,
            "{of_work:?}"
        );
        assert!((of_work[3] - MAX_PROBABILITY / 2.0).abs() < 1e-3);
        assert!(probability(10_000, 20_000, 2.0) > probability(10_000, 100_000, 2.0));
        assert!(probability(10_000, 20_000, 8.0) < probability(10_000, 20_000, 2.0));
    }

    #[test]
    fn a_slip_takes_the_chance_towards_what_is_left_after_it() {
        let risk = ConversionRisk { black_win_probability: 0.2, probability: 0.25 };
        assert!((risk.apply_to(0.6) - 0.5).abs() < 1e-6);
        assert!((risk.apply_to(0.2) - 0.2).abs() < 1e-6);
    }
}
