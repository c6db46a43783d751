//! The rank of the tower that wins a round.

use oshi::games::kamisado::Target;
use oshi::games::kamisado::eval::match_value::AVOIDANCE;

use crate::fitting::logistic::Sample;
use crate::match_value::rounds::PlayedRound;
use crate::match_value::states::Weights;

/// Fits the relative likelihood that a tower wins, by its teeth, to rounds of matches to this
/// target; 1 for a plain tower. `weights` value the match after the round.
///
/// The fit is a fixed-point iteration (Bradley and Terry 1952).
pub fn fit_towers(rounds: &[&PlayedRound], target: Target, weights: &[Weights; 4]) -> [f64; 4] {
    let rounds: Vec<WonRound> = rounds
        .iter()
        .filter(|round| target == Target::Simple || round.state().target() == target)
        .map(|round| WonRound::new(round, weights))
        .collect();
    let mut likely = [1.0; 4];
    for _ in 0..100 {
        // One more win of each rank regularises the rare ranks.
        let (mut wins, mut expected) = ([1.0; 4], [1.0; 4]);
        for round in &rounds {
            let sum =
                round.shares.iter().zip(&likely).map(|(share, likely)| share * likely).sum::<f64>();
            wins[round.teeth] += 1.0;
            expected.iter_mut().zip(round.shares).for_each(|(total, share)| *total += share / sum);
        }
        let next = [0, 1, 2, 3].map(|teeth| wins[teeth] / expected[teeth]);
        likely = next.map(|likely| likely / next[0]);
    }
    likely
}

/// A round of the winner; arrays are by the teeth of a tower.
struct WonRound {
    /// Number of the winner's towers, times how little the loser avoids a win by such a tower.
    shares: [f64; 4],
    /// Teeth of the tower that won.
    teeth: usize,
}

impl WonRound {
    fn new(round: &PlayedRound, weights: &[Weights; 4]) -> WonRound {
        let PlayedRound { winner, teeth, .. } = *round;
        let state = round.state();
        let towers = state.ranks(winner).map(f64::from);
        let shares = [0, 1, 2, 3].map(|teeth| {
            let next = state.with_tooth(winner, teeth);
            let loser = Sample { features: next.features(!winner).map(f64::from), won: false };
            let win_probability = if next.winner().is_some() {
                1.0
            } else {
                1.0 - loser.probability(&weights[next.target() as usize])
            };
            towers[teeth] * (1.0 - f64::from(AVOIDANCE) * win_probability)
        });
        WonRound { shares, teeth }
    }
}
