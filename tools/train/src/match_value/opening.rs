//! The opener's probability of winning a round that is not proven.

use oshi::game::{Game, RoundProof};
use oshi::games::kamisado::eval::match_state::{MatchState, OPENING_FEATURES, opening_features};
use oshi::search::{Searcher, Settings};

use crate::fitting::logistic::{Sample, fit};
use crate::match_value::rounds::PlayedRound;

/// Expansions before the first sample of a round. Each further sample doubles them.
const FIRST_EXPANSIONS: u64 = 64;

/// Maximum expansions for a sample, about the number that a leaf of the search receives.
const MAX_EXPANSIONS: u64 = 1 << 15;

/// Fits the opener's win probability to the results in play, not to the proven ones. A perfect
/// opener would nearly always win, but a player may not find the proof.
pub fn fit_opener(rounds: &[&PlayedRound]) -> [f64; OPENING_FEATURES] {
    let mut searcher = Searcher::new(Settings { hash_mib: 64, ..Settings::default() });
    let mut samples = Vec::new();
    for round in rounds {
        let (contest, opener) = (round.start.round().contest, round.opener());
        searcher.clear();
        let (mut spent, mut limit) = (0, FIRST_EXPANSIONS);
        while limit <= MAX_EXPANSIONS
            && let RoundProof::Open(numbers) = searcher.prove(&contest, limit - spent)
        {
            let features =
                opening_features(&MatchState::new(&round.start), opener, numbers).map(f64::from);
            samples.push(Sample { features, won: round.winner == opener });
            (spent, limit) = (limit, 2 * limit);
        }
    }
    fit(&samples, &[0.0; OPENING_FEATURES], 1.0)
}
