//! The opener's probability of winning the match, by the state of the match before a round.

use oshi::games::kamisado::Target;
use oshi::games::kamisado::eval::match_state::STATE_FEATURES;

use crate::fitting::logistic::{Sample, fit};
use crate::match_value::rounds::PlayedRound;

/// Weights of the features of a match's state.
pub type Weights = [f64; STATE_FEATURES];

/// Precision of the prior of the weights over all targets. Its mean is 0.
const PRECISION: f64 = 1.0;

/// Precision of the prior of the weights of one target. Its mean is the weights over all targets,
/// because some ranks are rare in matches to one target.
const TARGET_PRECISION: f64 = 4.0;

/// Fits the weights of each target.
pub fn fit_states(rounds: &[&PlayedRound]) -> [Weights; 4] {
    let all: Vec<Sample<STATE_FEATURES>> = rounds.iter().map(|round| of_match(round)).collect();
    let all = fit(&all, &Weights::default(), PRECISION);
    Target::ALL.map(|target| {
        if target == Target::Simple {
            let samples: Vec<_> = rounds.iter().map(|round| of_simple_match(round)).collect();
            return fit(&samples, &Weights::default(), PRECISION);
        }
        let of_target = rounds.iter().filter(|round| round.state().target() == target);
        fit(&of_target.map(|round| of_match(round)).collect::<Vec<_>>(), &all, TARGET_PRECISION)
    })
}

/// The round as a sample of matches to its target.
pub fn of_match(round: &PlayedRound) -> Sample<STATE_FEATURES> {
    let features = round.state().features(round.opener()).map(f64::from);
    Sample { features, won: round.match_winner == round.opener() }
}

/// The round as a sample of simple matches: a single round, both players need one point.
fn of_simple_match(round: &PlayedRound) -> Sample<STATE_FEATURES> {
    let mut features = round.state().features(round.opener()).map(f64::from);
    features[1..3].fill(0.0);
    Sample { features, won: round.winner == round.opener() }
}
