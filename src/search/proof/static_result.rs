//! Results without search: static analysis of a position, and lookups in the transposition table.

use super::table::TranspositionTable;
use super::tt_value::{ProofNumbers, TtValue};
use super::{Distance, Proof};
use crate::game::{Game, InitialNumbers, MoveClass, Outcome, Player, Round, RoundProof};

/// Plays moves while there is only one. Returns their number.
pub(crate) fn play_forced<G: Game>(position: &mut G) -> Distance {
    let mut played = Distance::default();
    while position.count_legal_moves() == 1 {
        played = played.with_move(position.turn());
        position.play(position.legal_moves()[0]);
    }
    played
}

/// The next position with a choice after a move, or the final one.
pub(crate) fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut next = *position;
    next.play(mv);
    play_forced(&mut next);
    next
}

/// Whether the opponent has won, or can win with one move, after this move and the forced replies.
pub(crate) fn allows_immediate_win<G: Game>(position: &G, mv: G::Move) -> bool {
    let opponent = !position.turn();
    let next = after(position, mv);
    match next.outcome() {
        Some(outcome) => outcome == Outcome::Win(opponent),
        None => next.turn() == opponent && next.winning_move().is_some(),
    }
}

/// The proof of a position that static analysis shows to be lost.
pub(crate) fn static_loss<G: Game>(position: &G) -> Option<Proof> {
    let player = position.turn();
    position.static_loss(false).map(|moves| win_in(!player, moves).after_move(player))
}

/// A win of the player to move in `own_moves`.
pub(crate) fn win_in(player: Player, own_moves: u8) -> Proof {
    let distance = (1..own_moves).fold(Distance::default().with_move(player), |so_far, _| {
        so_far.with_move(!player).with_move(player)
    });
    Proof { distance, ..Proof::over(Outcome::Win(player)) }
}

/// Result of the static analysis of a position.
pub(crate) enum StaticResult {
    /// The game is over, the player to move wins at once, or the opponent does after every move.
    Decided(Proof),
    /// Undecided, with the initial proof numbers.
    Open(InitialNumbers),
}

impl StaticResult {
    pub fn of<G: Game>(position: &G) -> StaticResult {
        StaticResult::with_numbers(InitialNumbers::by_safe_moves, position)
    }

    /// Analyses a position. `numbers_of`, from its parent, gives its initial proof numbers.
    pub fn with_numbers<G: Game>(
        numbers_of: impl Fn(&G) -> InitialNumbers,
        position: &G,
    ) -> StaticResult {
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
        match numbers_of(position) {
            InitialNumbers { disproof: 0, .. } => StaticResult::Decided(
                Proof::over(Outcome::Win(!turn)).after_move(!turn).after_move(turn),
            ),
            numbers => StaticResult::Open(numbers),
        }
    }
}

/// The proof of a position that static analysis decides.
pub(crate) fn static_proof<G: Game>(position: &G) -> Option<Proof> {
    match StaticResult::of(position) {
        StaticResult::Decided(proof) => Some(proof),
        StaticResult::Open(_) => None,
    }
}

/// The proof of a position by static analysis or the table.
pub(crate) fn lookup_proof<G: Game>(position: &G, table: TranspositionTable<'_>) -> Option<Proof> {
    static_proof(position).or_else(|| table.proof(position.proof_key()))
}

/// The proof of a position by static analysis, by the table, or by the winner of its round.
pub(crate) fn known_proof<G: Game>(position: &G, table: TranspositionTable<'_>) -> Option<Proof> {
    let by_round = || {
        let round = position.round();
        lookup_proof(&round.contest, table).filter(|&proof| decides_game(&round, proof))
    };
    lookup_proof(position, table).or_else(by_round)
}

/// The move to the best of the next positions that `proof_of` proves. Of equal moves the first is
/// taken.
pub(crate) fn best_proven_move<G: Game>(
    position: &G,
    proof_of: impl Fn(&G) -> Option<Proof>,
) -> Option<G::Move> {
    let turn = position.turn();
    let mut best: Option<(G::Move, Proof)> = None;
    for mv in position.legal_moves() {
        let Some(proof) = proof_of(&after(position, mv)) else { continue };
        if best.is_none_or(|(_, best)| proof.is_better_for(turn, best)) {
            best = Some((mv, proof));
        }
    }
    best.map(|(mv, _)| mv)
}

/// Whether the winner of the round wins the game with it.
pub(crate) fn decides_game<G>(round: &Round<G>, proof: Proof) -> bool {
    proof.outcome.winner().is_none_or(|winner| round.decides_for(winner))
}

/// The next position with a choice after a move, the moves to it, and its proof by static analysis.
/// `class` is the evaluator's class of the move.
pub(crate) fn static_child<G: Game>(
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
    // The evaluator has already analysed an open move without forced replies.
    let is_seen = class == Some(MoveClass::Open) && forced == Distance::default();
    let proof = if is_seen { next.outcome().map(Proof::over) } else { static_proof(&next) };
    (next, forced.with_move(player), proof)
}

/// The proof of a position with a move of the class `Wins`.
pub(crate) fn static_win(player: Player, classes: &[MoveClass]) -> Option<Proof> {
    classes.iter().find_map(|class| match class {
        MoveClass::Wins { own_moves } => Some(win_in(player, *own_moves)),
        _ => None,
    })
}

/// Converts a table value of a round for the evaluator.
pub(crate) fn to_round_proof(known: Option<TtValue>) -> RoundProof {
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

    /// The moves after which the opponent can win at once.
    fn losing_moves(position: &str) -> Vec<String> {
        let position: Match = position.parse().unwrap();
        position
            .legal_moves()
            .into_iter()
            .filter(|&mv| allows_immediate_win(&position, mv))
            .map(|mv| mv.to_string())
            .collect()
    }

    #[test]
    fn finds_moves_that_allow_an_immediate_win() {
        assert_eq!(
            losing_moves("B2L2PY/1r2R3/8/1o6/2O2Gl1/2g5/5V2/1y1v2pb b p 0-0 1"),
            ["g1g2", "g1h2"]
        );
    }

    #[test]
    fn finds_an_immediate_win_after_forced_moves() {
        // White's only reply is a push, after which White moves again.
        let position = "1YL2V2/4P3/3o4/6p1/+G2gl1B1/5b1++R/1y4O1/1r4v1 b v 1-2 3";
        assert!(losing_moves(position).contains(&"g1h2".to_owned()));
    }
}
