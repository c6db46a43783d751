//! The rank of the tower that wins a round.

use oshi::games::kamisado::Target;

use crate::fitting::logistic::Sample;
use crate::match_value::rounds::PlayedRound;
use crate::match_value::states::Weights;

/// A model of the tower that wins a round.
#[derive(Clone, Copy)]
pub struct Towers {
    /// Relative likelihood of one tower by its teeth; 1 for a plain tower.
    pub likely: [f64; 4],
    /// Reduction of the likelihood per win probability in the match after the win, 0 to 1.
    pub avoidance: f64,
}

/// Fits the model to rounds of matches to this target. `weights` value the match after the round.
pub fn fit_towers(rounds: &[&PlayedRound], target: Target, weights: &[Weights; 4]) -> Towers {
    let won: Vec<WonRound> = rounds
        .iter()
        .filter(|round| target == Target::Simple || round.state().target() == target)
        .map(|round| WonRound::new(round, weights))
        .collect();
    let candidates = (0..100).map(|percent| likeliest(&won, f64::from(percent) / 100.0));
    let best = candidates.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or(Towers { likely: [1.0; 4], avoidance: 0.0 }, |(towers, _)| towers)
}

/// A round of the winner; arrays are by the teeth of a tower.
struct WonRound {
    /// Number of the winner's towers.
    towers: [f64; 4],
    /// The winner's probability of winning the match after a win with such a tower.
    probabilities: [f64; 4],
    /// Teeth of the tower that won.
    teeth: usize,
}

impl WonRound {
    fn new(round: &PlayedRound, weights: &[Weights; 4]) -> WonRound {
        let PlayedRound { winner, teeth, .. } = *round;
        let state = round.state();
        let probabilities = [0, 1, 2, 3].map(|teeth| {
            let next = state.with_tooth(winner, teeth);
            let loser = Sample { features: next.features(!winner).map(f64::from), won: false };
            if next.winner().is_some() {
                1.0
            } else {
                1.0 - loser.probability(&weights[next.target() as usize])
            }
        });
        WonRound { towers: state.ranks(winner).map(f64::from), probabilities, teeth }
    }
}

/// Fits the likelihoods for this avoidance by fixed-point iteration (Bradley and Terry 1952). Returns
/// the model and its log-likelihood.
fn likeliest(rounds: &[WonRound], avoidance: f64) -> (Towers, f64) {
    let shares = |round: &WonRound| {
        [0, 1, 2, 3]
            .map(|teeth| round.towers[teeth] * (1.0 - avoidance * round.probabilities[teeth]))
    };
    let sum = |shares: &[f64; 4], likely: &[f64; 4]| {
        shares.iter().zip(likely).map(|(share, likely)| share * likely).sum::<f64>()
    };
    let mut likely = [1.0; 4];
    for _ in 0..100 {
        // One more win of each rank regularises the rare ranks.
        let (mut wins, mut expected) = ([1.0; 4], [1.0; 4]);
        for round in rounds {
            let shares = shares(round);
            let sum = sum(&shares, &likely);
            wins[round.teeth] += 1.0;
            expected.iter_mut().zip(shares).for_each(|(total, share)| *total += share / sum);
        }
        let next = [0, 1, 2, 3].map(|teeth| wins[teeth] / expected[teeth]);
        likely = next.map(|likely| likely / next[0]);
    }
    let log_likelihood = |round: &WonRound| {
        let shares = shares(round);
        (shares[round.teeth] * likely[round.teeth] / sum(&shares, &likely)).ln()
    };
    (Towers { likely, avoidance }, rounds.iter().map(log_likelihood).sum())
}
