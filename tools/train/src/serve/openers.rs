//! Who wins a round whose proof is under way.

use oshi::game::{Game, RoundProof};
use oshi::games::kamisado::eval::match_state::{MatchState, OPENING_FEATURES, opening_features};
use oshi::search::{Searcher, Settings};

use crate::fitting::logistic::{Sample, fit};
use crate::serve::rounds::PlayedRound;

/// Expansions in a round before its numbers are looked at for the first time.
const FEWEST: u64 = 64;

/// Expansions up to which a round is followed: about as many as it gets at a leaf of the search.
const MOST: u64 = 1 << 15;

/// The weights of an opener's chance in an open round, by what came of it in play. A perfect opener would nearly always win; one who
/// has not yet found the proof does not.
pub fn fit_opener(rounds: &[&PlayedRound]) -> [f64; OPENING_FEATURES] {
    let mut searcher = Searcher::new(Settings { hash_mib: 64, ..Settings::default() });
    let mut samples = Vec::new();
    for round in rounds {
        let (contest, opener) = (round.start.round().contest, round.opener());
        searcher.clear();
        let (mut spent, mut goal) = (0, FEWEST);
        while goal <= MOST
            && let RoundProof::Open(numbers) = searcher.prove(&contest, goal - spent)
        {
            let features =
                opening_features(&MatchState::new(&round.start), opener, numbers).map(f64::from);
            samples.push(Sample { features, won: round.winner == opener });
            (spent, goal) = (goal, 2 * goal);
        }
    }
    fit(&samples, &[0.0; OPENING_FEATURES], 1.0)
}
