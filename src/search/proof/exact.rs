//! Exact search, depth first, of the end of a game that is small enough to be solved completely.
//!
//! A winning move decides a position; otherwise the best of all moves does, draws included. The
//! evaluator orders the moves. The results stay in the table that all searches share.

use arrayvec::ArrayVec;

use super::Proof;
use super::static_result::{static_loss, win_in};
use super::table::TranspositionTable;
use super::tt_value::TtValue;
use crate::game::{Evaluator, Game, MAX_MOVES, MoveClass, Outcome, Player, Searchable};
use crate::search::limits::Control;

/// An exact search on one thread.
pub struct ExactSearch<'a> {
    table: TranspositionTable<'a>,
    /// Expansions so far.
    pub expansions: u64,
    /// Expansions at which the search gives up.
    budget: u64,
    /// Control that ends the search.
    control: Option<&'a Control>,
}

impl<'a> ExactSearch<'a> {
    pub fn new(table: TranspositionTable<'a>) -> Self {
        ExactSearch { table, expansions: 0, budget: 0, control: None }
    }

    /// A search that `control` may stop.
    pub fn with_control(control: Option<&'a Control>, table: TranspositionTable<'a>) -> Self {
        ExactSearch { control, ..ExactSearch::new(table) }
    }

    /// The result of a position that is not final; `None` if it takes more than `budget`
    /// expansions. The table keeps the results.
    pub fn solve<G: Searchable>(
        &mut self,
        position: &G,
        evaluator: &mut G::Evaluator,
        budget: u64,
    ) -> Option<Proof> {
        self.budget = self.expansions + budget;
        self.search(position, evaluator, Goal::Result)
    }

    fn search<G: Searchable>(
        &mut self,
        position: &G,
        evaluator: &mut G::Evaluator,
        goal: Goal,
    ) -> Option<Proof> {
        if self.expansions >= self.budget || self.control.is_some_and(Control::is_stopped) {
            return None;
        }
        let began = self.expansions;
        self.expansions += 1;
        let player = position.turn();
        let moves = position.legal_moves();
        let policy = evaluator.classify_moves(position, &moves);
        let mut proofs = ArrayVec::<Proof, MAX_MOVES>::new();
        let mut open = ArrayVec::<(f32, G::Move), MAX_MOVES>::new();
        for ((&mv, &class), &logit) in moves.iter().zip(&policy.classes).zip(&policy.logits) {
            match class {
                MoveClass::Wins { own_moves } => return Some(win_in(player, own_moves)),
                MoveClass::Loses => proofs.push(lost(player)),
                MoveClass::Open => open.push((logit, mv)),
            }
        }
        // A stable sort: of equal moves the first legal one stays first.
        open.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let mut children = ArrayVec::<G, MAX_MOVES>::new();
        for &(_, mv) in &open {
            let mut next = *position;
            next.play_non_winning(mv);
            children.push(next);
        }
        let found = self.search_children(player, evaluator, goal, &children, &mut proofs);
        if let Some(proof) = found {
            self.table.put(
                goal.key(position, proof.outcome),
                TtValue::Proven(proof),
                began..self.expansions,
            );
        }
        found
    }

    /// The result for the player to move. `proofs` holds the results of the moves not in
    /// `children`.
    fn search_children<G: Searchable>(
        &mut self,
        player: Player,
        evaluator: &mut G::Evaluator,
        goal: Goal,
        children: &[G],
        proofs: &mut ArrayVec<Proof, MAX_MOVES>,
    ) -> Option<Proof> {
        let keys: ArrayVec<u64, MAX_MOVES> = children.iter().map(G::proof_key).collect();
        keys.iter().for_each(|&key| self.table.prefetch(key));
        let mut unknown = ArrayVec::<&G, MAX_MOVES>::new();
        for (child, &key) in children.iter().zip(&keys) {
            match child
                .outcome()
                .map(Proof::over)
                .or_else(|| static_loss(child))
                .or_else(|| self.table.proof(key))
            {
                Some(proof) => proofs.push(proof.after_move(player)),
                None => unknown.push(child),
            }
        }
        let has = |proofs: &[Proof], outcome| proofs.iter().any(|proof| proof.outcome == outcome);
        for child in unknown {
            let has_draw = has(proofs, Outcome::Draw);
            if has(proofs, Outcome::Win(player)) || has_draw && goal == Goal::NotLost(player) {
                break;
            }
            // With a draw in hand, the other moves need no exact result.
            let goal = if has_draw { Goal::NotLost(!player) } else { goal };
            // The search of a sibling may have solved the child.
            let known =
                self.table.proof(child.proof_key()).or_else(|| goal.known(self.table, child));
            let proof = if known.is_some() { known } else { self.search(child, evaluator, goal) };
            proofs.push(proof?.after_move(player));
        }
        Proof::of_moves(player, proofs.iter().copied().map(Some))
    }
}

/// What to find out about a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Its result.
    Result,
    /// Whether this player does not lose. The answer "draw" may also mean a win.
    NotLost(Player),
}

impl Goal {
    /// Key under which the table keeps the answer.
    fn key<G: Game>(self, position: &G, outcome: Outcome) -> u64 {
        match self {
            Goal::NotLost(player) if outcome == Outcome::Draw => {
                position.proof_key() ^ NOT_LOST[player.index()]
            }
            _ => position.proof_key(),
        }
    }

    /// The stored answer, if it is no result.
    fn known<G: Game>(self, table: TranspositionTable<'_>, position: &G) -> Option<Proof> {
        match self {
            Goal::Result => None,
            Goal::NotLost(_) => table.proof(self.key(position, Outcome::Draw)),
        }
    }
}

/// Separates the keys of such answers from those of results.
const NOT_LOST: [u64; 2] = [0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B];

fn lost(player: Player) -> Proof {
    win_in(!player, 1).after_move(player)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamon::Kamon;
    use crate::search::proof::table::TableMemory;

    #[test]
    fn returns_nothing_when_stopped() {
        let (mut memory, control) = (TableMemory::new(1 << 20), Control::default());
        let table = memory.table();
        control.stop();
        let mut exact = ExactSearch::with_control(Some(&control), table);
        assert_eq!(
            (exact.solve(&Kamon::start(), &mut Default::default(), u64::MAX), exact.expansions),
            (None, 0)
        );
    }
}
