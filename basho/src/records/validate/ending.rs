//! Checks that the moves of a record lead to its result and reason.

use super::ValidationError;
use crate::config::resign::Resign;
use crate::openings::Opening;
use crate::record::{GameRecord, PlayedMove, Reason};
use crate::sheet::{GameError, GameScore};
use oshi::game::{MoveError, Outcome, PlayError, Text, quote};

/// Replays a game from its opening and checks its end; returns all legal moves. `margins` are those
/// of Black and White, in milliseconds.
pub(super) fn replay<G: Text>(
    record: &GameRecord,
    opening: &Opening<G>,
    margins: [f64; 2],
    resign: Option<&Resign>,
) -> Result<Vec<G::Move>, ValidationError> {
    let (answer, played) = part_answer::<G>(record);
    let mut moves = opening.moves().to_vec();
    let followed = opening.position().play_all(played.iter().map(|answer| &answer.text));
    let at_ply = |PlayError { number, error }| GameError::Move { ply: moves.len() + number, error };
    let (followed, position) = followed.map_err(at_ply)?;
    moves.extend(&followed);
    match (position.outcome(), record.reason) {
        (None, Reason::Normal) => {
            return Err(ValidationError::NotOver { reason: record.reason, plies: moves.len() });
        }
        (Some(outcome), Reason::Normal) => {
            let (found, expected) = (record.result, outcome.into());
            if found != expected {
                return Err(GameError::Result { found, expected }.into());
            }
        }
        (Some(outcome), reason) => {
            let but =
                format!("by the rules the game ended {} before that", GameScore::from(outcome));
            return Err(ValidationError::Reason { reason, but });
        }
        (None, Reason::Resignation) => {
            check_resignation(record, opening.position(), &followed, resign)?
        }
        (None, _) => check_broken_off(record, &position, answer, margins)?,
    }
    Ok(moves)
}

/// Separates a last answer that lost the game from the moves played.
fn part_answer<G: Text>(record: &GameRecord) -> (Option<&PlayedMove>, &[PlayedMove]) {
    let all = record.moves.as_slice();
    match (record.reason, all.split_last()) {
        (Reason::Timeout | Reason::IllegalMove, Some((answer, played))) => (Some(answer), played),
        // The invalid output may have come before any answer.
        (Reason::Garbled, Some((answer, played))) if G::read_move(&answer.text).is_none() => {
            (Some(answer), played)
        }
        _ => (None, all),
    }
}

/// Checks that the player of the last move had to resign. `position` is the one before `moves`.
fn check_resignation<G: Text>(
    record: &GameRecord,
    mut position: G,
    moves: &[G::Move],
    resign: Option<&Resign>,
) -> Result<(), ValidationError> {
    let reason = record.reason;
    let refused = |but: &str| Err(ValidationError::Reason { reason, but: but.to_owned() });
    let mut movers = Vec::with_capacity(moves.len());
    for &mv in moves {
        movers.push(position.turn());
        position.play(mv);
    }
    let Some(&loser) = movers.last() else { return refused("there is no move") };
    let Some(resign) = resign else {
        return refused("this tournament has no rule for resignation");
    };
    let scores = record.moves.iter().map(|played| played.score.as_deref());
    if !resign.is_due(movers.iter().copied().zip(scores).rev()) {
        return refused("the last scores do not meet the rule for resignation");
    }
    let (found, expected) = (record.result, Outcome::Win(!loser).into());
    if found == expected { Ok(()) } else { Err(ValidationError::Score { found, reason, expected }) }
}

/// Checks the end of a game that the rules did not end.
fn check_broken_off<G: Text>(
    record: &GameRecord,
    position: &G,
    answer: Option<&PlayedMove>,
    margins: [f64; 2],
) -> Result<(), ValidationError> {
    let reason = record.reason;
    let loser = position.turn();
    let refused = |but: String| Err(ValidationError::Reason { reason, but });
    let last = answer.map(|answer| quote(&answer.text)).unwrap_or_default();
    match (reason, answer) {
        (Reason::IllegalMove | Reason::Timeout, None) => {
            return refused("there is no move".to_owned());
        }
        (Reason::IllegalMove, Some(answer)) => match position.parse_move(&answer.text) {
            Ok(_) => return refused(format!("the last move `{last}` is legal")),
            Err(MoveError::Malformed { .. }) => {
                return refused(format!("the last answer `{last}` is not a move"));
            }
            Err(MoveError::Illegal { .. }) => {}
        },
        (Reason::Timeout, Some(answer)) => {
            let margin = margins.get(loser.index()).copied().unwrap_or_default();
            if answer.overrun_ms.is_none_or(|overrun| overrun < margin) {
                return refused(format!(
                    "the last move `{last}` did not overrun its time by more than {margin} ms"
                ));
            }
        }
        _ => {}
    }
    // Before the first move, either engine may have failed to start the game.
    let begins = record.moves.is_empty()
        && matches!(reason, Reason::Crash | Reason::Stall | Reason::Garbled);
    let expected = match reason {
        Reason::Interrupted => GameScore::Unfinished,
        _ if begins && record.result.winner().is_some() => record.result,
        _ => Outcome::Win(!loser).into(),
    };
    let found = record.result;
    if found == expected { Ok(()) } else { Err(ValidationError::Score { found, reason, expected }) }
}
