//! The scheduler of proof tasks: the positions that the proof search works on before the first
//! visit of the tree and between its visits, and how many expansions each gets.
//!
//! Most tasks are positions after root moves, because one good move is enough, and the tree finds
//! it soonest. Proof numbers at an opening would spread the work over about a hundred moves. For
//! the same reason, the expansions of a task grow with the visits of a root move. Games with draws
//! have no tasks.

use std::sync::atomic::Ordering::Relaxed;

use super::Proof;
use super::dfpn::Prover;
use super::static_result::{after, lookup_proof, static_proof};
use super::tt_value::TtValue;
use super::win_within::WinWithin;
use crate::game::{Game, RoundStage, Searchable};
use crate::search::params;
use crate::search::tree::root::best_first;
use crate::search::tree::visit::Worker;
use crate::search::tree::{TreeSearch, VISITS_PER_BATCH};

/// Expansions of a batch for `go mate`.
const EXPANSIONS_FOR_MATE: u64 = 1 << 10;

/// A task of the proof search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ProofTask<G> {
    subject: Subject,
    /// The position to prove the winner of.
    contest: G,
    /// Maximum expansions.
    expansions: u64,
}

/// Subject of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Subject {
    /// The game from the root position.
    Position,
    /// The game after a root move.
    Move,
    /// A round or one of its payoffs.
    Round,
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// Runs the next proof task, if there is one.
    pub(in crate::search) fn run_proof_task(&self, worker: &mut Worker<'_, G>) {
        self.work_on_mate(&mut worker.prover);
        let Some(task) = self.next_task(worker.thread, &worker.evaluator) else { return };
        let proof = self.prove_within_budget(&mut worker.prover, &task.contest, task.expansions);
        match task.subject {
            Subject::Round if proof.is_some() => self.adopt_round_proofs(&mut worker.evaluator),
            Subject::Move if proof.is_some() => self.adopt_proofs(),
            // Even an unfinished proof may have refuted some moves.
            Subject::Position => self.adopt_proofs(),
            Subject::Round | Subject::Move => {}
        }
        self.end_if(self.is_settled());
    }

    fn next_task(&self, thread: usize, evaluator: &G::Evaluator) -> Option<ProofTask<G>> {
        if G::HAS_DRAWS {
            return None;
        }
        let visits = self.statistics.visits.load(Relaxed);
        let choices = self.root.searched().len().max(1) as u64;
        if visits == 0 && self.may_prove_position(thread) {
            let left = self.budget.left_of_first(params::root_budget_part());
            let expansions = left.min(params::root_expansions());
            return Some(ProofTask {
                subject: Subject::Position,
                contest: self.position,
                expansions,
            });
        }
        let per_visit = if self.is_in_match() {
            (visits / choices).min(params::max_expansions_in_match())
        } else {
            let later = visits.saturating_sub(params::visits_before_proofs());
            (params::proof_growth() * later / choices).min(params::max_expansions_in_round())
        };
        if per_visit == 0 {
            return None;
        }
        let (subject, contest) = if self.is_in_match() {
            (Subject::Round, self.next_round(thread, evaluator)?)
        } else {
            let ahead = if self.is_proven() || self.looks_refuted() { thread } else { 0 };
            (Subject::Move, self.root_move_with(ahead, |child| child.proof().is_none())?)
        };
        let expansions = per_visit * u64::from(VISITS_PER_BATCH);
        Some(ProofTask { subject, contest, expansions })
    }

    /// Whether the position itself is worth a task: in a single-round game, easy proofs are found
    /// soonest there.
    fn may_prove_position(&self, thread: usize) -> bool {
        let is_whole = self.limits.lines <= 1
            && self.root.searched().len() == self.root_node().children().len();
        thread == 0
            && is_whole
            && !self.is_in_match()
            && self.round.stage != RoundStage::Between
            && !self.is_proven()
    }

    /// The next round or payoff to prove in a match: the round in play; then the rounds after the
    /// root moves, best first, in turns with the payoffs. Each thread takes another move.
    fn next_round(&self, thread: usize, evaluator: &G::Evaluator) -> Option<G> {
        if lookup_proof(&self.round.contest, self.table).is_none() {
            return Some(self.round.contest);
        }
        let batch = self.statistics.visits.load(Relaxed) / u64::from(VISITS_PER_BATCH);
        // Half of the threads before this one are in the same turn.
        let payoff = self.open_payoff(batch / 2, thread / 2, evaluator);
        let ahead = if payoff.is_some() { thread / 2 } else { thread };
        let round = self
            .root_move_with(ahead, |child| !child.is_round_known())
            .filter(|_| !self.is_proven())
            .map(|next| next.round().contest);
        if (batch + thread as u64).is_multiple_of(2) { round.or(payoff) } else { payoff.or(round) }
    }

    /// Whether the winner of the game is known.
    fn is_proven(&self) -> bool {
        self.root_node().proof().is_some() || self.table.proof(self.position.proof_key()).is_some()
    }

    /// Whether all moves seem to lose, so that all must be refuted. Not before the first move of a
    /// round: one of its many moves will win.
    fn looks_refuted(&self) -> bool {
        let black_win_probability = self.root_node().win_probability();
        let win_probability =
            black_win_probability.map(|probability| self.position.turn().relative(probability));
        !self.round.is_opening()
            && win_probability.is_some_and(|win_probability| win_probability < 0.5)
    }

    /// Works on whether a root move wins within the requested number of moves. Ends the search once
    /// that is decided.
    fn work_on_mate(&self, prover: &mut Prover<'_>) {
        let Some(moves) = self.limits.mate else { return };
        let player = self.position.turn();
        let contest = WinWithin::own_moves(&self.position, player, moves);
        let legal = self.position.legal_moves();
        let Some(first) = self.root_node().children().next() else { return };
        // The move with the least proof number; of equal ones the best by the tree search.
        let open = best_first(self.tree, self.searched_children(), player).into_iter().filter_map(
            |child| {
                let next = after(&contest, legal[(child - first) as usize]);
                let known = static_proof(&next)
                    .map(TtValue::Proven)
                    .or_else(|| self.table.get(next.proof_key()));
                match known {
                    Some(TtValue::Proven(proof)) if proof.is_win_for(player) => {
                        Some((0, child, next))
                    }
                    Some(TtValue::Proven(_)) => None,
                    Some(TtValue::Open(numbers)) => Some((numbers.of(player), child, next)),
                    None => Some((1, child, next)),
                }
            },
        );
        let Some((_, child, next)) = open.min_by_key(|&(number, ..)| number) else {
            // No move wins in time.
            return self.end_if(true);
        };
        if let Some(proof) = self
            .prove_within_budget(prover, &next, EXPANSIONS_FOR_MATE)
            .filter(|proof| proof.is_win_for(player))
        {
            self.tree.node(child).set_proof(proof);
            self.prove(self.tree.root(), player);
            self.end_if(true);
        }
    }

    /// Runs the proof search within the budget and charges its expansions as nodes.
    pub(in crate::search) fn prove_within_budget<C: Game>(
        &self,
        prover: &mut Prover<'_>,
        position: &C,
        budget: u64,
    ) -> Option<Proof> {
        let before = prover.expansions;
        self.budget.spend_up_to(budget, |budget| {
            (prover.prove(position, budget), prover.expansions - before)
        })
    }

    /// Whether this win is longer than requested.
    pub(in crate::search) fn is_too_long(&self, proof: Proof) -> bool {
        let player = self.position.turn();
        self.limits.mate.is_some_and(|moves| {
            proof.is_win_for(player) && u32::from(proof.distance.of(player)) > moves
        })
    }
}

#[cfg(test)]
mod tests {
    use Player::{Black, White};
    use Subject::{Move, Position};

    use super::*;
    use crate::game::{Outcome, Player};
    use crate::games::kamisado::{Match, Target};
    use crate::games::kamon::Kamon;
    use crate::games::toy::Toy;
    use crate::search::fixture::{LOST, WON, with_search};
    use crate::search::limits::{Control, Limits};
    use crate::search::tree::node::Node;

    fn at(node: usize) -> Toy {
        let mut position = Toy::root(WON);
        position.play(node);
        position
    }

    fn win_for(player: Player) -> Proof {
        Proof::over(Outcome::Win(player)).after_move(player)
    }

    fn in_search<G: Searchable, T>(
        position: &G,
        limits: &Limits<G::Move>,
        check: impl FnOnce(&mut TreeSearch<'_, G>) -> T,
    ) -> T {
        with_search(position, limits, &Control::default(), check)
    }

    /// The next task of this thread after `visits` visits of the tree.
    fn task<G: Searchable>(
        search: &TreeSearch<'_, G>,
        visits: u64,
        thread: usize,
    ) -> Option<ProofTask<G>> {
        search.statistics.visits.store(visits, Relaxed);
        search.next_task(thread, &G::Evaluator::default())
    }

    /// Subject and expansions of a task.
    fn kind<G>(task: Option<ProofTask<G>>) -> Option<(Subject, u64)> {
        task.map(|task| (task.subject, task.expansions))
    }

    fn visit_root<G: Searchable>(search: &TreeSearch<'_, G>, black_win_probability: f32) {
        search.root_node().begin_visit();
        search.root_node().end_visit(black_win_probability);
    }

    fn run<G: Searchable>(search: &TreeSearch<'_, G>) {
        search.run_proof_task(&mut Worker::new(0, search.table, None, &|_| false));
    }

    /// The root moves that are proven, as their numbers.
    fn proven_moves<G: Searchable>(search: &TreeSearch<'_, G>) -> Vec<u32> {
        let proven = |number: &u32| {
            let child = search.root_node().children().start + number;
            search.tree.node(child).proof().is_some()
        };
        (0..search.root_node().child_count()).filter(proven).collect()
    }

    #[test]
    fn expansions_grow_with_the_later_visits_up_to_the_maximum() {
        in_search(&Toy::root(WON), &Limits::default(), |search| {
            // 256 for each visit after 64, divided by 3 moves.
            for (visits, thread, expected) in [
                (0, 0, Some((Position, 1 << 18))),
                (0, 1, None),
                (64, 0, None),
                (65, 0, Some((Move, 85 * 32))),
                (70, 1, Some((Move, 512 * 32))),
                (1 << 20, 0, Some((Move, (1 << 12) * 32))),
            ] {
                assert_eq!(kind(task(search, visits, thread)), expected, "{visits} visits");
            }
        });
    }

    #[test]
    fn expansions_grow_with_the_visits_in_a_match() {
        in_search(&Match::start(Target::Standard), &Limits::default(), |search| {
            let moves = search.root.searched().len() as u64;
            for (visits, expected) in [
                (0, None),
                (moves - 1, None),
                (moves, Some((Subject::Round, 32))),
                (7 * moves + 1, Some((Subject::Round, 7 * 32))),
                (1000 * moves, Some((Subject::Round, 128 * 32))),
            ] {
                assert_eq!(kind(task(search, visits, 0)), expected, "{visits} visits");
            }
        });
    }

    #[test]
    fn games_with_draws_have_no_tasks() {
        in_search(&Kamon::start(), &Limits::default(), |search| {
            assert_eq!([0, 1 << 20].map(|visits| task(search, visits, 0)), [None; 2]);
        });
    }

    #[test]
    fn first_task_is_the_position_if_its_proof_would_answer() {
        let first = |position: &str, limits: Limits<_>| {
            in_search(&position.parse::<Match>().unwrap(), &limits, |search| task(search, 0, 0))
        };
        let position = "B1PG4/6R1/3VL3/1g4p1/v3bO2/l6Y/8/oy5r b r 0-0 1";
        let some = position.parse::<Match>().unwrap().legal_moves()[..2].to_vec();
        let refill = "4+l3/3g1B1L/R1b1v3/1+PO5/1+y3+Vp1/2Y3r1/5G2/4o3 b refill 2-2 3";
        assert!(first(position, Limits::default()).is_some_and(|task| task.subject == Position));
        assert_eq!(first(position, Limits { lines: 2, ..Limits::default() }), None);
        assert_eq!(first(position, Limits { search_moves: some, ..Limits::default() }), None);
        assert_eq!(first(refill, Limits::default()), None);
        assert_eq!(first(&position.replace("0-0 1", "0-0 3"), Limits::default()), None);
        in_search(&Toy::root(WON), &Limits::default(), |search| {
            search.table.put(Toy::root(WON).proof_key(), TtValue::Proven(win_for(Black)), 0..1);
            assert_eq!(task(search, 0, 0), None, "proven");
        });
    }

    #[test]
    fn takes_the_best_open_move() {
        in_search(&Toy::root(WON), &Limits::default(), |search| {
            let contests = |threads: [usize; 4]| {
                threads.map(|thread| task(search, 100, thread).map(|task| task.contest))
            };
            let best = [Some(at(2)); 4];
            let in_turns = [2, 3, 1, 2].map(|node| Some(at(node)));
            assert_eq!(contests([0, 1, 2, 3]), best);
            visit_root(search, 0.5);
            assert_eq!(contests([0, 1, 2, 3]), best);
            visit_root(search, 0.4);
            assert_eq!(contests([0, 1, 2, 3]), in_turns, "all moves must be refuted");
            visit_root(search, 1.0);
            assert_eq!(contests([0, 1, 2, 3]), best);
            search.root_node().set_proof(win_for(Black));
            assert_eq!(contests([0, 1, 2, 3]), in_turns, "proven");
            let child = search.root_node().children().start + 1;
            search.tree.node(child).set_proof(win_for(White));
            assert_eq!(contests([0, 1, 2, 3]), [3, 1, 3, 1].map(|node| Some(at(node))));
        });
    }

    #[test]
    fn threads_share_the_best_move_before_the_first_move_of_a_round() {
        in_search(&Match::start(Target::Simple), &Limits::default(), |search| {
            visit_root(search, 0.4);
            let contests = [0, 1].map(|thread| task(search, 1 << 10, thread).unwrap().contest);
            assert_eq!(contests[0], contests[1]);
        });
    }

    #[test]
    fn proves_the_round_in_play_before_the_rounds_after_the_moves() {
        let position = Match::start(Target::Standard);
        in_search(&position, &Limits::default(), |search| {
            let contest = search.round.contest;
            let contests =
                || [0, 1, 2].map(|thread| task(search, 1 << 10, thread).map(|task| task.contest));
            assert_eq!(contests(), [Some(contest); 3]);
            search.table.put(contest.proof_key(), TtValue::Proven(win_for(White)), 0..1);
            let best = best_first(search.tree, search.searched_children(), Black);
            let first = search.root_node().children().start;
            let moves = position.legal_moves();
            let after_best = |rank: usize| after(&contest, moves[(best[rank] - first) as usize]);
            assert_eq!(contests(), [0, 1, 2].map(|rank| Some(after_best(rank))));
            search.root_node().set_proof(win_for(White));
            assert_eq!(contests(), [None; 3], "proven");
        });
    }

    #[test]
    fn proves_rounds_and_payoffs_in_turns_once_the_round_is_won() {
        // Black wins the round at once. Three of the moves keep the win with a tooth.
        let position: Match =
            "+VP3+B2/7Y/y3L2+b/3g1pv1/3OG3/2R5/3o4/l1r5 b v 1-2 15".parse().unwrap();
        in_search(&position, &Limits::default(), |search| {
            let win = TtValue::Proven(win_for(Black));
            for mv in position.legal_moves() {
                search.table.put(after(&search.round.contest, mv).proof_key(), win, 0..1);
            }
            let mut evaluator = Default::default();
            search.adopt_round_proofs(&mut evaluator);
            let tasks = |batch: u64| {
                [0, 1, 2, 3].map(|thread| {
                    let visits = u64::from(VISITS_PER_BATCH) * batch;
                    task(search, visits, thread).map(|task| task.contest)
                })
            };
            let is_open = |child: &Node| !child.is_round_known();
            let [first, second] = [0, 1].map(|ahead| {
                search.root_move_with(ahead, is_open).map(|next| next.round().contest)
            });
            let payoffs = |pair| [0, 1].map(|ahead| search.open_payoff(pair, ahead, &evaluator));
            let [payoff, other] = payoffs(5);
            assert!(first != second && payoff != other && other.is_some());
            assert_eq!(tasks(10), [first, payoff, second, other]);
            assert_eq!(tasks(11), [payoff, first, other, second]);
            let [payoff_of_root, same] = payoffs(4);
            assert_eq!(tasks(8), [first, payoff_of_root, second, same]);
            search.root_node().set_proof(win_for(Black));
            assert_eq!(tasks(10), [payoff, payoff, other, other], "proven");
        });
    }

    #[test]
    fn adopts_the_proof_of_a_round() {
        let position: Match = "Y2OG1LV/1P6/5r2/2B5/1R5l/8/7g/1bvp1yo1 b o 0-0 3".parse().unwrap();
        in_search(&position, &Limits::default(), |search| {
            let known = || {
                let children = search.root_node().children();
                children.filter(|&child| search.tree.node(child).is_round_known()).count()
            };
            let before = known();
            search.statistics.visits.store(1 << 12, Relaxed);
            run(search);
            assert!(lookup_proof(&search.round.contest, search.table).is_some());
            assert!(known() > before, "{before} before");
        });
    }

    #[test]
    fn ends_the_search_once_the_position_is_proven() {
        in_search(&Toy::root(WON), &Limits::default(), |search| {
            run(search);
            assert!(search.root_node().proof().is_some_and(|proof| proof.is_win_for(Black)));
            assert!(search.is_ended() && search.budget.nodes() > 0);
        });
    }

    #[test]
    fn unfinished_proof_refutes_moves_within_its_part_of_the_budget() {
        let limits = Limits { nodes: Some(96), ..Limits::default() };
        in_search(&Toy::root(LOST), &limits, |search| {
            run(search);
            assert_eq!(search.budget.nodes(), 3, "the root, a move and its refutation");
            assert_eq!((proven_moves(search), search.root_node().proof()), (vec![0], None));
        });
    }

    #[test]
    fn adopts_the_proof_of_a_move() {
        in_search(&Toy::root(WON), &Limits::default(), |search| {
            search.statistics.visits.store(100, Relaxed);
            run(search);
            assert_eq!(proven_moves(search), [1]);
        });
    }

    #[test]
    fn decides_whether_a_move_wins_within_the_requested_number() {
        for (tree, mate, nodes, wins, spent) in [
            (WON, Some(2), 100, true, true),
            (WON, Some(1), 100, false, true),
            (LOST, Some(2), 100, false, true),
            (WON, Some(2), 0, false, false),
        ] {
            let limits = Limits { mate, nodes: Some(nodes), ..Limits::default() };
            in_search(&Toy::root(tree), &limits, |search| {
                let mut prover = Prover::new(search.table);
                for _ in 0..4 {
                    search.work_on_mate(&mut prover);
                }
                let proof = search.root_node().proof();
                assert_eq!(proof.is_some_and(|proof| proof.is_win_for(Black)), wins, "{mate:?}");
                assert_eq!([search.budget.nodes() > 0, search.is_ended()], [spent; 2], "{mate:?}");
            });
        }
    }

    #[test]
    fn win_is_too_long_beyond_the_requested_moves() {
        for (mate, winner, is_too_long) in [
            (None, Black, false),
            (Some(1), Black, true),
            (Some(2), Black, false),
            (Some(1), White, false),
        ] {
            let limits = Limits { mate, ..Limits::default() };
            let proof = win_for(winner).after_move(winner);
            in_search(&Toy::root(WON), &limits, |search| {
                assert_eq!(search.is_too_long(proof), is_too_long, "{mate:?} {winner}");
            });
        }
    }
}
