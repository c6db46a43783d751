//! The search of the whole game, and of its distance once the winner is proven.
//!
//! The expansions for the distance are not charged as nodes. So the distance does not depend on the
//! nodes left, which the defence uses.

use tracing::debug_span;

use crate::game::{Player, Searchable};
use crate::search::budget::Budget;
use crate::search::params;
use crate::search::proof::dfpn::{Prover, at_clock_checks};
use crate::search::proof::static_result::after;
use crate::search::proof::tt_value::TtValue;
use crate::search::proof::win_within::{UNBOUNDED, WinWithin};
use crate::search::report::Line;
use crate::search::stages::{Decision, Stage};
use crate::search::tree::TreeSearch;

/// Bounds of the expansions for a shorter proof; the minimum is for a near end only.
const MIN_EXPANSIONS: u64 = 1 << 12;
const MAX_EXPANSIONS: u64 = 1 << 15;

/// Expansions for the distance that the search of the previous move promised.
const MAX_FOR_PROMISE: u64 = 1 << 16;

/// Maximum plies from the engine's move to its next turn. A push gives the opponent two.
const PLIES_TO_NEXT_TURN: u32 = 2;

/// Searches the game within the budget, then shortens its proof. Calls `tick` after every visit.
///
/// If the round search has decided on a move, the tree search only values it. The move is replaced
/// if it is refuted, or if another move has a shorter proof.
///
/// `promised` is the contest that the previous search had proven after its own move. If it still
/// applies, its distance is kept.
pub(in crate::search) fn search_game<'a, G: Searchable>(
    game: &mut TreeSearch<'a, G>,
    budget: Budget<'a>,
    by_round: Option<Decision<G::Move>>,
    promised: Option<WinWithin<G>>,
    tick: &mut dyn FnMut(&TreeSearch<'a, G>),
) -> Option<Decision<G::Move>> {
    game.root.decided = by_round.and_then(|decision| game.choice_of(decision.mv));
    game.run(budget, tick);
    let shortest = debug_span!("shorten_proof").in_scope(|| shorten_proof(game, promised));
    let is_sound = || game.root.decided.is_some_and(|choice| !game.is_refuted(choice));
    let by_round = by_round.filter(|_| shortest.is_none() && is_sound());
    by_round.or_else(|| {
        let choice = shortest.or_else(|| game.best_choices().first().copied())?;
        Some(Decision { mv: game.position.legal_moves()[choice], stage: Stage::Game })
    })
}

/// The contest that is proven after the move of this line.
pub(in crate::search) fn promise<G: Searchable>(
    game: &TreeSearch<'_, G>,
    line: &Line<G::Move>,
) -> Option<WinWithin<G>> {
    let contest = WinWithin::of_proof(&game.position, game.proof_of(line)?)?;
    Some(contest.after_move(*line.moves.first()?))
}

/// Shortens the proof of the position until that is impossible or the expansions are used up: first
/// by moves of the loser, then by moves of the winner. The reported distance is exact if that is
/// soon proven, and an upper bound otherwise. Returns the move that shows it, if the winner is to
/// move and the proof became shorter.
fn shorten_proof<G: Searchable>(
    game: &TreeSearch<'_, G>,
    promised: Option<WinWithin<G>>,
) -> Option<usize> {
    if game.limits.mate.is_some() || !game.considers_all_moves() {
        return None;
    }
    let budget = game.budget.share_of_time(params::distance_tenths());
    let is_over = at_clock_checks(|| budget.is_over(|| true));
    let prover = Prover::new(game.table).until(&is_over);
    let mut shortening = Shortening { game, prover, shown: None };
    let promised =
        promised.and_then(|contest| contest.after_plies(&game.position, PLIES_TO_NEXT_TURN));
    let is_kept = |contest: &WinWithin<G>| {
        contest.is_shown_by(game.root_node().proof()) || shortening.prove(contest, MAX_FOR_PROMISE)
    };
    let most_own = promised.filter(is_kept).map_or(UNBOUNDED, |contest| contest.own_left());
    let most = shortening.prover.expansions + shortening.expansions();
    while let Some(contest) = shortening.shorter_contest(most_own)
        && shortening.prove_up_to(&contest, most)
    {}
    while let Some(contest) = shortening.contest_without_pushes()
        && shortening.prove_up_to(&contest, most)
    {}
    shortening.shown
}

/// The work on a shorter proof of a search's position.
struct Shortening<'s, 'a, G: Searchable> {
    game: &'s TreeSearch<'a, G>,
    prover: Prover<'s>,
    /// The winning move of the shortest proof.
    shown: Option<usize>,
}

impl<G: Searchable> Shortening<'_, '_, G> {
    /// Maximum expansions.
    fn expansions(&self) -> u64 {
        let nodes = self.game.budget.nodes();
        let is_near =
            self.proven_moves().is_some_and(|(_, [_, other])| other <= params::near_end());
        if is_near && !self.game.round.is_opening() {
            nodes.clamp(MIN_EXPANSIONS, MAX_EXPANSIONS)
        } else {
            (nodes / params::far_end_part()).min(MAX_EXPANSIONS)
        }
    }

    /// The contest of a win with one move of the loser less than proven; `None` if that is
    /// impossible.
    fn shorter_contest(&self, most_own: u32) -> Option<WinWithin<G>> {
        let (winner, [_, other]) = self.proven_moves()?;
        let least = u32::from(self.game.position.turn() != winner);
        let fewer = other.checked_sub(1).filter(|&fewer| fewer >= least)?;
        Some(WinWithin::own_moves(&self.game.position, winner, most_own).and_other_moves(fewer))
    }

    /// The contest of a win with one move of the winner less than proven, if turns do not
    /// alternate.
    fn contest_without_pushes(&self) -> Option<WinWithin<G>> {
        let (winner, [own, other]) = self.proven_moves()?;
        let by_turns = other + u32::from(self.game.position.turn() == winner);
        (own > by_turns).then(|| {
            WinWithin::own_moves(&self.game.position, winner, own - 1).and_other_moves(other)
        })
    }

    /// The proven winner, with the moves of the winner and of the loser.
    fn proven_moves(&self) -> Option<(Player, [u32; 2])> {
        let proof = self.game.root_node().proof()?;
        let winner = proof.outcome.winner()?;
        Some((winner, [winner, !winner].map(|player| proof.distance.of(player).into())))
    }

    /// Works on the contest until this prover has made `most` expansions.
    fn prove_up_to(&mut self, contest: &WinWithin<G>, most: u64) -> bool {
        self.prove(contest, most.saturating_sub(self.prover.expansions))
    }

    /// Whether the winner of this contest is proven to win it. If so, adopts the proof.
    fn prove(&mut self, contest: &WinWithin<G>, expansions: u64) -> bool {
        let proof = self.prover.prove(contest, expansions);
        proof.is_some_and(|proof| proof.is_win_for(contest.winner())) && self.adopt(contest)
    }

    /// Adopts the proof of this contest from the table. Returns whether the table still held it.
    fn adopt(&mut self, contest: &WinWithin<G>) -> bool {
        let nexts = self.game.position.legal_moves().into_iter().map(|mv| after(contest, mv));
        for (child, next) in self.game.root_node().children().zip(nexts) {
            let child = self.game.tree.node(child);
            if let Some(proof) =
                next.known_win(self.game.table).filter(|_| !next.is_shown_by(child.proof()))
            {
                child.set_proof(proof);
            }
        }
        let proof = if contest.winner() == self.game.position.turn() {
            let children = self.game.root_node().children();
            let proofs = children.map(|child| self.game.tree.node(child).proof_from_parent());
            let shown = proofs.enumerate().find(|&(_, proof)| contest.is_shown_by(proof));
            self.shown = shown.map(|(choice, _)| choice).or(self.shown);
            shown.and_then(|(_, proof)| proof)
        } else {
            contest.known_win(self.game.table)
        };
        let Some(proof) = proof else { return false };
        self.game.root_node().set_proof(proof);
        self.game.table.put(self.game.position.proof_key(), TtValue::Proven(proof), 0..0);
        true
    }
}

#[cfg(test)]
mod tests {
    use Player::{Black, White};

    use super::*;
    use crate::game::Outcome;
    use crate::games::toy::{Node, Toy};
    use crate::search::fixture::{WON, open, with_search};
    use crate::search::limits::{Control, Limits};

    /// Black wins by the move 1 with three own moves and two of White, and by the move 2 with four
    /// own moves and one of White.
    const TWO_WAYS: &[Node] = &[
        open(Black, &[(1, 0.0), (2, 0.0)]),
        open(White, &[(3, 0.0)]),
        open(Black, &[(6, 0.0)]),
        open(Black, &[(4, 0.0)]),
        open(White, &[(5, 0.0)]),
        open(Black, &[(9, 0.0)]),
        open(Black, &[(7, 0.0)]),
        open(White, &[(8, 0.0)]),
        open(Black, &[(9, 0.0)]),
        Node::Over(Outcome::Win(Black)),
    ];

    fn decide(
        tree: &'static [Node],
        by_round: Option<usize>,
        promised: Option<WinWithin<Toy>>,
    ) -> Option<Decision<usize>> {
        let limits = Limits { nodes: Some(1000), ..Limits::default() };
        with_search(&Toy::root(tree), &limits, &Control::default(), |game| {
            let by_round = by_round.map(|mv| Decision { mv, stage: Stage::Round });
            search_game(game, game.budget, by_round, promised, &mut |_| ())
        })
    }

    #[test]
    fn replaces_the_move_of_the_round_search_if_it_is_refuted() {
        let stage_of =
            |mv| decide(WON, Some(mv), None).map(|decision| (decision.mv, decision.stage));
        assert_eq!(stage_of(1), Some((1, Stage::Round)));
        assert_eq!(stage_of(2), Some((3, Stage::Game)), "the next by the policy");
    }

    #[test]
    fn keeps_the_promised_distance() {
        let contest = |own| WinWithin::own_moves(&Toy::root(TWO_WAYS), Black, own);
        let elsewhere = WinWithin::own_moves(&Toy::root(WON), Black, 3).and_other_moves(2);
        for (promised, expected) in [
            (None, 2),
            (Some(contest(3).and_other_moves(2)), 1),
            (Some(contest(4).and_other_moves(2)), 2),
            (Some(elsewhere), 2),
        ] {
            let decision = decide(TWO_WAYS, None, promised);
            assert_eq!(
                decision,
                Some(Decision { mv: expected, stage: Stage::Game }),
                "{promised:?}"
            );
        }
    }
}
