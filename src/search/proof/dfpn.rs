//! Depth-first proof-number search (df-pn, Nagai 2002): finds the winner, always extending the line
//! that seems to need the least work.
//!
//! Several threads may work on one position with one table. Each starts at the root and announces
//! longer work at a position. If all moves must be refuted, a child with other threads below it
//! counts as harder ([`VirtualProofNumbers`]), so the threads spread out. The table holds only true
//! numbers.

use std::marker::PhantomData;

use super::child_selection::VirtualProofNumbers;
use super::child_selection::{Child, ChildSelection, from_phi_delta};
use super::heuristics::{Heuristics, RulesOnly};
use super::static_result::{StaticResult, after, play_forced, static_proof};
use super::table::TranspositionTable;
use super::tt_value::{ProofNumbers, TtValue};
use super::{Distance, Proof};
use crate::game::{Game, InitialNumbers, Outcome};
use crate::search::limits::Control;

/// A proof search on one thread.
pub struct Prover<'a, H = RulesOnly> {
    heuristics: PhantomData<H>,
    table: TranspositionTable<'a>,
    /// Positions of the other threads, if several work on one position.
    virtual_numbers: Option<&'a VirtualProofNumbers>,
    /// Control that ends the search.
    control: Option<&'a Control>,
    /// Returns true when the search was cancelled, given the number of expansions.
    is_over: Option<&'a dyn Fn(u64) -> bool>,
    /// Expansions so far.
    pub expansions: u64,
    /// Expansions at which the search gives up.
    budget: u64,
    /// Expansions for solving one position exactly: this number or the remaining budget, whichever
    /// is larger.
    exact_limit: u64,
}

/// Expansions between two readings of the clock.
const EXPANSIONS_PER_CLOCK_CHECK: u64 = 256;

/// A condition for [`Prover::until`] that reads the clock only now and then: `is_over` is called
/// once per `EXPANSIONS_PER_CLOCK_CHECK` expansions.
pub fn at_clock_checks(is_over: impl Fn() -> bool) -> impl Fn(u64) -> bool {
    move |expansions| expansions.is_multiple_of(EXPANSIONS_PER_CLOCK_CHECK) && is_over()
}

/// Expansions below a position after which a thread announces it. Memory that all threads write is
/// slow, and most positions take fewer. Where threads meet, they announce the chosen child at once.
const ANNOUNCE_AFTER: u64 = 8;

/// A position on the current line. The line is on the heap, since a marathon may have hundreds of
/// plies and a thread's stack is small.
struct Frame<G> {
    position: G,
    key: u64,
    /// Index of its first child in the line's children.
    first_child: usize,
    /// The child that continues the line.
    chosen: usize,
    /// Numbers at which to return to the parent.
    thresholds: ProofNumbers,
    /// Expansions before this position.
    began: u64,
    /// Whether this thread is counted in the virtual proof numbers here.
    is_announced: bool,
}

/// A move and the next position with a choice after it.
struct Successor<G: Game> {
    mv: G::Move,
    position: G,
    key: u64,
    from_parent: Distance,
}

/// The current line, from the root.
struct Line<G: Game> {
    frames: Vec<Frame<G>>,
    /// Children of all positions on the line.
    children: Vec<Child<G::Move>>,
    /// Buffer for the moves of the last position, kept here since moving it is slow.
    successors: Vec<Successor<G>>,
}

impl<'a> Prover<'a> {
    pub fn new(table: TranspositionTable<'a>) -> Self {
        Prover {
            heuristics: PhantomData,
            table,
            virtual_numbers: None,
            control: None,
            is_over: None,
            expansions: 0,
            budget: 0,
            exact_limit: 0,
        }
    }

    /// Parts from other threads by these virtual proof numbers.
    pub fn with_virtual_numbers(self, virtual_numbers: Option<&'a VirtualProofNumbers>) -> Self {
        Prover { virtual_numbers, ..self }
    }

    /// Ends the search once `is_over` returns true; it gets the number of expansions.
    pub fn until(self, is_over: &'a dyn Fn(u64) -> bool) -> Self {
        Prover { is_over: Some(is_over), ..self }
    }
}

impl<'a, H> Prover<'a, H> {
    /// A prover for long proofs. It spends up to `exact_limit` expansions, or the rest of its
    /// budget if that is more, on solving one position exactly.
    pub fn with_heuristics(
        table: TranspositionTable<'a>,
        control: &'a Control,
        virtual_numbers: Option<&'a VirtualProofNumbers>,
        exact_limit: u64,
    ) -> Self {
        Prover {
            heuristics: PhantomData,
            table,
            virtual_numbers,
            control: Some(control),
            is_over: None,
            expansions: 0,
            budget: 0,
            exact_limit,
        }
    }

    /// Works on a position for at most `budget` expansions. Returns its proof, if there is one. The
    /// table keeps all results, so the next call continues this one.
    pub fn prove<G: Game>(&mut self, position: &G, budget: u64) -> Option<Proof>
    where
        H: Heuristics<G>,
    {
        if let Some(proof) = static_proof(position) {
            return Some(proof);
        }
        self.budget = self.expansions + budget;
        let known = match self.table.get(position.proof_key()) {
            Some(known @ TtValue::Proven(_)) => known,
            _ if budget == 0 => return None,
            _ => self.search(position),
        };
        match known {
            TtValue::Proven(proof) => Some(proof),
            TtValue::Open(_) => None,
        }
    }

    /// Searches until the position is proven or the budget is used up.
    fn search<G: Game>(&mut self, position: &G) -> TtValue
    where
        H: Heuristics<G>,
    {
        let most = ProofNumbers { proof: ProofNumbers::MAX, disproof: ProofNumbers::MAX };
        let mut line = Line { frames: Vec::new(), children: Vec::new(), successors: Vec::new() };
        self.expand(*position, most, true, &mut line);
        loop {
            let Some(frame) = line.frames.last_mut() else { return TtValue::Open(most) };
            let own = &line.children[frame.first_child..];
            let player = frame.position.turn();
            let selection = ChildSelection::of(own, player);
            let known = selection.known(own, player);
            if let TtValue::Open(numbers) = known
                && numbers.proof < frame.thresholds.proof
                && numbers.disproof < frame.thresholds.disproof
                && self.may_go_on()
                && let virtual_numbers = self.shared_numbers(frame)
                && let choice = virtual_numbers.map_or(selection, |virtual_numbers| {
                    selection.shared_with(own, player, |key| virtual_numbers.threads_below(key))
                })
                && let Some((mv, best)) =
                    own.get(choice.best).and_then(|child| Some((child.mv?, child)))
            {
                frame.chosen = choice.best;
                let thresholds = choice.thresholds_of_best(best, frame.thresholds, player);
                let next = after(&frame.position, mv);
                if let Some(proof) = self.solve_exactly(&next) {
                    let child = frame.first_child + frame.chosen;
                    line.children[child].update(TtValue::Proven(proof));
                    continue;
                }
                self.expand(next, thresholds, virtual_numbers.is_some(), &mut line);
                continue;
            }
            self.table.put(frame.key, known, frame.began..self.expansions);
            if let Some(virtual_numbers) = self.virtual_numbers.filter(|_| frame.is_announced) {
                virtual_numbers.leave(frame.key);
            }
            line.children.truncate(frame.first_child);
            line.frames.pop();
            match line.frames.last() {
                Some(parent) => line.children[parent.first_child + parent.chosen].update(known),
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

    /// The virtual proof numbers, if other threads are below this position.
    fn shared_numbers<G: Game>(&self, frame: &mut Frame<G>) -> Option<&'a VirtualProofNumbers> {
        let virtual_numbers = self.virtual_numbers?;
        if !frame.is_announced && self.expansions - frame.began >= ANNOUNCE_AFTER {
            frame.is_announced = true;
            virtual_numbers.enter(frame.key);
        }
        (virtual_numbers.threads_below(frame.key) > u32::from(frame.is_announced))
            .then_some(virtual_numbers)
    }

    /// The exact result of a position near the end of the game, if it is found in time.
    fn solve_exactly<G: Game>(&mut self, position: &G) -> Option<Proof>
    where
        H: Heuristics<G>,
    {
        if !H::is_near_end(position) {
            return None;
        }
        let key = position.proof_key();
        self.virtual_numbers.inspect(|virtual_numbers| virtual_numbers.enter(key));
        let most = self.exact_limit.max(self.budget - self.expansions);
        let (proof, expansions) = H::solve_exactly(position, self.table, most, self.control);
        self.virtual_numbers.inspect(|virtual_numbers| virtual_numbers.leave(key));
        self.expansions += expansions;
        proof
    }

    /// Plays all moves. Prefetches the table's entry of each position, since these memory accesses
    /// are slow.
    fn generate_children<G: Game>(
        &self,
        position: &G,
        moves: &[G::Move],
        successors: &mut Vec<Successor<G>>,
    ) {
        successors.clear();
        for &mv in moves {
            let mut next = *position;
            next.play(mv);
            let from_parent = play_forced(&mut next).with_move(position.turn());
            let key = next.proof_key();
            self.table.prefetch(key);
            successors.push(Successor { mv, position: next, key, from_parent });
        }
    }

    /// Adds an undecided position and its children to the line. If `is_announced`, the thread is
    /// counted there at once.
    fn expand<G: Game>(
        &mut self,
        position: G,
        thresholds: ProofNumbers,
        is_announced: bool,
        line: &mut Line<G>,
    ) where
        H: Heuristics<G>,
    {
        let Line { frames, children, successors } = line;
        let first_child = children.len();
        let key = position.proof_key();
        frames.push(Frame {
            position,
            key,
            first_child,
            chosen: 0,
            thresholds,
            began: self.expansions,
            is_announced,
        });
        if let Some(virtual_numbers) = self.virtual_numbers.filter(|_| is_announced) {
            virtual_numbers.enter(key);
        }
        self.expansions += 1;
        let player = position.turn();
        let moves = position.safe_moves();
        if moves.len() < position.count_legal_moves() {
            let from_parent = Distance::default().with_move(player).with_move(!player);
            children.push(Child::new(
                None,
                from_parent,
                TtValue::Proven(Proof::over(Outcome::Win(!player))),
            ));
        }
        self.generate_children(&position, &moves, successors);
        let numbers_of = position.initial_numbers();
        for (index, Successor { mv, position: next, key, from_parent }) in
            successors.iter().enumerate()
        {
            // A symmetric move came before.
            if successors[..index]
                .iter()
                .any(|before| before.key == *key && before.from_parent == *from_parent)
            {
                continue;
            }
            // Positions in the table need no static analysis.
            let (key, known) = match self.table.get(*key) {
                Some(known) => (*key, known),
                None => match StaticResult::with_numbers(&numbers_of, next) {
                    StaticResult::Decided(proof) => (0, TtValue::Proven(proof)),
                    StaticResult::Open(InitialNumbers { proof, disproof }) => {
                        (*key, TtValue::Open(from_phi_delta(proof, disproof, next.turn())))
                    }
                },
            };
            children.push(Child { key, ..Child::new(Some(*mv), *from_parent, known) });
            if matches!(known, TtValue::Proven(proof) if proof.is_win_for(player)) {
                break;
            }
        }
        for (mv, weight) in H::weights(&position, &moves) {
            if let Some(child) =
                children[first_child..].iter_mut().find(|child| child.mv == Some(mv))
            {
                child.weight = weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MoveList, Player, mix};
    use crate::games::kamisado::{Match, Move, Target};
    use crate::search::proof::table::TableMemory;

    /// A player may resign and lose. At the end of the corridor Black wins.
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

    /// Kamisado without its static results and initial proof numbers.
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
    fn initial_numbers_of_kamisado_halve_the_expansions() {
        fn expansions<G: Game>(position: G) -> u64 {
            let mut memory = TableMemory::new(1 << 24);
            let table = memory.table();
            let mut prover = Prover::new(table);
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
    fn stops_when_cancelled() {
        let mut memory = TableMemory::new(1 << 20);
        let table = memory.table();
        let is_over = |expansions| expansions >= 150;
        let mut prover = Prover::new(table).until(&is_over);
        let opening = Match::start(Target::Simple);
        assert_eq!((prover.prove(&opening, 100), prover.expansions), (None, 100));
        assert_eq!((prover.prove(&opening, 100), prover.expansions), (None, 150));
        assert_eq!(
            (prover.prove(&opening, 100), prover.expansions),
            (None, 151),
            "the root is expanded in any case"
        );
    }

    #[test]
    fn leaves_no_thread_counts_behind() {
        let (mut memory, virtual_numbers) = (TableMemory::new(1 << 20), VirtualProofNumbers::new());
        let table = memory.table();
        let opening = Match::start(Target::Simple);
        let after_moves =
            || opening.legal_moves().into_iter().map(|mv| after(&opening, mv).proof_key());
        virtual_numbers.enter(opening.proof_key());
        let mut prover = Prover::new(table).with_virtual_numbers(Some(&virtual_numbers));
        prover.prove(&opening, 2_000);
        assert_eq!(
            (prover.expansions, virtual_numbers.threads_below(opening.proof_key())),
            (2_000, 1),
            "the other thread is still counted"
        );
        assert!(after_moves().all(|key| virtual_numbers.threads_below(key) == 0));
    }

    #[test]
    fn long_lines_do_not_use_the_stack() {
        const SMALL_STACK: usize = 1 << 17;
        let prove = || {
            let mut memory = TableMemory::new(1 << 24);
            let table = memory.table();
            Prover::new(table)
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
