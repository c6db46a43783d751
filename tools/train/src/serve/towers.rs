//! With which tower rounds are won.

use oshi::games::kamisado::Target;

use crate::fitting::logistic::Sample;
use crate::serve::Weights;
use crate::serve::rounds::PlayedRound;

/// Which tower wins a round.
#[derive(Clone, Copy)]
pub struct Towers {
    /// How likely it is one tower with so many teeth, relative to a plain one.
    pub likely: [f64; 4],
    /// How much less likely it is a tower that wins the match than one that loses it.
    pub avoidance: f64,
}

/// Which towers win the rounds of matches to this target, given the weights of all targets.
pub fn fit_towers(rounds: &[&PlayedRound], target: Target, weights: &[Weights; 4]) -> Towers {
    let won: Vec<WonRound> = rounds
        .iter()
        .filter(|round| target == Target::Simple || round.standing().target() == target)
        .map(|round| WonRound::new(round, weights))
        .collect();
    let candidates = (0..100).map(|percent| likeliest(&won, f64::from(percent) / 100.0));
    let best = candidates.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or(Towers { likely: [1.0; 4], avoidance: 0.0 }, |(towers, _)| towers)
}

/// A round as its winner saw it at the end, by the teeth of the tower that might have won it.
struct WonRound {
    towers: [f64; 4],
    /// The winner's chance in the match then.
    chances: [f64; 4],
    /// The teeth of the tower that did.
    teeth: usize,
}

impl WonRound {
    fn new(round: &PlayedRound, weights: &[Weights; 4]) -> WonRound {
        let PlayedRound { winner, teeth, .. } = *round;
        let standing = round.standing();
        let chances = [0, 1, 2, 3].map(|teeth| {
            let next = standing.with_tooth(winner, teeth);
            let loser = Sample { features: next.features(!winner).map(f64::from), won: false };
            if next.winner().is_some() {
                1.0
            } else {
                1.0 - loser.chance(&weights[next.target() as usize])
            }
        });
        WonRound { towers: standing.ranks(winner).map(f64::from), chances, teeth }
    }
}

/// The likelihoods of ranks with which this resistance explains the rounds best, by fixed-point steps (Bradley and Terry 1952), and
/// how well it does: the logarithm of the likelihood.
fn likeliest(rounds: &[WonRound], avoidance: f64) -> (Towers, f64) {
    let shares = |round: &WonRound| {
        [0, 1, 2, 3].map(|teeth| round.towers[teeth] * (1.0 - avoidance * round.chances[teeth]))
    };
    let sum = |shares: &[f64; 4], likely: &[f64; 4]| {
        shares.iter().zip(likely).map(|(share, likely)| share * likely).sum::<f64>()
    };
    let mut likely = [1.0; 4];
    for _ in 0..100 {
        // One more win of each rank, as if all were alike: some are hardly met.
        let (mut wins, mut share) = ([1.0; 4], [1.0; 4]);
        for round in rounds {
            let shares = shares(round);
            let sum = sum(&shares, &likely);
            wins[round.teeth] += 1.0;
            share.iter_mut().zip(shares).for_each(|(total, share)| *total += share / sum);
        }
        let next = [0, 1, 2, 3].map(|teeth| wins[teeth] / share[teeth]);
        likely = next.map(|likely| likely / next[0]);
    }
    let fitness = |round: &WonRound| {
        let shares = shares(round);
        (shares[round.teeth] * likely[round.teeth] / sum(&shares, &likely)).ln()
    };
    (Towers { likely, avoidance }, rounds.iter().map(fitness).sum())
}
