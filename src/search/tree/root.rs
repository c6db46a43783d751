//! The root of a search: its candidate moves, their proofs and exclusions.

use super::TreeSearch;
use super::arena::Tree;
use super::node::Node;
use super::select::move_rank;
use crate::game::{Player, Searchable};
use crate::search::limits::Limits;
use crate::search::params;
use crate::search::proof::static_result::{after, allows_immediate_win, known_proof, lookup_proof};
use crate::search::stages::Decision;
use crate::search::stages::round::RoundResult;

/// The moves of the root, as indices among the legal ones, and the findings of the round search.
pub(in crate::search) struct Root<M> {
    /// The moves that may be played.
    pub candidates: Vec<usize>,
    /// The candidate that an earlier stage has decided on. No other is searched.
    pub decided: Option<usize>,
    /// Share of the round search's visits for each legal move; empty without a round search.
    pub round_policy: Vec<f32>,
    /// Principal variation of the round search.
    pub round_line: Vec<M>,
}

impl<M: PartialEq> Root<M> {
    /// All legal moves, or those that the limits name.
    pub fn new<G: Searchable<Move = M>>(position: &G, limits: &Limits<M>) -> Self {
        let legal = position.legal_moves();
        let asked = |&index: &usize| limits.search_moves.contains(&legal[index]);
        let mut candidates: Vec<usize> = (0..legal.len()).filter(asked).collect();
        if candidates.is_empty() {
            candidates = (0..legal.len()).collect();
        }
        Root { candidates, decided: None, round_policy: Vec::new(), round_line: Vec::new() }
    }

    /// The moves to search.
    pub fn searched(&self) -> &[usize] {
        self.decided.as_ref().map_or(&*self.candidates, std::slice::from_ref)
    }
}

impl<'a, G: Searchable> TreeSearch<'a, G> {
    /// Expands the root.
    pub(in crate::search) fn prepare_root(&self) {
        let root = self.root_node();
        let mut evaluator = G::Evaluator::default();
        if self.position.outcome().is_none() && !root.is_expanded() {
            self.expand(root, &self.position, &mut evaluator);
        }
        // An earlier search may have proven its root for only some of the moves.
        root.forget_proof();
        self.adopt_round_proofs(&mut evaluator);
        self.prove(self.tree.root(), self.position.turn());
    }

    /// Takes over the results of the round search. Returns its decision.
    pub(in crate::search) fn follow(
        &mut self,
        round: RoundResult<G::Move>,
    ) -> Option<Decision<G::Move>> {
        (self.root.round_policy, self.root.round_line) = (round.policy, round.line);
        round.decision
    }

    /// The index of a move among the legal ones.
    pub(in crate::search) fn choice_of(&self, mv: G::Move) -> Option<usize> {
        self.position.legal_moves().iter().position(|&legal| legal == mv)
    }

    pub(in crate::search) fn root_node(&self) -> &'a Node {
        self.tree.node(self.tree.root())
    }

    /// Root children to search: the decided one, or all candidates.
    pub(in crate::search) fn searched_children(&self) -> impl Iterator<Item = u32> + '_ {
        let children = self.root_node().children();
        self.root.searched().iter().filter_map(move |&index| children.clone().nth(index))
    }

    /// Root children that may be played.
    pub(in crate::search) fn candidate_children(&self) -> impl Iterator<Item = u32> + '_ {
        let children = self.root_node().children();
        self.root.candidates.iter().filter_map(move |&index| children.clone().nth(index))
    }

    /// The position after the best root move with an open node, by `is_open`. Different threads get
    /// different moves if there are enough.
    pub(in crate::search) fn root_move_with(
        &self,
        thread: usize,
        is_open: impl Fn(&Node) -> bool,
    ) -> Option<G> {
        let first = self.root_node().children().next()?;
        let mut open = best_first(self.tree, self.searched_children(), self.position.turn());
        open.retain(|&child| is_open(self.tree.node(child)));
        let child = open.get(thread.checked_rem(open.len())?)?;
        Some(after(&self.position, self.position.legal_moves()[(child - first) as usize]))
    }

    /// Whether every legal move may be played.
    pub(in crate::search) fn considers_all_moves(&self) -> bool {
        self.root.candidates.len() == self.root_node().child_count() as usize
    }

    /// Whether the player to move is proven to lose.
    pub(in crate::search) fn is_proven_lost(&self) -> bool {
        self.root_node().proof().is_some_and(|proof| proof.is_win_for(!self.position.turn()))
    }

    /// Whether the search has one move to find, no `mate`, and several candidates.
    pub(in crate::search) fn is_free_to_choose(&self) -> bool {
        let asks_for_one = self.limits.lines <= 1 && self.limits.mate.is_none();
        asks_for_one && self.root.decided.is_none() && self.root.candidates.len() > 1
    }

    /// Root candidates, best first, as indices among the legal moves.
    pub(in crate::search) fn best_choices(&self) -> Vec<usize> {
        let first = self.root_node().children().next().unwrap_or(0);
        let best = best_first(self.tree, self.candidate_children(), self.position.turn());
        self.immediate_losses_last(best.into_iter().map(|child| (child - first) as usize).collect())
    }

    /// Moves those choices to the end that let the opponent win the game at once.
    pub(in crate::search) fn immediate_losses_last(&self, mut choices: Vec<usize>) -> Vec<usize> {
        let moves = self.position.legal_moves();
        choices.sort_by_key(|&choice| {
            moves.get(choice).is_some_and(|&mv| allows_immediate_win(&self.position, mv))
        });
        choices
    }

    /// Share of the visits of each legal root move.
    pub(in crate::search) fn shares(&self) -> Vec<f32> {
        // A proven move needs no visits: a loss is not played, and the table shows a win.
        let open = |child| self.tree.node(child).proof().is_none();
        let visits = |child| if open(child) { self.tree.node(child).visits() as f32 } else { 0.0 };
        let visits = self.root_node().children().map(visits);
        let sum: f32 = visits.clone().sum::<f32>().max(1.0);
        visits.map(|visits| visits / sum).collect()
    }

    /// Applies the proofs of the round in play and of the rounds after the root moves.
    pub(in crate::search) fn adopt_round_proofs(&self, evaluator: &mut G::Evaluator) {
        if self.round.is_whole_game() {
            return;
        }
        let root = self.root_node();
        let moves = self.position.legal_moves();
        let priors = self.evaluate(&self.position, &moves, evaluator).policy.logits;
        let player = self.position.turn();
        let proof = |contest: &G| lookup_proof(contest, self.table);
        let won = proof(&self.round.contest).map(|proof| proof.is_win_for(player));
        let most_visits = self.root.round_policy.iter().copied().fold(0.0, f32::max);
        let payoff_bounds = self.payoff_bounds_after(&moves, evaluator);
        let least = |choice: usize| {
            payoff_bounds[choice].as_ref().map(|payoff_bounds| payoff_bounds.least(player))
        };
        let best_least = self.root.candidates.iter().copied().filter_map(least).fold(0.0, f32::max);
        let keeps_win = |mv| {
            proof(&after(&self.round.contest, mv)).is_some_and(|proof| proof.is_win_for(player))
        };
        let may_give_round_up = |choice: usize, mv| match won {
            Some(won) => won && !keeps_win(mv),
            None => {
                let share = self.root.round_policy.get(choice);
                share.is_some_and(|&share| share < most_visits * params::min_round_share())
            }
        };
        for ((child, (choice, &mv)), &prior) in
            root.children().zip(moves.iter().enumerate()).zip(&priors)
        {
            let child = self.tree.node(child);
            child.set_prior(prior);
            child.set_excluded(
                may_give_round_up(choice, mv)
                    || least(choice).is_some_and(|least| least < best_least),
            );
            let next = after(&self.position, mv);
            if !child.is_round_known()
                && let Some(proof) = proof(&next.round().contest)
            {
                self.apply_round_proof(child, &next, proof, evaluator);
            }
            payoff_bounds[choice].iter().for_each(|payoff_bounds| payoff_bounds.apply_to(child));
        }
        self.prove(self.tree.root(), self.position.turn());
    }

    /// Applies the proofs of the root moves.
    pub(in crate::search) fn adopt_proofs(&self) {
        let root = self.root_node();
        for (child, mv) in root.children().zip(self.position.legal_moves()) {
            let next = after(&self.position, mv);
            if let Some(proof) = known_proof(&next, self.table) {
                self.tree.node(child).set_proof(proof);
            }
        }
        self.prove(self.tree.root(), self.position.turn());
    }
}

/// The children of one node, best first.
pub(in crate::search) fn best_first(
    tree: Tree<'_>,
    children: impl Iterator<Item = u32>,
    player: Player,
) -> Vec<u32> {
    // Ranks are read once, since other threads change the nodes.
    let mut order: Vec<_> =
        children.map(|index| (move_rank(tree.node(index), player), index)).collect();
    // A stable sort: of equal moves the first legal one stays first.
    order.sort_by(|(a, _), (b, _)| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    order.into_iter().map(|(_, index)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::games::toy::{Contest, Node as ToyNode, Toy};
    use crate::search::fixture::{DRAW, DRAWN, WHITE_WINS, open, visit, with_toy};
    use crate::search::proof::static_result::win_in;

    /// After the second move White can win at once.
    static TREE: [ToyNode; 6] = [
        open(Player::Black, &[(1, 0.0), (2, 0.0), (3, 0.0)]),
        open(Player::White, &[(3, 0.0), (4, 0.0)]),
        open(Player::White, &[(4, 0.0), (5, 0.0)]),
        open(Player::White, &[(4, 0.0), (4, 0.0)]),
        DRAWN,
        WHITE_WINS,
    ];

    fn with_moves(search_moves: &[usize]) -> Limits<usize> {
        Limits { search_moves: search_moves.to_vec(), ..Limits::default() }
    }

    #[test]
    fn candidates_are_the_legal_moves_among_those_to_search() {
        let cases: [(&[usize], &[usize], bool); 5] = [
            (&[], &[0, 1, 2], true),
            (&[3, 1], &[0, 2], true),
            (&[2, 99], &[1], false),
            (&[99], &[0, 1, 2], true),
            (&[1, 2, 3], &[0, 1, 2], true),
        ];
        for (search_moves, expected, is_free) in cases {
            with_toy(Toy::root(&TREE), &with_moves(search_moves), |search| {
                assert_eq!(search.root.candidates, expected);
                assert_eq!(search.root.searched(), expected);
                assert_eq!(search.considers_all_moves(), expected.len() == 3);
                assert_eq!(search.is_free_to_choose(), is_free);
                search.root.decided = search.choice_of(2);
                assert_eq!(search.root.searched(), [1]);
                assert_eq!(search.candidate_children().count(), expected.len());
                assert!(!search.is_free_to_choose());
            });
        }
        for limits in
            [Limits { lines: 2, ..with_moves(&[]) }, Limits { mate: Some(1), ..with_moves(&[]) }]
        {
            with_toy(Toy::root(&TREE), &limits, |search| assert!(!search.is_free_to_choose()));
        }
    }

    #[test]
    fn best_choices_keep_the_order_of_equal_moves() {
        with_toy(Toy::root(&TREE), &with_moves(&[]), |search| {
            (0..3).for_each(|choice| search.root_child(choice).set_prior(0.3));
            // White wins at once after the second move.
            assert_eq!(search.best_choices(), [0, 2, 1]);
            visit(search.root_child(2), 1, 0.4);
            assert_eq!(search.best_choices(), [2, 0, 1]);
            search.root_child(1).forget_proof();
            visit(search.root_child(1), 9, 0.9);
            assert_eq!(search.best_choices(), [2, 0, 1]);
            let children = search.root_node().children();
            let best = best_first(search.tree, children.clone(), Player::Black);
            assert_eq!(best, [1, 2, 0].map(|choice| children.start + choice));
        });
    }

    #[test]
    fn threads_share_the_open_root_moves() {
        with_toy(Toy::root(&TREE), &with_moves(&[]), |search| {
            visit(search.root_child(2), 5, 0.4);
            let moves: Vec<_> = (0..3)
                .map(|thread| search.root_move_with(thread, |node| node.proof().is_none()).unwrap())
                .collect();
            let after = |mv| after(&search.position, mv);
            assert_eq!(moves, [after(3), after(1), after(3)]);
            assert_eq!(search.root_move_with(0, |_| false), None);
        });
    }

    #[test]
    fn root_is_proven_for_the_candidates_only() {
        with_toy(Toy::root(&TREE), &with_moves(&[2]), |search| {
            assert!(search.is_proven_lost());
            // A later search of the same tree considers all moves.
            search.root.candidates = vec![0, 1, 2];
            search.prepare_root();
            assert!(!search.is_proven_lost());
            let cases = [(1, win_in(Player::White, 2), None), (3, DRAW, Some(Outcome::Draw))];
            for (mv, proof, expected) in cases {
                search.store(after(&search.position, mv), proof);
                search.adopt_proofs();
                assert_eq!(search.root_node().proof().map(|proof| proof.outcome), expected);
            }
            assert!(!search.is_proven_lost());
        });
    }

    /// A match of rounds with the tree above.
    static MATCH: [Contest; 1] = [Contest { tree: &TREE, value: 0.6 }];

    #[test]
    fn open_round_excludes_moves_that_its_search_hardly_visited() {
        with_toy(Toy::of_match(&TREE, &MATCH), &with_moves(&[]), |search| {
            for (child, visits) in (0..).zip([6, 3, 1]) {
                visit(search.root_child(child), visits, 0.5);
            }
            search.root_child(1).forget_proof();
            let policy = search.shares();
            assert_eq!(policy, [0.6, 0.3, 0.1]);
            search.follow(RoundResult { policy, line: vec![1, 3], decision: None });
            search.adopt_round_proofs(&mut Default::default());
            let excluded = [0, 1, 2].map(|choice| search.root_child(choice).is_excluded());
            assert_eq!(excluded, [false, false, true]);
            let priors = [0, 1, 2].map(|choice| search.root_child(choice).prior());
            assert!(priors[0] > priors[1] && priors[1] > priors[2], "{priors:?}");
        });
    }
}
