//! The round search, the first stage: it finds the winner of the round in play.
//!
//! If the round is only a part of the game, losing it is rarely compensated, and its winner can
//! soon be proven. So it is searched first as a game of its own. The table keeps the proof.

use crate::game::Searchable;
use crate::search::limits::Limits;
use crate::search::params;
use crate::search::proof::Proof;
use crate::search::proof::static_result::lookup_proof;
use crate::search::proof::tt_value::TtValue;
use crate::search::stages::{Decision, Stage};
use crate::search::tree::TreeSearch;
use crate::search::tree::arena::TreeMemory;

/// Node limit of the round search if the limits do not set one.
const NODES_WITHOUT_LIMITS: u64 = 1 << 18;

/// Results of the round search.
pub(in crate::search) struct RoundResult<M> {
    /// Share of the visits of each legal move, in their order.
    pub policy: Vec<f32>,
    /// The principal variation.
    pub line: Vec<M>,
    /// The move to play, if too few nodes are left for the next stage to choose another.
    pub decision: Option<Decision<M>>,
}

/// Whether the round is open and matters. Also if it is proven but the next stage has too few nodes
/// to choose the move.
fn is_needed<G: Searchable>(game: &TreeSearch<'_, G>) -> bool {
    let round = &game.round.contest;
    let may_choose = game.root.candidates.len() > 1 && game.limits.mate.is_none();
    let is_open = || lookup_proof(round, game.table).is_none();
    params::round_search()
        && may_choose
        && game.is_in_match()
        && round.outcome().is_none()
        && (game.budget.nodes_left() <= params::nodes_to_overrule() || is_open())
}

/// Searches the round in play in a tree of its own, if that [is needed](is_needed). An open round
/// may use all but a few nodes. Calls `tick` after every visit.
pub(in crate::search) fn search_round<G: Searchable>(
    game: &TreeSearch<'_, G>,
    memory: &mut TreeMemory,
    tick: &mut dyn FnMut(&TreeSearch<'_, G>),
) -> Option<RoundResult<G::Move>> {
    if !is_needed(game) {
        return None;
    }
    let round = game.round.contest;
    let limits = Limits { depth: None, mate: None, lines: 1, ..game.limits.clone() };
    let budget = game.budget.short_of(params::nodes_after_round()).or_nodes(NODES_WITHOUT_LIMITS);
    let before = budget.nodes();
    let tree = memory.tree();
    tree.clear();
    let mut search = TreeSearch::new(tree, game.table, game.settings, &round, &limits, budget);
    search.run(budget, tick);
    // A proof over some of the moves proves the round only if one of them wins.
    let is_whole = |proof: &Proof| limits.search_moves.is_empty() || proof.is_win_for(round.turn());
    let proof = search.root_node().proof();
    if let Some(proof) = proof.filter(is_whole) {
        game.table.put(round.proof_key(), TtValue::Proven(proof), before..budget.nodes());
    }
    let needed =
        if proof.is_some() { params::nodes_to_overrule() } else { params::nodes_after_round() };
    let decides =
        game.limits.lines <= 1 && (game.budget.nodes_left() <= needed || game.is_out_of_time());
    // A move that loses the game at once comes after those that lose the round at once.
    let best = game.immediate_losses_last(search.best_choices()).first().copied();
    Some(RoundResult {
        policy: search.shares(),
        line: best.map(|choice| search.variation(choice)).unwrap_or_default(),
        decision: best
            .filter(|_| decides)
            .map(|choice| Decision { mv: round.legal_moves()[choice], stage: Stage::Round }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Outcome, Player};
    use crate::games::kamisado::{Match, Move};
    use crate::search::fixture::with_search;
    use crate::search::limits::Control;

    const ROUND: &str = "Y2OG1LV/1P6/5r2/2B5/1R5l/8/7g/1bvp1yo1 b o 0-0";

    fn in_search<T>(
        target: u32,
        limits: &Limits<Move>,
        check: impl FnOnce(&mut TreeSearch<'_, Match>) -> T,
    ) -> T {
        let position = format!("{ROUND} {target}").parse().unwrap();
        with_search(&position, limits, &Control::default(), check)
    }

    fn nodes(nodes: u64) -> Limits<Move> {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    #[test]
    fn needed_while_the_round_is_open_or_the_next_stage_has_too_few_nodes() {
        let only = vec![format!("{ROUND} 3").parse::<Match>().unwrap().legal_moves()[0]];
        for (target, limits, is_proven, expected) in [
            (3, nodes(8_000), false, true),
            (1, nodes(8_000), false, false),
            (3, Limits { search_moves: only, ..nodes(8_000) }, false, false),
            (3, Limits { mate: Some(3), ..nodes(8_000) }, false, false),
            (3, nodes(513), true, false),
            (3, nodes(512), true, true),
        ] {
            let needed = in_search(target, &limits, |search| {
                if is_proven {
                    let proof = TtValue::Proven(Proof::over(Outcome::Win(Player::White)));
                    search.table.put(search.round.contest.proof_key(), proof, 0..1);
                }
                is_needed(search)
            });
            assert_eq!(needed, expected, "to {target}, {limits:?}, proven: {is_proven}");
        }
    }

    #[test]
    fn decides_only_if_few_nodes_are_left() {
        for (limits, decides) in
            [(nodes(300), true), (Limits { lines: 2, ..nodes(300) }, false), (nodes(8_000), false)]
        {
            in_search(3, &limits, |search| {
                let result = search_round(search, &mut TreeMemory::new(0), &mut |_| ()).unwrap();
                let stage = result.decision.map(|decision| decision.stage);
                assert_eq!(stage, decides.then_some(Stage::Round), "{limits:?}");
                let played = result.decision.map_or(result.line[0], |decision| decision.mv);
                assert_eq!(result.line[0], played);
                assert!(search.budget.nodes_left() > 0, "some are left for the next stage");
            });
        }
    }
}
