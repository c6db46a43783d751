//! Conversion risk: how likely the opener of a later round loses it, although it can be won.
//!
//! Nearly every round can be won by its opener. The proofs of some openings take a thousand
//! expansions, those of others a million, and players without the time for these lose such rounds
//! (`docs/results.md`, "Known weak spots"). So a value that is backed up through a later opening is
//! blended with the value of the case that its opener loses the round. A harder proof gives that
//! case more weight.
//! The player who chooses the opponent's opening thus prefers openings that are hard to win. If the
//! next round decides the match, there is no risk: the opener's win proves the game.

/// Probability that the opener loses the hardest rounds.
const MAX_PROBABILITY: f32 = 0.85;

/// Expansions of a proof, in units of a search's nodes, at which the opponent loses the round with
/// half of the maximum probability. Fitted to an engine with the same time per move.
const HALFWAY_OF_OPPONENT: f32 = 1.0;

/// The same threshold for the player that the search plays for, fitted to the search's own play.
const HALFWAY_OF_PLAYER: f32 = 8.0;

/// The probability that the opener of a later round loses it, and the value then.
#[derive(Clone, Copy)]
pub(in crate::search) struct ConversionRisk {
    /// Black's win probability after the opener has lost the round.
    black_win_probability: f32,
    probability: f32,
}

impl ConversionRisk {
    /// The risk of an opener if the proof took `expansions` and a search has `nodes` nodes.
    /// `black_win_probability` is Black's after the opener has lost.
    pub fn new(
        black_win_probability: f32,
        expansions: u64,
        nodes: u64,
        opener_is_player: bool,
    ) -> ConversionRisk {
        let halfway = if opener_is_player { HALFWAY_OF_PLAYER } else { HALFWAY_OF_OPPONENT };
        ConversionRisk {
            black_win_probability,
            probability: probability(expansions, nodes, halfway),
        }
    }

    /// Mixes the risk into a win probability that ignores it.
    pub fn apply_to(self, black_win_probability: f32) -> f32 {
        black_win_probability
            + self.probability * (self.black_win_probability - black_win_probability)
    }
}

/// The probability that an opener with `nodes` nodes loses a round, given the expansions of its
/// proof: half of the maximum at `halfway` times the nodes.
fn probability(expansions: u64, nodes: u64, halfway: f32) -> f32 {
    let times_halfway = expansions as f32 / nodes as f32 / halfway;
    MAX_PROBABILITY * (1.0 - 1.0 / (1.0 + times_halfway.powi(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_with_proof_size_and_shrinks_with_nodes() {
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
    fn moves_the_win_probability_towards_the_loss() {
        let risk = ConversionRisk { black_win_probability: 0.2, probability: 0.25 };
        assert!((risk.apply_to(0.6) - 0.5).abs() < 1e-6);
        assert!((risk.apply_to(0.2) - 0.2).abs() < 1e-6);
    }
}
