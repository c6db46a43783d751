//! What is known of a position without searching it: what can be seen at a glance, and what the transposition table holds.

use super::proven::{Distance, Proof};
use super::table::TranspositionTable;
use super::tt_value::{ProofNumbers, TtValue};
use crate::game::{Effort, Game, MoveClass, Outcome, Player, Round, RoundProof};

/// Plays on while there is just one legal move, and counts the moves.
pub(in crate::search) fn play_forced<G: Game>(position: &mut G) -> Distance {
    let mut played = Distance::default();
    while position.count_legal_moves() == 1 {
        played = played.with_move(position.turn());
        position.play(position.legal_moves()[0]);
    }
    played
}

/// The next position with a choice after a move, or the one in which the game is over.
pub(in crate::search) fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut next = *position;
    next.play(mv);
    play_forced(&mut next);
    next
}

/// Whether the opponent has won the game, or can win it with the next move, after this move and
/// the replies that it forces.
pub(in crate::search) fn allows_immediate_win<G: Game>(position: &G, mv: G::Move) -> bool {
    let opponent = !position.turn();
    let next = after(position, mv);
    match next.outcome() {
        Some(outcome) => outcome == Outcome::Win(opponent),
        None => next.turn() == opponent && next.winning_move().is_some(),
    }
}

/// The proof of a position whose player to move is seen to lose.
pub(in crate::search) fn static_loss<G: Game>(position: &G) -> Option<Proof> {
    let player = position.turn();
    position.seen_loss(false).map(|moves| win_in(!player, moves).after_move(player))
}

/// A win of the player to move in `own_moves`.
pub(in crate::search) fn win_in(player: Player, own_moves: u8) -> Proof {
    let distance = (1..own_moves).fold(Distance::default().with_move(player), |so_far, _| {
        so_far.with_move(!player).with_move(player)
    });
    Proof { distance, ..Proof::over(Outcome::Win(player)) }
}

/// What is seen of a position at a glance.
pub(in crate::search) enum StaticResult {
    /// It is over, the player to move wins at once, or the opponent does so after every move.
    Decided(Proof),
    /// None of it; some moves are not seen to lose at once.
    Open(Effort),
}

impl StaticResult {
    pub fn of<G: Game>(position: &G) -> StaticResult {
        StaticResult::with_effort(Effort::by_moves, position)
    }

    /// The same where the effort that a position takes is told by what was asked of the one before it.
    pub fn with_effort<G: Game>(effort: impl Fn(&G) -> Effort, position: &G) -> StaticResult {
        if let Some(outcome) = position.outcome() {
            return StaticResult::Decided(Proof::over(outcome));
        }
        let turn = position.turn();
        if position.winning_move().is_some() {
            return StaticResult::Decided(Proof::over(Outcome::Win(turn)).after_move(turn));
        }
        if let Some(proof) = static_loss(position) {
            return StaticResult::Decided(proof);
        }
        match effort(position) {
            Effort { loss: 0, .. } => StaticResult::Decided(
                Proof::over(Outcome::Win(!turn)).after_move(!turn).after_move(turn),
            ),
            effort => StaticResult::Open(effort),
        }
    }
}

/// The proof of a position that needs no search.
pub(in crate::search) fn static_proof<G: Game>(position: &G) -> Option<Proof> {
    match StaticResult::of(position) {
        StaticResult::Decided(proof) => Some(proof),
        StaticResult::Open(_) => None,
    }
}

/// What is known of a round by a look or by the table.
pub(in crate::search) fn lookup_proof<G: Game>(
    round: &G,
    table: TranspositionTable<'_>,
) -> Option<Proof> {
    static_proof(round).or_else(|| table.proof(round.proof_key()))
}

/// What is proven of a position by a look, by the table, or by who wins the round.
pub(in crate::search) fn known_proof<G: Game>(
    position: &G,
    table: TranspositionTable<'_>,
) -> Option<Proof> {
    let by_round = || {
        let round = position.round();
        lookup_proof(&round.contest, table).filter(|&proof| decides_game(&round, proof))
    };
    lookup_proof(position, table).or_else(by_round)
}

/// Whether the winner of the round wins the game with it.
pub(in crate::search) fn decides_game<G>(round: &Round<G>, proof: Proof) -> bool {
    proof.outcome.winner().is_none_or(|winner| round.decides_for(winner))
}

/// The position after a move and the replies that it forces, the moves on the way there, and what is seen of it at once.
pub(in crate::search) fn static_child<G: Game>(
    position: &G,
    mv: G::Move,
    class: Option<MoveClass>,
) -> (G, Distance, Option<Proof>) {
    let player = position.turn();
    let mut next = *position;
    match class {
        Some(MoveClass::Open) => next.play_non_winning(mv),
        _ => next.play(mv),
    }
    if class == Some(MoveClass::Loses) {
        return (next, Distance::default().with_move(player), Some(win_in(!player, 1)));
    }
    let forced = play_forced(&mut next);
    // Where an open move has forced nothing, all that can be seen has been.
    let is_seen = class == Some(MoveClass::Open) && forced == Distance::default();
    let proof = if is_seen { next.outcome().map(Proof::over) } else { static_proof(&next) };
    (next, forced.with_move(player), proof)
}

/// The proof of a position in which one of the moves is seen to win.
pub(in crate::search) fn static_win(player: Player, classes: &[MoveClass]) -> Option<Proof> {
    classes.iter().find_map(|class| match class {
        MoveClass::Wins { own_moves } => Some(win_in(player, *own_moves)),
        _ => None,
    })
}

/// What the proof search knows of a round, in the game's words.
pub(in crate::search) fn to_round_proof(known: Option<TtValue>) -> RoundProof {
    match known {
        None => RoundProof::Unknown,
        Some(TtValue::Open(ProofNumbers { proof, disproof })) => {
            RoundProof::Open([proof, disproof])
        }
        Some(TtValue::Proven(proof)) => {
            proof.outcome.winner().map_or(RoundProof::Unknown, RoundProof::Won)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamisado::Match;

    /// The moves that give the opponent a win at once.
    fn gifts(position: &str) -> Vec<String> {
        let position: Match = position.parse().unwrap();
        position
            .legal_moves()
            .into_iter()
            .filter(|&mv| allows_immediate_win(&position, mv))
            .map(|mv| mv.to_string())
            .collect()
    }

    #[test]
    fn sees_the_moves_that_let_the_opponent_win_at_once() {
        assert_eq!(gifts("B2L2PY/1r2R3/8/1o6/2O2Gl1/2g5/5V2/1y1v2pb b p 0-0 1"), ["g1g2", "g1h2"]);
    }

    #[test]
    fn sees_a_win_at_once_behind_forced_moves() {
        // White's only reply is a push, after which White moves again.
        let position = "1YL2V2/4P3/3o4/6p1/+G2gl1B1/5b1++R/1y4O1/1r4v1 b v 1-2 3";
        assert!(gifts(position).contains(&"g1h2".to_owned()));
    }
}
