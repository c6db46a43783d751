//! Principal variations, read from the tree and completed to the end of the game if proven.

use super::TreeSearch;
use super::node::Node;
use super::root::best_first;
use crate::game::{Game, Outcome, Player, Searchable};
use crate::search::proof::dfpn::{Prover, at_clock_checks};
use crate::search::proof::exact::ExactSearch;
use crate::search::proof::static_result::{after, best_proven_move, known_proof};
use crate::search::proof::tt_value::is_shorter;
use crate::search::proof::win_within::{UNBOUNDED, WinWithin};
use crate::search::proof::{Distance, Proof};
use crate::search::report::{Line, Report, Value};
use crate::search::stages::{Decision, Stage};

/// Expansions for completing the lines of one report. They do not count as nodes, so a search that
/// has used up its nodes still reports whole lines.
const MAX_EXPANSIONS: u64 = 1 << 17;

impl<G: Searchable> TreeSearch<'_, G> {
    /// A report while the round search runs. The round search ranks the moves and gives the lines;
    /// this search gives their values.
    pub(in crate::search) fn report_of_round(&self, round: &Self) -> Report<G::Move> {
        Report { lines: self.lines_by(round, None), ..round.report_without_lines() }
    }

    /// A report of the search.
    pub(in crate::search) fn report(&self) -> Report<G::Move> {
        self.report_with(self.lines_by(self, self.root.decided), None)
    }

    /// A report of these lines. The depth of a proven answer is its distance.
    pub(in crate::search) fn report_with(
        &self,
        lines: Vec<Line<G::Move>>,
        stage: Option<Stage>,
    ) -> Report<G::Move> {
        let report = Report { stage, ..self.report_without_lines() };
        let is_proven = lines.first().is_some_and(|line| line.value.is_proven());
        match self.root_node().proof().filter(|_| is_proven).map(|proof| proof.distance.plies()) {
            Some(plies) => {
                Report { depth: plies, seldepth: report.seldepth.max(plies), lines, ..report }
            }
            None => Report { lines, ..report },
        }
    }

    fn report_without_lines(&self) -> Report<G::Move> {
        Report {
            depth: self.statistics.depth(),
            seldepth: self.statistics.seldepth(),
            nodes: self.budget.nodes(),
            elapsed: self.budget.elapsed(),
            hashfull: self.tree.permille_used(),
            stage: None,
            lines: Vec::new(),
        }
    }

    /// The best root moves with their principal variations, at most `limits.lines`. The first is
    /// the move to play: `decided`, unless it is refuted. The others follow in the order of their
    /// values, capped at the value of the first, since they have fewer visits. `guide` ranks the
    /// moves and extends the lines: this search, or the round search.
    fn lines_by(&self, guide: &Self, decided: Option<usize>) -> Vec<Line<G::Move>> {
        let decided = decided.filter(|&choice| !self.is_refuted(choice));
        let is_other =
            |choice: &usize| self.root.candidates.contains(choice) && decided != Some(*choice);
        let best = decided.into_iter().chain(guide.best_choices().into_iter().filter(is_other));
        let line = |choice| Line {
            value: self.value_of_move(choice),
            moves: guide.variation_seen(choice),
        };
        let mut lines: Vec<_> = best.take(self.limits.lines.max(1)).map(line).collect();
        if let Some((played, others)) = lines.split_first_mut() {
            played.value = self.value_by(played.value);
            // A stable sort: of equal values, the move that the search prefers stays first.
            others.sort_by(|a, b| b.value.rank().total_cmp(&a.value.rank()));
            for line in others {
                if line.value.rank() > played.value.rank() {
                    line.value = played.value;
                }
            }
        }
        lines
    }

    /// Whether the move is proven to lose but the position is not.
    pub(in crate::search) fn is_refuted(&self, choice: usize) -> bool {
        let proof =
            self.root_node().children().nth(choice).and_then(|child| self.tree.node(child).proof());
        proof.is_some_and(|proof| proof.is_win_for(!self.position.turn())) && !self.is_proven_lost()
    }

    /// The value to report, from that of the move to play. A lost position reports its own
    /// distance, since the move of the defence may lose sooner. With an unproven root, a proven
    /// loss or draw is shown as a win probability.
    fn value_by(&self, value: Value) -> Value {
        match (self.root_node().proof(), value) {
            (Some(proof), Value::Loss(_)) => value_of(proof, self.position.turn()),
            (None, value) => Value::WinProbability(value.win_probability()),
            (Some(_), value) => value,
        }
    }

    /// Value of a root move.
    fn value_of_move(&self, choice: usize) -> Value {
        let player = self.position.turn();
        let node = self.root_node().children().nth(choice).map(|child| self.tree.node(child));
        match node.and_then(Node::proof_from_parent) {
            Some(proof) => value_of(proof, player),
            None => Value::WinProbability(
                player.relative(
                    node.and_then(Node::win_probability)
                        .unwrap_or_else(|| self.win_probability_after(choice)),
                ),
            ),
        }
    }

    /// A root move with its continuation, from the round search if that agrees and is longer.
    fn variation_seen(&self, choice: usize) -> Vec<G::Move> {
        let moves = self.variation(choice);
        if self.root.round_line.starts_with(&moves) { self.root.round_line.clone() } else { moves }
    }

    /// Black's win probability after a root move without visits.
    fn win_probability_after(&self, choice: usize) -> f32 {
        let next = after(&self.position, self.position.legal_moves()[choice]);
        self.value(&next, &mut G::Evaluator::default())
    }

    /// The moves from a root move on along the best children, forced moves included.
    pub(in crate::search) fn variation(&self, choice: usize) -> Vec<G::Move> {
        let mut moves = Vec::new();
        let mut position = self.position;
        let mut step = self.root_node().children().nth(choice).map(|child| (child, choice));
        while let Some((index, choice)) = step {
            let mut next = Some(position.legal_moves()[choice]);
            while let Some(mv) = next {
                moves.push(mv);
                position.play(mv);
                let legal = position.legal_moves();
                next = if legal.len() == 1 { legal.first().copied() } else { None };
            }
            let node = self.tree.node(index);
            let children = node.children();
            let best = best_first(self.tree, children.clone(), position.turn()).first().copied();
            let known = best.is_some_and(|best| self.tree.node(best).proof().is_some());
            if let Some(proof) = node.proof().filter(|_| !known) {
                // The proof came from the table, so the children do not show it.
                self.follow_proof(position, proof.outcome, &mut moves);
                break;
            }
            let seen = best.filter(|&best| known || self.tree.node(best).visits() > 0);
            step = children
                .clone()
                .next()
                .zip(seen)
                .map(|(first, best)| (best, (best - first) as usize));
        }
        moves
    }

    /// Adds the moves by which the table proves `outcome`, as far as it still holds them.
    fn follow_proof(&self, mut position: G, outcome: Outcome, moves: &mut Vec<G::Move>) {
        while position.outcome().is_none() {
            if let Some(winning) = position.winning_move() {
                return moves.push(winning);
            }
            let proof_of =
                |next: &G| known_proof(next, self.table).filter(|proof| proof.outcome == outcome);
            let Some(mv) = best_proven_move(&position, proof_of) else { return };
            position.play(mv);
            moves.push(mv);
        }
    }
}

impl<G: Searchable> TreeSearch<'_, G> {
    /// The lines of the last report, with the decided move first and the proven ones completed.
    pub(in crate::search) fn final_lines(
        &self,
        decision: Option<Decision<G::Move>>,
    ) -> Vec<Line<G::Move>> {
        let decided = decision.and_then(|decision| self.choice_of(decision.mv));
        let mut lines = self.lines_by(self, decided);
        let is_over = at_clock_checks(|| self.budget.is_over(|| false));
        let mut prover = Prover::new(self.table).until(&is_over);
        for line in &mut lines {
            self.complete(line, &mut prover);
        }
        lines
    }

    /// Continues a proven line to the end of the game, within the distance of its value, if the
    /// expansions suffice.
    fn complete(&self, line: &mut Line<G::Move>, prover: &mut Prover<'_>) {
        if line.value == Value::Draw {
            return self.complete_draw(&mut line.moves);
        }
        let Some((proof, winner)) =
            self.proof_of(line).and_then(|proof| Some((proof, proof.outcome.winner()?)))
        else {
            return;
        };
        if self.ends_within(&line.moves, proof.distance) {
            return;
        }
        let of_mate =
            self.limits.mate.map(|mate| WinWithin::own_moves(&self.position, winner, mate));
        let of_any = WinWithin::own_moves(&self.position, winner, UNBOUNDED);
        let contests = of_mate
            .or_else(|| WinWithin::of_proof(&self.position, proof))
            .into_iter()
            .chain([of_any]);
        if let Some(completed) =
            contests.filter_map(|contest| self.forced_line(contest, &line.moves, prover)).next()
        {
            line.moves = completed;
        }
    }

    /// The shortest known proof of a won or lost line.
    pub(in crate::search) fn proof_of(&self, line: &Line<G::Move>) -> Option<Proof> {
        let of_position = self.root_node().proof().filter(|_| matches!(line.value, Value::Loss(_)));
        let mv =
            line.moves.first().filter(|_| matches!(line.value, Value::Win(_) | Value::Loss(_)))?;
        let choice = self.position.legal_moves().iter().position(|legal| legal == mv)?;
        let of_move = self
            .root_node()
            .children()
            .nth(choice)
            .and_then(|child| self.tree.node(child).proof_from_parent());
        let shorter = |proof: Proof| {
            of_position.filter(|&of_position| is_shorter(of_position, proof)).or(Some(proof))
        };
        of_move.map_or(of_position, shorter)
    }

    /// Whether these moves end the game within `most`.
    fn ends_within(&self, line: &[G::Move], most: Distance) -> bool {
        let (mut position, mut played) = (self.position, Distance::default());
        for &mv in line {
            played = played.with_move(position.turn());
            position.play(mv);
        }
        position.outcome().is_some()
            && Player::ALL.iter().all(|&player| played.of(player) <= most.of(player))
    }

    /// A line with the same first move, by which the contest's winner wins.
    fn forced_line(
        &self,
        mut contest: WinWithin<G>,
        line: &[G::Move],
        prover: &mut Prover<'_>,
    ) -> Option<Vec<G::Move>> {
        let mut moves = vec![*line.first()?];
        contest.play(moves[0]);
        while contest.outcome().is_none() {
            let mv = contest.next_move(
                self.table,
                prover,
                MAX_EXPANSIONS.saturating_sub(prover.expansions),
            )?;
            moves.push(mv);
            contest.play(mv);
        }
        Some(moves)
    }

    /// Continues a drawn line to the end of the game.
    fn complete_draw(&self, line: &mut Vec<G::Move>) {
        let mut position = self.position;
        line.iter().for_each(|&mv| position.play(mv));
        let mut exact = ExactSearch::new(self.table);
        let mut evaluator = G::Evaluator::default();
        while position.outcome().is_none() {
            let mut draws = |mv: &G::Move| {
                let next = after(&position, *mv);
                let known = known_proof(&next, self.table).or_else(|| {
                    let left = MAX_EXPANSIONS.saturating_sub(exact.expansions);
                    exact.solve(&next, &mut evaluator, left)
                });
                known.is_some_and(|proof| proof.outcome == Outcome::Draw)
            };
            let Some(mv) = position.legal_moves().into_iter().find(|mv| draws(mv)) else { return };
            position.play(mv);
            line.push(mv);
        }
    }
}

fn value_of(proof: Proof, player: Player) -> Value {
    let moves = u32::from(proof.distance.of(player));
    match proof.outcome {
        Outcome::Win(winner) if winner == player => Value::Win(moves),
        Outcome::Win(_) => Value::Loss(moves),
        Outcome::Draw => Value::Draw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::toy::{Node as ToyNode, Toy};
    use crate::search::fixture::{BLACK_WINS, DRAW, DRAWN, WHITE_WINS, open, visit, with_toy};
    use crate::search::limits::Limits;
    use crate::search::proof::static_result::win_in;

    /// Black wins by 1, any reply, 5, any reply, and 9. Other moves of Black lose or are open.
    static WON: [ToyNode; 13] = [
        open(Player::Black, &[(1, 0.0), (2, 0.0), (11, 0.0), (12, 0.0)]),
        open(Player::White, &[(3, 0.0), (4, 0.0)]),
        open(Player::White, &[(10, 0.0), (9, 0.0)]),
        open(Player::Black, &[(2, 0.0), (5, 0.0)]),
        open(Player::Black, &[(2, 0.0), (5, 0.0)]),
        open(Player::White, &[(7, 0.0), (8, 0.0)]),
        open(Player::White, &[(10, 0.0), (9, 0.0)]),
        open(Player::Black, &[(10, 0.0), (9, 0.0)]),
        open(Player::Black, &[(10, 0.0), (9, 0.0)]),
        BLACK_WINS,
        WHITE_WINS,
        open(Player::White, &[(3, 0.0), (6, 0.0)]),
        open(Player::White, &[(4, 0.0), (6, 0.0)]),
    ];

    /// Black draws by 1, 3 and 5, and loses otherwise.
    static FOR_A_DRAW: [ToyNode; 7] = [
        open(Player::Black, &[(1, 0.0), (2, 0.0)]),
        open(Player::White, &[(3, 0.0), (4, 0.0)]),
        open(Player::White, &[(6, 0.0), (4, 0.0)]),
        open(Player::Black, &[(6, 0.0), (5, 0.0)]),
        open(Player::Black, &[(6, 0.0), (5, 0.0)]),
        DRAWN,
        WHITE_WINS,
    ];

    fn with_lines(lines: usize) -> Limits<usize> {
        Limits { lines, ..Limits::default() }
    }

    fn decision(mv: usize) -> Option<Decision<usize>> {
        Some(Decision { mv, stage: Stage::Game })
    }

    #[test]
    fn later_lines_follow_by_value_capped_at_the_first() {
        // The second root move loses at once; it comes last.
        let all = [(1, 0.7), (12, 0.7), (11, 0.6), (2, 0.0)];
        // The decided move comes first, regardless of its visits.
        let decided = [(11, 0.6), (12, 0.6), (1, 0.6), (2, 0.0)];
        for (lines, decision, expected) in
            [(4, None, &all[..]), (2, None, &[(1, 0.7), (11, 0.6)]), (4, decision(11), &decided)]
        {
            with_toy(Toy::root(&WON), &with_lines(lines), |search| {
                for (choice, visits, value) in [(0, 10, 0.7), (2, 5, 0.6), (3, 3, 0.8)] {
                    visit(search.root_child(choice), visits, value);
                }
                let found: Vec<_> = search
                    .final_lines(decision)
                    .iter()
                    .map(|line| {
                        (line.moves[0], (line.value.win_probability() * 100.0).round() / 100.0)
                    })
                    .collect();
                assert_eq!(found, expected);
            });
        }
    }

    #[test]
    fn refuted_decision_gives_way_unless_all_moves_lose() {
        let lost = win_in(Player::White, 2);
        let open = Value::WinProbability(0.5);
        // A lost position reports its own distance, though the decided move loses sooner.
        let cases = [(None, [1, 2], open), (Some(DRAW), [1, 2], Value::Draw)];
        for (other, moves, value) in cases.into_iter().chain([(Some(lost), [2, 1], Value::Loss(2))])
        {
            let limits = Limits { search_moves: vec![1, 2], ..with_lines(2) };
            with_toy(Toy::root(&WON), &limits, |search| {
                other.iter().for_each(|&proof| search.root_child(0).set_proof(proof));
                search.prove(search.tree.root(), Player::Black);
                let lines = search.final_lines(decision(2));
                assert_eq!([0, 1].map(|index| lines[index].moves[0]), moves);
                assert_eq!(lines[0].value, value);
            });
        }
    }

    #[test]
    fn proven_lines_go_to_the_end_of_the_game() {
        let at = |tree, moves: &[usize]| {
            let mut position = Toy::root(tree);
            moves.iter().for_each(|&mv| position.play(mv));
            position
        };
        // The table proves these positions, so no child shows the line.
        let (win, longer) =
            (win_in(Player::Black, 2), win_in(Player::Black, 2).after_move(Player::White));
        let cases = [
            (at(&WON, &[]), vec![(at(&WON, &[1]), longer)], Value::Win(3), vec![1, 3, 5, 7, 9], 5),
            (
                at(&WON, &[1]),
                vec![(at(&WON, &[3]), win), (at(&WON, &[4]), win)],
                Value::Loss(2),
                vec![3, 5, 7, 9],
                4,
            ),
            (
                at(&FOR_A_DRAW, &[]),
                vec![(at(&FOR_A_DRAW, &[1]), DRAW)],
                Value::Draw,
                vec![1, 3, 5],
                1,
            ),
        ];
        for (root, proofs, value, moves, depth) in cases {
            with_toy(root, &with_lines(1), |search| {
                proofs.iter().for_each(|&(position, proof)| search.store(position, proof));
                search.adopt_proofs();
                let lines = search.final_lines(None);
                assert_eq!(lines, [Line { value, moves }]);
                assert_eq!(search.report_with(lines, None).depth, depth);
            });
        }
    }
}
