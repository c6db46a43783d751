//! Depth-first proof-number search (df-pn, Nagai 2002): finds out who wins, always working on the line that seems to need the
//! least more.

use std::cmp::Reverse;

use arrayvec::ArrayVec;

use super::facts::{Glance, after, decided, play_forced};
use super::proof::{Length, Proof};
use super::transposition::{Known, Numbers, TranspositionTable};
use crate::game::{Game, MAX_MOVES, MoveList, Player};

/// A proof search on one thread.
pub struct Prover<'a> {
    table: &'a TranspositionTable,
    /// Expansions made so far.
    pub expansions: u64,
    /// Expansions after which to give up.
    budget: u64,
}

/// A move and what is known of it.
#[derive(Clone, Copy)]
struct Child {
    /// The place among the legal moves.
    choice: u8,
    /// The moves up to the next choice, this one among them.
    way: Length,
    numbers: Numbers,
    proof: Option<Proof>,
}

impl Child {
    fn new(choice: usize, way: Length, known: Known) -> Child {
        let mut child = Child { choice: choice as u8, way, numbers: Numbers { proof: 1, disproof: 1 }, proof: None };
        child.learn(known);
        child
    }

    fn learn(&mut self, known: Known) {
        (self.numbers, self.proof) = match known {
            Known::Open(numbers) => (numbers, None),
            Known::Proven(proof) => {
                let length = self.way.then(proof.length);
                (Numbers::proven(proof.is_win_for(Player::Black)), Some(Proof { length, ..proof }))
            }
        };
    }
}

/// A position on the line that is worked on. The line stands in memory of its own and not on the thread's stack: a marathon may go on
/// for hundreds of plies.
struct Frame<G: Game> {
    position: G,
    moves: MoveList<G::Move>,
    /// Where its children begin among those of the whole line.
    first_child: usize,
    /// The child that the line goes on with.
    chosen: usize,
    /// The numbers at which to turn back.
    limits: Numbers,
    /// The expansions made before this one.
    began: u64,
}

impl<'a> Prover<'a> {
    pub fn new(table: &'a TranspositionTable) -> Self {
        Prover { table, expansions: 0, budget: 0 }
    }

    /// Works on a position for at most `budget` expansions, and says what is known then. What was learnt stays in the table, so that
    /// the next call goes on where this one stopped.
    pub fn prove<G: Game>(&mut self, position: &G, budget: u64) -> Option<Proof> {
        if let Some(proof) = decided(position) {
            return Some(proof);
        }
        self.budget = self.expansions + budget;
        let known = match self.table.get(position.hash()) {
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
    fn search<G: Game>(&mut self, position: &G) -> Known {
        let most = Numbers { proof: Numbers::MOST, disproof: Numbers::MOST };
        let mut children = Vec::new();
        let mut line = vec![self.expand(*position, most, &mut children)];
        loop {
            let Some(frame) = line.last_mut() else { return Known::Open(most) };
            let own = &children[frame.first_child..];
            let player = frame.position.turn();
            let known = summary(own, player);
            if let Known::Open(numbers) = known
                && numbers.proof < frame.limits.proof
                && numbers.disproof < frame.limits.disproof
                && self.expansions < self.budget
                && let Some((chosen, limits)) = next_child(own, player, numbers, frame.limits)
            {
                frame.chosen = chosen;
                let next = after(&frame.position, frame.moves[usize::from(own[chosen].choice)]);
                line.push(self.expand(next, limits, &mut children));
                continue;
            }
            self.table.put(frame.position.hash(), known, self.expansions - frame.began);
            children.truncate(frame.first_child);
            line.pop();
            match line.last() {
                Some(parent) => children[parent.first_child + parent.chosen].learn(known),
                None => return known,
            }
        }
    }

    /// Adds the position's children to those of the line.
    fn expand<G: Game>(&mut self, position: G, limits: Numbers, children: &mut Vec<Child>) -> Frame<G> {
        let began = self.expansions;
        self.expansions += 1;
        let player = position.turn();
        let moves = position.legal_moves();
        let first_child = children.len();
        let mut lookups = ArrayVec::<(usize, u64), MAX_MOVES>::new();
        for (choice, &mv) in moves.iter().enumerate() {
            let mut next = position;
            next.play(mv);
            let way = play_forced(&mut next).with_move(player);
            match Glance::at(&next) {
                Glance::Decided(proof) => {
                    children.push(Child::new(choice, way, Known::Proven(proof)));
                    if proof.is_win_for(player) {
                        break;
                    }
                }
                Glance::Open { safe_moves } => {
                    // The more moves, the harder to win against (Breuker 1998).
                    let numbers = from_own_and_other(1, safe_moves as u32, next.turn());
                    lookups.push((children.len(), next.hash()));
                    children.push(Child::new(choice, way, Known::Open(numbers)));
                }
            }
        }
        // Known positions are looked up all at once, since each of these memory accesses is slow and they can overlap.
        self.table.prefetch(lookups.iter().map(|&(_, key)| key));
        for &(child, key) in &lookups {
            if let Some(known) = self.table.get(key) {
                children[child].learn(known);
            }
        }
        Frame { position, moves, first_child, chosen: 0, limits, began }
    }
}

/// The number that the player to move wants small, and the other.
fn own_and_other(numbers: Numbers, player: Player) -> (u32, u32) {
    match player {
        Player::Black => (numbers.proof, numbers.disproof),
        Player::White => (numbers.disproof, numbers.proof),
    }
}

fn from_own_and_other(own: u32, other: u32, player: Player) -> Numbers {
    match player {
        Player::Black => Numbers { proof: own, disproof: other },
        Player::White => Numbers { proof: other, disproof: own },
    }
}

fn summary(children: &[Child], player: Player) -> Known {
    let mut own = Numbers::MOST;
    let mut other = 0u32;
    for child in children {
        let (child_own, child_other) = own_and_other(child.numbers, player);
        own = own.min(child_own);
        other = (other + child_other).min(Numbers::MOST);
    }
    // Only what is proven has a number of 0.
    let proof = || Proof::of_moves(player, children.iter().map(|child| child.proof));
    let proven = if own == 0 || other == 0 { proof() } else { None };
    proven.map_or(Known::Open(from_own_and_other(own, other, player)), Known::Proven)
}

/// The child that seems easiest for the player to move, and how far to go there: until another one seems clearly easier (the
/// 1 + ε trick, Pawlewicz and Lew 2007), or the limits of the parent are reached.
fn next_child(children: &[Child], player: Player, numbers: Numbers, limits: Numbers) -> Option<(usize, Numbers)> {
    let mut best = None;
    let mut least = (Numbers::MOST, 0);
    let mut second = Numbers::MOST;
    for (index, child) in children.iter().enumerate() {
        let (own, other) = own_and_other(child.numbers, player);
        // Among equals the one that is hardest for the opponent.
        if (own, Reverse(other)) < (least.0, Reverse(least.1)) {
            second = least.0;
            least = (own, other);
            best = Some(index);
        } else if own < second {
            second = own;
        }
    }
    let best = best?;
    let (limit_own, limit_other) = own_and_other(limits, player);
    let (_, other) = own_and_other(numbers, player);
    let (_, child_other) = own_and_other(children[best].numbers, player);
    let own = limit_own.min(second.saturating_add(second / 2).saturating_add(1)).min(Numbers::MOST);
    let other = limit_other.saturating_sub(other).saturating_add(child_other).min(Numbers::MOST);
    Some((best, from_own_and_other(own, other, player)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Outcome, mix};

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
            if self.outcome().is_some() { MoveList::new() } else { [true, false].into_iter().collect() }
        }

        fn play(&mut self, goes_on: bool) {
            *self = Corridor { left: self.left - u32::from(goes_on), turn: !self.turn, resigned: !goes_on };
        }

        fn hash(&self) -> u64 {
            mix(u64::from(self.left) << 2 | (self.turn.index() as u64) << 1 | u64::from(self.resigned))
        }
    }

    #[test]
    fn the_longest_line_needs_no_more_of_the_stack_than_the_shortest() {
        const SMALL_STACK: usize = 1 << 17;
        let prove = || {
            let table = TranspositionTable::new(1 << 24);
            Prover::new(&table).prove(&Corridor { left: 50_000, turn: Player::Black, resigned: false }, 1 << 20)
        };
        let proof = std::thread::Builder::new().stack_size(SMALL_STACK).spawn(prove).unwrap().join().unwrap();
        assert_eq!(proof.map(|proof| proof.outcome), Some(Outcome::Win(Player::Black)));
    }
}
