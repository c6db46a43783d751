//! `go mate N`: whether a win within N own moves can be forced. A contest of its own, which proof-number search decides like any
//! other.

use super::dfpn::Prover;
use super::facts::{after, decided};
use super::known::Known;
use super::proof::Proof;
use super::root::best_first;
use super::tree_search::TreeSearch;
use crate::game::{Game, MoveList, Outcome, Player, Searchable, mix};

/// Expansions that the question gets after each batch of visits.
const EXPANSIONS_PER_BATCH: u64 = 1 << 10;

/// A game that one player has to win within `moves_left` more own moves; otherwise the opponent wins this contest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Within<G> {
    position: G,
    player: Player,
    moves_left: u32,
}

/// Keeps the keys of contests apart from those of positions.
const WITHIN: u64 = 1 << 48;

impl<G: Game> Within<G> {
    /// The contest of the player to move.
    pub fn new(position: &G, moves: u32) -> Self {
        Within { position: *position, player: position.turn(), moves_left: moves }
    }
}

impl<G> Within<G> {
    /// What tells the contest from the position.
    fn key(&self) -> u64 {
        mix(WITHIN | u64::from(self.moves_left) << 1 | self.player.index() as u64)
    }
}

impl<G: Game> Game for Within<G> {
    type Move = G::Move;

    fn turn(&self) -> Player {
        self.position.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_late = self.moves_left == 0 && self.position.turn() == self.player;
        match self.position.outcome() {
            Some(outcome) => Some(Outcome::Win(if outcome == Outcome::Win(self.player) { self.player } else { !self.player })),
            None => is_late.then_some(Outcome::Win(!self.player)),
        }
    }

    fn legal_moves(&self) -> MoveList<G::Move> {
        if self.outcome().is_some() { MoveList::new() } else { self.position.legal_moves() }
    }

    fn count_legal_moves(&self) -> usize {
        if self.outcome().is_some() { 0 } else { self.position.count_legal_moves() }
    }

    fn play(&mut self, mv: G::Move) {
        if self.position.turn() == self.player {
            self.moves_left = self.moves_left.saturating_sub(1);
        }
        self.position.play(mv);
    }

    fn winning_move(&self) -> Option<G::Move> {
        if self.outcome().is_some() { None } else { self.position.winning_move() }
    }

    fn safe_moves(&self) -> MoveList<G::Move> {
        if self.outcome().is_some() || self.moves_left == 0 { self.legal_moves() } else { self.position.safe_moves() }
    }

    fn count_safe_moves(&self) -> usize {
        // Without moves left, the player cannot win with the next one.
        if self.moves_left == 0 { self.count_legal_moves() } else { self.position.count_safe_moves() }
    }

    fn hash(&self) -> u64 {
        self.position.hash() ^ self.key()
    }

    fn proof_key(&self) -> u64 {
        self.position.proof_key() ^ self.key()
    }
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// Works on the question whether one of the root's moves wins within the moves that are asked for; ends the search once it
    /// is answered.
    pub(super) fn work_on_mate(&self, prover: &mut Prover<'_>) {
        let Some(moves) = self.limits.mate else { return };
        let player = self.position.turn();
        let contest = Within::new(&self.position, moves);
        let legal = self.position.legal_moves();
        let Some(first) = self.root().children().next() else { return };
        // The one that seems to need the least more, among equals the one that the search likes best.
        let open = best_first(self.tree, self.root_children(), player).into_iter().filter_map(|child| {
            let next = after(&contest, legal[(child - first) as usize]);
            let known = decided(&next).map(Known::Proven).or_else(|| self.table.get(next.proof_key()));
            match known {
                Some(Known::Proven(proof)) if proof.is_win_for(player) => Some((0, child, next)),
                Some(Known::Proven(_)) => None,
                Some(Known::Open(numbers)) => Some((numbers.of(player), child, next)),
                None => Some((1, child, next)),
            }
        });
        let Some((_, child, next)) = open.min_by_key(|&(number, ..)| number) else {
            // None of them does.
            return self.end_if(true);
        };
        if let Some(proof) = self.work_on_proof(prover, &next, EXPANSIONS_PER_BATCH).filter(|proof| proof.is_win_for(player)) {
            self.tree.node(child).set_proof(proof);
            self.prove(self.tree.root(), player);
            self.end_if(true);
        }
    }

    /// Whether this win is not the one that is asked for.
    pub(super) fn is_too_long(&self, proof: Proof) -> bool {
        let player = self.position.turn();
        self.limits.mate.is_some_and(|moves| proof.is_win_for(player) && u32::from(proof.length.of(player)) > moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamisado::Match;
    use crate::search::transposition::TranspositionTable;

    /// By trying all lines.
    fn wins_within(position: &Match, player: Player, moves: u32) -> bool {
        if let Some(outcome) = position.outcome() {
            return outcome == Outcome::Win(player);
        }
        let own = position.turn() == player;
        if own && moves == 0 {
            return false;
        }
        let mut all = position.legal_moves().into_iter().map(|mv| {
            let mut next = *position;
            next.play(mv);
            wins_within(&next, player, moves - u32::from(own))
        });
        if own { all.any(|wins| wins) } else { all.all(|wins| wins) }
    }

    #[test]
    fn proofs_of_wins_within_some_moves_are_those_of_trying_all_lines() {
        let (mut wins, mut others) = (0, 0);
        for line in include_str!("../../tests/data/kamisado-decide.txt").lines().take(80) {
            let position: Match = line.split(" ;").next().unwrap().parse().unwrap();
            let table = TranspositionTable::new(1 << 20);
            for moves in 1..=3 {
                let proof = Prover::new(&table).prove(&Within::new(&position, moves), 1 << 20).unwrap();
                let expected = wins_within(&position, position.turn(), moves);
                assert_eq!(proof.is_win_for(position.turn()), expected, "{position}: within {moves}");
                if expected {
                    assert!(u32::from(proof.length.of(position.turn())) <= moves, "{position}");
                    wins += 1;
                } else {
                    others += 1;
                }
            }
        }
        assert!(wins > 20 && others > 20, "{wins} wins and {others} others test too little");
    }
}
