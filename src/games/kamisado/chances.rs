//! Chances by what is known of the round and by the standing alone.

use super::match_weights::OPENING;
use super::serve::{after, before};
use super::standing::{Standing, opening_features};
use super::{Match, Stage};
use crate::game::{Game, RoundProof};
use crate::games::weights::{dot, logistic};

/// How likely the player to move is to win a round that is the whole game. The logit is what the net of rounds says where a tower is called.
pub(super) fn chance_of_round(position: &Match, round: RoundProof, logit: Option<f32>) -> f32 {
    known_of_round(position, round, logit).unwrap_or_else(|| chance_of_opener(position))
}

/// How likely the player to move is to win the match around a round, by its standing.
pub(super) fn chance_by_standing(position: &Match, round: RoundProof, logit: Option<f32>) -> f32 {
    let (turn, standing) = (position.turn(), Standing::new(position));
    known_of_round(position, round, logit).map_or_else(
        || chance_of_opener(position),
        |wins| {
            let [won, lost] = [turn, !turn].map(|winner| turn.chance_of(after(&standing, winner)));
            // Far ahead the models, which were fitted to few such matches, may say that the round had better be lost.
            wins * won.max(lost) + (1.0 - wins) * lost
        },
    )
}

/// How likely the player to move is to win the match where no round is in play.
pub(super) fn chance_between_rounds(position: &Match) -> f32 {
    let turn = position.turn();
    match position.stage {
        // The loser opens the next round.
        Stage::Refill => turn.chance_of(before(&Standing::new(position), !turn)),
        // Whoever would be to move has lost.
        Stage::Playing | Stage::Over => 0.0,
    }
}

/// How likely the player to move is to win the round, if anything is known of it.
fn known_of_round(position: &Match, round: RoundProof, logit: Option<f32>) -> Option<f32> {
    let turn = position.turn();
    match (round, logit) {
        (RoundProof::Won(winner), _) => Some(f32::from(u8::from(winner == turn))),
        (_, Some(logit)) => Some(logistic(logit)),
        (RoundProof::Open(numbers), None) => Some(logistic(dot(
            &opening_features(&Standing::new(position), turn, numbers),
            &OPENING,
        ))),
        (RoundProof::Unknown, None) => None,
    }
}

/// How likely the player to move is to win the match who opens a round of which nothing is known.
fn chance_of_opener(position: &Match) -> f32 {
    let turn = position.turn();
    turn.chance_of(before(&Standing::new(position), turn))
}
