//! Depth-first proof-number search (df-pn, Nagai 2002): finds out who wins, always working on the line that seems to need the
//! least more.
//!
//! Several threads may work on one position with one table. Each goes its own way from the root and tells the others where it works for
//! longer; where all moves have to be refuted, a child below which others are at work looks harder than it is ([`Company`]), so that they
//! part, and only true numbers go into the table.

use std::marker::PhantomData;

use super::child_selection::{Child, Survey, from_own_and_other};
use super::heuristics::{ByEvaluator, Help, Unaided};
use super::proven::{Length, Proof};
use super::static_result::{Glance, after, decided, play_forced};
use super::table::TranspositionTable;
use super::tt_value::{Known, Numbers};
use super::virtual_numbers::Company;
use crate::game::{Effort, Game, Outcome};
use crate::search::budget::Control;

/// A proof search on one thread.
pub struct Prover<'a, H = Unaided> {
    help: PhantomData<H>,
    table: &'a TranspositionTable,
    /// Of the other threads that work on the same position, if there are any.
    company: Option<&'a Company>,
    /// Ends the search from outside.
    control: Option<&'a Control>,
    /// Whether nobody asks any more, after so many expansions.
    is_over: Option<&'a dyn Fn(u64) -> bool>,
    /// Expansions made so far.
    pub expansions: u64,
    /// Expansions after which to give up.
    budget: u64,
    /// Expansions that looking through one position may take, even where the budget is smaller.
    patience: u64,
}

/// A thread tells the others where it is at work after so many expansions there: memory that all of them write is slow, and most positions
/// take fewer. Where several meet, they tell at once which way each of them goes.
const WORTH_TELLING: u64 = 8;

/// A position on the line that is worked on. The line stands in memory of its own and not on the thread's stack: a marathon may go on
/// for hundreds of plies.
struct Frame<G> {
    position: G,
    key: u64,
    /// Where its children begin among those of the whole line.
    first_child: usize,
    /// The child that the line goes on with.
    chosen: usize,
    /// The numbers at which to turn back.
    limits: Numbers,
    /// The expansions made before this one.
    began: u64,
    /// Whether the company knows that this thread is at work here.
    is_told: bool,
}

/// Where a move leads to.
struct Next<G: Game> {
    mv: G::Move,
    position: G,
    key: u64,
    way: Length,
}

/// The line that is worked on, from the root.
struct Line<G: Game> {
    frames: Vec<Frame<G>>,
    /// Of all its positions.
    children: Vec<Child<G::Move>>,
    /// Where the moves of its last position lead to. They stand here since so many bytes are slow to hand on.
    nexts: Vec<Next<G>>,
}

impl<'a> Prover<'a> {
    pub fn new(table: &'a TranspositionTable) -> Self {
        Prover {
            help: PhantomData,
            table,
            company: None,
            control: None,
            is_over: None,
            expansions: 0,
            budget: 0,
            patience: 0,
        }
    }

    /// The same, which parts from the other threads of the company, if there is one.
    pub fn among(self, company: Option<&'a Company>) -> Self {
        Prover { company, ..self }
    }

    /// The same, which asks after each expansion, by their number, whether its work is needless by now.
    pub fn until(self, is_over: &'a dyn Fn(u64) -> bool) -> Self {
        Prover { is_over: Some(is_over), ..self }
    }
}

impl<'a> Prover<'a, ByEvaluator> {
    /// A prover for proofs of hours, which the control may stop, and which parts from the other threads of the company, if there is one. To look
    /// a position through it takes as many expansions as it has `patience`, or as are left.
    pub fn aided(
        table: &'a TranspositionTable,
        control: &'a Control,
        company: Option<&'a Company>,
        patience: u64,
    ) -> Self {
        Prover {
            help: PhantomData,
            table,
            company,
            control: Some(control),
            is_over: None,
            expansions: 0,
            budget: 0,
            patience,
        }
    }
}

impl<'a, H> Prover<'a, H> {
    /// Works on a position for at most `budget` expansions, and says what is known then. What was learnt stays in the table, so that
    /// the next call goes on where this one stopped.
    pub fn prove<G: Game>(&mut self, position: &G, budget: u64) -> Option<Proof>
    where
        H: Help<G>,
    {
        if let Some(proof) = decided(position) {
            return Some(proof);
        }
        self.budget = self.expansions + budget;
        let known = match self.table.get(position.proof_key()) {
            Some(known @ Known::Proven(_)) => known,
            _ if budget == 0 => return None,
            _ => self.search(position),
        };
        match known {
            Known::Proven(proof) => Some(proof),
            Known::Open(_) => None,
        }
    }

    /// Works until the position is proven or the budget is spent.
    fn search<G: Game>(&mut self, position: &G) -> Known
    where
        H: Help<G>,
    {
        let most = Numbers { proof: Numbers::MOST, disproof: Numbers::MOST };
        let mut line = Line { frames: Vec::new(), children: Vec::new(), nexts: Vec::new() };
        self.expand(*position, most, true, &mut line);
        loop {
            let Some(frame) = line.frames.last_mut() else { return Known::Open(most) };
            let own = &line.children[frame.first_child..];
            let player = frame.position.turn();
            let survey = Survey::of(own, player);
            let known = survey.known(own, player);
            if let Known::Open(numbers) = known
                && numbers.proof < frame.limits.proof
                && numbers.disproof < frame.limits.disproof
                && self.may_go_on()
                && let company = self.company_at(frame)
                && let choice = company.map_or(survey, |company| {
                    survey.among_others(own, player, |key| company.at(key))
                })
                && let Some((mv, best)) =
                    own.get(choice.best).and_then(|child| Some((child.mv?, child)))
            {
                frame.chosen = choice.best;
                let limits = choice.limits_of_best(best, frame.limits, player);
                let next = after(&frame.position, mv);
                if let Some(proof) = self.look_through(&next) {
                    let child = frame.first_child + frame.chosen;
                    line.children[child].learn(Known::Proven(proof));
                    continue;
                }
                self.expand(next, limits, company.is_some(), &mut line);
                continue;
            }
            self.table.put(frame.key, known, frame.began..self.expansions);
            if let Some(company) = self.company.filter(|_| frame.is_told) {
                company.leave(frame.key);
            }
            line.children.truncate(frame.first_child);
            line.frames.pop();
            match line.frames.last() {
                Some(parent) => line.children[parent.first_child + parent.chosen].learn(known),
                None => return known,
            }
        }
    }

    fn may_go_on(&self) -> bool {
        let is_over = || self.is_over.is_some_and(|is_over| is_over(self.expansions));
        self.expansions < self.budget
            && !self.control.is_some_and(Control::is_stopped)
            && !is_over()
    }

    /// The company, where others are at work below this position too; alone there, a thread need not look where they are.
    fn company_at<G: Game>(&self, frame: &mut Frame<G>) -> Option<&'a Company> {
        let company = self.company?;
        if !frame.is_told && self.expansions - frame.began >= WORTH_TELLING {
            frame.is_told = true;
            company.join(frame.key);
        }
        (company.at(frame.key) > u32::from(frame.is_told)).then_some(company)
    }

    /// The result of a position, if the help finds it at once.
    fn look_through<G: Game>(&mut self, position: &G) -> Option<Proof>
    where
        H: Help<G>,
    {
        if !H::looks_through(position) {
            return None;
        }
        let key = position.proof_key();
        self.company.inspect(|company| company.join(key));
        let most = self.patience.max(self.budget - self.expansions);
        let (proof, expansions) = H::look_through(position, self.table, most, self.control);
        self.company.inspect(|company| company.leave(key));
        self.expansions += expansions;
        proof
    }

    /// Where the moves lead to. What the table knows of these positions is brought near while more of them are made: each of these accesses to
    /// memory is slow.
    fn look_after<G: Game>(&self, position: &G, moves: &[G::Move], nexts: &mut Vec<Next<G>>) {
        nexts.clear();
        for &mv in moves {
            let mut next = *position;
            next.play(mv);
            let way = play_forced(&mut next).with_move(position.turn());
            let key = next.proof_key();
            self.table.prefetch(key);
            nexts.push(Next { mv, position: next, key, way });
        }
    }

    /// Adds the position to the line, and its children to those of the line. It is one in which nothing is decided at a glance. The company
    /// may be told at once that this thread is at work there.
    fn expand<G: Game>(&mut self, position: G, limits: Numbers, is_told: bool, line: &mut Line<G>)
    where
        H: Help<G>,
    {
        let Line { frames, children, nexts } = line;
        let first_child = children.len();
        let key = position.proof_key();
        frames.push(Frame {
            position,
            key,
            first_child,
            chosen: 0,
            limits,
            began: self.expansions,
            is_told,
        });
        if let Some(company) = self.company.filter(|_| is_told) {
            company.join(key);
        }
        self.expansions += 1;
        let player = position.turn();
        let moves = position.safe_moves();
        if moves.len() < position.count_legal_moves() {
            let way = Length::default().with_move(player).with_move(!player);
            children.push(Child::new(None, way, Known::Proven(Proof::over(Outcome::Win(!player)))));
        }
        self.look_after(&position, &moves, nexts);
        let effort = position.efforts();
        for (index, Next { mv, position: next, key, way }) in nexts.iter().enumerate() {
            // A symmetry turns the move into one before it.
            if nexts[..index].iter().any(|before| before.key == *key && before.way == *way) {
                continue;
            }
            // What the table knows needs no look.
            let (key, known) = match self.table.get(*key) {
                Some(known) => (*key, known),
                None => match Glance::by(&effort, next) {
                    Glance::Decided(proof) => (0, Known::Proven(proof)),
                    Glance::Open(Effort { win, loss }) => {
                        (*key, Known::Open(from_own_and_other(win, loss, next.turn())))
                    }
                },
            };
            children.push(Child { key, ..Child::new(Some(*mv), *way, known) });
            if matches!(known, Known::Proven(proof) if proof.is_win_for(player)) {
                break;
            }
        }
        for (mv, harder) in H::guide(&position, &moves) {
            if let Some(child) =
                children[first_child..].iter_mut().find(|child| child.mv == Some(mv))
            {
                child.harder = harder;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MoveList, Player, mix};
    use crate::games::kamisado::{Match, Move, Target};

    /// Whoever resigns loses; at the end of the corridor Black has won.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Corridor {
        left: u32,
        turn: Player,
        resigned: bool,
    }

    impl Game for Corridor {
        type Move = bool;

        fn turn(&self) -> Player {
            self.turn
        }

        fn outcome(&self) -> Option<Outcome> {
            match (self.resigned, self.left) {
                (true, _) => Some(Outcome::Win(self.turn)),
                (false, 0) => Some(Outcome::Win(Player::Black)),
                _ => None,
            }
        }

        fn legal_moves(&self) -> MoveList<bool> {
            if self.outcome().is_some() {
                MoveList::new()
            } else {
                [true, false].into_iter().collect()
            }
        }

        fn play(&mut self, goes_on: bool) {
            *self = Corridor {
                left: self.left - u32::from(goes_on),
                turn: !self.turn,
                resigned: !goes_on,
            };
        }

        fn hash(&self) -> u64 {
            mix(u64::from(self.left) << 2
                | (self.turn.index() as u64) << 1
                | u64::from(self.resigned))
        }
    }

    /// Kamisado, seen with no other eyes than any game.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Unseen(Match);

    impl Game for Unseen {
        type Move = Move;

        fn turn(&self) -> Player {
            self.0.turn()
        }

        fn outcome(&self) -> Option<Outcome> {
            self.0.outcome()
        }

        fn legal_moves(&self) -> MoveList<Move> {
            self.0.legal_moves()
        }

        fn play(&mut self, mv: Move) {
            self.0.play(mv);
        }

        fn safe_moves(&self) -> MoveList<Move> {
            self.0.safe_moves()
        }

        fn count_safe_moves(&self) -> usize {
            self.0.count_safe_moves()
        }

        fn hash(&self) -> u64 {
            self.0.hash()
        }

        fn proof_key(&self) -> u64 {
            self.0.proof_key()
        }
    }

    #[test]
    fn efforts_by_calls_and_sides_spare_half_of_the_expansions() {
        fn expansions<G: Game>(position: G) -> u64 {
            let table = TranspositionTable::new(1 << 24);
            let mut prover = Prover::new(&table);
            prover.prove(&position, 50_000);
            prover.expansions
        }
        let lines =
            include_str!("../../../tests/data/kamisado-rounds-opening.txt").lines().take(20);
        let rounds: Vec<Match> =
            lines.map(|line| line.split(';').next().unwrap().trim().parse().unwrap()).collect();
        let seen: u64 = rounds.iter().map(|&round| expansions(round)).sum();
        let unseen: u64 = rounds.iter().map(|&round| expansions(Unseen(round))).sum();
        assert!(2 * seen < unseen, "{seen} of {unseen}");
    }

    #[test]
    fn nothing_is_worked_on_once_nobody_asks() {
        let table = TranspositionTable::new(1 << 20);
        let is_over = |expansions| expansions >= 150;
        let mut prover = Prover::new(&table).until(&is_over);
        let opening = Match::start(Target::Simple);
        assert_eq!((prover.prove(&opening, 100), prover.expansions), (None, 100));
        assert_eq!((prover.prove(&opening, 100), prover.expansions), (None, 150));
        assert_eq!(
            (prover.prove(&opening, 100), prover.expansions),
            (None, 151),
            "the position itself is looked at"
        );
    }

    #[test]
    fn a_thread_that_comes_back_is_nowhere_any_more() {
        let (table, company) = (TranspositionTable::new(1 << 20), Company::new());
        let opening = Match::start(Target::Simple);
        let after_moves =
            || opening.legal_moves().into_iter().map(|mv| after(&opening, mv).proof_key());
        company.join(opening.proof_key());
        let mut prover = Prover::new(&table).among(Some(&company));
        prover.prove(&opening, 2_000);
        assert_eq!(
            (prover.expansions, company.at(opening.proof_key())),
            (2_000, 1),
            "the other one is still there"
        );
        assert!(after_moves().all(|key| company.at(key) == 0));
    }

    #[test]
    fn the_longest_line_needs_no_more_of_the_stack_than_the_shortest() {
        const SMALL_STACK: usize = 1 << 17;
        let prove = || {
            let table = TranspositionTable::new(1 << 24);
            Prover::new(&table)
                .prove(&Corridor { left: 50_000, turn: Player::Black, resigned: false }, 1 << 20)
        };
        let proof = std::thread::Builder::new()
            .stack_size(SMALL_STACK)
            .spawn(prove)
            .unwrap()
            .join()
            .unwrap();
        assert_eq!(proof.map(|proof| proof.outcome), Some(Outcome::Win(Player::Black)));
    }
}
