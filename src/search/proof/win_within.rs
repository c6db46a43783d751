//! Wins within a given number of moves, as a contest that proof-number search decides like any
//! other game.

use super::Proof;
use super::dfpn::Prover;
use super::static_result::{after, best_proven_move, lookup_proof};
use super::table::TranspositionTable;
use crate::game::{Game, InitialNumbers, MoveList, Outcome, Player, mix};

/// A game that `winner` must win within `own_left` more own moves and `other_left` more moves of
/// the opponent. Anything else, a draw included, is a win of the opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search) struct WinWithin<G> {
    position: G,
    winner: Player,
    own_left: u32,
    other_left: u32,
}

/// Separates the keys of these contests from those of positions.
const KEY_TAG: u64 = 1 << 48;

/// Limit above the number of moves in any game.
pub(in crate::search) const UNBOUNDED: u32 = (1 << 20) - 1;

impl<G: Game> WinWithin<G> {
    /// The contest of a win by `winner` within `moves` own moves.
    pub fn own_moves(position: &G, winner: Player, moves: u32) -> Self {
        WinWithin {
            position: *position,
            winner,
            own_left: moves.min(UNBOUNDED),
            other_left: UNBOUNDED,
        }
    }

    /// Limits the moves of the opponent too.
    pub fn and_other_moves(self, moves: u32) -> Self {
        WinWithin { other_left: moves.min(UNBOUNDED), ..self }
    }

    /// The contest that this proof decides.
    pub fn of_proof(position: &G, proof: Proof) -> Option<Self> {
        let winner = proof.outcome.winner()?;
        let [own, other] = [winner, !winner].map(|player| proof.distance.of(player).into());
        Some(WinWithin::own_moves(position, winner, own).and_other_moves(other))
    }

    /// The rest of the contest in `position`, if at most `plies` moves lead there.
    pub fn after_plies(&self, position: &G, plies: u32) -> Option<Self> {
        if self.position == *position {
            return Some(*self);
        }
        let fewer = plies.checked_sub(1)?;
        self.legal_moves()
            .into_iter()
            .find_map(|mv| self.after_move(mv).after_plies(position, fewer))
    }

    /// The rest of the contest after a move.
    pub fn after_move(mut self, mv: G::Move) -> Self {
        self.play(mv);
        self
    }

    /// The player who must win.
    pub const fn winner(&self) -> Player {
        self.winner
    }

    /// Moves that the winner has left.
    pub const fn own_left(&self) -> u32 {
        self.own_left
    }

    /// A proof that `winner` wins this contest, if it needs no search. A proof of the position
    /// counts if it is short enough.
    pub fn known_win(&self, table: TranspositionTable<'_>) -> Option<Proof> {
        let by_position = || {
            table.proof(self.position.proof_key()).filter(|&proof| self.is_shown_by(Some(proof)))
        };
        lookup_proof(self, table).or_else(by_position).filter(|proof| proof.is_win_for(self.winner))
    }

    /// Whether this proof of the position is a win within the moves left.
    pub fn is_shown_by(&self, proof: Option<Proof>) -> bool {
        let is_short = |proof: Proof| {
            let [own, other] =
                [self.winner, !self.winner].map(|player| u32::from(proof.distance.of(player)));
            own <= self.own_left && other <= self.other_left
        };
        proof.is_some_and(|proof| proof.is_win_for(self.winner) && is_short(proof))
    }

    /// The next move in a line that `winner` wins: the shortest known win, or the longest known
    /// loss. If the table does not hold one, searches for it with up to `budget` expansions. `None`
    /// if that fails.
    pub fn next_move(
        &self,
        table: TranspositionTable<'_>,
        prover: &mut Prover<'_>,
        budget: u64,
    ) -> Option<G::Move> {
        if let Some(winning) = self.winning_move() {
            return Some(winning);
        }
        let end = prover.expansions + budget;
        let left = |prover: &Prover<'_>| end.saturating_sub(prover.expansions);
        self.best_known_move(table)
            .or_else(|| {
                prover.prove(self, left(prover));
                self.best_known_move(table)
            })
            .or_else(|| {
                let wins = |mv: &G::Move| {
                    prover
                        .prove(&after(self, *mv), left(prover))
                        .is_some_and(|proof| proof.is_win_for(self.winner))
                };
                self.legal_moves().into_iter().find(wins)
            })
    }

    fn best_known_move(&self, table: TranspositionTable<'_>) -> Option<G::Move> {
        best_proven_move(self, |next| next.known_win(table))
    }
}

impl<G> WinWithin<G> {
    /// Key of the contest without the position.
    fn key(&self) -> u64 {
        mix(KEY_TAG
            | u64::from(self.own_left) << 21
            | u64::from(self.other_left) << 1
            | self.winner.index() as u64)
    }
}

impl<G: Game> Game for WinWithin<G> {
    type Move = G::Move;

    fn turn(&self) -> Player {
        self.position.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_late = if self.position.turn() == self.winner {
            self.own_left == 0
        } else {
            self.other_left == 0
        };
        match self.position.outcome() {
            Some(outcome) if outcome == Outcome::Win(self.winner) => Some(outcome),
            Some(_) => Some(Outcome::Win(!self.winner)),
            None => is_late.then_some(Outcome::Win(!self.winner)),
        }
    }

    fn legal_moves(&self) -> MoveList<G::Move> {
        if self.outcome().is_some() { MoveList::new() } else { self.position.legal_moves() }
    }

    fn count_legal_moves(&self) -> usize {
        if self.outcome().is_some() { 0 } else { self.position.count_legal_moves() }
    }

    fn play(&mut self, mv: G::Move) {
        let left = if self.position.turn() == self.winner {
            &mut self.own_left
        } else {
            &mut self.other_left
        };
        // An unbounded number stays unbounded, so that equal contests have one key.
        if *left != UNBOUNDED {
            *left = left.saturating_sub(1);
        }
        self.position.play(mv);
    }

    fn winning_move(&self) -> Option<G::Move> {
        if self.outcome().is_some() { None } else { self.position.winning_move() }
    }

    fn safe_moves(&self) -> MoveList<G::Move> {
        // Without moves left, the winner cannot win with the next move.
        if self.outcome().is_some() || self.own_left == 0 {
            self.legal_moves()
        } else {
            self.position.safe_moves()
        }
    }

    fn count_safe_moves(&self) -> usize {
        if self.outcome().is_some() || self.own_left == 0 {
            self.count_legal_moves()
        } else {
            self.position.count_safe_moves()
        }
    }

    fn static_loss(&self, _a_draw_is_lost: bool) -> Option<u8> {
        if self.turn() == self.winner {
            // Neither the distance nor a draw matters here.
            self.position.static_loss(true)
        } else {
            self.position
                .static_loss(false)
                .filter(|&moves| u32::from(moves) <= self.own_left.min(self.other_left))
        }
    }

    fn initial_numbers(&self) -> impl Fn(&Self) -> InitialNumbers {
        let of_position = self.position.initial_numbers();
        move |next| {
            if next.own_left == 0 {
                InitialNumbers::by_safe_moves(next)
            } else {
                of_position(&next.position)
            }
        }
    }

    fn hash(&self) -> u64 {
        self.position.hash() ^ self.key()
    }

    fn proof_key(&self) -> u64 {
        self.position.proof_key() ^ self.key()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamisado::Match;
    use crate::games::kamon::Kamon;
    use crate::search::proof::table::TableMemory;
    use rand::SeedableRng;
    use rand::seq::IteratorRandom;
    use rand_chacha::ChaCha8Rng;

    /// Whether `winner` can force a win while Black and White have moves `left`, by trying all
    /// lines.
    fn wins_within<G: Game>(position: &G, winner: Player, mut left: [u32; 2]) -> bool {
        if let Some(outcome) = position.outcome() {
            return outcome == Outcome::Win(winner);
        }
        let turn = position.turn();
        let Some(fewer) = left[turn.index()].checked_sub(1) else { return false };
        left[turn.index()] = fewer;
        let mut all = position.legal_moves().into_iter().map(|mv| {
            let mut next = *position;
            next.play(mv);
            wins_within(&next, winner, left)
        });
        if turn == winner { all.any(|wins| wins) } else { all.all(|wins| wins) }
    }

    /// Compares the proof of each contest with an exhaustive search. Counts losses and wins.
    fn check<G: Game>(position: &G, most: u32, tally: &mut [u32; 2]) {
        let mut memory = TableMemory::new(1 << 20);
        let table = memory.table();
        for (winner, own) in
            Player::ALL.into_iter().flat_map(|winner| (1..=most).map(move |own| (winner, own)))
        {
            for other in [0, own - 1, own, own + 2] {
                let contest = WinWithin::own_moves(position, winner, own).and_other_moves(other);
                let left = Player::ALL.map(|player| if player == winner { own } else { other });
                let proof = Prover::new(table).prove(&contest, 1 << 20).unwrap();
                let expected = wins_within(position, winner, left);
                assert_eq!(
                    proof.is_win_for(winner),
                    expected,
                    "{winner} within {left:?} in {position:?}"
                );
                assert!(
                    !expected || contest.is_shown_by(Some(proof)),
                    "{winner} within {left:?} in {position:?}"
                );
                tally[usize::from(expected)] += 1;
            }
        }
    }

    #[test]
    fn agrees_with_exhaustive_search_of_kamisado() {
        let mut tally = [0; 2];
        for line in include_str!("../../../tests/data/kamisado-decide.txt").lines().take(80) {
            let position: Match = line.split(" ;").next().unwrap().parse().unwrap();
            check(&position, 3, &mut tally);
        }
        assert!(tally.iter().all(|&count| count > 20), "{tally:?} test too little");
    }

    #[test]
    fn agrees_with_exhaustive_search_of_kamon() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut tally = [0; 2];
        for _ in 0..200 {
            let mut position = Kamon::start().random_start(&mut rng);
            while position.ply() < 26
                && let Some(mv) = position.legal_moves().into_iter().choose(&mut rng)
            {
                position.play(mv);
            }
            if position.outcome().is_none() {
                check(&position, 5, &mut tally);
            }
        }
        assert!(tally.iter().all(|&count| count > 50), "{tally:?} test too little");
    }
}
