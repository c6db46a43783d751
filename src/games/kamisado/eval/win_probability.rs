//! Win probabilities from the round's proof or evaluation and the state of the match.

use super::match_state::{MatchState, opening_features};
use super::match_value::{value_after_round, value_before_round};
use super::match_weights::OPENING;
use crate::game::{Game, Player, RoundProof};
use crate::games::kamisado::rules::{Match, Stage};
use crate::games::weights::{dot, logistic};

/// Win probability of the player to move in a single-round game. `logit` is the output of the
/// network for rounds, if a tower is called.
pub(super) fn round_probability(position: &Match, round: RoundProof, logit: Option<f32>) -> f32 {
    known_round_probability(position, round, logit).unwrap_or_else(|| opener_probability(position))
}

/// Win probability of the player to move in a longer match. `logit` is the output of the network
/// for rounds, if a tower is called.
pub(super) fn match_probability(position: &Match, round: RoundProof, logit: Option<f32>) -> f32 {
    let state = MatchState::new(position);
    match_probability_by(position, round, logit, |winner| value_after_round(&state, winner))
}

/// Win probability of the player to move in a longer match. `value_after` gives Black's win
/// probability after a player wins the round.
pub(super) fn match_probability_by(
    position: &Match,
    round: RoundProof,
    logit: Option<f32>,
    value_after: impl Fn(Player) -> f32,
) -> f32 {
    let turn = position.turn();
    known_round_probability(position, round, logit).map_or_else(
        || opener_probability(position),
        |wins| {
            let [won, lost] = [turn, !turn].map(|winner| turn.relative(value_after(winner)));
            // The models may prefer a lost round if the lead is large, since the training data has
            // few such matches.
            wins * won.max(lost) + (1.0 - wins) * lost
        },
    )
}

/// Win probability of the player to move if no round is in play.
pub(super) fn probability_between_rounds(position: &Match) -> f32 {
    let turn = position.turn();
    match position.stage {
        // The loser opens the next round.
        Stage::Refill => turn.relative(value_before_round(&MatchState::new(position), !turn)),
        // After the match the loser is to move.
        Stage::Playing | Stage::Over => 0.0,
    }
}

/// Probability that the player to move wins the round, from its proof, the network's output or its
/// proof numbers.
fn known_round_probability(position: &Match, round: RoundProof, logit: Option<f32>) -> Option<f32> {
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

/// Win probability of the player to move at the opening of a round without proof numbers.
fn opener_probability(position: &Match) -> f32 {
    let turn = position.turn();
    turn.relative(value_before_round(&MatchState::new(position), turn))
}
