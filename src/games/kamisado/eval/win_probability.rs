//! Chances by what is known of the round and by the standing alone.

use super::match_state::{MatchState, opening_features};
use super::match_value::{after, before};
use super::match_weights::OPENING;
use crate::game::{Game, RoundProof};
use crate::games::kamisado::rules::{Match, Stage};
use crate::games::weights::{dot, logistic};

/// How likely the player to move is to win a round that is the whole game. The logit is what the net of rounds says where a tower is called.
pub(super) fn round_probability(position: &Match, round: RoundProof, logit: Option<f32>) -> f32 {
    round_probability_of(position, round, logit).unwrap_or_else(|| opener_probability(position))
}

/// How likely the player to move is to win the match around a round, by its standing.
pub(super) fn match_probability(position: &Match, round: RoundProof, logit: Option<f32>) -> f32 {
    let (turn, standing) = (position.turn(), MatchState::new(position));
    round_probability_of(position, round, logit).map_or_else(
        || opener_probability(position),
        |wins| {
            let [won, lost] = [turn, !turn].map(|winner| turn.relative(after(&standing, winner)));
            // Far ahead the models, which were fitted to few such matches, may say that the round had better be lost.
            wins * won.max(lost) + (1.0 - wins) * lost
        },
    )
}

/// How likely the player to move is to win the match where no round is in play.
pub(super) fn probability_between_rounds(position: &Match) -> f32 {
    let turn = position.turn();
    match position.stage {
        // The loser opens the next round.
        Stage::Refill => turn.relative(before(&MatchState::new(position), !turn)),
        // Whoever would be to move has lost.
        Stage::Playing | Stage::Over => 0.0,
    }
}

/// How likely the player to move is to win the round, if anything is known of it.
fn round_probability_of(position: &Match, round: RoundProof, logit: Option<f32>) -> Option<f32> {
    let turn = position.turn();
    match (round, logit) {
        (RoundProof::Won(winner), _) => Some(f32::from(u8::from(winner == turn))),
        (_, Some(logit)) => Some(logistic(logit)),
        (RoundProof::Open(numbers), None) => Some(logistic(dot(
            &opening_features(&MatchState::new(position), turn, numbers),
            &OPENING,
        ))),
        (RoundProof::Unknown, None) => None,
    }
}

/// How likely the player to move is to win the match who opens a round of which nothing is known.
fn opener_probability(position: &Match) -> f32 {
    let turn = position.turn();
    turn.relative(before(&MatchState::new(position), turn))
}
